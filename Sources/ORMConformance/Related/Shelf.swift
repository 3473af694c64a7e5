internal import ORM

/// A row with arrays and JSON at the one end of a relationship.
struct Shelf: PrimaryKeyed, Codable {
  struct Content: Codable, Sendable {}
  var id: Int64
  var name: String?
  var sizes: [Int]?
  var labels: [String]
  var content: Content?
  var volumes: ToMany<Volume>

  static let entity = Entity<Shelf>("Shelf") {
    .key("id", \.id)
      .attribute("name", \.name)
      .attribute("sizes", \.sizes, .indexed(.elements))
      .attribute("labels", \.labels)
      .json("content", \.content)
      .relationship("volumes", \.volumes, inverse: \Volume.shelf)
  }
}

/// A row with arrays and JSON at the many end of a relationship.
struct Volume: PrimaryKeyed, Codable {
  var id: Int64
  var title: String
  var marks: [Int]
  var notes: [String]?
  var content: Shelf.Content
  var shelf: ToOne<Shelf>

  static let entity = Entity<Volume>("Volume") {
    .key("id", \.id)
      .attribute("title", \.title, .indexed)
      .attribute("marks", \.marks)
      .attribute("notes", \.notes, .indexed(.elements))
      .json("content", \.content)
      .relationship("shelf", \.shelf)
  }
}
