internal import ORM
internal import ORMMigrations
internal import ORMObservation

extension RandomRun {
  /// Opens stores with random plans of up to four versions: all rows are those of naive tables, to
  /// which the same steps were applied.
  ///
  /// Versions whose steps lose nothing are undone and made again.
  public static let migrations = RandomRun(
    "migrations", ["10.1", "10.4", "10.5", "10.6", "10.7", "10.8", "10.9", "10.11"], usualCount: 60
  ) { round in
    var tables = NaiveTables.make(&round.random)
    var store = try round.store(try tables.schema(version: 1), isFilledBelow: true)
    try fill(store, &tables, round)
    try round.measure(store)
    var versions: [MigrationVersion] = []
    var isBehind = false
    // The tables at versions from which every step since is undone.
    var undoable = [1: tables]
    for number in 2...(round.random.number(2...5)) {
      var steps: [MigrationStep] = []
      for _ in 0..<round.random.number(1...4) {
        guard let step = NaiveMigration.make(tables, &round.random) else { continue }
        if !step.isUndone(in: tables) { undoable = [:] }
        round.steps.append("version \(number): \(step)")
        step.run(on: &tables)
        steps += step.steps
      }
      versions.append(.version(number, steps))
      // A program may miss versions: the next runs their steps too.
      isBehind = round.random.chance(3)
      if isBehind { continue }
      store = try open(store, tables, MigrationPlan(versions), number, round)
      undoable[number] = tables
      guard round.random.chance(2), let start = undoable.keys.min(), start < number else {
        continue
      }
      round.steps.append("undo versions \(start + 1) to \(number)")
      store = try open(
        store, undoable[start] ?? tables, MigrationPlan(versions).inverse(from: number, to: start),
        start, round)
      store = try open(store, tables, MigrationPlan(versions), number, round)
    }
    if isBehind {
      store = try open(store, tables, MigrationPlan(versions), versions.count + 1, round)
    }
    try round.check(store)
  }

  private static func open(
    _ store: any Store, _ tables: NaiveTables, _ plan: MigrationPlan, _ number: Int,
    _ round: RandomRound
  ) throws -> any Store {
    let rows = tables.tables.map(\.rows.count).max() ?? 0
    let partRows = round.random.chance(2) ? round.random.number(2...5) + rows / 4 : nil
    if let partRows { round.steps.append("parts of \(partRows) rows") }
    var options = StoreOptions.$partRows.withValue(partRows) { StoreOptions.migrating(plan) }
    let store = try { () throws -> any Store in
      if partRows != nil, round.random.chance(2) {
        options.migration.access = .online
        do {
          return try round.reopen(store, tables.schema(version: number), options: options)
        } catch let error as StoreError where error.code == .invalidPlan {
          round.steps.append("a step needs other rows")
          options.migration.access = .exclusive
        }
      }
      return try round.reopen(store, tables.schema(version: number), options: options)
    }()
    let found = try store.read { tx in
      try tables.tables.flatMap { table in
        try tx.fetch(DynamicQuery(table.name)).map { row in
          "\(table.name) \(row.values.map { "\($0.key)=\($0.value)" }.sorted())"
        }
      }
    }
    try RandomDifference.check(lines: found, tables.lines, "the rows at version \(number)")
    return store
  }

  private static func fill(
    _ store: any Store, _ tables: inout NaiveTables, _ round: RandomRound
  ) throws {
    var random = round.random
    defer { round.random = random }
    // One table is large in a large round.
    let large = random.number(0...tables.tables.count - 1)
    for position in tables.tables.indices {
      let table = tables.tables[position]
      let count = (position == large ? round.size : nil) ?? random.number(0...12)
      for id in 0..<count {
        var row: [String: StoredValue] = ["id": .int(Int64(id + 1))]
        for attribute in table.attributes where attribute.name != "id" {
          row[attribute.name] =
            attribute.isOptional && random.chance(4)
            ? .null : NaiveMigration.value(attribute.type, &random)
        }
        for link in table.links {
          let targets = tables[link.target].rows
          row[link.name] =
            targets.isEmpty || random.chance(3) ? .null : random.pick(targets)["id"] ?? .null
        }
        tables.tables[position].rows.append(row)
      }
      tables.tables[position].greatest = Int64(count)
      let rows = tables.tables[position].rows.map { row in
        var values = row
        for link in table.links {
          values["\(link.name)_id"] = values.removeValue(forKey: link.name)
        }
        return DynamicRow(table.name, values)
      }
      if !rows.isEmpty { _ = try store.write { try $0.insert(rows) } }
    }
  }
}

