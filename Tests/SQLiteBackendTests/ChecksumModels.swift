import Foundation
import ORM

/// A row that others are linked to.
struct Shelf: PrimaryKeyed, Codable, Hashable {
  var id: Int
  var name: String
  var boxes: ToMany<Box> = .notLoaded

  static let entity = Entity<Shelf>("Shelf") {
    .key("id", \.id)
      .attribute("name", \.name)
      .relationship("boxes", \.boxes, inverse: \Box.shelf)
  }
}

/// A row with a key of two attributes, an index of folded texts, one of elements and a link.
struct Box: PrimaryKeyed, Codable, Hashable {
  struct ID: CompositeKey, Codable {
    var land: String
    var number: Int
  }
  var id: ID
  var name: String
  var tags: [String]
  var weight: Double?
  var seal: Data
  var shelf: ToOne<Shelf>

  init(_ number: Int) {
    id = ID(land: number % 3 == 0 ? "IS" : "NO", number: number)
    name = "Box number \(number)"
    tags = (0..<number % 4).map { "tag \((number + $0 * 7) % 13)" }
    weight = number % 5 == 0 ? nil : Double(number) / 4
    seal = Data((0..<number).map { UInt8(truncatingIfNeeded: $0 * number) })
    shelf = .key(number % 2 + 1)
  }

  static let entity = Entity<Box>("Box") {
    .key("land", \.id.land)
      .key("number", \.id.number)
      .attribute("name", \.name, .indexed(.caseInsensitive))
      .attribute("tags", \.tags, .indexed(.elements))
      .attribute("weight", \.weight)
      .attribute("seal", \.seal)
      .relationship("shelf", \.shelf)
  }
}

/// An entity in three versions: without indexes, with an index of folded texts, and with one of
/// elements and two attributes more.
enum Thing {
  struct Plain: PrimaryKeyed, Codable {
    var id: Int
    var name: String
    var tags: [String]
    static let entity = Entity<Plain>("Thing") {
      .key("id", \.id).attribute("name", \.name).attribute("tags", \.tags)
    }
  }

  struct Folded: PrimaryKeyed, Codable {
    var id: Int
    var name: String
    var tags: [String]
    static let entity = Entity<Folded>("Thing") {
      .key("id", \.id)
        .attribute("name", \.name, .indexed(.caseInsensitive))
        .attribute("tags", \.tags, .indexed(.elements))
    }
  }

  struct Wide: PrimaryKeyed, Codable {
    var id: Int
    var name: String
    var tags: [String]
    var note: String?
    var count: Int
    static let entity = Entity<Wide>("Thing") {
      .key("id", \.id)
        .attribute("name", \.name, .indexed(.caseInsensitive))
        .attribute("tags", \.tags, .indexed(.elements))
        .attribute("note", \.note)
        .attribute("count", \.count, .default(7))
    }
  }
}
