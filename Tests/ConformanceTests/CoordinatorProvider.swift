import Foundation
import LMDBBackend
import MemoryBackend
import ORM
import ORMConformance
import ORMCoordinator
import ORMCore
import PostgresBackend
import SQLiteBackend
import TestSupport

/// Makes coordinators of two stores, with entities dealt at random.
final class CoordinatorProvider: StoreProvider {
  /// The kinds of the two stores.
  enum Kinds: String, CaseIterable, Sendable, CustomStringConvertible {
    case memoryAndSQLite = "memory and SQLite"
    case sqliteAndLMDB = "SQLite and LMDB"
    case sqliteAndPostgres = "SQLite and PostgreSQL"

    var description: String { rawValue }

    /// The kinds whose stores can be had here.
    static var possible: [Kinds] {
      allCases.filter { $0 != .sqliteAndPostgres || PostgresServer.isThere }
    }
  }

  /// The locations of a store's entities and files.
  private struct Opened {
    let folder: String
    let namespace: String
    /// The entities of the second store, and all.
    var second: Set<String>
    var names: Set<String>
    /// The second store, if it is in memory.
    var memory: MemoryStore?
    /// The runtime, which is retained so that no identifier is used twice.
    var runtime: StoreRuntime?
    var isClosed = false
  }

  let kinds: Kinds
  let seed: UInt64
  var name: String { "a coordinator of \(kinds), STRATA_SEED=\(seed)" }
  private let folder = TestFolder()
  private let opened = Lock<[ObjectIdentifier: Opened]>([:])

  init(_ kinds: Kinds, seed: UInt64) {
    self.kinds = kinds
    self.seed = seed
  }

  func make(schema: Schema, options: StoreOptions) throws -> any Store {
    let path = folder.file(UUID().uuidString)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let names = Self.roots(of: schema)
    let new = Opened(
      folder: path, namespace: PostgresServer.newNamespace(),
      second: names.filter { isSecond($0, in: schema) }, names: names)
    return try open(new, schema, options)
  }

  func reopen(_ store: any Store, schema: Schema, options: StoreOptions) throws -> any Store {
    let id = ObjectIdentifier(store.runtime)
    guard var former = opened.withLock({ $0[id] }) else {
      throw StoreError(.cannotOpen, "this provider made no such store")
    }
    // A store that could not be opened again is closed already.
    if !former.isClosed {
      let image = former.folder + "/image"
      try? FileManager.default.removeItem(atPath: image)
      try former.memory?.write(to: image)
      try store.close()
      former.memory = nil
      former.isClosed = true
      opened.withLock { [former] in $0[id] = former }
    }
    let names = Self.roots(of: schema)
    var next = former
    // An entity that gets another name stays where it is.
    let missing = former.names.subtracting(names)
    for name in names.subtracting(former.names) {
      let isThere =
        missing.count == 1
        ? former.second.isSuperset(of: missing) : isSecond(name, in: schema)
      if isThere { next.second.insert(name) }
    }
    next.second.formIntersection(names)
    next.names = names
    do { return try open(next, schema, options) } catch let error as StoreError
      where error.code == .schemaMismatch
    {
      // Rows follow a plan: what gets the name or the content of another is where that was.
      let moved = error.failures.filter {
        $0.message.hasPrefix("its rows are in the configuration")
      }
      if moved.isEmpty { throw error }
      for name in moved.compactMap(\.entity) {
        if next.second.remove(name) == nil { next.second.insert(name) }
      }
      return try open(next, schema, options)
    }
  }

  private static func roots(of schema: Schema) -> Set<String> {
    Set(schema.stored.entities.filter { !$0.isInternal }.map(\.modelName))
  }

  private func isSecond(_ name: String, in schema: Schema) -> Bool {
    if kinds == .memoryAndSQLite, keepsContents(name, in: schema) { return false }
    // FNV-1a: the same in every process.
    var hash = seed ^ 0xCBF2_9CE4_8422_2325
    for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return (hash >> 32) & 1 == 1
  }

  /// True if rows of an entity have contents outside, or get them in a later schema.
  ///
  /// A store in memory that is one of several keeps all data in its rows (12.10), and cases count
  /// contents.
  private func keepsContents(_ name: String, in schema: Schema) -> Bool {
    name == "Film"
      || schema.stored.entities.contains {
        $0.modelName == name && $0.columns.contains(where: \.isExternal)
      }
  }

  private func open(
    _ places: Opened, _ schema: Schema, _ options: StoreOptions
  ) throws -> any Store {
    var places = places
    let memory = SharedList<MemoryStore>()
    // A configuration without entities takes part too; then the other names all.
    let first = places.second.isEmpty ? places.names : places.names.subtracting(places.second)
    let configurations: [StoreConfiguration] = [
      .configuration(
        "first", entities: first.sorted(), at: .sqlite(path: places.folder + "/first.sqlite")),
      .configuration(
        "second", entities: places.second.sorted(), at: try second(places) { memory.add($0) }),
    ]
    let store = try StoreCoordinator(
      schema, options: options,
      configurations: places.names.isEmpty ? [configurations[0]] : configurations)
    places.memory = memory.all.last
    places.runtime = store.runtime
    places.isClosed = false
    opened.withLock { [places] in $0[ObjectIdentifier(store.runtime)] = places }
    return store
  }

  /// The location of the second store; `keep` gets the store if it is in memory.
  private func second(
    _ places: Opened, keep: @escaping @Sendable (MemoryStore) -> Void
  ) throws -> StoreLocation {
    switch kinds {
    case .sqliteAndLMDB: return .lmdb(path: places.folder + "/second.lmdb")
    case .sqliteAndPostgres:
      let text = try PostgresServer.location(of: places.namespace)
      return try StoreLocation(text, among: [.postgres])
    case .memoryAndSQLite:
      let image = places.folder + "/image"
      let kind = StoreKind(scheme: "image", fileExtension: "image", isDurable: false) {
        _, schema, options in
        guard let schema else { throw StoreError(.cannotOpen, "there is no schema") }
        let store =
          FileManager.default.fileExists(atPath: image)
          ? try MemoryStore(schema: schema, contentsOf: image, options: options)
          : MemoryStore(schema: schema, options: options)
        keep(store)
        return store
      }
      return StoreLocation(kind: kind, path: image)
    }
  }

  func cleanUp() throws {
    let all = opened.withLock { opened in
      defer { opened = [:] }
      return Array(opened.values)
    }
    for path in Set(all.map(\.folder)) { try FileManager.default.removeItem(atPath: path) }
    if kinds == .sqliteAndPostgres { try PostgresServer.drop(Set(all.map(\.namespace))) }
  }
}
