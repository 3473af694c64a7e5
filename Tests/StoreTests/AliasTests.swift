import Foundation
import ORM
import ORMMigrations
import StoreModels
import TestSupport
import Testing

/// Programs that have a store open while another renames parts of it: clause 10.10.
@Suite struct AliasTests {
  private func schema(
    _ entity: String = "Cup", _ size: String = "size", version: Int = 1
  ) throws -> Schema {
    try Schema(
      entities: [
        EntityDescription(
          name: entity,
          attributes: [.init("id", .int64), .init(size, .int64), .init("label", .string)],
          key: ["id"], indexes: [IndexDescription([.init(size)], isUnique: true)])
      ], version: version)
  }

  private func open(
    _ kind: FileStore, _ path: String, _ schema: Schema, _ steps: [MigrationStep] = []
  ) throws -> any Store {
    var options = StoreOptions()
    if !steps.isEmpty {
      options.schemaPolicy = .migrate(MigrationPlan([.version(2, steps)]))
    }
    return try StoreLocation(kind: kind.kind, path: path).open(schema: schema, options: options)
  }

  private func add(_ id: Int64, _ size: String, to store: any Store) throws {
    try store.write {
      try $0.insert([
        DynamicRow("Cup", ["id": .int(id), size: .int(id * 10), "label": .string("\(id)")])
      ])
    }
  }

  private func sizes(_ name: String, in store: any Store) throws -> [StoredValue] {
    let query = try DynamicQuery("Cup", in: store.schema, where: "\(name) >= 0", sortedBy: name)
    return try store.read { try $0.fetch(query) }.map { $0[name] }
  }

  @Test(
    "10.10: a program that has the store open goes on beside a rename with an alias",
    arguments: [FileStore.sqlite])
  func attribute(_ kind: FileStore) throws {
    let folder = TestFolder(inMemory: true)
    let path = folder.file("store")
    let older = try open(kind, path, schema())
    try add(1, "size", to: older)
    #expect(try sizes("size", in: older) == [.int(10)])
    let newer = try open(
      kind, path, schema("Cup", "width", version: 2),
      [.renameAttribute("size", to: "width", in: "Cup", alias: true)])
    try add(2, "width", to: newer)
    #expect(try sizes("size", in: older) == [.int(10), .int(20)])
    try add(3, "size", to: older)
    let first = Condition.compare(.attribute("id"), .equal, .value(.int(1)), [])
    let five: [String: Operand] = ["size": .value(.int(5))]
    try older.write { tx in _ = try tx.update(DynamicQuery("Cup", where: first), five) }
    #expect(try sizes("width", in: newer) == [.int(5), .int(20), .int(30)])
    let error = #expect(throws: StoreError.self) {
      try older.write {
        try $0.insert([
          DynamicRow("Cup", ["id": .int(9), "size": .int(30), "label": .string("")])
        ])
      }
    }
    #expect(error?.code == .duplicate)
    #expect(error?.attributes == ["size"])
    // The next version ends the alias, also for a program that is running.
    let next = try open(kind, path, schema("Cup", "width", version: 3))
    let ended = #expect(throws: StoreError.self) { try sizes("size", in: older) }
    #expect(ended?.code == .schemaTooNew)
    #expect(try sizes("width", in: newer) == [.int(5), .int(20), .int(30)])
    for store in [older, newer, next] { try store.close() }
  }

  @Test(
    "10.10: a program that has the store open is refused where its entity is renamed, and opens it again",
    arguments: [FileStore.sqlite])
  func entity(_ kind: FileStore) throws {
    let folder = TestFolder(inMemory: true)
    let path = folder.file("store")
    let older = try open(kind, path, schema())
    try add(1, "size", to: older)
    let newer = try open(
      kind, path, schema("Mug", "size", version: 2), [.renameEntity("Cup", to: "Mug", alias: true)])
    let error = #expect(throws: StoreError.self) { try sizes("size", in: older) }
    #expect(error?.code == .schemaMismatch)
    try older.close()
    let again = try open(kind, path, schema())
    try add(2, "size", to: again)
    #expect(try sizes("size", in: again) == [.int(10), .int(20)])
    #expect(try newer.read { try $0.count(DynamicQuery("Mug")) } == 2)
    for store in [again, newer] { try store.close() }
  }
}