extension NaiveTables {
  /// Two or three tables, of which later ones may lead to earlier ones.
  static func make(_ random: inout SeededGenerator) -> NaiveTables {
    var all = NaiveTables()
    for number in 0..<random.number(2...3) {
      var table = Table(
        name: "T\(number)", attributes: [.init(name: "id", type: .int64, isOptional: false)])
      for name in ["a", "b", "c", "d"].prefix(random.number(1...4)) {
        table.attributes.append(
          .init(
            name: name, type: random.chance(2) ? .int64 : .string, isOptional: random.chance(2)))
      }
      if number > 0, random.chance(2) {
        table.links.append(.init(name: "up", target: "T\(random.number(0...(number - 1)))"))
      }
      all.tables.append(table)
    }
    return all
  }
}

extension NaiveMigration {
  static func value(_ type: AttributeType, _ random: inout SeededGenerator) -> StoredValue {
    type == .int64
      ? .int(Int64(random.number(-5...5))) : .string(random.pick(["7", "-3", "12", "x", ""]))
  }

  /// A step that the tables allow.
  static func make(_ all: NaiveTables, _ random: inout SeededGenerator) -> NaiveMigration? {
    guard !all.tables.isEmpty else { return nil }
    let table = random.pick(all.tables)
    let own = table.attributes.filter { $0.name != table.key }
    let numbers = own.filter { $0.type == .int64 && $0.name != "id" }
    let fresh = "n\(random.number(100...999))"
    let isFree =
      table.attribute(fresh) == nil && !all.tables.contains { $0.name == fresh.uppercased() }
    guard isFree, !table.links.contains(where: { $0.name == fresh }) else { return nil }
    func pick(_ list: [NaiveTables.Attribute]) -> NaiveTables.Attribute? {
      list.isEmpty ? nil : random.pick(list)
    }
    switch random.number(0...21) {
    case 0: return .renameTable(table.name, to: fresh.uppercased())
    case 1, 2: return pick(own).map { .rename(table.name, $0.name, to: fresh) }
    case 3:
      return table.links.isEmpty
        ? nil : .renameLink(table.name, random.pick(table.links).name, to: fresh)
    case 4: return all.tables.count > 1 && random.chance(2) ? .dropTable(table.name) : nil
    case 5: return pick(own).map { .drop(table.name, $0.name) }
    case 6:
      return table.links.isEmpty ? nil : .dropLink(table.name, random.pick(table.links).name)
    case 7, 8:
      let type: AttributeType = random.chance(2) ? .int64 : .string
      return .add(table.name, fresh, type, random.chance(2) ? nil : value(type, &random))
    case 9:
      guard let target = pick(numbers), let source = pick(numbers),
        target.isOptional || !source.isOptional
      else { return nil }
      return .set(
        table.name, target.name, from: source.name, plus: Int64(random.number(-3...3)),
        above: random.chance(2) ? nil : Int64(random.number(-3...3)))
    case 10: return pick(own).map { .optional(table.name, $0.name) }
    case 11: return pick(own).map { .required(table.name, $0.name, value($0.type, &random)) }
    case 12: return pick(numbers).map { .textOfNumber(table.name, $0.name) }
    case 13:
      return pick(own.filter { $0.type == .string }).map {
        .numberOfText(table.name, $0.name, $0.isOptional && random.chance(2) ? nil : .int(99))
      }
    case 14: return pick(numbers).map { .rows(table.name, $0.name, Int64(random.number(1...9))) }
    case 15:
      let moved = own.filter { $0.name != "id" }.prefix(random.number(1...2)).map(\.name)
      return moved.isEmpty
        ? nil : .split(table.name, moved, into: fresh.uppercased(), link: fresh)
    case 17, 18, 19: return makeAlongLink(all, &random)
    case 20, 21: return makeMerge(all, &random)
    default:
      if random.chance(2) {
        return pick(own.filter { $0.name != "id" }).map {
          .unique(table.name, $0.name, keepsFirst: random.chance(2))
        }
      }
      return table.key == "id" ? .key(table.name, fresh) : nil
    }
  }
}
