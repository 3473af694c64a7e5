internal import Foundation
internal import ORM
internal import ORMCore
internal import ORMObservation

extension ConformanceCase {
  /// Values, waits, patterns and schemas at the bounds that the contract gives them.
  static let boundaries: [ConformanceCase] = [
    ConformanceCase("NaN in decimals, arrays and JSON is refused", "1.3", "1.7") { context in
      let store = try context.open(Everything.self, Anything.self, Leaflet.self)
      var decimal = Everything(1)
      decimal.decimal = .nan
      try context.expectError(
        .invalidValue, entity: "Everything", attributes: ["decimal"], key: [.int(1)]
      ) { try store.save(decimal) }
      var list = Anything(2)
      list.doubles = [1, .nan]
      try context.expectError(
        .invalidValue, entity: "Anything", attributes: ["doubles"], key: [.int(2)]
      ) { try store.save(list) }
      let leaflet = Leaflet(
        id: 3,
        content: .init(
          title: "", bytes: Data(), when: .distantPast, numbers: [.nan], count: 0, nested: [:]))
      try context.expectError(.invalidValue, entity: "Leaflet", attributes: ["content"]) {
        try store.save(leaflet)
      }
      try context.expectEqual(try store.count(Everything.self), 0)
      try context.expectEqual(try store.count(Anything.self), 0)
      try context.expectEqual(try store.count(Leaflet.self), 0)
    },
    ConformanceCase("a sum of infinities of both signs is nil", "4.1") { context in
      let store = try context.open(Measure.self)
      try store.save([
        Measure(1) { $0.double = .infinity }, Measure(2) { $0.double = 1 },
        Measure(3) { $0.double = -.infinity },
      ])
      try context.expectSame(
        [
          try store.aggregate("Measure", Aggregate(.sum, attribute("double"))),
          try store.aggregate("Measure", Aggregate(.average, attribute("double"))),
        ], [.null, .null])
      try context.expectEqual(try store.average(Measure.all, \.double), nil)
      try context.expectError(.decoding) { try store.sum(Measure.all, \.double) }
      try context.expectEqual(
        try store.sum(Measure.all.where { $0.double > 0 }, \.double), .infinity)
    },
    ConformanceCase("a read that waits longer than readerWait throws busy", "6.1", "6.3") {
      context in
      var options = StoreOptions()
      options.readers = 1
      // A server may need a while for the connection of the reader.
      options.readerWait = .milliseconds(400)
      let store = try context.open(Snack.self, options: options)
      let begun = Latch()
      let release = Latch()
      let reader = Job {
        try store.read { transaction in
          begun.open()
          try release.wait()
          return try transaction.count(Snack.self)
        }
      }
      try begun.wait()
      let start = ContinuousClock.now
      try context.expectError(.busy) { try store.count(Snack.self) }
      try context.expect(ContinuousClock.now - start >= .milliseconds(395), "it waited")
      try store.save(Snack(1))
      release.open()
      try context.expectEqual(try reader.value(), 0, "the reader that had its turn goes on")
      try context.expectEqual(try store.count(Snack.self), 1)
    },
    ConformanceCase("a write that changes nothing is not announced", "5.1", "6.5") { context in
      let store = try context.open(Snack.self, Note.self)
      try store.save(Snack(1, "a", price: 2))
      let notices = Notices(store)
      try context.expectEqual(try store.save([Snack(1, "a", price: 2)]).unchanged, 1)
      try context.expectEqual(try store.delete(Snack.self, id: 9), false)
      try context.expectEqual(try store.update(Snack.all.where { $0.id > 1 }) { $0.name = "" }, 0)
      try store.write { _ in }
      try store.insert(Note(text: "n"))
      try context.expectEqual(notices.wait(for: 1).map(\.entities), [["Note"]])
    },
    ConformanceCase("patterns of MATCHES have at most 64 KiB and 4,096 scalars", "2.5", "7.1") {
      context in
      let store = try context.open(Word.self)
      try store.save([
        Word(1, String(repeating: "a", count: 4_096)),
        Word(2, String(repeating: "a", count: 4_097)),
      ])
      func asks(_ pattern: String) throws -> [Int64] {
        try store.ids("Word", attribute("plain").text(.matches, text(pattern)))
      }
      try context.expectEqual(try asks("a{4096}"), [1])
      try context.expectError(.tooComplex, entity: "Word") { try asks("a{4097}") }
      // The comment takes four bytes for its parentheses, and the expression four more.
      func commented(_ bytes: Int) -> String {
        "(?#" + String(repeating: "x", count: bytes - 8) + ")a{9}"
      }
      try context.expectEqual(try asks(commented(64 << 10)), [])
      try context.expectError(.tooComplex, entity: "Word") { try asks(commented((64 << 10) + 1)) }
    },
    ConformanceCase(
      "a prefetch goes 200 relationships deep, one more is too complex", "5.12", "7.1"
    ) {
      context in
      let store = try context.open(Folder.self)
      let root = try store.save(Folder("root", children: [Folder("leaf")]))
      let query = Folder.all.where { $0.id == root.id }
      let found = try store.fetch(query.prefetch(\.children, depth: 200))
      try context.expectEqual(found.first?.children.loaded?.map(\.name), ["leaf"])
      try context.expectError(.tooComplex, entity: "Folder") {
        try store.fetch(query.prefetch(\.children, depth: 201))
      }
    },
    ConformanceCase("a schema that breaks rules names each of them", "7.6") { context in
      let error = try context.expectError(.invalidSchema) {
        try Schema(entities: [
          EntityDescription(
            name: "Left",
            attributes: [
              AttributeDescription("id", .int64), AttributeDescription("tag", .string),
              AttributeDescription("tag", .int64),
            ], key: ["id"]),
          EntityDescription(
            name: "Right", attributes: [AttributeDescription("id", .int64)], key: ["number"]),
        ])
      }
      try context.expectEqual(error.failures.compactMap(\.entity), ["Left", "Right"])
      try context.expectEqual(Set(error.failures.map(\.code)), [.invalidSchema])
    },
    ConformanceCase("a copy has every row and gives out no key twice", "5.5", "7.8") { context in
      let source = try context.open(Ticket.self, Snack.self)
      try source.save([Ticket("a"), Ticket("b"), Ticket("c")])
      try source.delete(Ticket.self, id: 3)
      try source.save([Snack(1, "x", tags: ["hot"]), Snack(2, "y", price: -0.0)])
      let target = try context.open(Ticket.self, Snack.self)
      try StoreCopy(from: source, to: target).run()
      try context.expectEqual(try target.fetch(Ticket.all), try source.fetch(Ticket.all))
      try context.expectEqual(try target.fetch(Snack.all), try source.fetch(Snack.all))
      try context.expectEqual(try target.find(Snack.self, 2)?.price?.sign, .minus)
      try context.expectEqual(
        try target.fetch(Snack.all.where { $0.tags.contains("hot") }).map(\.id), [1], "by its index"
      )
      try context.expectEqual(try target.save(Ticket("d")).id, 4)
      try context.expectError(.notEmpty) { try StoreCopy(from: source, to: target).run() }
      try context.expectEqual(try target.fetch(Ticket.all).map(\.id), [1, 2, 4])
    },
  ]
}
