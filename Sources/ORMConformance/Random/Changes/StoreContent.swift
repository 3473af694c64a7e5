internal import FoundationEssentials
internal import ORM
internal import ORMCore

/// The whole content of a store: rows of the program's entities, and links that core keeps.
struct StoreContent: Sendable {
  /// A link of an object to another by a relationship.
  struct Link: Hashable, Sendable {
    let relationship: String
    let owner: GroupKey
    let target: GroupKey
  }

  /// The rows by entity and key; those of a subentity under its own name.
  var rows: [String: [GroupKey: [String: StoredValue]]] = [:]
  /// The links by the entity whose relationship they are, each with its position.
  var links: [String: [Link: StoredValue]] = [:]

  init() {}

  /// Reads a store.
  init(of store: any Store) throws {
    try store.read { transaction in
      for entity in store.schema.entities where !entity.isBookkeeping {
        let query = DynamicQuery(entity.modelName, deleted: .included)
        for row in try transaction.fetch(query) {
          if entity.isInternal {
            add(link: row, of: entity, in: store.schema)
          } else {
            add(row, of: entity)
          }
        }
      }
    }
  }

  private mutating func add(_ row: DynamicRow, of root: StoredEntity) {
    let key = GroupKey(root.key.map { row[root.columns[$0].attribute] })
    var own = root
    if !root.subentities.isEmpty, let kind = root.column(named: root.kindName),
      let subentity = root.subentities.first(where: {
        .string($0.name) == row[root.columns[kind].attribute]
      })
    {
      own = subentity
    }
    var values: [String: StoredValue] = [:]
    for column in root.columns {
      if let name = own.column(named: column.name).map({ own.columns[$0].attribute }) {
        values[name] = row[column.attribute]
      } else if !column.isOfSubentities {
        values[column.attribute] = row[column.attribute]
      }
    }
    for column in own.columns where column.isOfSubentities { values[column.attribute] = nil }
    rows[own.modelName, default: [:]][key] = values
  }

  private mutating func add(link row: DynamicRow, of join: StoredEntity, in schema: StoredSchema) {
    for owner in schema.everyEntity {
      for relationship in owner.relationships {
        guard case .join(let entity, let own, let target, let position) = relationship.storage,
          entity == join.modelName
        else { continue }
        let link = Link(
          relationship: relationship.name, owner: GroupKey(own.map { row[$0] }),
          target: GroupKey(target.map { row[$0] }))
        links[owner.modelName, default: [:]][link] = position.map { row[$0] } ?? .null
      }
    }
  }
}

extension StoreContent {
  /// The difference of two contents in words, by entity, which a change set has to report.
  func difference(to after: StoreContent, at level: ChangeLevel, hiding: [String: String])
    -> [String: Set<String>]
  {
    var found: [String: Set<String>] = [:]
    for name in Set(rows.keys).union(after.rows.keys) {
      let old = rows[name] ?? [:]
      let new = after.rows[name] ?? [:]
      for key in Set(old.keys).union(new.keys) {
        guard let line = Self.line(key, old[key], new[key], level, hiding[name]) else { continue }
        found[name, default: []].insert(line)
      }
    }
    for name in Set(links.keys).union(after.links.keys) {
      let old = links[name] ?? [:]
      let new = after.links[name] ?? [:]
      for link in Set(old.keys).union(new.keys) {
        let kind: RowChange.Kind
        switch (old[link], new[link]) {
        case (nil, _): kind = .linked
        case (_, nil): kind = .unlinked
        case (let old?, let new?):
          if old == new { continue }
          kind = .moved
        }
        found[name, default: []].insert(Self.line(kind, link))
      }
    }
    return found
  }

  private static func line(
    _ key: GroupKey, _ old: [String: StoredValue]?, _ new: [String: StoredValue]?,
    _ level: ChangeLevel, _ hiding: String?
  ) -> String? {
    var kind = RowChange.Kind.updated
    var attributes: [String] = []
    switch (old, new) {
    case (nil, _): kind = .inserted
    case (_, nil): kind = .deleted
    case (let old?, let new?):
      attributes = Set(old.keys).union(new.keys).filter {
        !(old[$0] ?? .null).isIdentical(to: new[$0] ?? .null)
      }
      if attributes.isEmpty { return nil }
      if let hiding, (old[hiding] ?? .null).isNull != (new[hiding] ?? .null).isNull {
        kind = (new[hiding] ?? .null).isNull ? .restored : .hidden
      }
    }
    return line(
      kind, key, level < .attributes ? [] : attributes, level < .values ? nil : old,
      level < .values ? nil : new)
  }

  /// A change of a row in words.
  static func line(
    _ kind: RowChange.Kind, _ key: GroupKey, _ attributes: [String],
    _ old: [String: StoredValue]?, _ new: [String: StoredValue]?
  ) -> String {
    func text(_ row: [String: StoredValue]?) -> String {
      row.map { row in
        row.sorted { $0.key < $1.key }.map { "\($0)=\(Self.text($1))" }.joined(separator: ",")
      } ?? "-"
    }
    return "\(kind) \(Self.text(key)) \(attributes.sorted()) [\(text(old))] [\(text(new))]"
  }

  /// A change of a link in words.
  static func line(_ kind: RowChange.Kind, _ link: Link) -> String {
    "\(kind) \(text(link.owner)).\(link.relationship) \(text(link.target))"
  }

  private static func text(_ key: GroupKey) -> String {
    key.values.map { text($0.withPositiveZeros) }.joined(separator: ";")
  }

  /// A value with all of its bits.
  private static func text(_ value: StoredValue) -> String {
    switch value {
    case .date(let date): "date(\(date.timeIntervalSinceReferenceDate))"
    case .data(let data): "data(\(data.map { String($0, radix: 16) }))"
    case .array(let elements): "[\(elements.map { text($0) })]"
    default: "\(value)"
    }
  }
}

extension ChangeSet {
  /// The changes in words, by entity; nil for an entity that reports everything.
  var lines: [String: Set<String>?] {
    Dictionary(
      entities.map { changes in
        (changes.entity, changes.isEverything ? nil : Set(changes.rows.map(\.line)))
      }, uniquingKeysWith: { first, _ in first })
  }
}

extension RowChange {
  var line: String {
    guard let relationship else {
      return StoreContent.line(kind, GroupKey(key), attributes, old, new)
    }
    return StoreContent.line(
      kind,
      StoreContent.Link(
        relationship: relationship, owner: GroupKey(key), target: GroupKey(target)))
  }
}
