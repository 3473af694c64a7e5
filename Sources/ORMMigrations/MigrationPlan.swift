public import ORMStorage

/// The steps that bring a store of any earlier version to the schema of the newest program.
///
/// ```swift
/// let plan = MigrationPlan([
///   .version(2, [
///     .renameAttribute("flavour", to: "taste", in: "Snack"),
///     .addAttribute("cents", .int64, in: "Snack", default: .int(0)),
///     .set("cents", in: "Snack", to: "price * 100"),
///     .dropAttributes(["price"], in: "Snack"),
///   ])
/// ])
/// var options = StoreOptions()
/// options.schemaPolicy = .migrate(plan)
/// let schema = try Schema(Snack.self, version: 2)
/// let store = try SQLiteStore(path: "app.sqlite", schema: schema, options: options)
/// ```
///
/// A store keeps the version of the last program that opened it; one without counts as version 0.
/// At opening, the steps of each later version run in the order of their numbers, up to the version
/// of the schema, each once. Then the store has to fit the declared schema, but for additions, which
/// are made as without a plan. That is worked out from the schemas alone before the first byte is
/// written: a plan that leads elsewhere is `invalidPlan`, with every difference in `failures`.
///
/// A migration of fewer than 200,000 rows is one transaction. A larger one copies the entities that
/// change, in many transactions, and replaces the originals by the copies in the last: if the
/// process ends, the next opening goes on (`StoreOptions.migration`). Until the end no program sees a
/// part of it. When a step throws, the store is as it was.
///
/// A closure runs once for each row that is committed; a row may come to it again if its transaction
/// failed.
///
/// Steps name entities, attributes and relationships as the program named them at their version.
/// Names in the store follow the declaration: a naming strategy needs no step. Rules, hooks and
/// derived attributes do not run in steps; derived attributes are worked out again at the end.
public struct MigrationPlan: Codable, Sendable {
  /// The versions, in ascending order; in a plan that leads back, in descending order.
  public var versions: [MigrationVersion]
  /// The version from which the plan leads back; nil for a plan that leads to later versions.
  ///
  /// `inverse(from:to:)` makes a plan that leads back.
  public internal(set) var startVersion: Int?

  /// Makes a plan of versions in ascending order.
  public init(_ versions: [MigrationVersion]) { self.versions = versions }
}

/// The steps that lead to one version of a schema.
public struct MigrationVersion: Codable, Sendable {
  /// The version, from 1.
  public var number: Int
  /// The steps from the version before, in order.
  public var steps: [MigrationStep]
  /// The older programs that may use the store afterwards; nil for all that the changes admit.
  public var compatibility: MigrationCompatibility?

  /// Makes a version of steps.
  ///
  /// ```swift
  /// let plan = MigrationPlan([
  ///   .version(2, [.dropEntity("Draft")]),
  ///   .version(3, compatible: .reading(since: 2), [.set("cents", in: "Snack", to: "price")]),
  /// ])
  /// ```
  ///
  /// - Parameters:
  ///   - number: the version, from 1.
  ///   - compatibility: the older programs that may go on; it cannot admit more than the steps do.
  ///   - steps: the steps from the version before.
  public static func version(
    _ number: Int, compatible compatibility: MigrationCompatibility? = nil,
    _ steps: [MigrationStep]
  ) -> Self {
    Self(number: number, steps: steps, compatibility: compatibility)
  }
}

/// The older programs that may use a store after a migration (clause 10.10).
public enum MigrationCompatibility: Codable, Hashable, Sendable {
  /// Programs from this version on may read and write, earlier ones neither.
  case writing(since: Int)
  /// Programs from this version on may read, and none may write.
  case reading(since: Int)
}

extension MigrationPlan: SchemaMigration {
  /// Returns the schema to which the steps of later versions lead, without data.
  ///
  /// ```swift
  /// let old = try Schema(Snack.self, version: 1).stored
  /// let new = try Schema(Snack.self, version: 2).stored
  /// let plan = MigrationPlan([.version(2, [.dropAttributes(["taste"], in: "Snack")])])
  /// print(try plan.outcome(from: old, to: new))
  /// ```
  ///
  /// - Parameters:
  ///   - stored: the schema that a store keeps.
  ///   - declared: the schema of the program, whose version ends the plan.
  /// - Returns: the schema afterwards, additions not yet among it.
  /// - Throws: `invalidPlan` where a step names a part that the schema lacks, and where the outcome
  ///   differs from the declared schema in more than additions; `schemaTooNew`.
  public func outcome(from stored: StoredSchema, to declared: StoredSchema) throws -> StoredSchema {
    var outline = try MigrationOutline(versions(from: stored, to: declared), from: stored)
    try outline.finish(as: declared, from: stored)
    var draft = outline.draft
    if leadsBack, stored.version ?? 0 > declared.version ?? 0 {
      draft.describe { schema in
        schema.version = declared.version
        schema.minimumReader = nil
        schema.minimumWriter = nil
      }
    }
    do {
      _ = try SchemaComparison.compare(stored: draft.schema, declared: declared)
    } catch let error as StoreError where error.code == .schemaMismatch {
      throw StoreError(
        .invalidPlan,
        "the plan leads from version \(stored.version ?? 0) to another schema than version "
          + "\(declared.version ?? 0) of the program", failures: error.failures)
    }
    return draft.schema
  }

  /// Returns whether the store is of a lower version than the program, and the plan has steps between;
  /// for a plan that leads back, whether the store is of a higher version.
  public func isNeeded(from stored: StoredSchema, to declared: StoredSchema) throws -> Bool {
    if try versions(from: stored, to: declared).isEmpty { return false }
    _ = try outcome(from: stored, to: declared)
    return true
  }

  /// Throws `invalidPlan` if other programs are to write meanwhile, and a step needs more than the row that
  /// it changes.
  public func check(
    from stored: StoredSchema, to declared: StoredSchema, _ options: MigrationOptions
  ) throws {
    guard options.access == .online, options.mode != .atomic else { return }
    let stored = stored.withoutMigration
    try MigrationOutline(versions(from: stored, to: declared), from: stored).checkRowByRow()
  }

  /// True for a plan that leads back to an earlier version.
  public var leadsBack: Bool { startVersion != nil }

  /// Runs the steps; an engine calls it while it opens a store.
  public func migrate(
    _ transaction: any SchemaTransaction, to declared: StoredSchema, _ options: MigrationOptions
  ) throws -> MigrationOutcome {
    let parts = try parts(in: transaction, to: declared, options)
    return try MigrationRun(transaction, declared, options, parts).run(
      versions(from: transaction.schema, to: declared))
  }

  /// Removes the copies and the progress of a migration of many transactions.
  public func abandon(_ transaction: any SchemaTransaction) throws {
    try transaction.change(transaction.schema.removingMigration)
  }

  /// The versions whose steps a store needs, in order.
  func versions(
    from stored: StoredSchema, to declared: StoredSchema
  ) throws -> [MigrationVersion] {
    try checkNumbers()
    guard let end = declared.version else {
      throw StoreError(
        .invalidPlan, "the program's schema has no version; declare it: Schema(…, version: 2)")
    }
    let begin = stored.version ?? 0
    if let startVersion { return try versions(back: begin, to: end, start: startVersion) }
    return versions.filter { $0.number > begin && $0.number <= end }
  }
}
