#if Macros
  internal import Foundation
  internal import ORM
  internal import ORMCore
  internal import Testing

  /// Rules, hooks and managed attributes of made models, on the three stores.
  @Suite struct MadeRuleTests {
    private func room(_ id: Int64, seats: Int = 10, closes: Int = 18) -> MacroMade.Room {
      MacroMade.Room(
        id: id, name: "hall", seats: seats, price: nil, code: nil, opens: 8, closes: closes,
        tags: [])
    }

    @Test(arguments: StoreKind.everywhere)
    func `5.6: all rules of attributes and of the entity are reported together`(_ kind: StoreKind)
      throws
    {
      try kind.withTestStore(Schema(MacroMade.Room.self)) { store in
        let bad = MacroMade.Room(
          id: 7, name: "a very long name", seats: 0, price: 50, code: "x1", opens: 9, closes: 9,
          tags: ["a", "b", "c"])
        let error = try expectFailure(.validationFailed, "Room") { try store.save(bad) }
        #expect(error.key == [.int(7)])
        #expect(
          error.failures.map(\.rule) == ["length", "range", "range", "matches", "length", "hours"])
        #expect(error.failures.last?.attributes == ["closes", "opens"])
        #expect(throws: StoreError.self) { try bad.validate() }
        #expect(try store.count(MacroMade.Room.all) == 0)
      }
    }

    @Test(arguments: StoreKind.everywhere)
    func `5.6: rules hold for batches, patches, updates as sets and rows by names`(
      _ kind: StoreKind
    ) throws {
      try kind.withTestStore(Schema(MacroMade.Room.self)) { store in
        let good = room(1)
        try store.save(good)
        func refuse(_ rule: String, _ body: () throws -> Void) throws {
          let error = try expectFailure(.validationFailed, "Room", body)
          #expect(error.rule == rule)
          #expect(try store.fetch(MacroMade.Room.all) == [good])
        }
        try refuse("range") { try store.save([room(2, seats: 9), room(3, seats: 101)]) }
        try refuse("hours") { try store.patch(MacroMade.Room.self, 1) { $0.opens = 18 } }
        try refuse("hours") { try store.update(MacroMade.Room.all) { $0[\.closes] -= 10 } }
        try refuse("hours") {
          try store.write { tx in
            _ = try tx.save([DynamicRow("Room", ["id": .int(1), "closes": .int(1)])])
          }
        }
      }
    }

    @Test(arguments: StoreKind.everywhere)
    func `5.6: whole objects are checked by code with what is stored and the transaction`(
      _ kind: StoreKind
    ) throws {
      try kind.withTestStore(Schema(MacroMade.Freight.self)) { store in
        try store.save(MacroMade.Freight(id: 1, weight: 2, isSealed: false))
        try store.patch(MacroMade.Freight.self, 1) { $0.isSealed = true }
        func refuse(_ rules: [String], _ body: () throws -> Void) throws {
          let error = try expectFailure(.validationFailed, "Freight", body)
          #expect(error.failures.map(\.rule) == rules)
        }
        try refuse(["check", "open"]) {
          try store.insert(MacroMade.Freight(id: 2, weight: 3, isSealed: true))
        }
        try refuse(["sealed"]) { try store.update(MacroMade.Freight.all) { $0.weight = 4 } }
        try refuse(["sealed"]) { try store.delete(MacroMade.Freight.self, id: 1) }
        try store.save(MacroMade.Freight(id: 2, weight: 2, isSealed: false))
        #expect(try store.fetch(MacroMade.Freight.all).map(\.weight) == [2, 2])
      }
    }

    @Test(arguments: StoreKind.everywhere)
    func `5.6: hooks run, may change the object, and undo what they throw at`(_ kind: StoreKind)
      throws
    {
      try kind.withTestStore(Schema(MacroMade.Memo.self, MacroMade.Line.self)) { store in
        let memo = try store.save(MacroMade.Memo(text: "ab", length: -1))
        #expect(memo.length == 2)
        try store.update(MacroMade.Memo.all) { $0.text = "abc" }
        #expect(throws: MacroMade.Memo.Refusal()) {
          try store.update(MacroMade.Memo(id: 1, text: "bad", length: 0))
        }
        let read = try #require(try store.find(MacroMade.Memo.self, 1))
        #expect(read.length == 3)
        #expect(read.isLoaded)
        try store.delete(MacroMade.Memo.self, id: 1)
        #expect(try store.fetch(MacroMade.Line.all).map(\.text) == ["+ab", "ab>abc", "-abc"])
      }
    }

    @Test(arguments: StoreKind.everywhere)
    func `5.1: timestamps and the version are kept, and a stale save is a conflict`(
      _ kind: StoreKind
    ) throws {
      try kind.withTestStore(Schema(MacroMade.Article.self)) { store in
        let start = Date()
        let first = try store.save(MacroMade.Article(id: 1, title: "a"))
        #expect(first.created >= start)
        #expect(first.changed == first.created)
        #expect(first.version == 1)
        #expect(try store.save([first]).unchanged == 1)
        var theirs = first
        theirs.title = "b"
        theirs.created = .distantPast
        theirs = try store.save(theirs)
        #expect(theirs.version == 2)
        #expect(theirs.created == first.created)
        var mine = first
        mine.title = "c"
        let error = try expectFailure(.conflict, "Article") { try store.save(mine) }
        #expect(error.values == [.int(1), .int(2)])
        #expect(try store.fetch(MacroMade.Article.all) == [theirs])
      }
    }

    @Test(arguments: StoreKind.everywhere)
    func `5.1: a soft delete hides, restores and purges`(_ kind: StoreKind) throws {
      try kind.withTestStore(Schema(MacroMade.Sketch.self)) { store in
        try store.save([
          MacroMade.Sketch(title: "a", size: 1, deletedAt: nil),
          MacroMade.Sketch(title: "b", size: 2, deletedAt: nil),
        ])
        #expect(try store.delete(MacroMade.Sketch.all.where { $0.size == 1 }) == 1)
        #expect(try store.fetch(MacroMade.Sketch.all).map(\.title) == ["b"])
        #expect(try store.fetch(MacroMade.Sketch.all.onlyDeleted()).map(\.title) == ["a"])
        try store.restore(MacroMade.Sketch.all.onlyDeleted())
        #expect(try store.count(MacroMade.Sketch.self) == 2)
        try store.delete(MacroMade.Sketch.self, id: 2)
        try store.purge(MacroMade.Sketch.all)
        #expect(try store.fetch(MacroMade.Sketch.all.includingDeleted()).map(\.title) == ["a"])
      }
    }

    @Test(arguments: StoreKind.everywhere)
    func `7.4: templates and fetched properties are asked by name`(_ kind: StoreKind) throws {
      try kind.withTestStore(Schema(MacroMade.Dish.self)) { store in
        let dishes = [
          MacroMade.Dish(id: 1, name: "Apple pie", price: 4, kitchen: "north"),
          MacroMade.Dish(id: 2, name: "apple tart", price: 2, kitchen: "south"),
          MacroMade.Dish(id: 3, name: "Ale", price: 2, kitchen: "north"),
          MacroMade.Dish(id: 4, name: "Bread", price: 1, kitchen: "south"),
        ]
        try store.save(dishes)
        let cheap = MacroMade.Dish.all.template("cheap", ["LIMIT": 3, "START": "a"])
        #expect(try store.fetch(cheap).map(\.id) == [3, 2])
        #expect(
          try store.fetch(dishes[0].fetched("rivals", MacroMade.Dish.self)).map(\.id) == [4, 2])
      }
    }

    @Test(arguments: StoreKind.everywhere)
    func `5.6: rules of embedded structs are their containers', where the struct is there`(
      _ kind: StoreKind
    ) throws {
      try kind.withTestStore(Schema(MacroMade.Plank.self)) { store in
        try store.save(MacroMade.Plank(id: 1, width: .init(low: 2, high: 3), spare: nil))
        let error = try expectFailure(.validationFailed, "Plank") {
          try store.save(
            MacroMade.Plank(id: 2, width: .init(low: -2, high: -2), spare: .init(low: 3, high: 4)))
        }
        #expect(
          error.failures.map { [$0.rule ?? ""] + $0.attributes } == [
            ["range", "width.low"], ["stretch", "width.high", "width.low"], ["check", "spare.low"],
          ])
        try expectFailure(.validationFailed, "Plank") {
          try store.update(MacroMade.Plank.all) { $0.width.high = 2 }
        }
        #expect(try store.fetch(MacroMade.Plank.all).map(\.width.high) == [3])
      }
    }
  }
#endif
