internal import ORM
internal import ORMCore
internal import ORMObservation

/// A list of the keys of many snacks in the order of their stock, and its iterator.
private struct KeysOnly: ~Copyable {
  let store: any Store
  private var iterator: KeyListObservation<Snack, Void>.Iterator

  /// Makes snacks with the keys from 1 on, whose stock is their key.
  init(_ store: any Store, count: Int64, window: Int) async throws {
    self.store = store
    try await store.insert((1...count).map { Snack($0, "n\($0)", stock: Int($0)) })
    iterator = store.observeList(Snack.all.sorted(by: .ascending(\.stock)))
      .keysOnly(window: window).makeAsyncIterator()
  }

  mutating func next(_ context: ConformanceContext) async throws -> KeyListChange<Snack, Void> {
    let change = try await iterator.next(isolation: nil)
    return try context.unwrap(change, "the list goes on")
  }
}

extension KeyListChange {
  /// The rows that were deleted, inserted, moved and updated.
  fileprivate var named: [[ListMove<ListPosition>]] {
    [
      steps.deletedRows.map { move($0, nowhere) }, steps.insertedRows.map { move(nowhere, $0) },
      steps.movedRows, steps.updatedRows,
    ]
  }
}

extension KeyList {
  /// The keys of the rows that are held, by looking at them.
  fileprivate var heldKeys: [Model.ID?] { window.map { self[0, $0]?.id } }
}

/// The position of a row that a list does not have.
private let nowhere = at(-1, -1)

/// A row in a list without sections.
private func row(_ row: Int) -> ListPosition { at(0, row) }

extension ConformanceContext {
  fileprivate func checkWindow() async throws {
    let store = try open(Snack.self)
    var keys = try await KeysOnly(store, count: 500, window: 10)
    var change = try await keys.next(self)
    try expect(change.isFirst, "the first change")
    try expectEqual(change.steps.insertedRows.count, 500, "all rows are named")
    try expectEqual(Array(change.list.keys), Array(1...500), "all keys are held")
    try expectEqual(change.list.window, 0..<10)
    try expectEqual(change.list.heldKeys, Array(1...10))
    try expectEqual(change.list.sections.map(\.count), [500])
    try expectEqual(change.list.position(of: 400), row(399))
    try expectEqual(change.list.key(at: row(399)), 400)
    try expect(change.list.key(at: row(500)) == nil, "no such row")
    try expect(change.list[0, 500] == nil, "no such row, and none is asked for")
    try expect(change.list[0, 200] == nil, "a row outside of the window")
    change = try await keys.next(self)
    try expectEqual(change.list.window, 195..<205, "the window moves to the row")
    try expectEqual(change.list.heldKeys, Array(196...205))
    try expectEqual(
      change.named, [[], [], [], (195..<205).map { move(row($0), row($0)) }],
      "the rows that came into the window")
    try await store.patch(Snack.self, 1) { $0.name = "outside" }
    try await store.patch(Snack.self, 201) { $0.name = "inside" }
    change = try await keys.next(self)
    try expectEqual(change.named, [[], [], [], [move(row(200), row(200))]], "the row inside alone")
    try expectEqual(change.list[0, 200]?.name, "inside")
    try await store.insert(Snack(1_000, stock: 0))
    change = try await keys.next(self)
    try expectEqual(change.named, [[], [move(nowhere, row(0))], [], []], "a row at the front")
    try expectEqual(change.list.window, 196..<206, "the window stays with its rows")
    try expectEqual(change.list.heldKeys, Array(196...205))
    try await store.insert(Snack(1_001, "new", stock: 200))
    change = try await keys.next(self)
    try expectEqual(
      change.named, [[], [move(nowhere, row(201))], [], []], "a row in the window")
    try expectEqual(change.list.heldKeys, [196, 197, 198, 199, 200, 1_001, 201, 202, 203, 204])
    try expectEqual(change.list[row(201)]?.name, "new")
    try await store.delete(Snack.self, id: 1_001)
    change = try await keys.next(self)
    try expectEqual(
      change.named, [[move(row(201), nowhere)], [], [], [move(row(206), row(205))]],
      "a row goes, and the one behind the window comes into it")
    try expectEqual(change.list.heldKeys, Array(196...205))
    try await store.patch(Snack.self, 201) { $0.stock = 9_999 }
    change = try await keys.next(self)
    try expectEqual(
      change.named, [[], [], [move(row(201), row(500))], [move(row(206), row(205))]],
      "a row leaves the window")
    try expectEqual(change.list.heldKeys, [196, 197, 198, 199, 200, 202, 203, 204, 205, 206])
    try await store.deleteAll(Snack.self)
    change = try await keys.next(self)
    try expect(change.list.isEmpty && change.list.window.isEmpty, "no rows")
    try expectEqual(change.steps.deletedRows.count, 501)
  }

