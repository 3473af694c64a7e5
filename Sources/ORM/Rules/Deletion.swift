internal import ORMCore

/// Deletes rows with all that delete rules ask for, in steps that each concern whole sets of rows.
///
/// 1. The rows asked for are the first victims; `cascade` adds others, level by level, each row
///    once, so that cycles end.
/// 2. When all victims are known, `deny` is held against what would remain.
/// 3. The victims go, the keys of victims in other rows become nil, links that are rows go.
/// 4. The targets of owners that lost some, `counted`, are counted by the caller at its verb's end.
///
/// `noAction` leaves what points at a victim as it is. An error leaves everything as it was: the
/// caller undoes what was written.
struct Deletion {
  let transaction: WriteTransaction
  let rules: RelationshipRules
  /// The owners that lost targets.
  private(set) var counted = CountedOwners()
  /// By the entity's name in the program.
  private var victims: [String: Victims] = [:]
  /// The entities with victims, in the order in which they were met.
  private var order: [String] = []

  /// The rows of one entity that are to go.
  struct Victims {
    let rules: EntityRules
    let columns: [Int]
    /// The values of `columns`, row by row.
    var rows: [[StoredValue]] = []
    private(set) var keys: Set<GroupKey> = []

    init(_ rules: EntityRules) {
      self.rules = rules
      columns = rules.readColumns
    }

    /// Adds a row unless it is there.
    mutating func insert(_ row: [StoredValue]) -> Bool {
      guard keys.insert(GroupKey(key(of: row))).inserted else { return false }
      rows.append(row)
      return true
    }

    func key(of row: [StoredValue]) -> [StoredValue] {
      Array(row.prefix(rules.entity.key.count))
    }

    func contains(_ key: [StoredValue]) -> Bool { keys.contains(GroupKey(key)) }

    /// The values of columns that were read.
    func values(_ wanted: [Int], of row: [StoredValue]) -> [StoredValue] {
      wanted.compactMap { column in columns.firstIndex(of: column).map { row[$0] } }
    }
  }

  init(_ transaction: WriteTransaction) throws {
    self.transaction = transaction
    rules = try transaction.store.relationshipRules()
  }

  /// Deletes the rows with these keys; gives how many there were.
  mutating func delete(_ entity: StoredEntity, keys: [[StoredValue]]) throws -> Int {
    let victims = Victims(rules.of(entity))
    let rows = try transaction.rows(
      of: entity, where: entity.key, in: keys, output: victims.columns)
    return try delete(entity, rows)
  }

  /// Deletes the rows that a request selects; gives how many there were.
  mutating func delete(_ entity: StoredEntity, _ request: FetchRequest) throws -> Int {
    let victims = Victims(rules.of(entity))
    var visitor = ValueCollector()
    try transaction.live().visit(
      request.selecting(victims.columns, of: entity), &visitor)
    return try delete(entity, visitor.rows)
  }

  private mutating func delete(
    _ entity: StoredEntity, _ rows: [[StoredValue]]
  ) throws -> Int {
    let count = add(rows, of: entity).count
    if count == 0 { return 0 }
    try cascade(from: entity)
    try deny()
    counted = try countedOwners()
    for name in order { try remove(name) }
    for name in order { try unlink(name) }
    return count
  }

  /// Adds victims; gives those that are new.
  private mutating func add(
    _ rows: [[StoredValue]], of entity: StoredEntity
  ) -> [[StoredValue]] {
    let name = entity.modelName
    if victims[name] == nil {
      victims[name] = Victims(rules.of(entity))
      order.append(name)
    }
    return rows.filter { victims[name]?.insert($0) == true }
  }

  private mutating func cascade(from entity: StoredEntity) throws {
    var level = [(entity.modelName, victims[entity.modelName]?.rows ?? [])]
    while !level.isEmpty {
      var next: [(String, [[StoredValue]])] = []
      for (name, rows) in level {
        guard let known = victims[name] else { continue }
        for link in known.rules.links where link.rule == .cascade {
          let columns = rules.of(link.other).readColumns
          let pairs = try related(by: link, to: rows, of: known, reading: columns)
          let added = add(pairs.map(\.row), of: link.other)
          if !added.isEmpty { next.append((link.other.modelName, added)) }
        }
      }
      level = next
    }
  }

  /// Held against the rows that would remain.
  ///
  /// - Throws: `denied`, naming the relationship with its entity, the key of the row that has it, and
  ///   as its values the key of the row that it leads to.
  private func deny() throws {
    for name in order {
      guard let known = victims[name] else { continue }
      for link in known.rules.links where link.rule == .deny {
        let pairs = try related(by: link, to: known.rows, of: known, reading: link.other.key)
        guard let pair = pairs.first else { continue }
        let (key, other) = link.isOthers ? (pair.row, pair.victim) : (pair.victim, pair.row)
        throw StoreError(
          .denied, "the rule deny forbids the delete: a \(link.other.modelName) would remain",
          entity: link.entity, key: key, attributes: [link.relationship], values: other)
      }
    }
  }

