internal import ORMStorage

extension GraphWriter {
  /// Returns whether rows of stored objects are written.
  func updates(_ table: ObjectTable) -> Bool {
    policy.updatedColumns(of: table.entity)?.isEmpty != true
  }

  /// Returns whether the rows of stored objects are written with the key of an owner.
  func updates(_ slot: KeySlot, _ table: ObjectTable) -> Bool {
    policy.updatedColumns(of: table.entity).map { Set($0).isSuperset(of: slot.columns) } ?? true
  }

  /// Updates the rows of objects that are stored.
  ///
  /// A row that waits for the key of a new owner is written when the key is known. If its entity has
  /// unique rules it is written now, since it may free a value that a new row needs.
  func update(_ table: ObjectTable) throws {
    guard updates(table) else { return }
    let isWaitingAllowed = !table.entity.indexes.contains { index in
      index.isUnique && !index.terms.allSatisfy { table.linkColumns.contains($0.column) }
    }
    var nodes: [Int] = []
    for (number, node) in table.nodes.enumerated() where node.isWhole && node.stored != nil {
      if isWaitingAllowed, awaitsKey(number, table) {
        waiting[table.number, default: []].append(number)
      } else {
        nodes.append(number)
      }
    }
    try update(nodes, of: table)
  }

  /// Updates the rows that waited for keys.
  func updateWaiting(_ table: ObjectTable) throws {
    try update(waiting[table.number] ?? [], of: table)
  }

  private func awaitsKey(_ node: Int, _ table: ObjectTable) -> Bool {
    layout.held[table.number].contains { number in
      guard let owner = graph.slots[number]?.claim(on: node) ?? nil else { return false }
      return graph.table(layout.slots[number].owner).nodes[owner].key.isEmpty
    }
  }

  private func update(_ nodes: [Int], of table: ObjectTable) throws {
    if nodes.isEmpty { return }
    var request = PutRequest(entity: table.entity.name, mode: .update, reports: .outcomes)
    request.nilKeeps = policy.keepsNil
    let columns =
      policy.updatedColumns(of: table.entity).map { Set($0).union(table.entity.key).sorted() }
      ?? table.entity.ownColumns
    request.columns = table.entity.requested(columns)
    try put(nodes, of: table, request, columns: columns)
  }

  /// Inserts the rows of new objects, and takes the keys that the store gives.
  func insert(_ nodes: [Int], of table: ObjectTable) throws {
    let entity = table.entity
    var request = PutRequest(entity: entity.name, mode: .insert, reports: .outcomes)
    request.nilKeeps = policy.keepsNil
    var columns = entity.ownColumns
    let limited = policy.insertedColumns(of: entity)
    if limited != nil || policy.keepsNil {
      let computed = columns.filter { entity.columns[$0].computedDefault != nil }
      for node in nodes {
        for column in computed
        where limited.map({ !$0.contains(column) }) ?? table.nodes[node].values[column].isNull {
          table.nodes[node].values[column] = entity.columns[column]
            .freshDefault(of: transaction.store.runtime)
        }
      }
      if let limited {
        columns = Set(limited + computed + entity.key + table.linkColumns).sorted()
      }
    }
    request.columns = entity.requested(columns)
    try put(nodes, of: table, request, columns: columns)
  }

  /// Puts the rows of objects as one operation.
  private func put(
    _ nodes: [Int], of table: ObjectTable, _ request: PutRequest, columns: [Int]
  ) throws {
    let whole = nodes.map { fullRow($0, table) }
    let rows = whole.map { row in columns.count == row.count ? row : columns.map { row[$0] } }
    var source = ValueSource(rows, columns: columns, entity: table.entity)
    var visitor = OutcomeCollector()
    do {
      try transaction.put(request, from: &source, to: &visitor) {
        try self.countFailures(of: nodes[$0], table)
      }
    } catch {
      throw transaction.namingHidden(error, entity: table.entity)
    }
    if visitor.outcomes.contains(where: { $0 != .unchanged }) {
      transaction.didChange(table.entity)
    }
    let givesKeys = table.entity.generatesKeys
    for (position, node) in nodes.enumerated() where position < visitor.outcomes.count {
      // A row that was moved before counts as changed, even if this write changes nothing.
      if table.nodes[node].outcome != .updated {
        table.nodes[node].outcome = visitor.outcomes[position]
      }
      if givesKeys, table.nodes[node].key.isEmpty {
        table.nodes[node].key = [.int(visitor.keys[position])]
      } else if table.nodes[node].key.isEmpty, !table.keySlots.isEmpty {
        table.nodes[node].key = table.entity.key.map { whole[position][$0] }
      }
    }
  }

