internal import Foundation
internal import MemoryBackend
public import ORM
internal import ORMCore
public import ORMMigrations

/// A check of a migration plan: rows are made for the old schema, migrated on several kinds of stores, and
/// compared by digests; where the plan can be undone, it is undone too.
///
/// ```swift
/// let check = try MigrationCheck(plan, from: "Schemas/v1.json", schema)
/// let outcome = try check.run(on: [.memory, .sqlite], rows: FakeCounts(["Player": 10_000]), seed: 7)
/// print(outcome.digests.map { $0.text }, outcome.isUndone as Any)
/// ```
public struct MigrationCheck: Sendable {
  private let plan: MigrationPlan
  private let old: StoredSchema
  private let schema: Schema

  /// Makes a check from a schema in a file, as `strata schema freeze` writes it.
  ///
  /// - Throws: `cannotOpen` and `decoding` for the file.
  public init(_ plan: MigrationPlan, from path: String, _ schema: Schema) throws {
    self.init(plan, from: try StoredSchema(frozenAt: path), schema)
  }

  /// Makes a check from a schema.
  ///
  /// - Parameters:
  ///   - plan: the plan.
  ///   - old: the schema before.
  ///   - schema: the schema of the newest program, with a version.
  public init(_ plan: MigrationPlan, from old: StoredSchema, _ schema: Schema) {
    self.plan = plan
    self.old = old
    self.schema = schema
  }

  /// The outcome of a check.
  public struct Outcome: Sendable {
    /// The digest of each entity before the migration, with the number of its rows.
    public let before: [EntityDigest]
    /// The digest of each entity after the migration, the same on every store.
    public let digests: [EntityDigest]
    /// True if the inverse of the plan gave back every row; nil if the plan is `irreversible` or the
    /// old schema has no version.
    public let isUndone: Bool?
  }

  /// Makes rows by a seed, and migrates them on stores of several kinds.
  ///
  /// - Parameters:
  ///   - kinds: the kinds of stores, in memory or in files.
  ///   - counts: the numbers of rows, by the names of the old schema.
  ///   - seed: a number; the same one makes the same rows.
  ///   - set: sets how values of attributes are made.
  /// - Throws: `corrupt` where two stores differ; `notConfigured` for a kind whose stores are on a server;
  ///   the errors of ``Fake/rows(_:)`` and of the plan.
  public func run(
    on kinds: [StoreKind], rows counts: FakeCounts, seed: UInt64 = 1,
    _ set: (inout Fake) -> Void = { _ in }
  ) throws -> Outcome {
    let former = try Schema(frozen: old)
    var fake = Fake(former, seed: seed)
    set(&fake)
    let made = try fake.store(counts)
    let stores = try kinds.map { try MigratedStore($0) }
    defer { for store in stores { store.remove() } }
    var before: [EntityDigest] = []
    for store in stores {
      before = try StoreCopy(from: made, to: store.open(former, .forTests)).run()
    }
    return Outcome(
      before: before, digests: try digests(stores, schema, plan, "the rows afterwards"),
      isUndone: try undo(stores, former).map { $0 == before })
  }

  /// Migrates back, and returns the digests of the rows; nil where that cannot be.
  private func undo(_ stores: [MigratedStore], _ former: Schema) throws -> [EntityDigest]? {
    guard let version = old.version else { return nil }
    let back: MigrationPlan
    do { back = try plan.inverse(from: schema.stored.version ?? 0, to: version) } catch let error
      as StoreError where error.code == .irreversible
    { return nil }
    return try digests(stores, former, back, "the rows that were given back")
  }

  /// Opens every store with a schema and a plan, and compares the digests of their rows.
  private func digests(
    _ stores: [MigratedStore], _ schema: Schema, _ plan: MigrationPlan, _ subject: String
  ) throws -> [EntityDigest] {
    var options = StoreOptions.forTests
    options.schemaPolicy = .migrate(plan)
    var known: [EntityDigest]?
    for store in stores {
      let copy = MemoryStore(schema: schema)
      let digests = try StoreCopy(from: store.open(schema, options), to: copy).run()
      let expected = known ?? digests
      if let (first, other) = zip(expected, digests).first(where: { $0 != $1 }) {
        throw StoreError(
          .corrupt,
          "\(subject) differ: \(first.text) on \(stores[0].kind), \(other.text) on \(store.kind)",
          entity: other.entity)
      }
      known = expected
    }
    return known ?? []
  }
}

/// A store of a kind that is opened with one schema after another.
private final class MigratedStore {
  let kind: StoreKind
  private let folder: URL
  private var store: (any Store)?

  init(_ kind: StoreKind) throws {
    self.kind = kind
    folder = try kind.makeTestFolder()
  }

  /// Closes the store, and opens its content with a schema.
  func open(_ schema: Schema, _ options: StoreOptions) throws -> any Store {
    let path = kind.testPath(in: folder)
    try (store as? MemoryStore)?.write(to: path)
    try store?.close()
    let opened = try kind.open(path, schema, options)
    store = opened
    return opened
  }

  /// Closes the store, and removes its files.
  func remove() { StoreKind.remove(store, folder) }
}
