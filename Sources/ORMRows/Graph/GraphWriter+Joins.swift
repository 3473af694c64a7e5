internal import ORMStorage

extension GraphWriter {
  /// Writes links that are rows: those that are no longer wanted go, those that are missing come.
  func writeJoins(_ number: Int) throws {
    guard let links = graph.joins[number] else { return }
    var writer = JoinWriter(self, layout.joins[number], links)
    try writer.read()
    try writer.write()
    removedJoins[number] = writer.unwanted
  }
}

/// The links of one many-to-many.
private struct JoinWriter {
  private let writer: GraphWriter
  private let slot: JoinSlot
  private let links: JoinLinks
  private let entity: StoredEntity
  private let first: ObjectTable
  private let second: ObjectTable
  /// The wanted links that are stored, with the values of their positions.
  private var stored: [JoinLinks.Pair: [StoredValue]] = [:]
  /// The keys of both ends of links that go.
  private(set) var unwanted: [[StoredValue]] = []

  init(_ writer: GraphWriter, _ slot: JoinSlot, _ links: JoinLinks) {
    self.writer = writer
    self.slot = slot
    self.links = links
    entity = writer.layout.entities[slot.entity]
    first = writer.graph.table(slot.first.entity)
    second = writer.graph.table(slot.second.entity)
  }

  private var keyColumns: [Int] { slot.first.columns + slot.second.columns }
  private var positions: [Int] { [slot.first.position, slot.second.position].compactMap(\.self) }

  /// True if links need not be read to be added: rows that hold nothing but the keys of both ends are
  /// inserted unless they are there, and the put reports which were.
  private var insertsUnread: Bool { entity.isInternal && positions.isEmpty }

  /// Reads the links of owners whose targets were set, and those of wanted links beside them.
  mutating func read() throws {
    // A new owner may have some as well: those that were left to its key (clause 2.9).
    let firsts = links.sets.first.keys.filter { !first.nodes[$0].hasFreshKey }
    try read(slot.first.columns, firsts.map { first.nodes[$0].key }, others: second)
    let seconds = links.sets.second.keys.filter { !second.nodes[$0].hasFreshKey }
    try read(slot.second.columns, seconds.map { second.nodes[$0].key }, others: first)
    let removed = links.removed.filter {
      !links.wanted.contains($0) && !first.nodes[$0.first].isHidden
        && !second.nodes[$0.second].isHidden
        && !first.nodes[$0.first].hasFreshKey && !second.nodes[$0.second].hasFreshKey
    }
    try read(keyColumns, removed.map(key))
    if insertsUnread { return }
    let others = links.pairs.filter {
      links.sets.first[$0.first] == nil && links.sets.second[$0.second] == nil
        && !first.nodes[$0.first].hasFreshKey && !second.nodes[$0.second].hasFreshKey
    }
    try read(keyColumns, others.map(key))
  }

  /// Reads links; those to hidden objects of one end, which the program did not name, stay as they are.
  private mutating func read(
    _ columns: [Int], _ keys: [[StoredValue]], others: ObjectTable? = nil
  ) throws {
    let rows = try writer.transaction.rows(
      of: entity, where: columns, in: keys, output: keyColumns + positions, seeing: .hidden)
    let size = slot.first.columns.count
    var hidden: Set<GroupKey> = []
    func other(_ row: [StoredValue]) -> [StoredValue] {
      others === second ? Array(row[size..<keyColumns.count]) : Array(row[..<size])
    }
    if let others, others.entity.deletedAt != nil {
      hidden = try writer.transaction.existingKeys(
        of: others.entity, among: rows.map(other), seeing: .only)
    }
    for row in rows {
      let key = Array(row.prefix(keyColumns.count))
      if let a = first.node(Array(key.prefix(size))), let b = second.node(Array(key[size...])),
        links.wanted.contains(.init(first: a, second: b))
      {
        stored[.init(first: a, second: b)] = Array(row.dropFirst(keyColumns.count))
      } else if hidden.isEmpty || !hidden.contains(GroupKey(other(row))) {
        unwanted.append(key)
      }
    }
  }

  private func key(of pair: JoinLinks.Pair) -> [StoredValue] {
    first.nodes[pair.first].key + second.nodes[pair.second].key
  }

