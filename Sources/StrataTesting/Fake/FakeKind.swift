internal import ORM
internal import ORMCore

/// An entity whose rows are made: one with rows of its own, or a subentity, whose rows are rows of its
/// root.
struct FakeKind {
  let entity: StoredEntity
  /// The position of its table.
  let table: Int
  /// The column of the table for each of the entity's columns.
  let columns: [Int]
  /// The column of the table that names the kind of a row, and the name; nil for an entity without a
  /// parent.
  let kind: (column: Int, value: StoredValue)?
  /// The names of the entity and of those above it.
  let names: Set<String>
  /// The rules of its rows, with the columns that each of them reads.
  let rules: [(rule: ValidationRule, condition: BoundCondition)]
  /// The bounds of its attributes by name.
  let bounds: [String: FakeBounds]

  init(_ entity: StoredEntity, table: Int, in schema: StoredSchema, now: StoredValue) throws {
    self.entity = entity
    self.table = table
    let root = schema.root(of: entity)
    if entity.parent == nil {
      columns = Array(entity.columns.indices)
      kind = nil
    } else {
      let subentity = try Subentity(entity, of: root)
      columns = subentity.columns
      kind = (subentity.kindColumn, .string(entity.name))
    }
    var names: Set<String> = [entity.modelName]
    var above = entity
    while let parent = above.parent.flatMap({ schema.entity(named: $0) }) {
      names.insert(parent.modelName)
      above = parent
    }
    self.names = names
    let conditions = try entity.rules.map { rule in
      let written = try rule.condition(for: .stored(entity, schema))
        .rewriting { $0 == .now ? .value(now) : nil }
      var check = ConditionCheck(entity: entity, limits: ConditionLimits())
      return (rule, try check.checked(written))
    }
    bounds = FakeBounds.of(conditions.map { (rule: $0.0, condition: $0.1) })
    rules = try conditions.map { rule, condition in
      let compiled = try CompiledCondition(
        condition, entity: entity, schema: StoredSchema(entities: [entity]))
      return (rule, try compiled.bound(to: []))
    }
  }

  /// The rule that a row of the table breaks; nil if it keeps all.
  func brokenRule(by row: [StoredValue]) throws -> ValidationRule? {
    if rules.isEmpty { return nil }
    let own = BufferedRow(columns.map { row[$0] })
    for (rule, condition) in rules where try !condition.matches(own) { return rule }
    return nil
  }
}

/// The rows of an entity while they are made, those of its subentities among them.
struct FakeRows {
  let entity: StoredEntity
  var rows: [[StoredValue]] = []
  /// The kind of each row.
  var kinds: [Int] = []

  /// The key of a row.
  func key(of row: Int) -> [StoredValue] { entity.key.map { rows[row][$0] } }
}

/// Columns that hold the key of another row, or nil.
struct FakeSlot {
  /// The relationship and the entity that declares it, for errors.
  let name: String
  let entity: String
  /// The relationship that says how many referrers an owner has, with its entity.
  let counted: String
  /// The entity whose rows have the columns, and the entity that they lead to.
  let referrer: String
  let owner: String
  let table: Int
  let columns: [Int]
  /// The column with the ordering key.
  let position: Int?
  /// True if every referrer must lead somewhere.
  let isRequired: Bool
  /// True if an owner has one referrer at most.
  let isOne: Bool
  /// True if every owner must have a referrer.
  let isOwnerBound: Bool
  /// The number of referrers that an owner may have.
  let count: RelationshipDescription.CountRange
  /// True if the columns are part of the key.
  let isKey: Bool

  /// True if an owner may have any number of referrers.
  var isFree: Bool { !isOne && !isOwnerBound && count.minimum == 0 && count.maximum == nil }
  /// The least number of referrers of an owner.
  var least: Int { max(count.minimum, isOwnerBound ? 1 : 0) }
  /// The greatest number of referrers of an owner.
  var most: Int { isOne ? 1 : max(count.maximum ?? .max, 1) }
}

/// Links that are rows of a join entity.
struct FakeJoin {
  let name: String
  /// The entities at both ends.
  let first: String
  let second: String
  let table: Int
  let firstColumns: [Int]
  let secondColumns: [Int]
  /// The columns with the ordering keys of the targets of each end.
  let firstPosition: Int?
  let secondPosition: Int?
  let firstCount: RelationshipDescription.CountRange
  let secondCount: RelationshipDescription.CountRange
}
