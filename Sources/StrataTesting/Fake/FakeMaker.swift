internal import Foundation
internal import ORM
internal import ORMCore

/// The making of the rows of one call: numbers, keys, links, then values.
struct FakeMaker {
  let schema: StoredSchema
  let settings: FakeSettings
  var tables: [FakeRows] = []
  var kinds: [FakeKind] = []
  var slots: [FakeSlot] = []
  var joins: [FakeJoin] = []
  /// The number of rows of each kind, and whether the caller named it.
  var counts: [(count: Int, isGiven: Bool)] = []

  init(_ settings: FakeSettings, _ asked: FakeCounts) throws {
    self.settings = settings
    schema = settings.schema.stored
    for name in asked.byName.keys.sorted() {
      guard let entity = schema.entity(named: name), !entity.isInternal, !entity.isBookkeeping
      else {
        throw StoreError(.unknownEntity, "the schema of the fake has no such entity", entity: name)
      }
      if asked.byName[name] ?? 0 < 0 {
        throw StoreError(.countOutOfRange, "a number of rows must be 0 or more", entity: name)
      }
    }
    for root in schema.entities where !root.isBookkeeping {
      let table = tables.count
      tables.append(FakeRows(entity: root))
      if root.isInternal { continue }
      for entity in [root] + root.subentities {
        kinds.append(
          try FakeKind(entity, table: table, in: schema, now: .date(settings.now)))
        let count = asked.byName[entity.modelName]
        counts.append((count ?? 0, count != nil))
      }
    }
    try findSlots()
  }

  /// Makes all rows.
  mutating func make() throws -> [FakeTable] {
    try settleCounts()
    addRows()
    try makeKeys()
    try makeLinks()
    try makeJoins()
    try makeValues()
    return tables.map { FakeTable($0.entity, $0.rows) }
  }

  /// A source of random values for one purpose: the values of one entity do not depend on others.
  func random(_ purpose: String, _ name: String) -> FakeRandom {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in "\(purpose) \(name)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return FakeRandom(seed: settings.seed &* 0x9E37_79B9_7F4A_7C15 ^ hash, words: settings.words)
  }

  /// The number of rows of an entity and of its subentities.
  func total(_ name: String) -> Int {
    kinds.indices.reduce(0) { $0 + (kinds[$1].names.contains(name) ? counts[$1].count : 0) }
  }

  /// The table of an entity, and the positions of its rows, those of its subentities among them.
  func rows(of name: String) -> (table: Int, rows: [Int]) {
    let members = Set(kinds.indices.filter { kinds[$0].names.contains(name) })
    guard let table = members.first.map({ kinds[$0].table }) else { return (0, []) }
    let all = tables[table]
    return (table, all.rows.indices.filter { members.contains(all.kinds[$0]) })
  }

  /// The column in the table of an entity for an attribute, by its name in the program.
  func column(_ name: String, of entity: StoredEntity) -> Int? {
    let root = schema.root(of: entity)
    if let own = entity.column(ofAttribute: name) {
      return root.column(named: entity.columns[own].name)
    }
    return root.column(ofAttribute: name)
  }

  private mutating func addRows() {
    for (number, kind) in kinds.enumerated() {
      var blank = [StoredValue](repeating: .null, count: tables[kind.table].entity.columns.count)
      if let mark = kind.kind { blank[mark.column] = mark.value }
      for _ in 0..<counts[number].count {
        tables[kind.table].rows.append(blank)
        tables[kind.table].kinds.append(number)
      }
    }
  }
}

/// The settings of a fake.
struct FakeSettings: Sendable {
  let schema: Schema
  let seed: UInt64
  let words: FakeWords
  /// The present time for rules that name it.
  var now = Date(timeIntervalSinceReferenceDate: 788_918_400)
  /// The program's own values, by entity and attribute.
  var values: [String: [String: @Sendable (inout FakeRandom) throws -> StoredValue]] = [:]

  /// The program's value of an attribute of an entity, or of one above it.
  func value(
    of attribute: String, _ names: Set<String>
  ) -> (@Sendable (inout FakeRandom) throws -> StoredValue)? {
    names.sorted().lazy.compactMap { values[$0]?[attribute] }.first
  }
}
