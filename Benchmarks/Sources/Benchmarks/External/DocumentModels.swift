import Foundation
import ORM

/// A row with a large value, and where the value lies.
protocol LargeRow: PrimaryKeyed where ID == Int64 {
  init(id: Int64, title: String, content: Data)
  var title: String { get }
  var content: Data { get }
  // In each model: a key path through the protocol is no attribute's.
  /// All titles, by a projection.
  static func titles(in store: any Store) throws -> [String]
  /// Gives every row another title, by one set-based update.
  static func retitle(in store: any Store, _ title: String) throws -> Int
}

/// The value is in the row.
struct InsideDocument: LargeRow {
  var id: Int64
  var title: String
  var content: Data

  init(id: Int64, title: String, content: Data) {
    self.id = id
    self.title = title
    self.content = content
  }

  static let entity = Entity<InsideDocument>("InsideDocument") {
    .key("id", \.id)
      .attribute("title", \.title)
      .attribute("content", \.content)
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    self.init(id: try row[0], title: try row[1], content: try row[2])
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(title, at: 1)
    try row.write(content, at: 2)
  }

  static func titles(in store: any Store) throws -> [String] {
    try store.fetch(InsideDocument.all.select(\.title))
  }

  static func retitle(in store: any Store, _ title: String) throws -> Int {
    try store.update(InsideDocument.all) { $0.title = title }
  }
}

/// The value is a file beside the store, whatever its size.
struct OutsideDocument: LargeRow {
  var id: Int64
  var title: String
  var content: Data

  init(id: Int64, title: String, content: Data) {
    self.id = id
    self.title = title
    self.content = content
  }

  static let entity = Entity<OutsideDocument>("OutsideDocument") {
    .key("id", \.id)
      .attribute("title", \.title)
      .attribute("content", \.content, .external(threshold: 1024))
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    self.init(id: try row[0], title: try row[1], content: try row[2])
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(title, at: 1)
    try row.write(content, at: 2)
  }

  static func titles(in store: any Store) throws -> [String] {
    try store.fetch(OutsideDocument.all.select(\.title))
  }

  static func retitle(in store: any Store, _ title: String) throws -> Int {
    try store.update(OutsideDocument.all) { $0.title = title }
  }
}
