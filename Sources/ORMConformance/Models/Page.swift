internal import Foundation
internal import ORM

/// JSON as it comes.
struct Page: PrimaryKeyed, Codable {
  struct Content: Codable, Sendable {}
  var id: Int64
  var content: Content

  static let entity = Entity<Page>("Page") {
    .key("id", \.id)
      .json("content", \.content)
  }
}

/// A Codable value stored as JSON.
struct Leaflet: PrimaryKeyed, Codable, Equatable {
  struct Content: Codable, Equatable, Sendable {
    var title: String
    var bytes: Data
    var when: Date
    var numbers: [Double]
    var count: Int
    var nested: [String: [Int?]]
  }
  var id: Int64
  var content: Content

  static let entity = Entity<Leaflet>("Leaflet") {
    .key("id", \.id)
      .json("content", \.content)
  }
}
