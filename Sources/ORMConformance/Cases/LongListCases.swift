internal import ORM
internal import ORMObservation

/// A list of many snacks under observation, beside the rows that it should have.
private final class LongList {
  let store: any Store
  let list: WatchedList<Snack, String?, String?>
  /// The rows that the store should have, by key.
  private(set) var rows: [Int64: Snack] = [:]

  init(_ store: any Store, count: Int64) throws {
    self.store = store
    let query = Snack.all.sorted(by: .ascending(\.taste), .ascending(\.stock))
    for id in 1...count { rows[id] = Self.snack(id) }
    try store.insert(Array(rows.values))
    list = try WatchedList(store.observeList(query, sectionedBy: \.taste)) { $0 }
    _ = try list.take()
  }

  /// One of many rows that share their sort keys.
  static func snack(_ id: Int64) -> Snack {
    Snack(id, "n\(id)", taste: ["bitter", "salty", "sweet"][Int(id % 3)], stock: Int(id % 5))
  }

  /// The sections in order, and the keys of their rows.
  var expected: [(taste: String, keys: [Int64])] {
    Dictionary(grouping: rows.values) { $0.taste ?? "" }.sorted { $0.key < $1.key }.map {
      ($0.key, $0.value.sorted { ($0.stock ?? 0, $0.id) < ($1.stock ?? 0, $1.id) }.map(\.id))
    }
  }

  /// The position that a row should have.
  func position(of id: Int64) -> ListPosition {
    for (section, rows) in expected.enumerated() {
      if let row = rows.keys.firstIndex(of: id) { return at(section, row) }
    }
    return at(-1, -1)
  }

  /// Makes some edits in one transaction; nil deletes a row.
  func write(_ edits: [(id: Int64, snack: Snack?)]) throws {
    try store.write { tx in
      for (id, snack) in edits {
        if let snack { try tx.save(snack) } else { try tx.delete(Snack.self, id: id) }
      }
    }
    for (id, snack) in edits { rows[id] = snack }
  }

  /// Takes the only change since the last call, whose list has the rows that it should.
  func change(_ context: ConformanceContext, _ subject: String) throws -> ListSteps {
    let changes = try list.take()
    try context.expectEqual(changes.count, 1, "\(subject): changes")
    try context.expectEqual(list.values, expected.map(\.taste), "\(subject): sections")
    try context.expectEqual(list.keys, expected.map(\.keys), "\(subject): rows")
    return changes[0].steps
  }
}