  func write() throws {
    try writer.transaction.deleteLinks(
      of: entity, where: keyColumns, in: unwanted, counting: &writer.counted)
    let firstKeys = try slot.first.position.map { try orderingKeys($0, isFirst: true) }
    let secondKeys = try slot.second.position.map { try orderingKeys($0, isFirst: false) }
    var inserts: [[StoredValue]] = []
    inserts.reserveCapacity(links.pairs.count)
    let positions = positions
    var updates: [[StoredValue]] = []
    for pair in links.pairs {
      if positions.isEmpty {
        if stored.isEmpty || stored[pair] == nil { inserts.append(key(of: pair)) }
        continue
      }
      let orderingKeys = [firstKeys, secondKeys].compactMap { keys in
        keys.map { $0[pair].map { StoredValue.int($0) } ?? .null }
      }
      if let known = stored[pair] {
        if known != orderingKeys { updates.append(key(of: pair) + orderingKeys) }
      } else {
        inserts.append(key(of: pair) + orderingKeys)
      }
    }
    writer.insertedJoins += try put(inserts, mode: insertsUnread ? .insertMissing : .insert)
    _ = try put(updates, mode: .update)
  }

  /// Puts links; gives how many are new.
  private func put(_ rows: [[StoredValue]], mode: PutRequest.Mode) throws -> Int {
    if rows.isEmpty { return 0 }
    let given = keyColumns + positions
    var columns = Set(given)
    if slot.isThrough { columns.formUnion(entity.key) }
    let set = columns.sorted()
    let uuids = writer.transaction.store.runtime.options.uuids
    // Links that hold nothing but keys and ordering keys are whole as they are.
    let isWhole = entity.keySource == .program && given == Array(entity.columns.indices)
    let values =
      isWhole
      ? rows
      : rows.map { row in
        var values = Array(repeating: StoredValue.null, count: entity.columns.count)
        for column in entity.key where entity.keySource != .program {
          values[column] = UUIDGenerator.newKey(for: entity.keySource, by: uuids)
        }
        for (column, value) in zip(given, row) { values[column] = value }
        return values
      }
    let request = PutRequest(entity: entity.name, mode: mode, reports: .outcomes)
    return try writer.transaction.put(
      FullRows(values, set: set), request, entity: entity, isCopy: !slot.isThrough
    ).inserted
  }

  /// Returns the ordering keys of links, by their owners at one end.
  private func orderingKeys(_ column: Int, isFirst: Bool) throws -> [JoinLinks.Pair: Int64] {
    let owners = isFirst ? first : second
    let sets = isFirst ? links.sets.first : links.sets.second
    let index = isFirst || positions.count == 1 ? 0 : 1
    func pair(_ owner: Int, _ target: Int) -> JoinLinks.Pair {
      isFirst ? .init(first: owner, second: target) : .init(first: target, second: owner)
    }
    func storedKey(_ pair: JoinLinks.Pair) -> Int64? {
      guard case .int(let orderingKey)? = stored[pair]?[index] else { return nil }
      return orderingKey
    }
    var members: [Int: [Int]] = sets
    var seen: Set<JoinLinks.Pair> = []
    for (owner, list) in sets { for target in list { seen.insert(pair(owner, target)) } }
    for link in links.pairs where seen.insert(link).inserted {
      members[isFirst ? link.first : link.second, default: []]
        .append(isFirst ? link.second : link.first)
    }
    var orderingKeys: [JoinLinks.Pair: Int64] = [:]
    for (owner, list) in members {
      let pairs = list.map { pair(owner, $0) }
      if sets[owner] != nil {
        for (pair, orderingKey) in zip(pairs, OrderingKeys.arranged(pairs.map(storedKey))) {
          orderingKeys[pair] = orderingKey
        }
        continue
      }
      for known in pairs { orderingKeys[known] = storedKey(known) }
      let new = pairs.filter { storedKey($0) == nil }
      if new.isEmpty { continue }
      let columns = isFirst ? slot.first.columns : slot.second.columns
      let last =
        owners.nodes[owner].hasFreshKey
        ? 0
        : try writer.transaction.greatest(
          column, of: entity, where: columns, equal: owners.nodes[owner].key)
      for (pair, orderingKey) in zip(new, try OrderingKeys.following(last, count: new.count)) {
        orderingKeys[pair] = orderingKey
      }
    }
    return orderingKeys
  }
}
