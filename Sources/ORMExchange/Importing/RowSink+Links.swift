internal import ORM

extension RowSink {
  /// The to-ones whose keys are attributes, with those attributes.
  private var links: [Link] {
    description.relationships.compactMap { link in
      link.keyAttributes.map { (link.name, link.target, $0, link.isRequired) }
    }
  }

  private typealias Link = (name: String, target: String, attributes: [String], isRequired: Bool)

  func leaveOutMissingLinks(_ transaction: WriteTransaction) throws -> Set<String> {
    try turnIntoRows()
    var leftOut: Set<String> = []
    for link in links where !link.isRequired {
      for index in rows.indices where key(of: rows[index]) != nil {
        let values = link.attributes.map { rows[index][$0] }
        guard try isMissing(link.target, values, transaction) else { continue }
        for name in link.attributes { rows[index].values[name] = nil }
        leftOut.insert(link.name)
      }
    }
    return leftOut
  }

  /// Returns whether a key leads to no row, stored or waiting.
  private func isMissing(
    _ name: String, _ key: [StoredValue], _ transaction: WriteTransaction
  ) throws -> Bool {
    if key.contains(where: \.isNull) { return false }
    if name == entity, waiting.contains(key) { return false }
    guard let target = transaction.store.schema.entity(named: name) else { return false }
    let isKey = Condition.all(target.equalities(target.key, key))
    return try !transaction.exists(DynamicQuery(name, where: isKey))
  }

  func treatMissingLinks(_ transaction: WriteTransaction) throws -> Bool {
    guard let treatment, treatment != .fail else { return false }
    try turnIntoRows()
    var isTreated = false
    for link in links {
      for index in rows.indices {
        let values = link.attributes.map { rows[index][$0] }
        guard try isMissing(link.target, values, transaction) else { continue }
        switch treatment {
        case .create:
          guard let target = transaction.store.schema.entity(named: link.target) else { continue }
          let names = target.key.map { target.columns[$0].attribute }
          try transaction.createTarget(
            link.target, Dictionary(zip(names, values), uniquingKeysWith: { first, _ in first }))
        case .keepKey:
          let owner = whole.owner(of: link.name)
          _ = try transaction.checkMayDangle(link.name, of: owner)
          guard let key = key(of: rows[index]) else {
            throw StoreError.keepsNoKey(link.name, of: entity)
          }
          var update = DynamicRow(owner)
          for (name, value) in zip(description.key, key) { update[name] = value }
          for (name, value) in zip(link.attributes, values) { update[name] = value }
          pendingLinkKeys.append(update)
          for name in link.attributes { rows[index].values[name] = nil }
        case .clear:
          if link.isRequired { continue }
          for name in link.attributes { rows[index][name] = .null }
        case .fail: continue
        }
        isTreated = true
      }
    }
    return isTreated
  }

  func settle(
    _ record: RawRecord, links names: Set<String>, _ transaction: WriteTransaction
  ) throws -> Bool {
    drop()
    unsettled = nil
    guard try read(record, transaction) == .accepted else {
      drop()
      return false
    }
    try turnIntoRows()
    guard let row = rows.first, key(of: row) != nil else {
      drop()
      return false
    }
    defer { drop() }
    let given = links.filter { link in
      names.contains(link.name) && link.attributes.contains { row.values[$0] != nil }
    }
    if given.isEmpty { return false }
    do {
      do {
        return try settle(given, of: row, transaction)
      } catch let error as StoreError where error.code == .missingTarget {
        return try settleEach(given, error) { try settle($0, of: row, transaction) }
      }
    } catch let error as StoreError where error.code == .notFound {
      return false
    }
  }

  /// Saves some links of a row.
  private func settle(
    _ links: [Link], of row: DynamicRow, _ transaction: WriteTransaction
  ) throws -> Bool {
    var update = DynamicRow(entity)
    for name in links.flatMap(\.attributes) { update.values[name] = row.values[name] }
    for position in key {
      let name = plan.columns[position].name
      update[name] = row[name]
    }
    rows = [update]
    pendingLinkKeys.removeAll()
    do {
      return try updateRow(transaction)
    } catch let error as StoreError where error.code == .missingTarget {
      guard try treatMissingLinks(transaction) else { throw error }
    }
    let isChanged = try updateRow(transaction)
    for row in pendingLinkKeys { _ = try transaction.updateKeepingKeys([row]) }
    return isChanged || !pendingLinkKeys.isEmpty
  }

  /// Updates the row that waits; true if it changed.
  private func updateRow(_ transaction: WriteTransaction) throws -> Bool {
    let parts = whole.split(rows[0])
    let hasOwn = parts.own.values.count > key.count
    let own = try hasOwn || parts.others.isEmpty ? transaction.update([parts.own]).updated : 0
    return try updateLinks(parts.others, transaction) + own > 0
  }
}
