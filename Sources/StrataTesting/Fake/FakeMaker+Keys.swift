internal import Foundation
internal import ORM
internal import ORMCore

// The primary keys, which come before everything that refers to them.

extension FakeMaker {
  /// Makes the keys of all tables, those that are parts of other keys first.
  mutating func makeKeys() throws {
    var done: Set<Int> = []
    for table in tables.indices where !tables[table].entity.isInternal {
      try makeKeys(of: table, &done)
    }
  }

  private mutating func makeKeys(of table: Int, _ done: inout Set<Int>) throws {
    guard done.insert(table).inserted else { return }
    let linked = slots.filter { $0.table == table && $0.isKey }
    for slot in linked { try makeKeys(of: rows(of: slot.owner).table, &done) }
    let entity = tables[table].entity
    let inLinks = Set(linked.flatMap(\.columns))
    let own = entity.key.filter { !inLinks.contains($0) }
    var random = random("key", entity.modelName)
    if linked.isEmpty, entity.generatesKeys, own.count == 1 {
      for row in tables[table].rows.indices {
        tables[table].rows[row][own[0]] = .int(Int64(row + 1))
      }
      return
    }
    try linkKeys(of: table, linked, isWhole: own.isEmpty)
    if own.isEmpty { return }
    var seen: Set<GroupKey> = []
    var draws = try own.map {
      try keyDraw($0, of: table, isAlone: own.count == 1 && linked.isEmpty)
    }
    for row in tables[table].rows.indices {
      var attempt = 0
      while true {
        for (part, column) in own.enumerated() {
          tables[table].rows[row][column] = try keyValue(
            column, of: table, row: row + attempt, attempt: attempt, draw: &draws[part], &random)
        }
        if seen.insert(GroupKey(tables[table].key(of: row))).inserted { break }
        attempt += 1
        if attempt == Self.attempts {
          throw StoreError(
            .invalidSchema, "the values of the key do not suffice for this number of rows",
            entity: entity.modelName, attributes: own.map { entity.columns[$0].attribute })
        }
      }
    }
  }

  /// The number of values that are drawn before a rule counts as one that no row keeps.
  static var attempts: Int { 1_000 }

  private func keyDraw(_ column: Int, of table: Int, isAlone: Bool) throws -> FakeDraw {
    let rows = tables[table]
    let kind = kinds.first { $0.table == table && $0.kind == nil }
    let attribute = rows.entity.columns[column].attribute
    return try FakeDraw(
      rows.entity.columns[column], kind?.bounds[attribute] ?? FakeBounds(),
      choices: FakeChoices.of(attribute, in: rows.entity.modelName, settings.schema),
      needed: isAlone ? rows.rows.count : nil, entity: rows.entity.modelName)
  }

  private func keyValue(
    _ column: Int, of table: Int, row: Int, attempt: Int, draw: inout FakeDraw,
    _ random: inout FakeRandom
  ) throws -> StoredValue {
    let entity = tables[table].entity
    let names = Set([entity.modelName])
    if let value = settings.value(of: entity.columns[column].attribute, names) {
      return try value(&random)
    }
    if entity.keySource == .uuidV7 {
      return .uuid(Self.timeOrdered(UInt64(row), &random))
    }
    return draw.value(&random, turn: draw.turns == nil ? nil : row, attempt: attempt)
  }

  /// A UUID of version 7 whose time is a number of milliseconds after the beginning of 2024.
  private static func timeOrdered(_ number: UInt64, _ random: inout FakeRandom) -> UUID {
    var bytes = withUnsafeBytes(of: random.uuid().uuid) { Array($0) }
    let milliseconds = 1_704_067_200_000 + number
    for index in 0..<6 {
      bytes[index] = UInt8(truncatingIfNeeded: milliseconds >> UInt64(8 * (5 - index)))
    }
    bytes[6] = bytes[6] & 0x0F | 0x70
    return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  /// Sets the columns of keys that hold the keys of others, each combination once where they are the
  /// whole key.
  ///
  /// Every owner gets about as many referrers as any other.
  private mutating func linkKeys(of table: Int, _ linked: [FakeSlot], isWhole: Bool) throws {
    if linked.isEmpty { return }
    let owners = linked.map { slot in
      let (table, rows) = rows(of: slot.owner)
      return rows.map { tables[table].key(of: $0) }
    }
    let entity = tables[table].entity
    let count = tables[table].rows.count
    var possible = 1
    for owner in owners {
      let (product, isTooMany) = possible.multipliedReportingOverflow(by: owner.count)
      possible = isTooMany ? .max : product
    }
    if possible < (isWhole ? count : min(count, 1)) {
      throw StoreError(
        .countOutOfRange,
        "\(count) rows have more combinations of keys than there are, \(possible)",
        entity: entity.modelName, attributes: linked.map(\.name))
    }
    for row in 0..<count {
      var rest = row
      for (number, slot) in linked.enumerated() {
        let owner = owners[number]
        // The second index is shifted once the first two have met all of each other's turns.
        let shift = number == 1 ? row / Self.leastCommonMultiple(owners[0].count, owner.count) : 0
        let index = number < 2 && linked.count == 2 ? row + shift : rest
        rest /= max(owner.count, 1)
        for (column, value) in zip(slot.columns, owner[index % owner.count]) {
          tables[table].rows[row][column] = value
        }
      }
    }
  }

  private static func leastCommonMultiple(_ a: Int, _ b: Int) -> Int {
    var (x, y) = (a, b)
    while y != 0 { (x, y) = (y, x % y) }
    return max(a / max(x, 1) * b, 1)
  }
}
