import ORMCore
import TestSupport
import Testing

@testable import LMDBBackend
@testable import MemoryBackend
@testable import OrderedEngine

/// A migration of given steps to a declared schema of a higher version.
struct StepMigration: SchemaMigration {
  let steps: @Sendable (any SchemaTransaction) throws -> Void

  func isNeeded(from stored: StoredSchema, to declared: StoredSchema) -> Bool {
    stored.version ?? 0 < declared.version ?? 0
  }

  func migrate(
    _ transaction: any SchemaTransaction, to declared: StoredSchema, _ options: MigrationOptions
  ) throws -> MigrationOutcome {
    try steps(transaction)
    return .done
  }
}

/// The maps that migrations run over.
enum MigratedMap: String, CaseIterable, CustomTestStringConvertible {
  case memory, limited, sorted, lmdb

  var testDescription: String { rawValue }

  /// Runs a test over an empty map of this kind.
  func run(_ body: (any OrderedStore) throws -> Void) throws {
    switch self {
    case .memory: try body(MemoryMap())
    case .limited: try body(LimitedMap())
    case .sorted: try body(SortedArrayMap())
    case .lmdb:
      let folder = TestFolder(inMemory: true)
      let map = try LMDBMap(path: folder.file("store.lmdb"))
      try body(map)
      try map.close()
      withExtendedLifetime(folder) {}
    }
  }
}

extension OrderedStore {
  /// Opens a store over the map, which may be open already, with a migration if there are steps.
  func open(
    _ schema: StoredSchema?, readOnly: Bool = false,
    _ steps: (@Sendable (any SchemaTransaction) throws -> Void)? = nil
  ) throws -> OrderedStoreEngine {
    var options = StoreOptions()
    options.isReadOnly = readOnly
    if let steps { options.schemaPolicy = .migrate(StepMigration(steps: steps)) }
    return try OrderedStoreEngine(self, schema: schema, runtime: StoreRuntime(options: options))
  }

  /// The catalog of the newest commit.
  func catalog() throws -> Catalog {
    let snapshot = try snapshot()
    defer { snapshot.end() }
    return try #require(try Catalog.read(from: snapshot))
  }

  /// The entries of a keyspace in the newest commit: keys and values.
  func entries(of keyspace: Keyspace) throws -> [[[UInt8]]] {
    let snapshot = try snapshot()
    defer { snapshot.end() }
    let cursor = try snapshot.cursor(in: keyspace)
    var entries: [[[UInt8]]] = []
    var stands = try cursor.seek(UnsafeRawBufferPointer(start: nil, count: 0))
    while stands {
      entries.append([Array(cursor.key), Array(cursor.value)])
      stands = try cursor.next()
    }
    return entries
  }
}

extension Store {
  /// The faults that a verification finds.
  func faults() throws -> [StoreError] {
    try inReader { reader in
      var faults: [StoreError] = []
      try reader.verify { faults.append($0) }
      return faults
    }
  }

  /// The integer keys of the rows that a condition selects, and the index that is read for them.
  func keys(
    _ entity: String, _ condition: Condition
  ) throws -> (keys: [StoredValue], index: String?) {
    let request = FetchRequest(
      entity: entity, condition: condition, sort: [SortTerm(.attribute("id"))])
    return try inReader { (try $0.rows(request).map { $0[0] }, try $0.explain(request).index) }
  }
}

extension StoredSchema {
  /// The schema under another version.
  func version(_ version: Int?) -> StoredSchema {
    var copy = self
    copy.version = version
    return copy
  }
}
