internal import Dispatch
internal import ORM
internal import ORMObservation

extension ConformanceCase {
  /// Clauses 2.1, 3.2 and 6.2: finders of models and of queries, on a store, in a transaction and on
  /// the default store.
  static let finders: [ConformanceCase] = [
    ConformanceCase("a query is asked by its own methods", "2.1", "3.2") { context in
      let store = try context.openSnacks()
      let cheap = Snack.where { $0.price < 3 }
      try context.expectEqual(try cheap.fetch(in: store).map(\.id), [1, 2])
      try context.expectEqual(try cheap.first(in: store)?.id, 1)
      try context.expectEqual(try cheap.where { $0.id > 1 }.one(in: store)?.id, 2)
      try context.expectError(.ambiguous) { try cheap.one(in: store) }
      try context.expectEqual(try cheap.count(in: store), 2)
      try context.expectEqual(try cheap.exists(in: store), true)
      try context.expectEqual(try cheap.sum(in: store, \.stock), 30)
      try context.expectEqual(try cheap.average(in: store, \.price), 1.5)
      try context.expectEqual(try cheap.min(in: store, \.stock), 10)
      try context.expectEqual(try cheap.max(in: store, \.stock), 20)
      try context.expectEqual(try cheap.countDistinct(in: store, \.name), 2)
      try context.expectEqual(try cheap.limit(1).fetchPage(in: store).rows.map(\.id), [1])
      try context.expectEqual(try cheap.explain(in: store), try store.explain(cheap))
      let names = cheap.select(\.name, \.stock)
      try context.expectEqual(try names.fetch(in: store).map(\.0), ["a", "b"])
      try context.expectEqual(try names.first(in: store)?.1, 10)
      try context.expectEqual(try names.count(in: store), 2)
      try context.expectEqual(try names.limit(1).fetchPage(in: store).rows.count, 1)
      try context.expectEqual(try cheap.update(in: store) { $0.stock = 7 }, 2)
      try context.expectEqual(try Snack.all.select(\.stock).fetch(in: store), [7, 7, 30, nil])
      try context.expectEqual(
        try Snack.all.sorted(by: .descending(\.id)).limit(1).delete(in: store), 1)
      try context.expectEqual(try cheap.delete(in: store), 2)
      try context.expectEqual(try Snack.all.fetch(in: store).map(\.id), [3])
    },
    ConformanceCase("conditions of every form begin a query", "2.1") { context in
      let store = try context.openSnacks()
      func ids(_ query: Query<Snack>) throws -> [Int64] { try query.fetch(in: store).map(\.id) }
      try context.expectEqual(try ids(Snack.where(\.price < 3 && \.stock > 10)), [2])
      try context.expectEqual(try ids(Snack.where(attribute: "name", equals: "c")), [3])
      try context.expectEqual(try ids(Snack.where("price < %@ AND name != 'a'", 3)), [2])
      try context.expectEqual(
        try ids(Snack.where { $0.price < 3 }.where { $0.name == "b" }), [2])
      try context.expectEqual(
        Snack.where { $0.price < 3 }, Snack.all.where { $0.price < 3 }, "one query")
    },
    ConformanceCase("a query is asked in a transaction, and sees what was written", "6.3") {
      context in
      let store = try context.openSnacks()
      try store.write { tx in
        let cheap = Snack.where { $0.price < 3 }
        try tx.save(Snack(9, "i", price: 0))
        try context.expectEqual(try cheap.fetch(in: tx).map(\.id), [1, 2, 9])
        try context.expectEqual(try cheap.fetch(in: store).map(\.id), [1, 2, 9], "the same block")
        try context.expectEqual(try cheap.update(in: tx) { $0.price = 5 }, 3)
        try context.expectEqual(try cheap.count(in: tx), 0)
        try context.expectEqual(try Snack.where { $0.id == 9 }.delete(in: tx), 1)
        try context.expectEqual(try Snack.all.select(\.price).first(in: tx), 5)
      }
      var late: ReadTransaction?
      try store.read { late = $0 }
      let ended = try context.unwrap(late, "a transaction")
      try context.expectError(.transactionEnded) { try Snack.all.fetch(in: ended) }
    },
    ConformanceCase("without a store, the default store is asked", "5.1", "8.1") { context in
      let store = try context.openSnacks()
      try context.expectError(.notConfigured) { try Snack.where { $0.price < 3 }.fetch() }
      try context.expectError(.notConfigured) { try Snack.first { $0.price < 3 } }
      try Persistence.with(store) {
        let cheap = Snack.where { $0.price < 3 }
        try context.expectEqual(try cheap.fetch().map(\.id), [1, 2])
        try context.expectEqual(try cheap.first()?.id, 1)
        try context.expectEqual(try cheap.count(), 2)
        try context.expectEqual(try cheap.sum(\.stock), 30)
        try context.expectEqual(try cheap.select(\.name).fetch(), ["a", "b"])
        try context.expectEqual(try Snack.first { $0.price >= 2 }?.id, 2)
        try context.expectEqual(try Snack.first(where: { $0.price > 99 }), nil)
        try context.expectEqual(try Snack.count { $0.price < 3 || $0.price == nil }, 3)
        try context.expectEqual(try Snack.exists { $0.name == "zz" }, false)
        try context.expectEqual(try cheap.update { $0.stock = 1 }, 2)
        try context.expectEqual(try cheap.delete(), 2)
        try context.expectEqual(try Snack.count(), 2)
      }
    },
    ConformanceCase(async: "queries are asked off the calling thread", "6.2") { context in
      let store = try await offThePool { try context.openSnacks() }
      let cheap = Snack.where { $0.price < 3 }
      try context.expectEqual(try await cheap.fetch(in: store).map(\.id), [1, 2])
      try context.expectEqual(try await cheap.select(\.name).fetch(in: store), ["a", "b"])
      try await Persistence.with(store) {
        try context.expectEqual(try await cheap.first()?.id, 1)
        try context.expectEqual(try await Snack.first { $0.price == 2 }?.id, 2)
        try context.expectEqual(try await Snack.count { $0.price == 2 }, 1)
        try context.expectEqual(try await cheap.max(\.stock), 20)
        try context.expectEqual(try await cheap.update { $0.stock = 4 }, 2)
      }
      try context.expectEqual(try await cheap.sum(in: store, \.stock), 8)
      try context.expectEqual(try await cheap.delete(in: store), 2)
      try context.expectEqual(try await Snack.all.count(in: store), 2)
    },
    ConformanceCase(async: "queries are asked with a completion handler", "6.2", "8.1") {
      context in
      let store = try await offThePool { try context.openSnacks() }
      let cheap = Snack.where { $0.price < 3 }
      let updated = try await completed {
        store.write(
          rows: 2, on: .global(), { tx in try cheap.update(in: tx) { $0.stock = 4 } },
          completion: $0)
      }
      try context.expectEqual(updated, 2)
      let (sum, fetched, names, first) = try await completed {
        store.read(
          on: .global(),
          { tx in
            (
              try cheap.sum(in: tx, \.stock), try cheap.fetch(in: tx),
              try cheap.select(\.name).fetch(in: tx),
              try Snack.all.where { $0.id == 3 }.first(in: tx)
            )
          }, completion: $0)
      }
      try context.expectEqual(sum, 8, "a read that is issued later sees the write")
      try context.expectEqual(fetched.map(\.id), [1, 2])
      try context.expectEqual(names, ["a", "b"])
      try context.expectEqual(first?.name, "c")
      let deleted = try await completed {
        store.write(on: .global(), { tx in try cheap.delete(in: tx) }, completion: $0)
      }
      try context.expectEqual(deleted, 2)
    },
    ConformanceCase("a range of any comparable attribute", "2.1", "2.2", "2.3") { context in
      let store = try context.openSnacks()
      func ids(_ query: Query<Snack>) throws -> [Int64] { try query.fetch(in: store).map(\.id) }
      try context.expectEqual(try ids(Snack.all.range(1..<3, of: \.price)), [1, 2])
      try context.expectEqual(try ids(Snack.all.range(1...3, of: \.price)), [1, 2, 3])
      try context.expectEqual(try ids(Snack.all.range(2..., of: \.price)), [2, 3])
      try context.expectEqual(
        try ids(Snack.all.range(...2, of: \.price)), [1, 2], "nil is in none")
      try context.expectEqual(try ids(Snack.all.range(..<2, of: \.price)), [1])
      try context.expectEqual(try ids(Snack.all.range("b"..<"d", of: \.name)), [2, 3])
      try context.expectEqual(try ids(Snack.all.range(10...20, of: \.stock)), [1, 2])
      try context.expectEqual(try ids(Snack.all.range(2...3, of: \.id)), [2, 3])
      try context.expectEqual(try ids(Snack.where { $0.stock.isIn(11...) }), [2, 3])
      try context.expectEqual(try ids(Snack.where { $0.stock.isIn(0..<21) }), [1, 2])
      try context.expectEqual(try ids(Snack.where { $0.id.isIn(2...3) }), [2, 3])
      try context.expectEqual(try ids(Snack.where { !$0.price.isIn(1.5...2.5) }), [1, 3, 4])
      try context.expectEqual(try ids(Snack.all.whose(\.price).isIn(..<2.5)), [1, 2])
      try context.expectEqual(try ids(Snack.where { $0.price.isIn(.infinity...) }), [])
      try context.expectEqual(
        try ids(Snack.where { $0.id.isIn(Int64.min...Int64.max) }), [1, 2, 3, 4],
        "a range is no list")
      try context.expectEqual(
        try ids(Snack.all.sorted(by: .descending(\.price)).range(2..., of: \.price).range(1..<2)),
        [2], "positions count within the range")
    },
  ]
}

extension ConformanceContext {
  /// Opens a store with four snacks, the last without price and stock.
  fileprivate func openSnacks() throws -> any Store {
    let store = try open(Snack.self)
    try store.save([
      Snack(1, "a", price: 1, stock: 10), Snack(2, "b", price: 2, stock: 20),
      Snack(3, "c", price: 3, stock: 30), Snack(4, "d"),
    ])
    return store
  }
}
