internal import ORM

/// The stored rows that links of an import lead to by an attribute.
final class TargetLookup {
  private let transaction: WriteTransaction
  private var known: [Column: [GroupKey: Found]] = [:]
  /// The treatment of values that no row has; nil while such rows may still come.
  var treatment: ImportMissingTargets?

  /// The roots of the entities whose rows the import still writes; links to them wait.
  var written: Set<String> = []

  private struct Column: Hashable {
    let entity: String
    let attribute: String
  }

  /// The rows with a value.
  private enum Found {
    case none
    case one([StoredValue])
    case several
  }

  init(_ transaction: WriteTransaction) { self.transaction = transaction }

  var count: Int { known.values.reduce(0) { $0 + $1.count } }

  /// Forgets all rows.
  func removeAll() { known.removeAll(keepingCapacity: true) }

  /// The key of the row with a value; nil if there is none.
  ///
  /// - Throws: `ambiguous` for several.
  func key(_ entity: String, _ attribute: String, _ value: StoredValue) throws -> [StoredValue]? {
    if isWritten(entity) { return nil }
    let column = Column(entity: entity, attribute: attribute)
    if known[column]?[GroupKey([value])] == nil { try read(entity, attribute, [value]) }
    switch known[column]?[GroupKey([value])] {
    case .one(let key): return key
    case .several:
      throw StoreError(
        .ambiguous, "two rows have the value by which a link is found", entity: entity,
        attributes: [attribute])
    case .none?, nil: return nil
    }
  }

  /// Returns whether rows that are found now may still change, so that links to them wait.
  private func isWritten(_ entity: String) -> Bool {
    !written.isEmpty && written.contains(transaction.store.schema.root(of: entity))
  }

  /// Reads the rows with some values by one request.
  func read(_ entity: String, _ attribute: String, _ values: [StoredValue]) throws {
    if isWritten(entity) { return }
    let column = Column(entity: entity, attribute: attribute)
    guard let target = transaction.store.schema.entity(named: entity) else { return }
    let names = target.key.map { target.columns[$0].attribute }
    var asked: Set<GroupKey> = []
    let new = values.filter {
      let key = GroupKey([$0])
      return known[column]?[key] == nil && asked.insert(key).inserted
    }
    if new.isEmpty { return }
    var found: [GroupKey: Found] = [:]
    func add(_ values: [StoredValue]) throws {
      let condition: Condition =
        values.count == 1
        ? .compare(.attribute(attribute), .equal, .value(values[0]), [])
        : .isIn(.attribute(attribute), list: .value(.array(values)), [])
      // Two rows of a value say that it is ambiguous: there may be any number of them.
      let limit = values.count * 2
      let columns = names.contains(attribute) ? names : names + [attribute]
      let rows = try transaction.fetch(
        DynamicSelection(
          DynamicQuery(entity, where: condition, limit: limit), columns.map { .value($0) }))
      for row in rows {
        let value = GroupKey([row[attribute]])
        found[value] = found[value] == nil ? .one(names.map { row[$0] }) : .several
      }
      guard rows.count == limit, values.count > 1 else { return }
      for value in values {
        if case .several? = found[GroupKey([value])] { continue }
        found[GroupKey([value])] = nil
        try add([value])
      }
    }
    try add(new)
    for value in new {
      let key = GroupKey([value])
      known[column, default: [:]][key] = found[key] ?? Found.none
    }
  }

  /// The target of a link with a value by which it is found, by the treatment of values that no row has.
  ///
  /// - Throws: `ambiguous`; `missingTarget`; `invalidMapping` for a link that is to keep a key, and where
  ///   a created row needs more.
  func target(of link: FoundLink, _ value: StoredValue) throws -> Target {
    if let key = try key(link.target, link.attribute, value) { return .key(key) }
    switch treatment {
    case nil: return .open
    case .clear where !link.isRequired: return .nowhere
    case .create:
      try transaction.createTarget(link.target, [link.attribute: value])
      known[Column(entity: link.target, attribute: link.attribute)]?
        .removeValue(forKey: GroupKey([value]))
      return try key(link.target, link.attribute, value).map { .key($0) } ?? .nowhere
    case .keepKey:
      throw StoreError(
        .invalidMapping, "a link that is found by an attribute has no key to keep",
        entity: link.entity, attributes: [link.name])
    case .clear, .fail: throw link.missing
    }
  }