extension ConformanceCase {
  /// Section 11: changes of lists of many rows.
  static let longLists: [ConformanceCase] = [
    ConformanceCase("a long list reports the rows that change, and no others", "11.8") { context in
      let long = try LongList(context.open(Snack.self), count: 1_000)
      func expectSteps(
        _ subject: String, _ edits: [(id: Int64, snack: Snack?)],
        _ change: (inout ListSteps) -> Void
      ) throws {
        try long.write(edits)
        var steps = ListSteps()
        change(&steps)
        try context.expectEqual(try long.change(context, subject), steps, subject)
      }
      var snack = LongList.snack(500)
      snack.price = 2
      let row = long.position(of: 500)
      try expectSteps("an update in the middle", [(500, snack)]) {
        $0.updatedRows = [move(row, row)]
      }
      // Of 1,000 rows, 333 are bitter, 334 salty and 333 sweet. 15 is the first bitter one of stock 0.
      let first = LongList.snack(15)
      try context.expectEqual(long.position(of: 15), at(0, 0))
      snack = first
      snack.taste = "sweet"
      snack.stock = 9
      try expectSteps("a move to the end of another section", [(15, snack)]) {
        $0.movedRows = [move(at(0, 0), at(2, 333))]
        $0.updatedRows = [move(at(0, 0), at(2, 333))]
      }
      try expectSteps("a move to the front", [(15, first)]) {
        $0.movedRows = [move(at(2, 333), at(0, 0))]
        $0.updatedRows = [move(at(2, 333), at(0, 0))]
      }
      let last = long.expected[2].keys
      try expectSteps("deletes at both ends", [(15, nil), (last[332], nil)]) {
        $0.deletedRows = [at(0, 0), at(2, 332)]
      }
      let front = Snack(2_001, taste: "bitter", stock: -1)
      let back = Snack(2_002, taste: "sweet", stock: 9)
      try expectSteps("inserts at both ends", [(2_001, front), (2_002, back)]) {
        $0.insertedRows = [at(0, 0), at(2, 332)]
      }
      var swapped = (front, back)
      (swapped.0.stock, swapped.0.taste) = (9, "sweet")
      (swapped.1.stock, swapped.1.taste) = (-1, "bitter")
      try expectSteps(
        "the ends swap", [(2_001, swapped.0), (2_002, swapped.1)]
      ) {
        $0.movedRows = [move(at(2, 332), at(0, 0)), move(at(0, 0), at(2, 332))]
        $0.updatedRows = $0.movedRows
      }
      try context.expectEqual(long.list.seen.fetchCount, 1, "cached")
    },
    ConformanceCase("a section of a long list goes and comes back", "11.8") { context in
      let long = try LongList(context.open(Snack.self), count: 900)
      let salty = long.rows.values.filter { $0.taste == "salty" }
      try long.write(
        salty.map { snack in
          var other = snack
          other.taste = "sweet"
          return (snack.id, other)
        })
      var steps = try long.change(context, "a section goes")
      try context.expectEqual(steps.deletedSections, [1])
      try context.expectEqual(steps.movedRows.count, 300)
      try context.expectEqual(steps.updatedRows.count, 300)
      try context.expectEqual(steps.deletedRows, [])
      try long.write(salty.map { ($0.id, $0) })
      steps = try long.change(context, "it comes back")
      try context.expectEqual(steps.insertedSections, [1])
      try context.expectEqual(steps.movedRows.count, 300)
      try long.write(long.rows.keys.map { ($0, nil) })
      steps = try long.change(context, "no rows")
      try context.expectEqual(steps.deletedSections, [0, 1, 2])
      try context.expectEqual(steps.deletedRows.count, 900)
      try long.write((1...600).map { ($0, LongList.snack($0)) })
      steps = try long.change(context, "new rows")
      try context.expectEqual(steps.insertedSections, [0, 1, 2])
      try context.expectEqual(steps.insertedRows.count, 600)
      try context.expectEqual(long.list.seen.fetchCount, 1, "cached")
    },
    ConformanceCase("many edits of a long list in one commit", "11.8") { context in
      let long = try LongList(context.open(Snack.self), count: 1_200)
      var number: UInt64 = 11
      func next(_ limit: Int) -> Int {
        number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(number >> 33) % limit
      }
      for round in 1...12 {
        var edits: [Int64: Snack?] = [:]
        for _ in 0..<[1, 7, 60, 400][round % 4] {
          let id = Int64(next(1_500) + 1)
          guard let known = long.rows[id] else {
            edits[id] = .some(LongList.snack(id))
            continue
          }
          var snack = known
          switch next(5) {
          case 0: edits[id] = .some(nil)
          case 1:
            snack.name += "+"
            edits[id] = snack
          case 2:
            snack.taste = ["bitter", "salty", "sour", "sweet"][next(4)]
            snack.name += "-"
            edits[id] = snack
          default:
            snack.stock = next(40)
            snack.name += "*"
            edits[id] = snack
          }
        }
        try long.write(edits.map { ($0, $1) })
        let steps = try long.change(context, "round \(round)")
        let touched =
          Set(steps.updatedRows.map(\.to)).count + steps.deletedRows.count
          + steps.insertedRows.count
        try context.expectEqual(touched, edits.count, "round \(round): rows")
      }
      try context.expectEqual(long.list.seen.fetchCount, 1, "cached")
    },
  ]
}