  /// The row of an object: its attributes, and the links in its columns as far as they are known.
  private func fullRow(_ node: Int, _ table: ObjectTable) -> [StoredValue] {
    let object = table.nodes[node]
    var row = object.values
    while row.count < table.entity.columns.count { row.append(.null) }
    for (part, column) in table.entity.key.enumerated() {
      if object.key.indices.contains(part) {
        row[column] = object.key[part]
      } else if table.entity.generatesKeys {
        row[column] = .int(0)
      }
    }
    for number in layout.held[table.number] {
      let slot = layout.slots[number]
      guard let claim = graph.slots[number]?.claim(on: node) else {
        for column in slot.linkColumns where !slot.isKey || column == slot.position {
          row[column] = table.stored(column, of: node)
        }
        continue
      }
      let key = claim.map { graph.table(slot.owner).nodes[$0].key } ?? []
      for (part, column) in slot.columns.enumerated() {
        row[column] = key.indices.contains(part) ? key[part] : .null
      }
      if let position = slot.position {
        row[position] = claim == nil ? .null : orderingKey(of: node, number, slot, table)
      }
      if claim != nil, key.isEmpty {
        deferred[table.number, default: []].insert(node)
        // A required key stays as it is until the new one is known.
        if slot.isRequired {
          for column in slot.columns { row[column] = table.stored(column, of: node) }
        }
      }
    }
    return row
  }

  /// Returns the ordering key of a referrer.
  func orderingKey(of node: Int, _ number: Int, _ slot: KeySlot, _ table: ObjectTable)
    -> StoredValue
  {
    guard let position = slot.position else { return .null }
    return orderingKeys[number]?[node].map { .int($0) } ?? table.stored(position, of: node)
  }

  /// Sets the keys that were not in the rows: those of owners that became known afterwards, and
  /// those of referrers that are named by their keys or whose rows are left alone.
  func setDeferredKeys(_ number: Int) throws {
    let slot = layout.slots[number]
    guard let links = graph.slots[number] else { return }
    let table = graph.table(slot.referrer)
    let entity = table.entity
    let isWrittenWithRow = updates(slot, table)
    let held = slot.isKey ? [] : slot.columns
    let set = held + (slot.position.map { [$0] } ?? [])
    if set.isEmpty { return }
    var nodes: [Int] = []
    var rows: [[StoredValue]] = []
    for (referrer, owner) in links.owners.sorted(by: { $0.key < $1.key }) {
      guard let owner else { continue }
      let node = table.nodes[referrer]
      let isDeferred = deferred[slot.referrer]?.contains(referrer) == true
      guard isDeferred || !node.isWhole || (!isWrittenWithRow && node.stored != nil) else {
        continue
      }
      let key = slot.isKey ? [] : graph.table(slot.owner).nodes[owner].key
      let values =
        key + (slot.position == nil ? [] : [orderingKey(of: referrer, number, slot, table)])
      let isStored = zip(set, values).allSatisfy { column, value in
        table.stored(column, of: referrer).isIdentical(to: value)
      }
      // A value that was cleared for the sake of a unique rule is reported again.
      if !isDeferred, isStored, !slot.isOne { continue }
      nodes.append(referrer)
      rows.append(node.key + values)
    }
    if rows.isEmpty { return }
    var (request, source) = entity.update(rows, setting: set)
    let writer = try transaction.writing()
    var visitor = OutcomeCollector()
    try writer.put(request, from: &source, to: &visitor)
    for (node, outcome) in zip(nodes, visitor.outcomes) where outcome != .unchanged {
      transaction.didChange(entity)
      if table.nodes[node].outcome != .inserted { table.nodes[node].outcome = outcome }
    }
  }
}

/// A visitor that collects the outcome of every row of a put, and the keys that the store gave.
private struct OutcomeCollector: PutVisitor {
  var outcomes: [PutOutcome] = []
  var keys: [Int64] = []

  mutating func didPut(_ outcome: PutOutcome, key: Int64) {
    outcomes.append(outcome)
    keys.append(key)
  }

  mutating func didRewind() { self = OutcomeCollector() }
}
