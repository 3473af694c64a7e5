internal import ORMRows
internal import ORMStorage

/// The rows of an entity that become rows of another, under their own keys or new ones.
struct RowTransfer {
  /// The entity whose rows are taken, by its name in the program.
  let source: String
  /// The root that gets them, by its name in the program.
  let target: String
  /// The attributes of both that say which rows are the same; none if all are different.
  let matching: [String]
  /// True if rows that match none get new keys of the target.
  let makesKeys: Bool
  /// The attributes of the source with the key in the target.
  let keys: [String]
  /// The attributes of the source, and those of the target that get their values.
  var columns: [(from: String, to: String)] = []
  /// The attribute of the target with the kind of a row, and the kind of these.
  var kind: (attribute: String, name: String)?

  /// Writes the key in the target beside each row.
  ///
  /// - Throws: `duplicate` for a row that matches none and whose own key the target has.
  func assignKeys(in tx: WriteTransaction) throws {
    let from = try EntityPlan(source, in: tx.store).entity
    let to = try EntityPlan(target, in: tx.store).entity
    try tx.migrationBatches(of: from) { rows in
      let known = try matches(of: rows, to, in: tx)
      var last = makesKeys ? try tx.live().greatestKey(of: to.name) ?? 0 : 0
      var own: [[StoredValue]] = []
      let assigned = try rows.map { row in
        var new = DynamicRow(source, row.key(of: from))
        var key = known[matching.map { row[$0] }]
        if key == nil, makesKeys {
          let (next, isOver) = last.addingReportingOverflow(1)
          if isOver {
            throw StoreError(.keysExhausted, "there is no greater key", entity: target)
          }
          last = next
          key = [.int(last)]
        } else if key == nil {
          key = to.keyAttributes.map { row[$0] }
          own.append(key ?? [])
        }
        for (name, value) in zip(keys, key ?? []) { new[name] = value }
        return new
      }
      if !own.isEmpty {
        try tx.expectNone(
          DynamicQuery(target, where: .isOne(of: own, to.keyAttributes)), .duplicate,
          "a row of \(source) has the same key, and other values of \(matching)", to.keyAttributes)
      }
      try tx.rewrite(assigned, of: from)
      if makesKeys { try tx.writing().raiseGreatestKey(of: to.name, to: last) }
    }
  }

  /// The keys in the target of rows with the same values, by those values; null agrees with none.
  private func matches(
    of rows: [DynamicRow], _ to: StoredEntity, in tx: WriteTransaction
  ) throws -> [[StoredValue]: [StoredValue]] {
    let wanted = rows.map { row in matching.map { row[$0] } }.filter {
      !$0.isEmpty && !$0.contains(where: \.isNull)
    }
    if wanted.isEmpty { return [:] }
    var found: [[StoredValue]: [StoredValue]] = [:]
    let query = DynamicQuery(target, where: .isOne(of: wanted, matching), deleted: .included)
    for row in try tx.fetch(query) {
      found[matching.map { row[$0] }] = to.keyAttributes.map { row[$0] }
    }
    return found
  }

  /// Copies the rows; a row that the target has under the key gets the values that it lacks.
  ///
  /// - Throws: `conflictingLinks` for different values of one row.
  func copyRows(in tx: WriteTransaction) throws {
    let from = try EntityPlan(source, in: tx.store).entity
    let to = try EntityPlan(target, in: tx.store).entity
    try tx.migrationBatches(of: from) { rows in
      var held: [[StoredValue]: DynamicRow] = [:]
      if !matching.isEmpty {
        let wanted = Condition.isOne(of: rows.map { row in keys.map { row[$0] } }, to.keyAttributes)
        for row in try tx.fetch(DynamicQuery(target, where: wanted, deleted: .included)) {
          held[to.keyAttributes.map { row[$0] }] = row
        }
      }
      var (inserted, updated): ([DynamicRow], [DynamicRow]) = ([], [])
      var failures: [StoreError] = []
      for row in rows {
        let key = keys.map { row[$0] }
        var new = DynamicRow(target)
        for (name, value) in zip(to.keyAttributes, key) { new[name] = value }
        guard let old = held[key] else {
          for (name, other) in columns { new[other] = row[name] }
          if let kind { new[kind.attribute] = .string(kind.name) }
          inserted.append(new)
          continue
        }
        var isChanged = false
        for (name, other) in columns where !row[name].isNull {
          if old[other].isNull {
            new[other] = row[name]
            isChanged = true
          } else if !old[other].isIdentical(to: row[name]) {
            failures.append(
              StoreError(
                .conflictingLinks,
                "the row of \(source) that becomes it has another value; make them equal in a step "
                  + "before", entity: target, key: key, attributes: [other]))
          }
        }
        if isChanged { updated.append(new) }
      }
      guard failures.isEmpty else {
        throw StoreError(
          .conflictingLinks, "rows that become one have different values", entity: target,
          failures: Array(failures.prefix(WriteTransaction.namedRows)))
      }
      try tx.rewrite(updated, of: to)
      try tx.copy(inserted)
    }
    if to.generatesKeys, !makesKeys, let greatest = try tx.live().greatestKey(of: from.name) {
      try tx.writing().raiseGreatestKey(of: to.name, to: greatest)
    }
  }
}
