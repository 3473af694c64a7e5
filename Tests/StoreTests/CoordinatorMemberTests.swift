import Foundation
import LMDBBackend
import ORM
import ORMCoordinator
import ORMCore
import SQLiteBackend
import StoreModels
import TestSupport
import Testing

/// Stores of a coordinator that are on a read-only or full volume, or of another schema.
@Suite struct CoordinatorMemberTests {
  private let folder = TestFolder()

  private func paths(_ kind: FileStore, _ member: Int, in disk: TestFolder) -> [String] {
    ["main", "bulk"].enumerated().map { position, name in
      (position == member ? disk : folder).file("\(name)-\(kind)-\(member)")
    }
  }

  /// Opens a coordinator of two stores, of which one is of a kind and the other is SQLite.
  private func open(
    _ kind: FileStore, _ member: Int, _ paths: [String], schema: Schema? = nil,
    isReadOnly: Bool = false
  ) throws -> StoreCoordinator {
    var options = StoreOptions()
    options.isReadOnly = isReadOnly
    func location(_ position: Int) -> StoreLocation {
      position == member && kind == .lmdb
        ? .lmdb(path: paths[position]) : .sqlite(path: paths[position])
    }
    return try StoreCoordinator(
      schema ?? StoreModels.schema(), options: options,
      configurations: [
        .configuration("main", Journal.self, at: location(0)),
        .configuration("bulk", Entry.self, Counter.self, at: location(1)),
      ])
  }

  @Test(
    "12.11: a store on a read-only volume is cannotOpen, and the others stay as they are",
    .enabled(if: TinyDisk.isPossible, "a volume of its own can only be made by root"),
    arguments: FileStore.inPlace, [0, 1])
  func readOnlyVolume(kind: FileStore, member: Int) throws {
    let disk = try TinyDisk(size: "2m")
    let paths = paths(kind, member, in: disk.folder)
    let store = try open(kind, member, paths)
    #expect(try Numbered.next(in: store) == 1)
    try store.close()
    try disk.makeReadOnly()
    let before = try paths.map { try bytes($0) }
    let error = storeError { _ = try open(kind, member, paths) }
    #expect(error?.code == .cannotOpen, "\(error?.description ?? "")")
    #expect(error?.description.contains(["main", "bulk"][member]) == true)
    #expect(try paths.map { try bytes($0) } == before)
    let reading = try open(kind, member, paths, isReadOnly: true)
    #expect(try reading.count(Entry.self) == Numbered.count(1))
    #expect(try reading.count(Journal.self) == 1)
    #expect(storeError { _ = try Numbered.next(in: reading) }?.code == .readOnly)
    try reading.close()
    #expect(try paths.map { try bytes($0) } == before)
  }

  @Test(
    "12.11: a first store that is full changes nothing in any store, and goes on with room",
    .enabled(if: TinyDisk.isPossible, "a volume of its own can only be made by root"),
    arguments: FileStore.inPlace)
  func fullFirst(kind: FileStore) throws {
    let disk = try TinyDisk(size: "2m")
    let paths = paths(kind, 0, in: disk.folder)
    let store = try open(kind, 0, paths)
    #expect(try Numbered.next(in: store) == 1)
    disk.fillUp()
    // The redo entry of all these rows needs space in the first store.
    for number in 2...3 {
      let error = storeError {
        try store.write { tx in
          try tx.insert((0..<400).map { Entry(number, $0) })
          try tx.insert(Journal(number, greatest: 0))
        }
      }
      #expect(error?.code == .full, "\(error?.description ?? "")")
      #expect(error?.description.contains("main") == true, "\(error?.description ?? "")")
      #expect(try store.count(Journal.self) == 1)
      #expect(try store.count(Entry.self) == Numbered.count(1))
    }
    // The other store is not held up.
    try store.save(Counter(1, value: 7))
    try disk.makeRoom()
    #expect(try Numbered.next(in: store) == 2)
    #expect(try store.check().isSound)
    try store.close()
    let again = try open(kind, 0, paths)
    #expect(try again.count(Entry.self) == Numbered.count(1) + Numbered.count(2))
    #expect(try again.find(Counter.self, 1)?.value == 7)
    try again.close()
  }

  @Test(
    "12.11: a store that cannot be made for want of room leaves nothing that is half",
    .enabled(if: TinyDisk.isPossible, "a volume of its own can only be made by root"),
    arguments: FileStore.inPlace, [0, 1])
  func fullAtFirst(kind: FileStore, member: Int) throws {
    let disk = try TinyDisk(size: "2m")
    let paths = paths(kind, member, in: disk.folder)
    disk.fillUp()
    let error = storeError { _ = try open(kind, member, paths) }
    #expect(error?.code == .full || error?.code == .cannotOpen, "\(error?.description ?? "")")
    #expect(error?.description.contains(["main", "bulk"][member]) == true)
    try disk.makeRoom()
    let store = try open(kind, member, paths)
    #expect(try Numbered.next(in: store) == 1)
    #expect(try store.check().isSound)
    try store.close()
  }

  @Test(
    "12.10: a store of a newer or of another schema is refused by its code, and nothing changes",
    arguments: FileStore.inPlace, [0, 1])
  func schemas(kind: FileStore, member: Int) throws {
    let paths = paths(kind, member, in: folder)
    func schema(_ version: Int, textType: AttributeType = .string) throws -> Schema {
      var entities = [
        Journal.entity.description, Entry.entity.description, Counter.entity.description,
      ]
      let position = try #require(entities[1].position(of: "text"))
      entities[1].attributes[position].type = textType
      return try Schema(entities: entities, version: version)
    }
    let store = try open(kind, member, paths, schema: schema(2))
    try store.write { tx in
      try tx.save([DynamicRow("Counter", ["id": .int(1), "value": .int(7)])])
    }
    try store.close()
    let before = try paths.map { try bytes($0) }
    for isReadOnly in [false, true] {
      let older = storeError {
        _ = try open(kind, member, paths, schema: schema(1), isReadOnly: isReadOnly)
      }
      #expect(older?.code == .schemaTooNew, "\(older?.description ?? "")")
      let other = storeError {
        _ = try open(
          kind, member, paths, schema: schema(2, textType: .int64), isReadOnly: isReadOnly)
      }
      #expect(other?.code == .schemaMismatch, "\(other?.description ?? "")")
      #expect(other?.failures.map(\.entity) == ["Entry"])
    }
    #expect(try paths.map { try bytes($0) } == before)
    let again = try open(kind, member, paths, schema: schema(2))
    #expect(try again.fetch(DynamicQuery("Counter")).map { $0["value"] } == [.int(7)])
    try again.close()
  }
}
