internal import ORM
internal import ORMCore

extension ConformanceCase {
  /// Clauses 5.5 and 5.6: hooks run on every path that writes, once, in its transaction.
  static let hooks: [ConformanceCase] = [
    ConformanceCase("hooks run around each write, and may change the object", "5.6", "5.1", "5.10")
    {
      context in
      let store = try context.open(Memo.self, Line.self)
      func lines(_ what: String, _ body: () throws -> Void) throws -> [String] {
        try store.deleteAll(Line.self)
        try body()
        return try store.fetch(Line.all).map(\.text)
      }
      try context.expectEqual(
        try lines("save") {
          let saved = try store.save(Memo(0, "ab"))
          try context.expectEqual(saved.id, 1)
          try context.expectEqual(saved.length, 2, "what the hook made of it")
        }, ["+ab", "inserted true"])
      try context.expectEqual(
        try lines("the same again") { try store.save(Memo(1, "ab", length: 2)) }, [],
        "what is written as it was runs nothing")
      try context.expectEqual(
        try lines("update") { try store.update(Memo(1, "abc")) }, ["ab>abc", "updated true"])
      try context.expectEqual(
        try lines("batch") {
          let result = try store.save([Memo(1, "x"), Memo(0, "y"), Memo(0, "z")])
          try context.expectEqual([result.inserted, result.updated, result.unchanged], [2, 1, 0])
          try context.expectEqual(result.keys, [1, 2, 3])
        }, ["abc>x", "+y", "+z", "updated true", "inserted true", "inserted true"])
      try context.expectEqual(
        try lines("set-based") {
          let count = try store.update(Memo.all.where { $0.id <= 2 }) { $0.text = "x" }
          try context.expectEqual(count, 2)
        }, ["y>x", "updated true"], "the row that changes nothing runs nothing")
      try context.expectEqual(
        try lines("patch") { try store.patch(Memo.self, 3) { $0.text = "long" } },
        ["z>long", "updated true"])
      try context.expectEqual(try store.fetch(Memo.all).map(\.length), [1, 1, 4])
      try context.expectEqual(
        try lines("only") { try store.save(Memo(3, "w"), merge: .only(\.text)) },
        ["long>w", "updated true"])
      try context.expectEqual(
        try lines("match") { try store.save(Memo(9, "v"), matching: \Memo.text == "w") },
        ["w>v", "updated true"])
      try context.expectEqual(
        try lines("by names") {
          _ = try store.write {
            try $0.save([DynamicRow("Memo", ["id": .int(3), "text": .string("ww")])])
          }
        }, ["v>ww", "updated true"])
      try context.expectEqual(
        try lines("delete") { try store.delete(Memo.self, id: 3) }, ["-ww", "deleted true"])
      try context.expectEqual(
        try lines("delete by filter") { try store.delete(Memo.all.where { $0.text == "x" }) },
        ["-x", "-x", "deleted true", "deleted true"])
      try store.save(Memo(0, "last"))
      try context.expectEqual(
        try lines("all") { try store.deleteAll(Memo.self) }, ["-last", "deleted true"])
    },
    ConformanceCase("an error of a hook undoes the operation and is thrown", "5.5", "5.6", "5.10") {
      context in
      let store = try context.open(Memo.self, Line.self)
      try store.insert([Memo(1, "a"), Memo(2, "stays")])
      try store.deleteAll(Line.self)
      func refuse(_ what: String, _ body: () throws -> Void) throws {
        do {
          try body()
          throw context.failure(what, expected: "a refusal", got: "none")
        } catch is Memo.Refusal {}
        try context.expectEqual(try store.count(Line.all), 0, what)
        try context.expectEqual(try store.fetch(Memo.all).map(\.text), ["a", "stays"], what)
      }
      try refuse("update") { try store.update(Memo(1, "bad")) }
      try refuse("batch") { try store.save([Memo(0, "new"), Memo(1, "bad")]) }
      try refuse("set-based") { try store.update(Memo.all) { $0.text = "bad" } }
      try refuse("delete") { try store.deleteAll(Memo.self) }
      // An operation that is refused leaves the transaction as it was before.
      try store.write { tx in
        try tx.save(Line("stays"))
        do { try tx.update(Memo(1, "bad")) } catch is Memo.Refusal {}
      }
      try context.expectEqual(try store.fetch(Line.all).map(\.text), ["stays"])
    },
    ConformanceCase("objects take notice of being read", "1.2", "5.10") { context in
      let store = try context.open(Memo.self, Line.self)
      try store.insert([Memo(1, "a"), Memo(2, "b")])
      try context.expectEqual(try store.find(Memo.self, 1)?.isLoaded, true)
      try context.expectEqual(try store.fetch(Memo.all).map(\.isLoaded), [true, true])
      try context.expectEqual(try store.first(Memo.all)?.isLoaded, true)
      try context.expectEqual(
        try store.fetchPage(Memo.all.limit(1)).rows.map(\.isLoaded), [true])
      var chunks: [Bool] = []
      try store.read { tx in
        try tx.chunks(Memo.all, size: 1) { chunks += $0.map(\.isLoaded) }
      }
      try context.expectEqual(chunks, [true, true])
    },
  ]
}
