public import ORM
internal import ORMCore
public import ORMMigrations

/// A check of a migration plan: rows are made for the old schema, migrated on several stores, and
/// compared by digests; where the plan can be undone, it is undone too.
///
/// ```swift
/// let check = try MigrationCheck(plan, from: "Schemas/v1.json", schema)
/// let outcome = try check.run(on: [MyProvider()], rows: 10_000, seed: 7)
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
    /// The number of rows that were made of each entity.
    public let rows: [String: Int]
    /// The digest of each entity after the migration, the same on every store.
    public let digests: [EntityDigest]
    /// True if the inverse of the plan gave back every row; nil if the plan is `irreversible` or the
    /// old schema has no version.
    public let isUndone: Bool?
  }

  /// Makes rows by a seed, and migrates them on every provider.
  ///
  /// - Parameters:
  ///   - providers: the stores; one or more.
  ///   - rows: the number of rows of each entity. Rows that the old schema refuses are left out.
  ///   - seed: a number; the same one makes the same rows.
  ///   - value: called with entity, attribute and the number of the row; a value, or nil to leave it
  ///     to the seed.
  /// - Throws: `ConformanceFailure` where two stores differ; the errors of the plan.
  public func run(
    on providers: [any StoreProvider], rows: Int, seed: UInt64,
    value: (String, String, Int) -> StoredValue? = { _, _, _ in nil }
  ) throws -> Outcome {
    let former = try Schema(frozen: old)
    var stores: [any Store] = []
    defer { for store in stores { try? store.close() } }
    var counts: [String: Int] = [:]
    var before: [EntityDigest]?
    for provider in providers {
      let store = try provider.make(schema: former, options: StoreOptions())
      if let first = stores.first {
        // Equal to the last bit, also where a store makes keys and timestamps.
        before = try StoreCopy(from: first, to: store).run()
      } else {
        var maker = MigrationRows(schema: store.schema, seed: seed)
        counts = try maker.fill(store, rows, value)
      }
      stores.append(store)
    }
    var options = StoreOptions()
    options.schemaPolicy = .migrate(plan)
    let digests = try digests(&stores, providers, schema, options, "the rows afterwards")
    return Outcome(
      rows: counts, digests: digests,
      isUndone: try undo(&stores, providers, former, before))
  }

  private func undo(
    _ stores: inout [any Store], _ providers: [any StoreProvider], _ former: Schema,
    _ before: [EntityDigest]?
  ) throws -> Bool? {
    guard let version = old.version else { return nil }
    var options = StoreOptions()
    do {
      let back = try plan.inverse(from: schema.stored.version ?? 0, to: version)
      options.schemaPolicy = .migrate(back)
    } catch let error as StoreError where error.code == .irreversible {
      return nil
    }
    let digests = try digests(&stores, providers, former, options, "the rows that were given back")
    return before.map { $0 == digests }
  }

  /// Opens every store with a schema, and compares the digests of their rows.
  private func digests(
    _ stores: inout [any Store], _ providers: [any StoreProvider], _ schema: Schema,
    _ options: StoreOptions, _ subject: String
  ) throws -> [EntityDigest] {
    var known: [EntityDigest]?
    for (position, provider) in providers.enumerated() {
      let store = try provider.reopen(stores[position], schema: schema, options: options)
      stores[position] = store
      let copy = try provider.make(schema: schema, options: StoreOptions())
      defer { try? copy.close() }
      let digests = try StoreCopy(from: store, to: copy).run()
      guard known == nil || known == digests else {
        let other = zip(known ?? [], digests).first { $0 != $1 }
        throw ConformanceFailure(
          name: "migration check", clauses: ["10.1"], store: provider.name,
          subject: "\(subject), \(other?.1.entity ?? "")",
          expected: "\(providers[0].name): \(other?.0.text ?? "")", got: other?.1.text ?? "",
          location: "MigrationCheck.run")
      }
      known = digests
    }
    return known ?? []
  }
}
