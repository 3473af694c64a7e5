public import ORM
internal import MemoryBackend

/// Made-up rows that keep every rule of a schema.
///
/// ```swift
/// var fake = Fake(schema, seed: 7)
/// fake.set(\Snack.price) { $0.double(in: 1...9) }
/// let store = try fake.store([Team.self: 10, Player.self: 200])
/// ```
///
/// Rows follow from the schema alone: kinds, ranges, lengths, patterns, the cases of enums, unique
/// rules, and relationships with their numbers. A text looks like its attribute's name: `email`, `city`,
/// `lastName`. The same seed makes the same rows, on every store and machine (clause 13.7).
///
/// Optional attributes are nil once in eight times. Soft-deleted rows are not made, and hooks do not run.
/// `.version` begins with 1, and the timestamps of managed attributes are in 2024.
///
/// A rule that names the present time is read at the beginning of 2026, in UTC.
public struct Fake: Sendable {
  private var settings: FakeSettings

  /// Makes a fake for a schema.
  ///
  /// - Parameters:
  ///   - schema: the schema whose rows are made.
  ///   - seed: a number; the same one makes the same rows.
  ///   - words: the list of words from which texts are made.
  public init(_ schema: Schema, seed: UInt64 = 1, words: FakeWords = .one) {
    settings = FakeSettings(schema: schema, seed: seed, words: words)
  }

  /// Sets how values of an attribute are made.
  ///
  /// ```swift
  /// var fake = Fake(schema, seed: 7)
  /// fake.set(\Snack.price) { random in random.double(in: 1...9) }
  /// ```
  ///
  /// Rows are drawn again where the value breaks a rule. The closure must depend on the random source alone,
  /// or the rows do not follow from the seed.
  ///
  /// - Throws: `unknownAttribute` when the rows are made, for a property that is no attribute.
  public mutating func set<Model: Persistable, Value: AttributeValue>(
    _ path: AttributePath<Model, Value>,
    _ value: @escaping @Sendable (inout FakeRandom) -> Value
  ) {
    let name = Model.entity.name(of: path) ?? "\(path)"
    set(Model.entity.declared.name, name) { value(&$0).storedValue }
  }

  /// Sets how values of an attribute are made, by the names in the program.
  ///
  /// ```swift
  /// var fake = Fake(schema, seed: 7)
  /// fake.set("Snack", "price") { .double($0.double(in: 1...9)) }
  /// ```
  public mutating func set(
    _ entity: String, _ attribute: String,
    _ value: @escaping @Sendable (inout FakeRandom) throws -> StoredValue
  ) {
    settings.values[entity, default: [:]][attribute] = value
  }

  /// Makes rows without a store, those of join entities among them.
  ///
  /// - Throws: `invalidSchema` for a rule that no row keeps, by its name; `countOutOfRange` for numbers
  ///   that a relationship forbids; `unknownEntity`, `unknownAttribute`.
  public func rows(_ counts: FakeCounts) throws -> [FakeTable] {
    for (entity, attributes) in settings.values.sorted(by: { $0.key < $1.key }) {
      let known = settings.schema.stored.entity(named: entity)
      guard let known else {
        throw StoreError(.unknownEntity, "a value is set for an unknown entity", entity: entity)
      }
      for name in attributes.keys.sorted() where known.column(ofAttribute: name) == nil {
        throw StoreError(
          .unknownAttribute, "a value is set for an unknown attribute", entity: entity,
          attributes: [name])
      }
    }
    var maker = try FakeMaker(settings, counts)
    return try maker.make()
  }

  /// Makes rows and inserts them into a store without rows of these entities, in one transaction.
  ///
  /// ```swift
  /// try Fake(schema, seed: 7).fill(store, [Team.self: 10, Player.self: 200])
  /// ```
  ///
  /// - Throws: as ``rows(_:)``; `duplicate` if the store has rows with such keys; the errors of the
  ///   store. Then nothing was written.
  public func fill(_ store: any Store, _ counts: FakeCounts) throws {
    let tables = try rows(counts)
    try store.operation { transaction in
      for table in tables {
        let entity = table.stored
        let list = AttributeList(of: entity, at: Array(entity.columns.indices))
        for start in stride(from: 0, to: table.rows.count, by: Self.batch) {
          let end = min(start + Self.batch, table.rows.count)
          try transaction.copy(
            table.rows[start..<end].map { DynamicRow(entity.modelName, list, $0) })
        }
      }
      // A copy takes derived attributes as they are, and those of a table are of empty to-manys.
      if tables.contains(where: { $0.stored.columns.contains { $0.derived != nil } }) {
        try transaction.rebuildDerived()
      }
    }
  }

  /// Makes rows in a new memory store, whose requests expectations count.
  public func store(_ counts: FakeCounts) throws -> any Store {
    let store = MemoryStore(schema: settings.schema, options: StoreOptions().heard)
    try fill(store, counts)
    return store
  }

  /// The number of rows that are put at once.
  private static let batch = 5_000
}

/// The rows that a ``Fake`` made of one entity, those of its subentities among them.
public struct FakeTable: Sendable {
  let stored: StoredEntity
  /// The entity's name in the program.
  public var entity: String { stored.modelName }
  /// The names of the attributes, links and those of subentities among them.
  public var attributes: [String] { stored.columns.map(\.attribute) }
  /// The values of each row, in the order of ``attributes``.
  public let rows: [[StoredValue]]

  init(_ entity: StoredEntity, _ rows: [[StoredValue]]) {
    stored = entity
    self.rows = rows
  }
}
