internal import ORM
internal import ORMCore

// The links between rows: their ends, their order and their number.

extension FakeMaker {
  /// The distance between the ordering keys of neighbours, as the operations leave it.
  private static var gap: Int64 { 1 << 20 }

  /// Sets the columns of all links that are no part of a key, and the ordering keys of all.
  mutating func makeLinks() throws {
    for slot in slots {
      if !slot.isKey { try makeLinks(slot) }
      number(slot)
    }
  }

  private mutating func makeLinks(_ slot: FakeSlot) throws {
    let (ownerTable, owners) = rows(of: slot.owner)
    var referrers = rows(of: slot.referrer).rows
    if referrers.isEmpty || owners.isEmpty { return }
    var random = random("links", "\(slot.entity).\(slot.name)")
    random.shuffle(&referrers)
    var order = owners
    random.shuffle(&order)
    var counts = [Int](repeating: 0, count: order.count)
    let isOwnTable = ownerTable == slot.table
    for (number, referrer) in referrers.enumerated() {
      var chosen: Int?
      if number / order.count < slot.least {
        chosen = number % order.count
      } else if slot.isRequired || !random.chance(oneIn: 8) {
        let start = random.index(below: order.count)
        chosen = order.indices.lazy.map { (start + $0) % order.count }
          .first { counts[$0] < slot.most }
      }
      // An optional link to the own kind leads to an earlier row, so that no chain is endless.
      if let found = chosen, isOwnTable, !slot.isRequired, slot.least == 0, order[found] >= referrer
      {
        chosen = nil
      }
      guard let chosen else {
        if !slot.isRequired { continue }
        throw StoreError(
          .countOutOfRange,
          "\(slot.entity).\(slot.name) has too few targets for this number of rows",
          entity: slot.referrer, attributes: [slot.name])
      }
      counts[chosen] += 1
      set(slot, of: referrer, to: tables[ownerTable].key(of: order[chosen]))
    }
  }

  private mutating func set(_ slot: FakeSlot, of row: Int, to key: [StoredValue]) {
    for (column, value) in zip(slot.columns, key) { tables[slot.table].rows[row][column] = value }
  }

  /// Leads the free links of a row elsewhere, for a unique rule over them.
  mutating func redrawLinks(of row: Int, in table: Int, _ random: inout FakeRandom) {
    for slot in slots where slot.table == table && slot.isFree && !slot.isKey {
      if tables[table].rows[row][slot.columns[0]].isNull { continue }
      let (ownerTable, owners) = rows(of: slot.owner)
      guard let owner = random.pick(owners) else { continue }
      set(slot, of: row, to: tables[ownerTable].key(of: owner))
    }
  }

  /// Gives the referrers of each owner their ordering keys, in the order of the rows.
  private mutating func number(_ slot: FakeSlot) {
    guard let position = slot.position else { return }
    var last: [GroupKey: Int64] = [:]
    for row in rows(of: slot.referrer).rows {
      let key = slot.columns.map { tables[slot.table].rows[row][$0] }
      if key.contains(where: \.isNull) { continue }
      last[GroupKey(key), default: 0] += Self.gap
      tables[slot.table].rows[row][position] = .int(last[GroupKey(key)] ?? Self.gap)
    }
  }

  /// Makes the rows of all join entities.
  mutating func makeJoins() throws {
    for join in joins { try makeRows(of: join) }
  }

  private mutating func makeRows(of join: FakeJoin) throws {
    let (firstTable, firsts) = rows(of: join.first)
    let (secondTable, seconds) = rows(of: join.second)
    if firsts.isEmpty || seconds.isEmpty { return }
    var random = random("links", "\(join.first).\(join.name)")
    var pairs: [(Int, Int)] = []
    var known: Set<[Int]> = []
    var (ofFirst, ofSecond) = (
      [Int](repeating: 0, count: firsts.count), [Int](repeating: 0, count: seconds.count)
    )
    func mostOf(_ count: RelationshipDescription.CountRange) -> Int { count.maximum ?? .max }
    func add(_ first: Int, _ second: Int) -> Bool {
      guard ofFirst[first] < mostOf(join.firstCount), ofSecond[second] < mostOf(join.secondCount),
        known.insert([first, second]).inserted
      else { return false }
      ofFirst[first] += 1
      ofSecond[second] += 1
      pairs.append((first, second))
      return true
    }
    for first in firsts.indices {
      let least = join.firstCount.minimum
      let usual = min(max(least, random.index(below: 4)), mostOf(join.firstCount), seconds.count)
      let start = random.index(below: seconds.count)
      // Those that have the fewest come first, so that all get their least number.
      let order = seconds.indices.map { (start + $0) % seconds.count }
        .sorted { ofSecond[$0] < ofSecond[$1] }
      for second in order where ofFirst[first] < usual { _ = add(first, second) }
    }
    for second in seconds.indices {
      let order = firsts.indices.sorted { ofFirst[$0] < ofFirst[$1] }
      for first in order where ofSecond[second] < join.secondCount.minimum {
        _ = add(first, second)
      }
    }
    let isShort =
      ofFirst.contains { $0 < join.firstCount.minimum }
      || ofSecond.contains { $0 < join.secondCount.minimum }
    if isShort {
      throw StoreError(
        .countOutOfRange, "\(join.first).\(join.name) cannot have its numbers with these rows",
        entity: join.first, attributes: [join.name])
    }
    var (positions, backs) = ([Int: Int64](), [Int: Int64]())
    for (first, second) in pairs {
      var row = [StoredValue](repeating: .null, count: tables[join.table].entity.columns.count)
      let keys = (
        tables[firstTable].key(of: firsts[first]), tables[secondTable].key(of: seconds[second])
      )
      for (column, value) in zip(join.firstColumns, keys.0) { row[column] = value }
      for (column, value) in zip(join.secondColumns, keys.1) { row[column] = value }
      positions[first, default: 0] += Self.gap
      backs[second, default: 0] += Self.gap
      if let column = join.firstPosition { row[column] = .int(positions[first] ?? 0) }
      if let column = join.secondPosition { row[column] = .int(backs[second] ?? 0) }
      tables[join.table].rows.append(row)
    }
  }
}

extension FakeRandom {
  /// Brings elements into a random order (Fisher and Yates).
  mutating func shuffle<Element>(_ elements: inout [Element]) {
    for last in stride(from: elements.count - 1, to: 0, by: -1) {
      elements.swapAt(last, index(below: last + 1))
    }
  }
}
