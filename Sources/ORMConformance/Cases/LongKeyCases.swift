internal import FoundationEssentials
internal import ORM

extension ConformanceCase {
  /// Clause 1.6: keys and indexed values that no engine takes as they are, and that no compression makes
  /// shorter.
  static let longKeys: [ConformanceCase] = [
    ConformanceCase("keys of 6 KB are found, in order and unique", "1.6", "3.1", "5.1") { context in
      let store = try context.open(Manuscript.self)
      let (first, last) = (Manuscript.long("m"), Manuscript.long("z"))
      // One short row is there before the first long one comes.
      try store.save(Manuscript("k", title: "k"))
      let ids = [last, first + "b", first, first + "a"]
      let counts = try store.save(ids.map { Manuscript($0, title: $0) }).counts
      try context.expectEqual(counts.inserted, 4)
      let sorted = ["k", first, first + "a", first + "b", last]
      func found(_ query: Query<Manuscript>) throws -> [Int?] {
        try store.fetch(query).map { sorted.firstIndex(of: $0.id) }
      }
      let all = Manuscript.all
      try context.expectEqual(try found(all), [0, 1, 2, 3, 4])
      try context.expectEqual(try found(all.sorted(by: .descending(\.id))), [4, 3, 2, 1, 0])
      try context.expectEqual(
        try found(all.sorted(by: .descending(\.title)).limit(2).offset(1)), [3, 2])
      try context.expectEqual(try found(all.where { $0.id == first + "a" }), [2])
      try context.expectEqual(try found(all.where { $0.id > first + "a" }), [3, 4])
      try context.expectEqual(try found(all.where { $0.title <= first }), [0, 1])
      try context.expectEqual(
        try found(all.where { $0.title >= first && $0.id < last }), [1, 2, 3])
      try context.expectEqual(try found(all.where { $0.id.beginsWith(first) }), [1, 2, 3])
      try context.expectEqual(try found(all.where { $0.title.beginsWith(first + "b") }), [3])
      try context.expectEqual(try found(all.where { $0.title.isIn([last, "k", "x"]) }), [0, 4])
      try context.expectEqual(
        try store.find(Manuscript.self, each: [first + "b", first + "c", "k"]).map { $0?.title },
        [first + "b", nil, "k"])
      try context.expectError(
        .duplicate, entity: "Manuscript", attributes: ["id"], key: [.string(last)]
      ) {
        try store.insert(Manuscript(last, title: "other"))
      }
      try context.expectEqual(
        try store.save(ids.map { Manuscript($0, title: $0) }).counts.unchanged, 4)
      try context.expectEqual(try store.delete(Manuscript.self, ids: [first, last, "y"]), 2)
      try context.expectEqual(try found(all), [0, 2, 3])
      try context.expect(try store.check().isSound, "sound")
    },
    ConformanceCase("unique texts and data of 6 KB are told apart to the last byte", "1.6", "5.1") {
      context in
      let store = try context.open(Manuscript.self)
      let long = Manuscript.long("q")
      let bytes = Data(long.utf8)
      try store.save([
        Manuscript("1", title: long + "1", seal: bytes + [1]),
        Manuscript("2", title: long + "2", seal: bytes + [2]), Manuscript("3", title: "3"),
        Manuscript("4", title: "4"),
      ])
      try context.expectError(
        .duplicate, entity: "Manuscript", attributes: ["title"], key: [.string("5")]
      ) {
        try store.save(Manuscript("5", title: long + "2"))
      }
      try context.expectError(.duplicate, entity: "Manuscript", attributes: ["seal"]) {
        try store.update(Manuscript.all.where { $0.id == "4" }) { $0.seal = bytes + [1] }
      }
      // Rows may pass values to each other within one operation.
      try store.save([
        Manuscript("1", title: long + "2", seal: bytes + [2]),
        Manuscript("2", title: long + "1", seal: bytes + [1]),
      ])
      try context.expectEqual(
        try store.fetch(Manuscript.all.where { $0.title == long + "1" }).map(\.id), ["2"])
      try context.expectEqual(
        try store.fetch(Manuscript.all.where { $0.seal == bytes + [2] }).map(\.id), ["1"])
      try context.expectEqual(
        try store.fetch(Manuscript.all.where { $0.seal > bytes + [1] }).map(\.id), ["1"])
      // A backslash and its escape are two texts.
      try store.save([
        Manuscript("b", title: long + "\\"), Manuscript("c", title: long + "\\\\"),
        Manuscript("d", title: long + "\\x5c"), Manuscript("e", title: long + "\0"),
      ])
      try context.expectEqual(try store.count(Manuscript.self), 8)
    },
    ConformanceCase("indexed texts of 6 KB are grouped, folded and linked", "1.6", "2.4", "5.7") {
      context in
      let store = try context.open(Manuscript.self, Transcript.self)
      let (shelf, id) = (Manuscript.long("s"), Manuscript.long("i"))
      try store.save([
        Manuscript("1", shelf: shelf + "x", title: "a"),
        Manuscript("2", shelf: shelf + "X", title: "b"),
        Manuscript(id, shelf: shelf, title: "c"), Manuscript("4", title: "d"),
      ])
      func ids(_ condition: Condition, _ order: [SortTerm] = []) throws -> [String] {
        try store.read { try $0.fetch(DynamicQuery("Manuscript", where: condition, order: order)) }
          .map { if case .string(let title) = $0["title"] { title } else { "" } }
      }
      let column = attribute("shelf")
      try context.expectEqual(
        try ids(column.compare(.equal, text(shelf.lowercased() + "X"), .caseInsensitive)),
        ["a", "b"])
      try context.expectEqual(
        try ids(.constant(true), [SortTerm(column, options: .caseInsensitive)]),
        ["d", "c", "a", "b"], "nil first")
      try context.expectEqual(
        try ids(.constant(true), [SortTerm(column, isDescending: true)]), ["a", "b", "c", "d"])
      try context.expectEqual(
        try ids(.text(column, .beginsWith, text(shelf.uppercased() + "x"), .caseInsensitive)),
        ["a", "b"])
      let source = try context.unwrap(try store.find(Manuscript.self, id), "the manuscript")
      try store.save([
        Transcript(id: 1, source: .to(source)), Transcript(id: 2, source: ToOne()),
      ])
      try context.expectEqual(
        try store.fetch(Transcript.all.where { $0.source.title == "c" }).map(\.id), [1])
      try context.expectEqual(try store.delete(Manuscript.self, id: id), true)
      try context.expectEqual(
        try store.count(Transcript.all.where { $0.source.title == "c" }), 0)
      try context.expect(try store.check().isSound, "sound")
    },
    ConformanceCase("elements of 6 KB are found, and go with their rows", "1.6", "2.7") { context in
      let store = try context.open(Manuscript.self)
      let (page, id) = (Manuscript.long("p"), Manuscript.long("e"))
      try store.save(Manuscript("1", title: "1", pages: ["short"]))
      try store.save(Manuscript("2", title: "2", pages: [page, "short", page]))
      func titles(_ page: String) throws -> [String] {
        try store.fetch(Manuscript.all.where { $0.pages.contains(page) }).map(\.title)
      }
      try context.expectEqual(try titles(page), ["2"])
      try context.expectEqual(try titles("short"), ["1", "2"])
      // Now a key is long, too.
      try store.save(Manuscript(id, title: "3", pages: [page, page + "!"]))
      try context.expectEqual(try titles(page), ["2", "3"])
      try context.expectEqual(try titles(page + "!"), ["3"])
      try store.save(Manuscript("2", title: "2", pages: ["short"]))
      try context.expectEqual(try titles(page), ["3"])
      try context.expectEqual(try store.delete(Manuscript.self, id: id), true)
      try context.expectEqual(try titles(page), [])
      try context.expect(try store.check().isSound, "no element without its row")
      try context.expectEqual(try store.delete(Manuscript.all), 2)
      try store.save(Manuscript(id, title: "4"))
      try context.expectEqual(try titles(page) + titles("short"), [])
      try context.expect(try store.check().isSound, "sound")
    },
    ConformanceCase("a long value that is undone leaves the store as it was", "1.6", "6.3") {
      context in
      struct Undone: Error {}
      let store = try context.open(Manuscript.self)
      let long = Manuscript.long("u")
      try? store.write { tx in
        try tx.save(Manuscript(long, title: "1"))
        throw Undone()
      }
      try store.write { tx in
        try tx.save(Manuscript("a", title: "a"))
        try? tx.savepoint { tx in
          try tx.save(Manuscript("b", shelf: long, title: "b"))
          throw Undone()
        }
        try tx.save(Manuscript("c", title: "c"))
        try context.expectEqual(try tx.update(Manuscript.all) { $0.shelf = "x" }, 2)
      }
      try context.expectEqual(try store.fetch(Manuscript.all).map(\.id), ["a", "c"])
      try context.expectEqual(try store.update(Manuscript.all) { $0.shelf = long }, 2)
      try context.expectError(.duplicate, attributes: ["title"]) {
        try store.insert(Manuscript(long, title: "c"))
      }
      try store.insert(Manuscript(long, title: "d"))
      try context.expectEqual(try store.fetch(Manuscript.all).map(\.shelf), [long, long, nil])
    },
    ConformanceCase("an index is added over values of 6 KB, and tables change after", "1.6", "7.5")
    {
      context in
      func schema(_ indexes: [IndexDescription], note: Bool = false) throws -> Schema {
        let more = note ? [AttributeDescription("note", .string, isOptional: true)] : []
        return try Schema(entities: [
          EntityDescription(
            name: "Note",
            attributes: [
              AttributeDescription("id", .string), AttributeDescription("body", .string),
            ] + more, key: ["id"], indexes: indexes)
        ])
      }
      let (long, other) = (Manuscript.long("b"), Manuscript.long("c"))
      let body = IndexDescription(["body"])
      var store = try context.open(try schema([]))
      func save(_ id: String, _ body: String) throws {
        try store.write {
          try $0.save([DynamicRow("Note", ["id": .string(id), "body": .string(body)])])
        }
      }
      func found(_ condition: Condition) throws -> [StoredValue] {
        try store.read { try $0.fetch(DynamicQuery("Note", where: condition)) }.map { $0["id"] }
      }
      try save("1", long)
      try save("2", "short")
      store = try context.reopen(store, try schema([body]))
      try context.expectEqual(
        try found(attribute("body").compare(.equal, text(long))), [.string("1")])
      try save(other, other)
      store = try context.reopen(store, try schema([body], note: true))
      try context.expectEqual(
        try found(attribute("body").compare(.greaterOrEqual, text(long + "1"))),
        [.string("2"), .string(other)])
      try context.expect(try store.check().isSound, "sound")
    },
  ]
}
