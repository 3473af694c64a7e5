import Foundation
import ORM

/// A row of six fields; the conforming models differ in what they promise alone.
protocol ValidatedRow: PrimaryKeyed where ID == Int64 {
  init(id: Int64, name: String, score: Int64, rating: Double)
  var score: Int64 { get set }
}

/// Promises nothing.
struct BareRow: ValidatedRow {
  var id: Int64
  var name: String
  var score: Int64
  var rating: Double
  var changed: Date? = nil
  var version = 0

  init(id: Int64, name: String, score: Int64, rating: Double) {
    self.id = id
    self.name = name
    self.score = score
    self.rating = rating
  }

  static let entity = Entity<BareRow>("BareRow") {
    .key("id", \.id)
      .attribute("name", \.name)
      .attribute("score", \.score)
      .attribute("rating", \.rating)
      .attribute("changed", \.changed)
      .attribute("version", \.version)
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    self.init(id: try row[0], name: try row[1], score: try row[2], rating: try row[3])
    changed = try row[4]
    version = try row[5]
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(name, at: 1)
    try row.write(score, at: 2)
    try row.write(rating, at: 3)
    try row.write(changed, at: 4)
    try row.write(version, at: 5)
  }
}

/// Three rules.
struct RuledRow: ValidatedRow {
  var id: Int64
  var name: String
  var score: Int64
  var rating: Double
  var changed: Date? = nil
  var version = 0

  init(id: Int64, name: String, score: Int64, rating: Double) {
    self.id = id
    self.name = name
    self.score = score
    self.rating = rating
  }

  static let entity = Entity<RuledRow>("RuledRow") {
    .key("id", \.id)
      .attribute("name", \.name, .length(1...80))
      .attribute("score", \.score, .range(0...))
      .attribute("rating", \.rating, .range(0...1))
      .attribute("changed", \.changed)
      .attribute("version", \.version)
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    self.init(id: try row[0], name: try row[1], score: try row[2], rating: try row[3])
    changed = try row[4]
    version = try row[5]
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(name, at: 1)
    try row.write(score, at: 2)
    try row.write(rating, at: 3)
    try row.write(changed, at: 4)
    try row.write(version, at: 5)
  }
}

/// A timestamp and a version that the operations keep.
struct ManagedRow: ValidatedRow {
  var id: Int64
  var name: String
  var score: Int64
  var rating: Double
  var changed: Date? = nil
  var version = 0

  init(id: Int64, name: String, score: Int64, rating: Double) {
    self.id = id
    self.name = name
    self.score = score
    self.rating = rating
  }

  static let entity = Entity<ManagedRow>("ManagedRow") {
    .key("id", \.id)
      .attribute("name", \.name)
      .attribute("score", \.score)
      .attribute("rating", \.rating)
      .attribute("changed", \.changed, .updatedAt)
      .attribute("version", \.version, .version)
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    self.init(id: try row[0], name: try row[1], score: try row[2], rating: try row[3])
    changed = try row[4]
    version = try row[5]
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(name, at: 1)
    try row.write(score, at: 2)
    try row.write(rating, at: 3)
    try row.write(changed, at: 4)
    try row.write(version, at: 5)
  }
}

/// Hooks that change one field.
struct HookedRow: ValidatedRow, WriteHooks {
  var id: Int64
  var name: String
  var score: Int64
  var rating: Double
  var changed: Date? = nil
  var version = 0

  init(id: Int64, name: String, score: Int64, rating: Double) {
    self.id = id
    self.name = name
    self.score = score
    self.rating = rating
  }

  static let entity = Entity<HookedRow>("HookedRow") {
    .key("id", \.id)
      .attribute("name", \.name)
      .attribute("score", \.score)
      .attribute("rating", \.rating)
      .attribute("changed", \.changed)
      .attribute("version", \.version)
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    self.init(id: try row[0], name: try row[1], score: try row[2], rating: try row[3])
    changed = try row[4]
    version = try row[5]
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(name, at: 1)
    try row.write(score, at: 2)
    try row.write(rating, at: 3)
    try row.write(changed, at: 4)
    try row.write(version, at: 5)
  }

  mutating func willInsert(in transaction: WriteTransaction) throws { version = 1 }
  mutating func willUpdate(from old: HookedRow, in transaction: WriteTransaction) throws {
    version = old.version + 1
  }
}