  /// A row that a victim is linked to, and the victim's key.
  private struct Pair {
    var victim: [StoredValue]
    var row: [StoredValue]
  }

  /// The rows linked to some victims that are no victims themselves, with the values of columns that
  /// begin with the key.
  private func related(
    by link: DeleteLink, to rows: [[StoredValue]], of known: Victims, reading columns: [Int]
  ) throws -> [Pair] {
    let other = link.other
    let keyCount = other.key.count
    func isLeft(_ key: [StoredValue]) -> Bool {
      !key.contains(where: \.isNull) && victims[other.modelName]?.contains(key) != true
    }
    switch link.place {
    case .here(let own, position: _):
      var holders: [GroupKey: [StoredValue]] = [:]
      var keys: [[StoredValue]] = []
      for row in rows {
        let key = known.values(own, of: row)
        guard isLeft(key), holders[GroupKey(key)] == nil else { continue }
        holders[GroupKey(key)] = known.key(of: row)
        keys.append(key)
      }
      return try transaction.rows(of: other, where: other.key, in: keys, output: columns)
        .compactMap { row in
          holders[GroupKey(Array(row.prefix(keyCount)))].map { Pair(victim: $0, row: row) }
        }
    case .there(let held, position: _):
      let found = try transaction.rows(
        of: other, where: held, in: rows.map { known.key(of: $0) }, output: columns + held)
      return found.filter { isLeft(Array($0.prefix(keyCount))) }.map { row in
        Pair(victim: Array(row[columns.count...]), row: Array(row[..<columns.count]))
      }
    case .between(let join, let here, let there):
      let links = try transaction.rows(
        of: join, where: here, in: rows.map { known.key(of: $0) }, output: here + there)
      var holders: [GroupKey: [StoredValue]] = [:]
      var keys: [[StoredValue]] = []
      for link in links {
        let key = Array(link[here.count...])
        guard isLeft(key), holders[GroupKey(key)] == nil else { continue }
        holders[GroupKey(key)] = Array(link[..<here.count])
        keys.append(key)
      }
      return try transaction.rows(of: other, where: other.key, in: keys, output: columns)
        .compactMap { row in
          holders[GroupKey(Array(row.prefix(keyCount)))].map { Pair(victim: $0, row: row) }
        }
    }
  }

  /// The owners that lose a target and may then have too few.
  private func countedOwners() throws -> CountedOwners {
    var owners = CountedOwners()
    for name in order {
      guard let known = victims[name] else { continue }
      for link in known.rules.counts where link.rule.range.minimum > 0 {
        let going = victims[link.rule.owner.modelName]
        func insert(_ key: [StoredValue]) {
          if going?.contains(key) != true { owners.insert(key, of: link.rule) }
        }
        if case .between(let join, let own, let other) = link.rule.place, link.columns.isEmpty {
          let keys = known.rows.map { known.key(of: $0) }
          for row in try transaction.rows(of: join, where: other, in: keys, output: own) {
            insert(row)
          }
        } else {
          for row in known.rows { insert(known.values(link.columns, of: row)) }
        }
      }
    }
    return owners
  }

  private func remove(_ name: String) throws {
    guard let known = victims[name] else { return }
    let entity = known.rules.entity
    try transaction.deleteRows(
      of: entity, where: entity.key, in: known.rows.map { known.key(of: $0) })
  }

  /// Takes the keys of victims out of the rows that remain.
  private func unlink(_ name: String) throws {
    guard let known = victims[name] else { return }
    let keys = known.rows.map { known.key(of: $0) }
    for link in known.rules.links {
      switch (link.rule, link.place) {
      case (.nullify, .there(let columns, let position)):
        try transaction.clearRows(
          of: link.other, where: columns, in: keys,
          clearing: columns + (position.map { [$0] } ?? []))
      case (_, .between(let join, let here, there: _)) where join.isInternal:
        try transaction.deleteRows(of: join, where: here, in: keys)
      default: break
      }
    }
  }
}

extension FetchRequest {
  /// The same rows, with the values of some columns.
  func selecting(_ columns: [Int], of entity: StoredEntity) -> FetchRequest {
    FetchRequest(
      FetchShape(
        entity: shape.entity,
        output: .values(columns.map { .attribute(entity.columns[$0].attribute) }),
        condition: shape.condition, sort: shape.sort, isLimited: shape.isLimited),
      bindings: bindings, limit: limit, offset: offset)
  }
}

extension WriteTransaction {
  /// Makes columns nil in the rows whose `columns` hold one of the keys.
  func clearRows(
    of entity: StoredEntity, where columns: [Int], in keys: [[StoredValue]], clearing: [Int]
  ) throws {
    let assignments = clearing.map { StoreChange.Assignment(column: $0, value: .value(.null)) }
    for condition in KeyLists(entity, columns).conditions(keys) {
      let request = FetchRequest(
        entity: entity.name, condition: condition, sort: RequestLowering.total([], entity: entity))
      _ = try apply(.update(request, assignments), entity: entity)
    }
  }
}
