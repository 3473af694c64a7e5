import Foundation
@_exported public import LMDBBackend
@_exported public import MemoryBackend
import ORM
import ORMCore
@_exported public import SQLiteBackend
import StrataTesting
import TestSupport
import Testing

extension StoreKind {
  /// The kinds of stores that every operation is tested on.
  static let everywhere = tested(.memory, .sqlite, .lmdb)

  /// Opens a new store, whose file goes with the process.
  func makeStore(
    _ schema: Schema, _ change: (inout StoreOptions) -> Void = { _ in }
  ) throws -> any Store {
    var options = StoreOptions()
    // Between two steps of a task, many other tests may run.
    options.writerWait = .seconds(3_600)
    options.readerWait = .seconds(3_600)
    options.streamExpiry = .seconds(3_600)
    options.durability = .off
    change(&options)
    return try open(
      isDurable ? Self.folder.file("\(UUID().uuidString).\(fileExtension)") : nil, schema, options)
  }

  /// Opens a new store of all models.
  func openStore(_ change: (inout StoreOptions) -> Void = { _ in }) throws -> any Store {
    try makeStore(Schema(Snack.self, Note.self, Line.self, Person.self), change)
  }

  /// The folder of this process, removed at its end: stores open connections by their path for as
  /// long as they live.
  private static let folder = TestFolder()
}

struct Snack: Persistable, PrimaryKeyed, Hashable {
  var id: Int64 = 0
  var name = ""
  var taste: String?
  var price: Double = 0

  static let entity = Entity<Snack>("Snack") {
    .key("id", \.id, .generated)
      .attribute("name", \.name)
      .attribute("taste", \.taste)
      .attribute("price", \.price, .default(0))
  }

  init(_ name: String, taste: String? = nil, price: Double = 0, id: Int64 = 0) {
    self.id = id
    self.name = name
    self.taste = taste
    self.price = price
  }
  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    name = try row[1]
    taste = try row[2]
    price = try row[3]
  }
  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(name, at: 1)
    try row.write(taste, at: 2)
    try row.write(price, at: 3)
  }
}

/// A model whose key the program gives, with defaults that core works out.
struct Note: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int
  var text: String?
  var made = Date(timeIntervalSinceReferenceDate: 0)
  var tag: UUID? = UUID.unassigned
  var code: String?

  static let entity = Entity<Note>("Note") {
    .key("id", \.id)
      .attribute("text", \.text)
      .attribute("made", \.made, .defaultNow)
      .attribute("tag", \.tag, .defaultUUID)
      .attribute("code", \.code, .unique)
  }
}

/// A model without a key of its own.
struct Line: Persistable, Codable, Hashable {
  var text: String
  var number = 0
  static let entity = Entity<Line>("Line") {
    .attribute("text", \.text)
      .attribute("number", \.number)
  }
}

struct Person: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: UUID = .unassigned
  var name: String
  static let entity = Entity<Person>("Person") {
    .key("id", \.id, .uuidV7)
      .attribute("name", \.name, .normalized)
  }
}

/// The code and attributes of a `StoreError` that a body throws.
func fault(_ body: () throws -> Void) -> String {
  do {
    try body()
    return "nothing thrown"
  } catch let error as StoreError {
    return ([error.code.rawValue] + error.attributes).joined(separator: " ")
  } catch {
    return "another error: \(error)"
  }
}
