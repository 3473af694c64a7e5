internal import Foundation
internal import ORM
internal import ORMObservation

extension ConformanceCase {
  /// Clauses 7.1, 7.2 and 7.4: limits of conditions, names, conditions that cannot be made.
  static let limits: [ConformanceCase] = [
    ConformanceCase("a condition 200 deep works, one of 201 is too complex", "7.1") { context in
      let store = try context.open(Snack.self)
      try store.save([Snack(1, "a", stock: 1), Snack(2, "b", stock: 2), Snack(3, "c")])
      // The operands of the innermost comparison are one deeper than the comparison itself.
      let innermost = attribute("stock").compare(.equal, int(1))
      var condition = innermost
      for level in 0..<198 {
        condition =
          level % 2 == 0
          ? .any([condition, attribute("stock").compare(.equal, int(Int64(1_000 + level)))])
          : .all([condition, attribute("stock").compare(.notEqual, int(Int64(1_000 + level)))])
      }
      try context.expectEqual(try store.ids("Snack", condition), [1])
      try context.expectEqual(try store.ids("Snack", .not(condition.unwrapped)), [2, 3])
      try context.expectEqual(
        try store.update(Snack.all.where(Filter(condition))) { $0.name = "x" }, 1)
      try context.expectEqual(try store.delete(Snack.all.where(Filter(condition))), 1)
      try context.expectError(.tooComplex, entity: "Snack") {
        try store.ids("Snack", .all([condition, .constant(true)]))
      }
      try context.expectError(.tooComplex, entity: "Snack") {
        try store.ids("Snack", .not(.not(condition)))
      }
      try context.expectEqual(try store.fetch(Snack.all).map(\.id), [2, 3])
    },
    ConformanceCase("an operand nests as deep as a condition", "7.1") { context in
      let store = try context.open(Snack.self)
      try store.save([Snack(1, stock: 5), Snack(2)])
      var sum = attribute("stock")
      for _ in 0..<198 { sum = sum + int(1) }
      try context.expectEqual(try store.ids("Snack", sum.compare(.equal, int(203))), [1])
      try context.expectEqual(try store.ids("Snack", sum.compare(.equal, nothing)), [2])
      try context.expectEqual(
        try store.ids("Snack", .constant(true), order: [SortTerm(sum, isDescending: true)]), [1, 2])
      try context.expectError(.tooComplex, entity: "Snack") {
        try store.ids("Snack", (sum + int(1)).compare(.equal, int(204)))
      }
    },
    ConformanceCase("lists of 100,000 items work, one more is too complex", "7.1") { context in
      let store = try context.open(Snack.self)
      try store.save([
        Snack(1, "n7", stock: 7), Snack(2, "N99999", stock: 99_999), Snack(3, "x", stock: 100_000),
        Snack(4, "n0"),
      ])
      let numbers = (0..<100_000).map { StoredValue.int(Int64($0)) }
      let stock = attribute("stock")
      try context.expectEqual(try store.ids("Snack", stock.list(numbers)), [1, 2])
      try context.expectEqual(try store.ids("Snack", .not(stock.list(numbers))), [3, 4])
      try context.expectEqual(
        try store.ids("Snack", attribute("id").list(numbers)), [1, 2, 3, 4], "of keys")
      let names = (0..<100_000).map { StoredValue.string("n\($0)") }
      try context.expectEqual(try store.ids("Snack", attribute("name").list(names)), [1, 4])
      try context.expectEqual(
        try store.ids("Snack", attribute("name").list(names, .caseInsensitive)), [1, 2, 4])
      try context.expectError(.tooComplex, entity: "Snack") {
        try store.ids("Snack", stock.list(numbers + [.int(5)]))
      }
      try context.expectError(.tooComplex, entity: "Snack", "together") {
        try store.ids("Snack", .any([stock.list(numbers), stock.list([.int(1)])]))
      }
      try context.expectEqual(
        try store.delete(Snack.all.where { $0.stock < 100 }), 1)
    },
    ConformanceCase("a condition may be as wide as one likes", "7.1") { context in
      let store = try context.open(Snack.self)
      try store.save([Snack(1, stock: 7), Snack(2, stock: 40_000), Snack(3)])
      let stock = attribute("stock")
      let wide = Condition.any((0..<35_000).map { stock.compare(.equal, int(Int64($0))) })
      try context.expectEqual(try store.ids("Snack", wide), [1])
      try context.expectEqual(try store.ids("Snack", .not(wide)), [2, 3])
      let mixed = Condition.all(
        (0..<3_000).map { number in
          .any([
            stock.compare(.greater, int(Int64(number + 10))),
            attribute("name").text(.contains, text("\(number)")),
          ])
        })
      try context.expectEqual(try store.ids("Snack", mixed), [2])
    },
    ConformanceCase("the limits of conditions are options of the store", "7.1") { context in
      var options = StoreOptions()
      options.conditionLimits.depth = 4
      options.conditionLimits.listItems = 3
      let store = try context.open(Snack.self, options: options)
      try store.save(Snack(1, stock: 1))
      let leaf = attribute("stock").compare(.equal, int(1))
      try context.expectEqual(try store.ids("Snack", .not(.not(leaf))), [1])
      try context.expectError(.tooComplex) { try store.ids("Snack", .not(.not(.not(leaf)))) }
      try context.expectEqual(
        try store.count(Snack.all.where { $0.stock.isIn([1, 2, 3]) }), 1)
      try context.expectError(.tooComplex) {
        try store.count(Snack.all.where { $0.stock.isIn([1, 2, 3, 4]) })
      }
    },
    ConformanceCase("patterns with many stars come to an end", "7.1", "2.5") { context in
      let store = try context.open(Word.self)
      try store.save([
        Word(1, String(repeating: "a", count: 5_000)),
        Word(2, String(repeating: "a", count: 5_000) + "b"),
      ])
      let pattern = String(repeating: "*a", count: 40) + "*b"
      try context.expectEqual(
        try store.ids("Word", attribute("plain").text(.like, text(pattern))), [2])
    },
    ConformanceCase("any name the schema allows works, and any value", "7.2") { context in
      let names = [
        "select", "group by", "x;--", "a'b", "[a]", "%", "rowid", "oid", "_rowid_", "`", "Ünï",
        "strata", "key", "value", "null", "a b", "-", "1", "*", "?1", ":x", "@x", "(", "\\", "/*",
      ]
      let entities = ["order", "a'; DROP TABLE x", "Ünï cödé", "table", "1"]
      let schema = try Schema(
        entities: entities.map { entity in
          EntityDescription(
            name: entity,
            attributes: names.map { AttributeDescription($0, .string, isOptional: $0 != "rowid") },
            key: ["rowid"],
            indexes: names.dropFirst().filter { $0 != "rowid" }.map {
              IndexDescription([.init($0)], isUnique: $0 == "key")
            } + [IndexDescription([.init("null"), .init("select", isDescending: true)])])
        })
      let store = try context.open(schema)
      for entity in entities {
        _ = try store.write { tx in
          for number in 0..<3 {
            try tx.insert([
              DynamicRow(
                entity,
                Dictionary(
                  uniqueKeysWithValues: names.map { ($0, .string("'\"\0;\($0)\(number)")) }))
            ])
          }
        }
        for name in names {
          let query = DynamicQuery(
            entity, where: attribute(name).compare(.equal, text("'\"\0;\(name)1")),
            order: [SortTerm(attribute(name), isDescending: true)])
          let rows = try store.read { try $0.fetch(query) }
          try context.expectEqual(rows.map { $0["rowid"] }, [.string("'\"\0;rowid1")], name)
          if name != "rowid" {
            try context.expectEqual(
              try store.write { try $0.update(query, [name: text("new \(name)")]) }, 1, name)
          }
        }
        let row = try store.read {
          try $0.fetch(
            DynamicQuery(entity, where: attribute("key").compare(.equal, text("new key"))))
        }.first
        for name in names where name != "rowid" {
          try context.expectEqual(row?[name], .string("new \(name)"), name)
        }
      }
    },
    ConformanceCase("entities and attributes may be named otherwise in the store", "7.2") {
      context in
      let schema = try Schema(Snack.self, Account.self, naming: .snakeCase)
      let store = try context.open(schema)
      try store.save([Snack(1, "b", tags: ["x"]), Snack(2, "a")])
      try store.save(Account(1, 5, email: "x"))
      try context.expectEqual(
        try store.fetch(Snack.all.sorted(by: .ascending(\.name))).map(\.id), [2, 1])
      try context.expectEqual(
        try store.fetch(Snack.all.where { $0.tags.contains("x") }).map(\.id), [1])
      try context.expectError(.duplicate, entity: "Account", attributes: ["number"]) {
        try store.save(Account(2, 5))
      }
    },
    ConformanceCase("a filter that could not be made throws at first use on every path", "7.4") {
      context in
      let store = try context.open(Snack.self)
      try store.save([Snack(1, "a"), Snack(2, "b")])
      let filters: [(Filter<Snack>, StoreError.Code)] = [
        (Fields<Snack>().isCheap == true, .unknownAttribute),
        (\Snack.isCheap == true, .unknownAttribute),
        (\Snack.id == 1 || \Snack.isCheap == true, .unknownAttribute),
        (
          Filter(.all([.constant(false), .invalid(StoreError(.invalidCondition, "?"))])),
          .invalidCondition
        ),
        (
          Filter(.any([.constant(true), .not(.invalid(StoreError(.tooComplex, "?")))])), .tooComplex
        ),
        (Filter(attribute("nonsense").compare(.equal, int(1))), .unknownAttribute),
      ]
      for (filter, code) in filters {
        let query = Snack.all.where(filter)
        let paths: [(String, () throws -> Void)] = [
          ("fetch", { _ = try store.fetch(query) }), ("first", { _ = try store.first(query) }),
          ("one", { _ = try store.one(query) }), ("count", { _ = try store.count(query) }),
          ("exists", { _ = try store.exists(query) }),
          ("page", { _ = try store.fetch(query.page(0, size: 1)) }),
          ("empty page", { _ = try store.fetch(query.limit(0)) }),
          ("sum", { _ = try store.sum(query, \.stock) }),
          ("min", { _ = try store.min(query, \.name) }),
          ("explain", { _ = try store.explain(query) }),
          ("chunks", { try store.chunks(query, size: 1) { _ in } }),
          ("update", { try store.update(query) { $0.name = "?" } }),
          ("patch", { try store.patch(query, onMissing: .insert) { $0.name = "?" } }),
          ("delete", { try store.delete(query) }),
          ("delete of the first", { try store.delete(query.limit(1)) }),
          ("save", { try store.save(Snack(9), matching: filter) }),
          ("matches", { _ = try filter.matches(Snack(1)) }),
        ]
        for (name, path) in paths {
          try context.expectError(code, "\(name) of \(filter)") { try path() }
        }
      }
      try context.expectEqual(try store.fetch(Snack.all), [Snack(1, "a"), Snack(2, "b")])
    },
    ConformanceCase("orders, aggregates and changes of unknown attributes throw", "7.4") {
      context in
      let store = try context.open(Snack.self)
      try store.save(Snack(1, "a"))
      try context.expectError(.unknownAttribute, entity: "Snack") {
        try store.fetch(Snack.all.sorted(by: .ascending(\.isCheap)))
      }
      try context.expectError(.unknownAttribute, entity: "Snack") {
        try store.aggregate("Snack", Aggregate(.sum, attribute("nonsense")))
      }
      try context.expectError(.unknownAttribute, entity: "Snack") {
        try store.ids("Snack", .constant(true), order: [SortTerm(attribute("nonsense"))])
      }
      try context.expectError(.unknownAttribute, entity: "Snack") {
        try store.update(Snack.all) { $0.isCheap = true }
      }
      try context.expectError(.unknownEntity, entity: "Nonsense") {
        try store.ids("Nonsense", .constant(true))
      }
      try context.expectError(.unknownEntity, entity: "Ticket") { try store.save(Ticket("a")) }
      try context.expectError(.unknownEntity, entity: "Ticket") { try store.fetch(Ticket.all) }
      try context.expectEqual(try store.fetch(Snack.all), [Snack(1, "a")])
    },
  ]
}

extension Condition {
  /// The condition without its outermost join, whose other part never decides.
  fileprivate var unwrapped: Condition {
    if case .all(let parts) = self { parts[0] } else { self }
  }
}

extension Snack {
  /// A property that is no attribute.
  fileprivate var isCheap: Bool { (price ?? 0) < 1 }
}
