internal import ORMStorage

extension GraphWriter {
  /// Reads the stored referrers of the owners whose referrers were set, and releases those that are not
  /// among the new ones.
  func findPreviousOwners() throws {
    for number in graph.slots.keys.sorted() {
      let slot = layout.slots[number]
      freeRemoved(number, slot)
      guard let links = graph.slots[number] else { continue }
      let owners = graph.table(slot.owner)
      var asked = Set(links.sets.keys)
      if slot.isOne { asked.formUnion(links.referrers.keys) }
      // A new owner may have some as well: those that its key was left to (clause 2.9).
      let keys = asked.filter { !owners.nodes[$0].hasFreshKey }.map { owners.nodes[$0].key }
      let entity = layout.entities[slot.referrer]
      let position = slot.position.map { [$0] } ?? []
      let read = entity.key + slot.columns + position
      let rows = try transaction.rows(
        of: entity, where: slot.columns, in: keys,
        output: read + (entity.deletedAt.map { [$0] } ?? []))
      var stored: [Int: [Int: Int64]] = [:]
      for row in rows {
        let isHidden = row.count > read.count && !row[read.count].isNull
        try take(
          Array(row.prefix(read.count)), isHidden: isHidden, of: number, slot, stored: &stored)
      }
      if slot.position != nil { try arrange(number, slot, stored: stored) }
    }
  }

  /// Frees the referrers that were taken from an owner which has them; of a hidden one nothing is
  /// changed.
  private func freeRemoved(_ number: Int, _ slot: KeySlot) {
    let referrers = graph.table(slot.referrer)
    for (owner, list) in graph.slots[number]?.removed ?? [:] {
      let key = graph.table(slot.owner).nodes[owner].key
      for referrer in list where !referrers.nodes[referrer].isHidden && !key.isEmpty {
        let isHeld = zip(slot.columns, key).allSatisfy {
          StoredValue.equals(referrers.stored($0, of: referrer), $1)
        }
        if isHeld { graph.slots[number]?.free(referrer) }
      }
    }
  }

  /// Takes in a row that holds the key of an owner whose referrers were set.
  ///
  /// A hidden one that the graph does not know keeps the key, unless another referrer takes its
  /// owner.
  private func take(
    _ row: [StoredValue], isHidden: Bool, of number: Int, _ slot: KeySlot,
    stored: inout [Int: [Int: Int64]]
  ) throws {
    let entity = layout.entities[slot.referrer]
    let referrers = graph.table(slot.referrer)
    let key = Array(row.prefix(entity.key.count))
    guard let referrer = referrers.node(key) else {
      if isHidden, !isTaken(Array(row[entity.key.count...]), number, slot) { return }
      if slot.isRequired {
        throw isHidden
          ? .neededByHidden(slot.name, of: entity, key: key) : missing(slot, key: key)
      }
      orphans[number, default: []].append(key)
      return
    }
    guard let claim = graph.slots[number]?.claim(on: referrer) else {
      graph.slots[number]?.free(referrer)
      return
    }
    let ownerKey = Array(row[entity.key.count..<entity.key.count + slot.columns.count])
    if let claim, slot.position != nil, case .int(let orderingKey)? = row.last,
      GroupKey(graph.table(slot.owner).nodes[claim].key) == GroupKey(ownerKey)
    {
      stored[claim, default: [:]][referrer] = orderingKey
    }
  }

  /// Returns whether the graph gives an owner of one referrer a new one.
  private func isTaken(_ ownerKey: [StoredValue], _ number: Int, _ slot: KeySlot) -> Bool {
    guard slot.isOne,
      let owner = graph.table(slot.owner).node(Array(ownerKey.prefix(slot.columns.count)))
    else { return false }
    return graph.slots[number]?.referrers[owner] != nil
  }