  /// The target of a link that is found by an attribute.
  enum Target {
    case key([StoredValue])
    /// No target: the link leads nowhere.
    case nowhere
    /// A target that may still come.
    case open
  }
}

/// A link whose targets are found by an attribute.
struct FoundLink {
  let entity: String
  let name: String
  let target: String
  /// The attribute of the target.
  let attribute: String
  let isRequired: Bool

  /// The error of a target that is not stored.
  var missing: StoreError { .missingTarget(target, of: name, in: entity) }
}

extension WriteTransaction {
  /// Saves a row with some attributes alone, since a link leads to it.
  ///
  /// - Throws: `invalidMapping` where a row needs more.
  func createTarget(_ name: String, _ values: [String: StoredValue]) throws {
    guard let entity = try Schema(store.schema)[name] else { return }
    func refuse(_ property: String) -> StoreError {
      StoreError(
        .invalidMapping,
        "a missing target cannot be created, since it needs more than the value of the link; give "
          + "the property a default, or use another treatment of missing targets",
        entity: name, attributes: [property])
    }
    let held = Set(entity.relationships.flatMap { $0.keyAttributes ?? [] })
    for attribute in entity.attributes
    where values[attribute.name] == nil && !held.contains(attribute.name) {
      let source = entity.key.contains(attribute.name) ? entity.keySource : nil
      let plan = ColumnPlan(attribute, isKeyOf: source)
      if case .required = plan.initial { throw refuse(attribute.name) }
    }
    for relationship in entity.relationships {
      let isGiven = relationship.keyAttributes?.allSatisfy { values[$0] != nil } ?? false
      let isNeeded = relationship.isRequired || relationship.count.map { $0.minimum > 0 } ?? false
      if isNeeded, !isGiven { throw refuse(relationship.name) }
    }
    try save([DynamicRow(name, values)])
  }

  /// Checks that a to-one may hold the key of a target that does not exist.
  ///
  /// - Throws: `invalidMapping` for a link that is required, and one whose targets are not deleted by
  ///   `noAction`.
  func checkMayDangle(_ relationship: String, of name: String) throws -> [String] {
    let schema = store.schema
    if let entity = schema.entity(named: name),
      let link = entity.relationship(named: relationship),
      let target = schema.entity(named: link.target), !link.isToMany, !link.isRequired,
      case .own(let names, position: _)? = link.storage
    {
      let inverse = link.inverse.flatMap { target.relationship(named: $0) }
      let isOne = inverse.map { !$0.isToMany } ?? false
      if (inverse?.deleteRule ?? link.targetDeleteRule) == .noAction, !isOne { return names }
    }
    throw StoreError(
      .invalidMapping,
      "a link keeps the key of a missing target only where it is a to-one that is not required, no "
        + "one-to-one, with the delete rule noAction", entity: name, attributes: [relationship])
  }
}

extension StoreError {
  /// The error of a link whose target is not stored.
  static func missingTarget(_ target: String, of link: String, in entity: String) -> StoreError {
    StoreError(
      .missingTarget, "its target, a \(target), does not exist; save that first", entity: entity,
      attributes: [link])
  }

  /// The error of a link that is to keep its key in a row that cannot be found again.
  static func keepsNoKey(_ link: String, of entity: String) -> StoreError {
    StoreError(
      .invalidMapping,
      "a link keeps the key of a missing target only in a record that has its primary key",
      entity: entity, attributes: [link])
  }
}

extension StoredSchema {
  /// The name of the entity that a hierarchy begins with; the name itself outside of one.
  func root(of name: String) -> String {
    var root = name
    while let parent = entity(named: root)?.parent { root = parent }
    return root
  }
}