  fileprivate func checkWindowOfSections() async throws {
    let store = try open(Team.self, Coach.self, Player.self, League.self)
    let reds = try await store.save(Team(0, "Reds", players: [Player(1, "a"), Player(2, "b")]))
    try await store.save(Team(0, "Blues", players: [Player(3, "c")]))
    let query = Player.all.sorted(by: .ascending { $0.team.name }, .ascending(\.name))
    let list = store.observeList(query, sectionedBy: { $0.team.name })
    var iterator = list.keysOnly(window: 2).makeAsyncIterator()
    var change = try unwrap(try await iterator.next(isolation: nil), "the list goes on")
    try expectEqual(change.list.sections.map(\.title), ["Blues", "Reds"])
    try expectEqual(Array(change.list.keys), [3, 1, 2])
    try expectEqual(change.list[0, 0]?.name, "c")
    try expectEqual(change.list[1, 0]?.name, "a")
    try expect(change.list[2, 0] == nil, "no such section")
    // Sections by another row's value are fetched again.
    try await store.patch(Team.self, reds.id) { $0.name = "Aces" }
    change = try unwrap(try await iterator.next(isolation: nil), "the list goes on")
    try expectEqual(change.list.sections.map(\.title), ["Aces", "Blues"])
    try expectEqual(Array(change.list.keys), [1, 2, 3])
    try expectEqual(change.list.window.count, 2)
    var refused = store.observeList(query.prefetch(\.team), sectionedBy: { $0.team.name })
      .keysOnly(window: 2).makeAsyncIterator()
    try await expectErrorAsync(.invalidCondition, "prefetched relationships") {
      try await refused.next(isolation: nil)
    }
    try await store.close()
    try expect(try await iterator.next(isolation: nil) == nil, "a store that is closed ends it")
  }

  /// Two rows that each commit sets to the same value, while a list holds both.
  fileprivate func checkWindowUnderWrites() async throws {
    let store = try open(Snack.self)
    var keys = try await KeysOnly(store, count: 50, window: 20)
    let writer = Task {
      for number in 1...60 {
        try await store.write { tx in
          for id in [3, 4] as [Int64] {
            try tx.patch(Snack.self, id) { $0.name = "\(number)" }
          }
        }
      }
    }
    var name: String?
    repeat {
      let list = try await keys.next(self).list
      let names = [list[0, 2]?.name, list[0, 3]?.name]
      // The first list may be from before the commits.
      if names != ["n3", "n4"] { try expectEqual(names[0], names[1], "rows of one commit") }
      try expect(names[0] != nil, "the rows are there")
      name = names[0]
    } while name != "60"
    try await writer.value
  }
}

extension ConformanceCase {
  /// Section 11: lists that hold keys instead of rows.
  static let keysOnly: [ConformanceCase] = [
    ConformanceCase(async: "a list of keys holds the rows of a window", "11.8") { context in
      try await context.checkWindow()
    },
    ConformanceCase(async: "a list of keys has sections, and prefetches nothing", "11.8") {
      context in
      try await context.checkWindowOfSections()
    },
    ConformanceCase(async: "the rows of a window are those of the keys' commit", "11.8", "11.6") {
      context in
      try await context.checkWindowUnderWrites()
    },
  ]
}
