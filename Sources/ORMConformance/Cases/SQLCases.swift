internal import Foundation
internal import ORM
internal import ORMObservation

extension ConformanceCase {
  /// Clause 2.13: statements that programs write in SQL, and their refusal by other stores.
  static let sql: [ConformanceCase] = [
    ConformanceCase("a query in SQL gives models by the names of its columns", "2.13") { context in
      let store = try context.open(Snack.self)
      let hostile = "'; DROP TABLE \"Snack\"; --\0\u{1}ß"
      let snacks = [
        Snack(1, hostile, taste: "salt", price: 2.5, stock: 3, tags: ["a", "b"]),
        Snack(2, "b", price: -0.0), Snack(3, "c", taste: "", price: 9, stock: .max),
      ]
      try store.save(snacks)
      guard try store.speaksSQL(context) else { return }
      func fetch(_ query: SQLRequest) throws -> [Snack] {
        try store.query(sql: query, as: Snack.self)
      }
      try context.expectEqual(
        try fetch("SELECT * FROM \(Snack.self) ORDER BY \(\Snack.id)"), snacks)
      try context.expectEqual(
        try fetch("SELECT * FROM \(Snack.self) WHERE \(\Snack.name) = \(hostile)"), [snacks[0]])
      try context.expectEqual(
        try fetch(
          "SELECT * FROM \(Snack.self) WHERE \(\Snack.id) IN (\(list: [3 as Int64, 2, 7])) ORDER BY 1"
        ), [snacks[1], snacks[2]])
      try context.expectEqual(
        try fetch("SELECT * FROM \(Snack.self) WHERE \(\Snack.id) IN (\(list: [Int64]()))"), [])
      // Other columns, and another order of them.
      try context.expectEqual(
        try fetch(
          """
          SELECT 1 AS one, \(\Snack.tags), \(\Snack.stock), \(\Snack.price), \(\Snack.taste),
            \(\Snack.name), \(\Snack.id) FROM \(Snack.self)
          WHERE \(\Snack.stock) IS NOT NULL ORDER BY \(\Snack.price) DESC
          """), [snacks[2], snacks[0]])
      try context.expectError(.decoding, entity: "Snack", attributes: ["taste", "tags"]) {
        try fetch("SELECT \(\Snack.id), name, price, stock FROM \(Snack.self)")
      }
      try context.expectError(.decoding, entity: "Snack") {
        try fetch("SELECT 'x' AS id, name, taste, price, stock, tags FROM \(Snack.self)")
      }
      // A model that is none of the schema's.
      let sums = try store.query(
        sql: """
          SELECT \(\Snack.taste) AS taste, count(*) AS n FROM \(Snack.self)
          WHERE \(\Snack.taste) IS NOT NULL GROUP BY \(\Snack.taste) ORDER BY 1
          """, as: TasteCount.self)
      try context.expectEqual(sums.map(\.taste), ["", "salt"])
      try context.expectEqual(sums.map(\.n), [1, 1])
      let rows = try store.query(
        sql:
          "SELECT count(*) AS n, \(2.5) AS d, \("x") AS t, \(nil as Int?) AS e FROM \(Snack.self)")
      try context.expectEqual(rows.count, 1)
      try context.expectSame(
        ["n", "d", "t", "e", "f"].map { rows[0][$0] },
        [.int(3), .double(2.5), .string("x"), .null, .null])
    },
    ConformanceCase("statements and columns in SQL are told apart by their scalars", "2.13", "2.3")
    {
      context in
      let store = try context.open(Snack.self)
      guard try store.speaksSQL(context) else { return }
      func only(_ query: SQLRequest, _ column: String) throws -> StoredValue? {
        let rows = try store.query(sql: query)
        return rows.first?[column]
      }
      // Composed, decomposed, and the first again.
      for _ in 0..<2 {
        try context.expectEqual(try only("SELECT length('\u{E9}') AS n", "n"), .int(1))
        try context.expectEqual(try only("SELECT length('e\u{301}') AS n", "n"), .int(2))
      }
      let both: SQLRequest = "SELECT 1 AS \"\u{E9}\", 2 AS \"e\u{301}\""
      try context.expectEqual(try only(both, "\u{E9}"), .int(1))
      try context.expectEqual(try only(both, "e\u{301}"), .int(2))
      try store.execute(sql: "CREATE TABLE own (n INTEGER, t VARCHAR(9))")
      try store.execute(sql: "INSERT INTO own (n, t) VALUES (1, '\u{E9}')")
      try store.execute(sql: "INSERT INTO own (n, t) VALUES (2, 'e\u{301}')")
      let found = try store.query(sql: "SELECT n FROM own WHERE t = \("e\u{301}")")
      try context.expectEqual(found.map { $0["n"] }, [.int(2)])
    },
    ConformanceCase("a query in SQL changes nothing and sees its transaction alone", "2.13", "6.1")
    {
      context in
      let store = try context.open(Snack.self)
      try store.save([Snack(1, "a"), Snack(2, "b")])
      guard try store.speaksSQL(context) else { return }
      let refused: [SQLRequest] = [
        "DELETE FROM \(Snack.self)", "DELETE FROM \(Snack.self) RETURNING id", "BEGIN", "COMMIT",
        "",
        "SELECT FROM WHERE", "SELECT 1; DELETE FROM \(Snack.self)", "SELECT * FROM nowhere",
        "SELECT nothing FROM \(Snack.self)", "DROP TABLE \(Snack.self)",
        "CREATE TABLE own (x INTEGER)",
      ]
      for request in refused {
        try context.expectError(.invalidStatement, request.description) {
          try store.query(sql: request)
        }
      }
      try context.expectError(.unknownEntity, entity: "Nowhere") {
        try store.query(sql: "SELECT * FROM \(entity: "Nowhere")")
      }
      try context.expectError(.unknownAttribute, entity: "Snack") {
        try store.query(sql: "SELECT \(attribute: "nothing", of: "Snack") FROM \(Snack.self)")
      }
      let names: SQLRequest = "SELECT \(\Snack.name) AS name FROM \(Snack.self) ORDER BY 1"
      func read(_ tx: ReadTransaction) throws -> [StoredValue] {
        try tx.query(sql: names).map { $0["name"] }
      }
      try store.read { old in
        let before = try read(old)
        _ = try elsewhere { try store.insert(Snack(3, "c")) }
        try context.expectSame(try read(old), before)
      }
      try context.expectSame(try store.read(read), ["a", "b", "c"].map { .string($0) })
      try store.write { tx in
        try tx.insert(Snack(4, "d"))
        try context.expectEqual(try read(tx).count, 4)
      }
    },
    ConformanceCase("a statement in SQL changes the program's tables and no others", "2.13", "5.5")
    {
      context in
      var store = try context.open(Snack.self)
      let snacks = [Snack(1, "a", tags: ["x"]), Snack(2, "b")]
      try store.save(snacks)
      guard try store.speaksSQL(context) else { return }
      let refused: [SQLRequest] = [
        "DELETE FROM \(Snack.self)", "UPDATE \(Snack.self) SET \(\Snack.name) = 'z'",
        "INSERT INTO \(Snack.self) (id, name) VALUES (9, 'x')", "DROP TABLE \(Snack.self)",
        "ALTER TABLE \(Snack.self) ADD COLUMN extra INTEGER", "DELETE FROM strata_meta",
        "CREATE INDEX own_index ON \(Snack.self) (stock)", "BEGIN", "COMMIT", "ROLLBACK", "",
        "SAVEPOINT x", "CREATE TABLE", "CREATE TABLE strata_own (x INTEGER)",
      ]
      for request in refused {
        try context.expectError(.invalidStatement, request.description) {
          try store.execute(sql: request)
        }
      }
      try store.execute(sql: "CREATE TABLE own (word VARCHAR(20), n INTEGER)")
      func insert(_ tx: WriteTransaction, _ word: String, _ n: Int) throws -> Int {
        try tx.execute(sql: "INSERT INTO own (word, n) VALUES (\(word), \(n))")
      }
      func words() throws -> [StoredValue] {
        try store.query(sql: "SELECT word FROM own ORDER BY n").map { $0["word"] }
      }
      try store.write { tx in
        try context.expectEqual(try insert(tx, "one", 1), 1)
        try context.expectEqual(try insert(tx, "two", 2), 1)
        try context.expectEqual(try tx.execute(sql: "UPDATE own SET n = n + 1"), 2)
        try? tx.savepoint { tx in
          _ = try insert(tx, "three", 4)
          throw StoreError(.denied, "undone")
        }
      }
      try context.expectSame(try words(), [.string("one"), .string("two")])
      try? store.write { tx in
        _ = try insert(tx, "three", 4)
        try tx.save(Snack(3, "c"))
        throw StoreError(.denied, "undone")
      }
      try context.expectSame(try words(), [.string("one"), .string("two")])
      try store.execute(
        sql: "CREATE VIEW pairs AS SELECT word, name FROM own JOIN \(Snack.self) ON n = id + 1")
      store = try context.reopen(store, Snack.self)
      try context.expectEqual(try store.fetch(Snack.all), snacks)
      let pairs = try store.query(sql: "SELECT word, name FROM pairs ORDER BY 1")
      try context.expectSame(pairs.map { $0["name"] }, [.string("a"), .string("b")])
      try context.expectEqual(try store.execute(sql: "DELETE FROM own WHERE n = \(2)"), 1)
      try context.expectSame(try words(), [.string("two")])
      try context.expectEqual(try store.check().faults, [])
    },
    ConformanceCase(
      "a query in SQL reads data outside of rows, and rows of a hierarchy", "2.13", "1.9"
    ) {
      context in
      let store = try context.open(
        Picture.self, Album.self, Beast.self, BeastTag.self, Lion.self, Cub.self, Den.self)
      let pictures = [
        Picture(1, image: Picture.content(1, 70_000)), Picture(2, image: Picture.content(2, 3)),
      ]
      try store.save(pictures)
      try store.insert(Lion(1, "Leo", mane: 4))
      try store.insert(Cub(2, "Cora", weight: 2.5))
      guard try store.speaksSQL(context) else { return }
      try context.expectEqual(
        try store.query(
          sql: "SELECT * FROM \(Picture.self) ORDER BY \(\Picture.id)", as: Picture.self),
        pictures)
      let lions = try store.query(
        sql: "SELECT * FROM \(Lion.self) WHERE \(\Lion.mane) > \(3)", as: Lion.self)
      try context.expectEqual(lions.map(\.name), ["Leo"])
      let cubs = try store.query(
        sql: "SELECT * FROM \(Cub.self) WHERE \(\Cub.weight) IS NOT NULL", as: Cub.self)
      try context.expectEqual(cubs.map(\.weight), [2.5])
      let names = try store.query(sql: "SELECT \(\Beast.name) AS n FROM \(Beast.self) ORDER BY 1")
      try context.expectSame(names.map { $0["n"] }, [.string("Cora"), .string("Leo")])
    },
  ]
}

/// The number of snacks of a taste: the shape of a result.
private struct TasteCount: Persistable, Codable {
  var taste: String
  var n: Int

  static let entity = Entity<TasteCount>("TasteCount") {
    .attribute("taste", \.taste).attribute("n", \.n)
  }
}

extension Store {
  /// Returns whether the store is a SQL database that takes statements; if not, expects every form to
  /// throw `unsupported`.
  fileprivate func speaksSQL(_ context: ConformanceContext) throws -> Bool {
    do {
      return try query(sql: "SELECT 1 AS one").first?["one"] == .int(1)
    } catch let error as StoreError where error.code == .unsupported {
      try context.expectError(.unsupported) { try query(sql: "SELECT 1", as: Snack.self) }
      try context.expectError(.unsupported) { try execute(sql: "CREATE TABLE own (x INTEGER)") }
      try context.expectError(.unsupported) {
        try write { try $0.query(sql: "SELECT 1") }
      }
      return false
    }
  }
}
