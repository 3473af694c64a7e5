import ORMCore
import TestSupport
import Testing

@testable import SQLiteBackend

@Suite struct UniqueTests {
  let fixture: SQLiteFixture

  init() throws { fixture = SQLiteFixture() }

  static let person = StoredEntity(
    name: "Person",
    columns: [
      StoredColumn("id", .int64), StoredColumn("mail", .string, isOptional: true),
      StoredColumn("name", .string), StoredColumn("tags", .array(.string)),
    ], key: [0],
    indexes: [
      StoredIndex("Person_mail_unique", [.init(1)], isUnique: true),
      StoredIndex("Person_name_folded_unique", [.init(2, form: .caseFolded)], isUnique: true),
    ])
  static let schema = StoredSchema(entities: [person])

  static func row(_ id: Int64, _ mail: String?, _ name: String) -> [StoredValue] {
    [.int(id), mail.map { .string($0) } ?? .null, .string(name), .array([])]
  }

  func store(_ fixture: SQLiteFixture) throws -> SQLiteStore {
    let store = try fixture.store(Self.schema)
    try store.put(Self.person, .insert, [Self.row(1, "a", "Ann"), Self.row(2, "b", "Bob")])
    return store
  }

  @Test func `5.1 rows of one batch pass a unique value to each other`() throws {
    let store = try store(fixture)
    let put = try store.put(
      Self.person, .upsert,
      [Self.row(1, "b", "Ann"), Self.row(2, "a", "Bob"), Self.row(3, "c", "Cid")])
    #expect(put.outcomes == [.updated, .updated, .inserted])
    #expect(put.rewinds > 0)
    #expect(try store.all("Person").map { $0[1] } == [.string("b"), .string("a"), .string("c")])
  }

  @Test func `5.1 a rule that stays broken throws, naming attribute and value`() throws {
    let store = try store(fixture)
    for mode in [PutRequest.Mode.insert, .upsert] {
      let error = try thrownError {
        try store.put(Self.person, mode, [Self.row(3, "c", "Cid"), Self.row(4, "a", "Dan")])
      }
      #expect(error.code == .duplicate)
      #expect(error.entity == "Person")
      #expect(error.attributes == ["mail"])
      #expect(error.values == [.string("a")])
      #expect(error.key == [.int(4)])
      #expect(try store.all("Person").count == 2)
    }
  }

  @Test func `5.1 nil is never a duplicate`() throws {
    let store = try store(fixture)
    try store.put(Self.person, .insert, [Self.row(3, nil, "Cid"), Self.row(4, nil, "Dan")])
    #expect(try store.all("Person").count == 4)
  }

  @Test func `2.4 a folded unique rule is broken by another case`() throws {
    let store = try store(fixture)
    let error = try thrownError {
      try store.put(Self.person, .insert, [Self.row(3, "c", "ANN")])
    }
    #expect(error.code == .duplicate)
    #expect(error.attributes == ["name"])
  }

  @Test func `5.1 a set-based update that ends without a clash is allowed`() throws {
    let numbered = StoredEntity(
      name: "N", columns: [StoredColumn("id", .int64), StoredColumn("n", .int64)], key: [0],
      indexes: [StoredIndex("N_n_unique", [.init(1)], isUnique: true)])
    let store = try fixture.store(StoredSchema(entities: [numbered]))
    try store.put(numbered, .insert, (1...5).map { [.int($0), .int($0)] })
    let shift = Operand.arithmetic(.add, .attribute("n"), .value(.int(1)))
    let all = FetchRequest(FetchShape(entity: "N"))
    let count = try store.written { try $0.apply(.update(all, [.init(column: 1, value: shift)])) }
    #expect(count == 5)
    #expect(try store.all("N").map { $0[1] } == (2...6).map { .int($0) })
    let error = try thrownError {
      try store.written {
        _ = try $0.apply(.update(all, [.init(column: 1, value: .value(.int(9)))]))
      }
    }
    #expect(error.code == .duplicate)
    #expect(error.attributes == ["n"])
    #expect(try store.all("N").map { $0[1] } == (2...6).map { .int($0) })
  }

  @Test func `a single row that throws leaves the transaction as it was`() throws {
    let store = try store(fixture)
    try store.written { writer in
      try writer.put(Self.person, .insert, [Self.row(3, "c", "Cid")])
      _ = try thrownError {
        try writer.put(Self.person, .insert, [Self.row(4, "a", "Dan")])
      }
    }
    #expect(try store.all("Person").count == 3)
  }
}
