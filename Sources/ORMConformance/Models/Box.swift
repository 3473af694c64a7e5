internal import ORM

/// A label under a key of any type.
struct Box<Key: PrimaryKey & AttributeValue & Codable>: PrimaryKeyed, Codable, Hashable {
  var id: Key
  var label: String

  init(_ id: Key, _ label: String) {
    self.id = id
    self.label = label
  }

  static var entity: Entity<Box> {
    Entity<Box>("Box") {
      .key("id", \.id)
        .attribute("label", \.label)
    }
  }
}

/// A key of two attributes.
struct Enrolment: PrimaryKeyed, Codable, Hashable {
  struct ID: CompositeKey {
    var room: String
    var number: Int
  }
  var id: ID
  var seat: String?

  init(_ room: String, _ number: Int, seat: String? = nil) {
    id = ID(room: room, number: number)
    self.seat = seat
  }

  static let entity = Entity<Enrolment>("Enrolment") {
    .key("room", \.id.room)
      .key("number", \.id.number)
      .attribute("seat", \.seat)
  }
}

/// A model without a key of its own.
struct Note: Persistable, Codable, Equatable {
  var text: String
  var rank: Int?

  static let entity = Entity<Note>("Note") {
    .attribute("text", \.text, .indexed)
      .attribute("rank", \.rank)
  }
}