  /// Computes the ordering keys of the referrers of every owner whose links were set or added.
  private func arrange(
    _ number: Int, _ slot: KeySlot, stored: [Int: [Int: Int64]]
  ) throws {
    guard let links = graph.slots[number] else { return }
    let owners = graph.table(slot.owner)
    var found: [Int: Int64] = [:]
    for (owner, list) in links.sets {
      let whole = list + additions(to: owner, links, beside: Set(list))
      let known = stored[owner] ?? [:]
      for (referrer, orderingKey) in zip(whole, OrderingKeys.arranged(whole.map { known[$0] })) {
        found[referrer] = orderingKey
      }
    }
    for owner in links.added.keys where links.sets[owner] == nil {
      let referrers = graph.table(slot.referrer)
      // A referrer that stays with its owner keeps its ordering key.
      let new = additions(to: owner, links, beside: []).filter { referrer in
        slot.columns.enumerated().contains { position, column in
          let key = owners.nodes[owner].key
          return key.isEmpty || referrers.stored(column, of: referrer) != key[position]
        }
      }
      if new.isEmpty { continue }
      let last =
        try owners.nodes[owner].hasFreshKey ? 0 : lastOrderingKey(slot, owners.nodes[owner].key)
      for (referrer, orderingKey) in zip(new, try OrderingKeys.following(last, count: new.count)) {
        found[referrer] = orderingKey
      }
    }
    orderingKeys[number] = found
  }

  /// The referrers given to an owner one by one, each once.
  private func additions(to owner: Int, _ links: SlotLinks, beside list: Set<Int>) -> [Int] {
    var seen = list
    return (links.added[owner] ?? []).filter { referrer in
      (links.claim(on: referrer) ?? nil) == owner && seen.insert(referrer).inserted
    }
  }

  /// Returns the last ordering key among an owner's referrers; 0 where there is none.
  private func lastOrderingKey(_ slot: KeySlot, _ key: [StoredValue]) throws -> Int64 {
    guard let position = slot.position else { return 0 }
    return try transaction.greatest(
      position, of: layout.entities[slot.referrer], where: slot.columns, equal: key)
  }

  /// Clears the owner's key in rows that lose their owner, and in rows that get another later if an
  /// owner has at most one referrer.
  func releaseReferrers() throws {
    for (number, keys) in orphans.sorted(by: { $0.key < $1.key }) {
      let slot = layout.slots[number]
      try transaction.clear(slot, of: keys, in: layout.entities[slot.referrer])
    }
    for number in graph.slots.keys.sorted() {
      let slot = layout.slots[number]
      let referrers = graph.table(slot.referrer)
      guard let links = graph.slots[number], !slot.isRequired else { continue }
      let isWrittenWithRow = updates(slot, referrers)
      var keys: [[StoredValue]] = []
      for (referrer, owner) in links.owners where referrers.nodes[referrer].stored != nil {
        let node = referrers.nodes[referrer]
        let isWritten = node.isWhole && isWrittenWithRow
        guard owner == nil ? !isWritten || policy.keepsNil : slot.isOne && !isWritten,
          slot.columns.contains(where: { !referrers.stored($0, of: referrer).isNull })
        else { continue }
        keys.append(node.key)
        // A row whose key is set later is counted then.
        if owner == nil, node.isWhole { referrers.nodes[referrer].outcome = .updated }
      }
      try transaction.clear(slot, of: keys, in: referrers.entity)
    }
  }
}

extension GraphWriter {
  /// Exchanges owners of required one-to-ones in one write, where some of the rows are written no
  /// further: such rows can neither be written one after the other nor be cleared first.
  func moveRequired() throws {
    for number in graph.slots.keys.sorted() {
      let slot = layout.slots[number]
      guard slot.isOne, slot.isRequired, let links = graph.slots[number] else { continue }
      let referrers = graph.table(slot.referrer)
      let entity = referrers.entity
      let moves = links.owners.compactMap { referrer, owner -> (node: Int, key: [StoredValue])? in
        guard let owner, referrers.nodes[referrer].stored != nil else { return nil }
        let key = graph.table(slot.owner).nodes[owner].key
        let isMoved = zip(slot.columns, key).contains {
          !StoredValue.equals(referrers.stored($0, of: referrer), $1)
        }
        return isMoved ? (referrer, key) : nil
      }.sorted { $0.node < $1.node }
      let isPartly = moves.contains {
        !referrers.nodes[$0.node].isWhole || !updates(slot, referrers)
      }
      guard moves.count > 1, isPartly else { continue }
      try transaction.update(
        moves.map { referrers.nodes[$0.node].key + $0.key }, setting: slot.columns, of: entity)
      for move in moves { referrers.nodes[move.node].outcome = .updated }
    }
  }
}
