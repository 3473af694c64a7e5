internal import ORMStorage

extension GraphWriter {
  /// Counts the targets of every owner whose links the save concerns, and of every new one.
  ///
  /// - Throws: `validationFailed` for counts out of range.
  func checkCounts() throws {
    let rules = try transaction.store.relationshipRules()
    for (number, slot) in layout.slots.enumerated() {
      guard let name = slot.ownerName,
        let rule = rules.count(of: name, in: layout.entities[slot.owner])
      else { continue }
      insertNew(of: slot.owner, into: &counted, rule)
      guard let links = graph.slots[number] else { continue }
      let owners = graph.table(slot.owner)
      let referrers = graph.table(slot.referrer)
      for owner in links.sets.keys { counted.insert(owners.nodes[owner].key, of: rule) }
      for (referrer, owner) in links.owners {
        if let owner { counted.insert(owners.nodes[owner].key, of: rule) }
        // The owner that it had before.
        if referrers.nodes[referrer].stored != nil {
          counted.insert(slot.columns.map { referrers.stored($0, of: referrer) }, of: rule)
        }
      }
    }
    for (number, join) in layout.joins.enumerated() {
      for isFirst in [true, false] {
        let side = join.side(isFirst: isFirst)
        guard let name = side.name,
          let rule = rules.count(of: name, in: layout.entities[side.entity])
        else { continue }
        insertNew(of: side.entity, into: &counted, rule)
        for pair in graph.joins[number]?.pairs ?? [] {
          let owner = isFirst ? pair.first : pair.second
          counted.insert(graph.table(side.entity).nodes[owner].key, of: rule)
        }
        let size = join.first.columns.count
        for key in removedJoins[number] ?? [] {
          counted.insert(Array(isFirst ? key[..<size] : key[size...]), of: rule)
        }
      }
    }
    for table in graph.ordered where updates(table) {
      let rules = rules.of(table.entity)
      guard rules.countsVisible else { continue }
      let keys = table.nodes.filter { $0.isWhole && $0.stored != nil }.map(\.key)
      let hidden = try transaction.hiddenKeys(of: table.entity, among: keys)
      let moved = keys.filter { key in
        table.node(key).map { table.nodes[$0].isHidden } != hidden.contains(GroupKey(key))
      }
      counted.formUnion(try transaction.countedOwners(of: moved, rules: rules))
    }
    if !counted.isEmpty { try transaction.checkCounts(counted) }
  }

  /// Returns a failure for each to-many of an object with too few or too many targets.
  ///
  /// It looks at the links of the graph before they are written: those that were set, and all of a
  /// new object.
  func countFailures(of node: Int, _ table: ObjectTable) throws -> [StoreError] {
    let rules = try transaction.store.relationshipRules()
    func isVisible(_ target: Int, _ targets: ObjectTable) -> Bool {
      let object = targets.nodes[target]
      guard object.isWhole, let column = targets.entity.deletedAt else { return !object.isHidden }
      return !object.values.indices.contains(column) || object.values[column].isNull
    }
    func failure(_ name: String?, _ targets: [Int]?, _ entity: Int) -> StoreError? {
      guard let name, let rule = rules.count(of: name, in: table.entity),
        let list = targets ?? (table.nodes[node].isNew ? [] : nil)
      else { return nil }
      let count = Set(list).count { isVisible($0, graph.table(entity)) }
      return rule.range.contains(count) ? nil : rule.failure(count, key: table.nodes[node].key)
    }
    var failures: [StoreError] = []
    for (number, slot) in layout.slots.enumerated() where slot.owner == table.number {
      let links = graph.slots[number]
      let added = links?.added[node]
      let list = links?.sets[node].map { $0 + (added ?? []) }
      failures += [
        failure(slot.ownerName, list ?? (table.nodes[node].isNew ? added : nil), slot.referrer)
      ].compactMap(\.self)
    }
    for (number, join) in layout.joins.enumerated() {
      for isFirst in [true, false] where join.side(isFirst: isFirst).entity == table.number {
        let links = graph.joins[number]
        let isSet = (isFirst ? links?.sets.first : links?.sets.second)?[node] != nil
        let pairs = links?.pairs.filter { (isFirst ? $0.first : $0.second) == node } ?? []
        let list = pairs.map { isFirst ? $0.second : $0.first }
        failures += [
          failure(
            join.side(isFirst: isFirst).name,
            isSet || table.nodes[node].isNew ? list : nil, join.side(isFirst: !isFirst).entity)
        ].compactMap(\.self)
      }
    }
    return failures
  }

  private func insertNew(of entity: Int, into counted: inout CountedOwners, _ rule: CountRule) {
    for node in graph.tables[entity]?.nodes ?? [] where node.isNew {
      counted.insert(node.key, of: rule)
    }
  }
}
