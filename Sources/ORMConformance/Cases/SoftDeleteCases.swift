internal import Dispatch
internal import FoundationEssentials
internal import ORM
internal import ORMCore

extension ConformanceCase {
  /// Soft deletes of rows without links: the operations that see them, restore them and purge them.
  static let softDeletes: [ConformanceCase] = [
    ConformanceCase("no query sees a hidden row unless it asks for it", "5.1", "4.1", "3.3", "5.9")
    {
      context in
      let store = try context.open(Sketch.self)
      try store.save((1...6).map { Sketch(Int64($0), "d\($0)", size: $0) })
      try context.expectEqual(try store.delete(Sketch.all.where { $0.id.isIn([2, 5]) }), 2)
      let all = Sketch.all
      try context.expectEqual(try store.fetch(all).map(\.id), [1, 3, 4, 6])
      try context.expectEqual(try store.find(Sketch.self, 2), nil)
      try context.expectEqual(try store.find(Sketch.self, [5, 4, 2]).map(\.id), [4])
      try context.expectEqual(try store.first(all.where { $0.size > 1 })?.id, 3)
      try context.expectEqual(try store.one(all.where { $0.size.isIn([2, 3]) })?.id, 3)
      try context.expectEqual(try store.exists(all.where { $0.id == 2 }), false)
      try context.expectEqual(try store.count(all), 4)
      try context.expectEqual(try store.count(Sketch.self), 4)
      try context.expectEqual(try store.count(all.limit(10)), 4)
      try context.expectEqual(try store.countDistinct(all, \.size), 4)
      try context.expectEqual(try store.sum(all, \.size), 14)
      try context.expectEqual(try store.average(all, \.size), 3.5)
      try context.expectEqual(try store.max(all.where { $0.size < 6 }, \.size), 4)
      let ids: [Int64] = try store.fetch(all.select(\.id))
      try context.expectEqual(ids, [1, 3, 4, 6])
      let sizes: [Int] = try store.fetch(all.select(\.size).distinct())
      try context.expectEqual(sizes, [1, 3, 4, 6])
      let groups = try store.fetch(all.grouped(by: \.size) { $0.count() })
      try context.expectEqual(groups.map(\.0), [1, 3, 4, 6])
      try context.expectEqual(try store.fetch(all.page(1, size: 3)).map(\.id), [6])
      let order = all.sorted(by: .descending(\.size)).limit(1)
      let page = try store.fetchPage(order)
      try context.expectEqual(try store.fetch(order.after(page.end)).map(\.id), [4])
      var chunks: [[Int64]] = []
      try store.chunks(all, size: 3) { chunks.append($0.map(\.id)) }
      try context.expectEqual(chunks, [[1, 3, 4], [6]])
      let names = DynamicQuery("Sketch")
      try context.expectEqual(
        try store.read { try $0.fetch(names) }.map { $0["id"] }, [1, 3, 4, 6].map { .int($0) })
      try context.expectEqual(try store.read { try $0.count(names) }, 4)
      let selection = DynamicSelection("Sketch", [.aggregate("n", Aggregate(.count))])
      try context.expectEqual(try store.read { try $0.fetch(selection) }[0]["n"], .int(4))
      try context.expectEqual(try store.update(all) { $0[\.size] += 10 }, 4)
      try context.expectEqual(
        try store.fetch(all.includingDeleted()).map(\.size), [11, 2, 13, 14, 5, 16])
      try context.expectError(.notFound) { try store.patch(Sketch.self, 2) { $0.size = 1 } }
      let explanation = try store.explain(all)
      try context.expect("\(explanation)".contains("deletedAt"), "\(explanation)")
    },
    ConformanceCase(
      "a query sees hidden rows on request, and keeps that when it is coded", "5.1", "5.9"
    ) {
      context in
      let store = try context.open(Sketch.self)
      try store.save((1...4).map { Sketch(Int64($0), "d\($0)", size: $0) })
      try context.expectEqual(try store.delete(Sketch.self, id: 3), true)
      let included = Sketch.all.includingDeleted()
      let only = Sketch.all.onlyDeleted()
      try context.expectEqual(try store.fetch(included).map(\.id), [1, 2, 3, 4])
      try context.expectEqual(try store.fetch(only).map(\.id), [3])
      try context.expect(try store.fetch(only)[0].deletedAt != nil, "it has a timestamp")
      try context.expectEqual(try store.count(included), 4)
      try context.expectEqual(try store.sum(only, \.size), 3)
      let titles: [String] = try store.fetch(only.select(\.title))
      try context.expectEqual(titles, ["d3"])
      try context.expectEqual(try store.fetch(included.grouped(by: \.size) { $0.count() }).count, 4)
      try context.expectEqual(try store.exists(only.where { $0.id == 1 }), false)
      try context.expectEqual(try store.update(only) { $0.title = "hidden" }, 1)
      for query in [included, only, Sketch.all, Sketch.all.onlyDeleted(related: true)] {
        let copy = try JSONDecoder().decode(
          Query<Sketch>.self, from: try JSONEncoder().encode(query))
        try context.expectEqual(copy, query)
      }
      for (deleted, ids) in [
        (.hidden, [1, 2, 4]), (.included, [1, 2, 3, 4]), (.only, [3]),
      ] as [(DeletedRows, [Int64])] {
        let query = DynamicQuery("Sketch", deleted: deleted)
        let copy = try JSONDecoder().decode(
          DynamicQuery.self, from: try JSONEncoder().encode(query))
        try context.expectEqual(copy, query)
        try context.expectEqual(
          try store.read { try $0.fetch(copy) }.map { $0["id"] }, ids.map { .int($0) })
      }
      let snacks = try context.open(Snack.self)
      try snacks.save(Snack(1, "a"))
      try context.expectEqual(try snacks.count(Snack.all.onlyDeleted()), 0)
      try context.expectEqual(try snacks.count(Snack.all.includingDeleted()), 1)
      try context.expectEqual(try snacks.restore(Snack.all), 0)
      try context.expectEqual(try snacks.purge(Snack.all), 0)
    },
    ConformanceCase(
      "every delete operation hides, at one time for all its rows, and counts", "5.1", "5.9"
    ) {
      context in
      let store = try context.open(Sketch.self)
      try store.save((1...12).map { Sketch(Int64($0), "d\($0)", size: $0 % 3) })
      var timestamps: [Date] = []
      func hidden(_ ids: [Int64], _ operation: String) throws {
        let rows = try store.fetch(Sketch.all.onlyDeleted()).filter { ids.contains($0.id) }
        try context.expectEqual(rows.map(\.id), ids, operation)
        let found = Set(rows.compactMap(\.deletedAt))
        try context.expectEqual(found.count, 1, operation)
        try context.expect(
          found.allSatisfy { !timestamps.contains($0) }, "\(operation): another timestamp")
        timestamps += found
      }
      let first = try context.unwrap(try store.find(Sketch.self, 1), "a row")
      try context.expectEqual(try store.delete(first), true)
      try hidden([1], "an object")
      try context.expectEqual(try store.delete(first), false)
      try context.expectEqual(try store.delete(Sketch.self, id: 2), true)
      try hidden([2], "a key")
      try context.expectEqual(try store.delete(Sketch.self, ids: [1, 3, 4, 99, 3]), 2)
      try hidden([3, 4], "keys")
      try context.expectEqual(
        try store.delete(Sketch.all.sorted(by: .descending(\.id)).limit(1)), 1)
      try hidden([12], "the first")
      try context.expectEqual(try store.delete(Sketch.all.where { $0.id <= 6 }), 2)
      try hidden([5, 6], "a query")
      try context.expectEqual(
        try store.delete(Sketch.all.includingDeleted().where { $0.id <= 7 }), 1)
      try hidden([7], "a query that sees hidden rows")
      try context.expectEqual(try store.delete(Sketch.all.onlyDeleted()), 0)
      try context.expectEqual(try store.delete(Sketch(0, "", size: 2), matchingOn: \.size), 2)
      try hidden([8, 11], "attributes")
      let named = DynamicQuery(
        "Sketch", where: .compare(.attribute("id"), .equal, .value(.int(9)), []))
      try context.expectEqual(try store.write { try $0.delete(named) }, 1)
      try hidden([9], "names")
      try context.expectEqual(try store.deleteAll(Sketch.self), 1)
      try hidden([10], "all")
      try context.expectEqual(try store.deleteAll(Sketch.self), 0)
      try context.expectEqual(try store.count(Sketch.all.includingDeleted()), 12)
      try store.write {
        _ = try $0.restore(Sketch.all)
        _ = try $0.deleteAll(entity: "Sketch")
      }
      try hidden((1...12).map { Int64($0) }, "all by name")
    },
    ConformanceCase(
      "hidden rows are restored and purged, visible ones are left alone", "5.1", "5.9"
    ) {
      context in
      let store = try context.open(Sketch.self)
      try store.save((1...8).map { Sketch(Int64($0), "d\($0)", size: $0) })
      try store.delete(Sketch.self, ids: [1, 2, 3, 4, 5])
      try context.expectEqual(try store.restore(Sketch.where { $0.id == 1 }), 1)
      try context.expectEqual(try store.restore(Sketch.where { $0.id == 1 }), 0)
      try context.expectEqual(try store.restore(Sketch.where { $0.id == 2 }), 1)
      try context.expectEqual(try store.find(Sketch.self, 2), Sketch(2, "d2", size: 2))
      try context.expectEqual(try store.restore(Sketch.all.where { $0.size <= 3 }), 1)
      try context.expectEqual(try store.purge(Sketch.where { $0.id == 1 }), 0)
      try context.expectEqual(try store.purge(Sketch.all.where { $0.size <= 4 }), 1)
      try context.expectEqual(try store.fetch(Sketch.all).map(\.id), [1, 2, 3, 6, 7, 8])
      try context.expectEqual(try store.fetch(Sketch.all.onlyDeleted()).map(\.id), [5])
      try store.delete(Sketch.self, id: 6)
      let timestamps = try store.fetch(Sketch.all.onlyDeleted()).compactMap(\.deletedAt)
      try context.expectEqual(try store.purge(Sketch.all, before: timestamps[0]), 0)
      try context.expectEqual(try store.purge(Sketch.all, before: timestamps[1]), 1)
      try store.delete(Sketch.self, id: 7)
      try context.expectEqual(try store.purge(Sketch.where { $0.id == 7 }), 1)
      try context.expectEqual(try store.purge(Sketch.all), 1)
      try context.expectEqual(
        try store.fetch(Sketch.all.includingDeleted()).map(\.id), [1, 2, 3, 8])
      let named = DynamicQuery("Sketch")
      try store.deleteAll(Sketch.self)
      try context.expectEqual(try store.write { try $0.restore(named) }, 4)
      try store.delete(Sketch.self, id: 8)
      try context.expectEqual(try store.write { try $0.purge(named) }, 1)
      try context.expectEqual(try store.count(Sketch.all.includingDeleted()), 3)
    },
    ConformanceCase("a hidden row keeps its key and unique values, and errors say so", "5.1", "5.9")
    {
      context in
      let store = try context.open(Sketch.self)
      try store.save([Sketch(1, "a"), Sketch(2, "b"), Sketch(3, "c")])
      try store.delete(Sketch.self, id: 2)
      func refused(_ attributes: [String], _ isHidden: Bool, _ body: () throws -> Void) throws {
        let error = try context.expectError(.duplicate, attributes: attributes) { try body() }
        try context.expectEqual(error.message.contains("soft-deleted"), isHidden, error.message)
      }
      try refused(["id"], true) { try store.insert(Sketch(2, "new")) }
      try refused(["id"], false) { try store.insert(Sketch(3, "new")) }
      try refused(["title"], true) { try store.insert(Sketch(0, "b")) }
      try refused(["title"], false) { try store.insert(Sketch(0, "a")) }
      try refused(["title"], true) { try store.insert([Sketch(0, "x"), Sketch(0, "b")]) }
      try refused(["title"], true) { try store.update(Sketch(3, "b")) }
      try refused(["title"], true) {
        try store.update(Sketch.all.where { $0.id == 3 }) { $0.title = "b" }
      }
      try refused(["title"], true) { try store.save(Sketch(0, "b", size: 7), matchingOn: \.size) }
    },
    ConformanceCase(
      "a save onto a hidden row writes what is given, the timestamp too", "5.1", "5.4", "5.9"
    ) {
      context in
      let store = try context.open(Sketch.self)
      try store.save([Sketch(1, "a"), Sketch(2, "b"), Sketch(3, "c")])
      try store.deleteAll(Sketch.self)
      try store.save(Sketch(1, "again"))
      try context.expectEqual(try store.fetch(Sketch.all), [Sketch(1, "again")])
      let hidden = try store.save(Sketch(2, "drawn"), merge: .skippingNil)
      try context.expect(hidden.deletedAt != nil, "it stays hidden")
      try context.expectEqual(try store.find(Sketch.self, 2), nil)
      var third = try context.unwrap(
        try store.one(Sketch.all.onlyDeleted().where { $0.id == 3 }), "a hidden row")
      third.deletedAt = nil
      try store.update(third)
      try context.expectEqual(try store.fetch(Sketch.all).map(\.id), [1, 3])
      third.deletedAt = Date(timeIntervalSinceReferenceDate: 1)
      try store.save(third)
      try context.expectEqual(try store.fetch(Sketch.all).map(\.id), [1])
      try context.expectEqual(
        try store.update(Sketch.all.onlyDeleted()) { $0.deletedAt = nil }, 2)
      try context.expectEqual(try store.count(Sketch.all), 3)
    },
    ConformanceCase("a file from before its attribute had the role is read on", "7.5", "5.9") {
      context in
      var entity = Sketch.entity.description
      for index in entity.attributes.indices { entity.attributes[index].role = nil }
      var store = try context.open(Schema(entities: [entity]))
      _ = try store.write {
        try $0.insert([
          DynamicRow("Sketch", ["title": .string("a"), "size": .int(1)]),
          DynamicRow("Sketch", ["title": .string("b"), "size": .int(2)]),
        ])
      }
      store = try context.reopen(store, Sketch.self)
      try context.expectEqual(try store.delete(Sketch.self, id: 1), true)
      try context.expectEqual(try store.fetch(Sketch.all).map(\.title), ["b"])
      store = try context.reopen(store, Sketch.self)
      try context.expectEqual(try store.restore(Sketch.all), 1)
    },
    ConformanceCase(
      async: "streams and the other forms of every operation do as these", "6.2", "6.7", "5.9"
    ) {
      context in
      let store = try context.open(Sketch.self)
      _ = try await store.save((1...6).map { Sketch(Int64($0), "d\($0)") })
      _ = try await store.delete(Sketch.self, ids: [2, 3, 4, 5])
      var seen: [Int64] = []
      for try await draft in store.stream(Sketch.all) { seen.append(draft.id) }
      try context.expectEqual(seen, [1, 6])
      try context.expectEqual(try await store.restore(Sketch.where { $0.id == 2 }), 1)
      try context.expectEqual(try await store.restore(Sketch.where { $0.id == 3 }), 1)
      try context.expectEqual(try await store.restore(Sketch.all.where { $0.id == 4 }), 1)
      try context.expectEqual(try await store.purge(Sketch.where { $0.id == 5 }), 1)
      let queue = DispatchQueue(label: "soft deletes")
      store.write(on: queue) { try $0.deleteAll(Sketch.self) }
      store.write(on: queue) { tx in try tx.restore(Sketch.where { $0.id == 1 }) }
      store.write(on: queue) { tx in try tx.restore(Sketch.where { $0.id == 2 }) }
      store.write(on: queue) { tx in try tx.restore(Sketch.all.where { $0.id == 3 }) }
      store.write(on: queue) { tx in try tx.purge(Sketch.where { $0.id == 4 }) }
      try context.expectEqual(try await store.fetch(Sketch.all).map(\.id), [1, 2, 3])
      try context.expectEqual(
        try await store.fetch(Sketch.all.includingDeleted()).map(\.id), [1, 2, 3, 6])
      let count = try await withCheckedThrowingContinuation { done in
        store.write(on: queue) {
          try $0.purge(Sketch.all)
        } completion: {
          done.resume(with: $0)
        }
      }
      try context.expectEqual(count, 1)
    },
  ]
}
