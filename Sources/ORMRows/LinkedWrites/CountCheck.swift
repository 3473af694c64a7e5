internal import ORMStorage

/// The owners whose targets an operation has changed, to be counted at its end.
package struct CountedOwners {
  private(set) var keys: [CountRule: [[StoredValue]]] = [:]
  private var seen: [CountRule: Set<GroupKey>] = [:]

  /// No owners.
  package init() {}

  /// True if there is nothing to count.
  package var isEmpty: Bool { keys.isEmpty }

  /// Adds others.
  package mutating func formUnion(_ other: CountedOwners) {
    for (rule, owners) in other.keys {
      for key in owners { insert(key, of: rule) }
    }
  }

  /// Adds an owner by its key; one that is null, in part or whole, is none.
  package mutating func insert(_ key: [StoredValue], of rule: CountRule) {
    guard !key.contains(where: \.isNull) else { return }
    if seen[rule, default: []].insert(GroupKey(key)).inserted {
      keys[rule, default: []].append(key)
    }
  }
}

extension WriteTransaction {
  /// Counts the targets of owners.
  ///
  /// - Throws: `validationFailed` for the first owner whose counts break, with a failure
  ///   `countOutOfRange` for each, naming the entity, the owner's key and the relationship.
  package func checkCounts(_ owners: CountedOwners) throws {
    var failures: [StoreError] = []
    var broken: (entity: StoredEntity, key: [StoredValue])?
    for rule in owners.keys.keys.sorted(by: { $0.precedes($1) }) {
      var keys = owners.keys[rule] ?? []
      if let broken {
        // Of several owners one is reported, with all that is wrong with it.
        guard rule.owner.modelName == broken.entity.modelName else { break }
        keys = keys.filter { GroupKey($0) == GroupKey(broken.key) }
      }
      let counts = try targetCounts(of: rule, owners: keys)
      for key in keys {
        let count = counts[GroupKey(key)] ?? 0
        if rule.range.contains(count) { continue }
        // Hidden rows are counted when they are restored.
        guard try !existingKeys(of: rule.owner, among: [key], seeing: .hidden).isEmpty
        else { continue }
        failures.append(rule.failure(count, key: key))
        broken = (rule.owner, key)
        break
      }
    }
    if let broken,
      let error = StoreError.broken(failures, entity: broken.entity, key: broken.key)
    {
      throw error
    }
  }
}

extension ReadTransaction {
  /// The number of owners below which each is counted by a request of its own, which reads no more
  /// links than decide; above, all of them together.
  private static var fewOwners: Int { 16 }

  /// Returns the number of visible targets of owners, counted only as far as it takes to decide
  /// whether it is allowed; owners without targets are left out.
  package func targetCounts(
    of rule: CountRule, owners: [[StoredValue]]
  ) throws -> [GroupKey: Int] {
    switch rule.location {
    case .here: return [:]
    case .there(let columns, position: _):
      if owners.count <= Self.fewOwners {
        return try counts(of: rule, in: rule.target, columns, owners)
      }
      let rows = try rows(
        of: rule.target, where: columns, in: owners, output: columns, seeing: .hidden)
      return rows.reduce(into: [:]) { $0[GroupKey($1), default: 0] += 1 }
    case .between(let join, let own, let other):
      // A link to a row that does not exist is not counted (clause 2.9).
      let rows = try rows(
        of: join, where: own, in: owners, output: own + other, seeing: .hidden)
      let targets = rows.map { Array($0[own.count...]) }
      let existing = try existingKeys(of: rule.target, among: targets, seeing: .hidden)
      return zip(rows, targets).reduce(into: [:]) { counts, link in
        guard existing.contains(GroupKey(link.1)) else { return }
        counts[GroupKey(Array(link.0[..<own.count])), default: 0] += 1
      }
    }
  }

  private func counts(
    of rule: CountRule, in links: StoredEntity, _ columns: [Int], _ owners: [[StoredValue]]
  ) throws -> [GroupKey: Int] {
    let limit = (rule.range.maximum ?? rule.range.minimum - 1) + 1
    let output = links.key.map { Operand.attribute(links.columns[$0].attribute) }
    var counts: [GroupKey: Int] = [:]
    for owner in owners {
      var visitor = RowCounter()
      try live().visit(
        FetchRequest(
          of: links, output: .values(output),
          condition: links.seeing(.hidden, where: .all(links.equalities(columns, owner))),
          limit: limit), &visitor)
      counts[GroupKey(owner)] = visitor.count
    }
    return counts
  }

  /// The keys among some that rows of an entity have, soft-deleted ones included unless `seeing` leaves
  /// them out.
  package func existingKeys(
    of entity: StoredEntity, among keys: [[StoredValue]], seeing deleted: DeletedRows = .included
  ) throws -> Set<GroupKey> {
    var seen: Set<GroupKey> = []
    let distinct = keys.filter { seen.insert(GroupKey($0)).inserted }
    let rows = try rows(
      of: entity, where: entity.key, in: distinct, output: entity.key, seeing: deleted)
    return Set(rows.map { GroupKey($0) })
  }
}

extension CountRule {
  /// An order in which rules are looked at, so that the same one fails on every store.
  fileprivate func precedes(_ other: CountRule) -> Bool {
    (owner.modelName, relationship) < (other.owner.modelName, other.relationship)
  }

  /// The failure of an owner with `count` targets.
  package func failure(_ count: Int, key: [StoredValue]) -> StoreError {
    .count(count, range, of: relationship, in: owner.modelName, key: key)
  }
}

extension StoreError {
  /// Returns the failure that reports a to-many whose number of targets is out of range.
  package static func count(
    _ count: Int, _ range: RelationshipDescription.CountRange, of relationship: String,
    in entity: String, key: [StoredValue] = []
  ) -> StoreError {
    let most = range.maximum.map(String.init) ?? ""
    let found =
      range.maximum.map { count > $0 } == true
      ? "more than \(most) targets" : "\(count) targets"
    return StoreError(
      .countOutOfRange, "it has \(found); \(range.minimum)...\(most) are allowed",
      entity: entity, key: key, attributes: [relationship], rule: "count")
  }
}
