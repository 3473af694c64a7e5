internal import Dispatch
internal import Foundation
internal import ORM
internal import ORMCore
internal import ORMObservation

extension ConformanceCase {
  /// Section 11: the sections of observed lists, and lists as sequences.
  static let listSections: [ConformanceCase] = [
    ConformanceCase("sections come, go and get another value", "11.8") { context in
      let store = try context.open(Snack.self)
      try store.insert([Snack(1, taste: "sweet"), Snack(2, taste: "sweet"), Snack(3, taste: "hot")])
      let query = Snack.all.sorted(by: .ascending(\.taste))
      let list = try WatchedList(store.observeList(query, sectionedBy: \.taste)) { $0 }
      _ = try list.take()
      try context.expectEqual(list.keys, [[3], [1, 2]])
      try store.patch(Snack.self, 2) { $0.taste = nil }
      try context.expectChange(list, [[2], [3], [1]], "nil is a section of its own") {
        $0.insertedSections = [0]
        $0.movedRows = [move(at(1, 1), at(0, 0))]
        $0.updatedRows = [move(at(1, 1), at(0, 0))]
      } batch: {
        $0.insertedSections = [0]
        $0.deletedRows = [at(1, 1)]
      }
      try context.expectEqual(list.values, [nil, "hot", "sweet"])
      try store.update(Snack.all.where { $0.taste == "hot" }) { $0.taste = "tart" }
      try context.expectChange(list, [[2], [1], [3]], "another value, and another position") {
        $0.deletedSections = [1]
        $0.insertedSections = [2]
        $0.movedRows = [move(at(1, 0), at(2, 0))]
        $0.updatedRows = [move(at(1, 0), at(2, 0))]
      } batch: {
        $0.deletedSections = [1]
        $0.insertedSections = [2]
      }
      try store.update(Snack.all) { $0.taste = "tart" }
      try context.expectChange(list, [[1, 2, 3]], "one section is left") {
        $0.deletedSections = [0, 1]
        $0.movedRows = [move(at(1, 0), at(0, 0)), move(at(0, 0), at(0, 1))]
        $0.updatedRows = [move(at(1, 0), at(0, 0)), move(at(0, 0), at(0, 1))]
      } batch: {
        $0.deletedSections = [0, 1]
        $0.insertedRows = [at(0, 0), at(0, 1)]
      }
      try context.expectEqual(list.seen.fetchCount, 1)
    },
    ConformanceCase("sections by a related row follow that row", "11.8") { context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      try store.save(Team(0, "Reds", players: [Player(1, "a"), Player(2, "b")]))
      try store.save(Team(0, "Blues", players: [Player(3, "c")]))
      let query = Player.all.sorted(by: .ascending { $0.team.name }, .ascending(\.name))
      let list = try WatchedList(store.observeList(query, sectionedBy: { $0.team.name })) { $0 }
      let loaded = try store.observeList(query.prefetch(\.team), sectionedBy: { $0.team.name })
        .follow()
      _ = try list.take()
      _ = try loaded.take()
      try context.expectEqual(list.keys, [[3], [1, 2]])
      try context.expectEqual(list.values, ["Blues", "Reds"])
      try store.update(Team.all.where { $0.name == "Reds" }) { $0.name = "Azure" }
      try context.expectChange(list, [[1, 2], [3]], "another name") {
        $0.deletedSections = [1]
        $0.insertedSections = [0]
        $0.movedRows = [move(at(1, 0), at(0, 0)), move(at(1, 1), at(0, 1))]
      } batch: {
        $0.deletedSections = [1]
        $0.insertedSections = [0]
      }
      let change = try loaded.take()
      try context.expectEqual(
        change.map(\.steps.updatedRows.count), [3], "loaded rows are shown anew")
      try context.expectEqual(change.last?.list.rows[0].team.loaded?.name, "Azure")
      try store.update(Team.all.where { $0.name == "Azure" }) { $0.name = "Blues" }
      try context.expectChange(list, [[1, 2, 3]], "the name of another") {
        $0.deletedSections = [0]
        $0.movedRows = [move(at(0, 0), at(0, 0)), move(at(0, 1), at(0, 1))]
      } batch: {
        $0.deletedSections = [0]
        $0.insertedRows = [at(0, 0), at(0, 1)]
      }
      try context.expectEqual(list.seen.fetchCount, 3)
    },
    ConformanceCase("sections are what the order begins with", "11.8") { context in
      let store = try context.open(Snack.self)
      try store.insert([Snack(1, "B"), Snack(2, "a"), Snack(3, "b")])
      let byCase = Snack.all.sorted(by: .ascending(\.name, .caseInsensitive))
      let folded = try WatchedList(
        store.observeList(byCase, sectionedBy: { $0.name.folded(.caseInsensitive) })
      ) { $0 }
      _ = try folded.take()
      try context.expectEqual(folded.keys, [[2], [1, 3]])
      try context.expectEqual(folded.values, ["a", "b"])
      let keys = try WatchedList(store.observeList(Snack.all, sectionedBy: \.id)) { $0 }
      _ = try keys.take()
      try context.expectEqual(keys.keys, [[1], [2], [3]], "an order by the key alone")
      let lengths = Snack.all.sorted(by: .descending { $0.name.length() })
      let computed = try WatchedList(
        store.observeList(lengths, sectionedBy: { $0.name.length() })
      ) { $0 }
      _ = try computed.take()
      try context.expectEqual(computed.keys, [[3, 2, 1]], "a computed value")
      try store.patch(Snack.self, 2) { $0.name = "ab" }
      _ = try computed.take()
      try context.expectEqual(computed.keys, [[2], [3, 1]])
      try context.expectEqual(computed.values, [2, 1])
      try context.expectEqual(computed.seen.fetchCount, 1)
      let wrong = [
        store.observeList(Snack.all, sectionedBy: \.name),
        store.observeList(byCase, sectionedBy: \.name),
        store.observeList(
          Snack.all.sorted(by: .ascending(\.taste), .ascending(\.name)), sectionedBy: \.name),
        store.observeList(lengths, sectionedBy: \.name),
      ]
      for list in wrong {
        let followed = try list.follow()
        try context.expectError(.invalidCondition) { try followed.take() }
        try context.expect(followed.isEnded, "an error ends the list")
      }
      let page = try store.observeList(Snack.all.page(-1, size: 1)).follow()
      try context.expectError(.invalidPage) { try page.take() }
      let missing = try store.observeList(Word.all).follow()
      try context.expectError(.unknownEntity) { try missing.take() }
      try store.insert(Snack(4, "c"))
      _ = try folded.take()
      try context.expectEqual(folded.keys.count, 3, "others go on")
      try store.close()
      try context.expectError(.closed) { try store.observeList(Snack.all).follow() }
      store.runtime.transactions.drainNotices()
      try context.expect(folded.seen.isEnded, "a store that is closed ends its lists")
    },
    ConformanceCase("a list finds rows by position and by key", "11.8") { context in
      let store = try context.open(Snack.self)
      try store.insert([
        Snack(1, "a", price: 1.5), Snack(2, "b"), Snack(3, "c", price: 1.5),
        Snack(4, "d", price: 3),
      ])
      let query = Snack.all.sorted(by: .ascending(\.price), .descending(\.name))
      let seen = try store.observeList(query, sectionedBy: \.price).follow()
      let first = try seen.take()[0]
      let list = first.list
      try context.expect(first.isFirst && first.previous == nil, "the first change")
      try context.expectEqual([list.count, list.sections.count], [4, 3])
      try context.expectEqual(list.sections.map(\.value), [nil, 1.5, 3])
      try context.expectEqual(list.sections.map(\.title), ["", "1.5", "3.0"])
      try context.expectEqual(list.sections.map(\.count), [1, 2, 1])
      try context.expectEqual(list[1, 0].name, "c")
      try context.expectEqual(list[section: list.sections[1]].map(\.id), [3, 1])
      try context.expectEqual(
        (1...5).map { list.position(of: $0) }, [at(1, 1), at(0, 0), at(1, 0), at(2, 0), nil])
      try context.expectEqual([Snack]().applying(first.difference), Array(list.rows))
      try store.patch(Snack.self, 4) { $0.price = 0 }
      let second = try seen.take()[0]
      try context.expect(!second.isFirst, "a later change")
      try context.expectEqual(second.previous?.rows, list.rows)
      try context.expectEqual(second.difference.removals.count, 1)
      try context.expectEqual(Array(list.rows).applying(second.difference), Array(second.list.rows))
    },
    ConformanceCase("a slow consumer gets the way from the list that it has", "11.8", "11.6") {
      context in
      let store = try context.open(Snack.self)
      try store.insert(Snack(1, "a"))
      let query = Snack.all.sorted(by: .ascending(\.name))
      let newest = try WatchedList(store.observeList(query)) { _ in 0 }
      let every = try WatchedList(store.observeList(query, .onEveryCommit)) { _ in 0 }
      _ = try newest.take()
      _ = try every.take()
      try store.insert(Snack(2, "b"))
      try store.patch(Snack.self, 1) { $0.name = "c" }
      try store.delete(Snack.self, id: 1)
      try context.expectChange(newest, [[2]], "one change for three commits") {
        $0.deletedRows = [at(0, 0)]
        $0.insertedRows = [at(0, 0)]
      } batch: {
        $0.deletedRows = [at(0, 0)]
        $0.insertedRows = [at(0, 0)]
      }
      try context.expectEqual(try every.take().map(\.list.count), [2, 2, 1])
      try context.expectEqual(every.keys, [[2]])
    },
    ConformanceCase(async: "a list is a sequence, and a callback", "11.8", "11.14") { context in
      let store = try context.open(Snack.self)
      try await store.insert(Snack(1, "a", taste: "hot"))
      let query = Snack.all.sorted(by: .ascending(\.taste))
      let list = store.observeList(query, sectionedBy: \.taste)
      var changes = list.makeAsyncIterator()
      try context.expectEqual(try await changes.next()?.list.sections.map(\.title), ["hot"])
      try await store.insert(Snack(2, "b", taste: "sour"))
      try context.expectEqual(try await changes.next()?.batch.insertedSections, [1])
      let queue = DispatchQueue(label: "ORMConformance.list")
      let counts = Shared<[Int]>([])
      let codes = Shared<[StoreError.Code]>([])
      func wait(_ holds: @escaping @Sendable () -> Bool) async throws {
        for _ in 0..<3_000 where !holds() { try await Task.sleep(for: .milliseconds(10)) }
        try context.expect(holds(), "the handler is called")
      }
      let hold = list.callback(on: queue) { result in
        if case .success(let change) = result { counts.change { $0.append(change.list.count) } }
      }
      try await wait { counts.value == [2] }
      try await store.delete(Snack.self, id: 1)
      try await wait { counts.value == [2, 1] }
      hold.cancel()
      let wrong = store.observeList(Snack.all, sectionedBy: \.taste)
      let failing = wrong.callback(on: queue) { result in
        if case .failure(let error as StoreError) = result {
          codes.change { $0.append(error.code) }
        }
      }
      try await wait { codes.value == [.invalidCondition] }
      failing.cancel()
      var refused = wrong.makeAsyncIterator()
      try await context.expectErrorAsync(.invalidCondition) { try await refused.next() }
      try context.expectEqual(try await changes.next()?.steps.deletedSections, [0])
      store.runtime.transactions.drainNotices()
      try context.expectEqual(store.runtime.transactions.observerCount, 1, "the rest has ended")
      try await offThePool { try store.close() }
      try context.expect(try await changes.next() == nil, "the end")
    },
  ]
}
