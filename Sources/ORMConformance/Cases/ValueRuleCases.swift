internal import Foundation
internal import ORM

extension ConformanceCase {
  /// Clauses 1.4 to 1.7: unreadable values, sizes, keys, JSON.
  static let valueRules: [ConformanceCase] = [
    ConformanceCase(
      "a raw value without a case is a decoding error; other rows stay readable", "1.4"
    ) { context in
      let store = try context.open(Anything.self)
      var good = Anything(1)
      good.size = .large
      try store.save(good)
      _ = try store.write {
        try $0.insert([DynamicRow("Anything", ["id": .int(2), "size": .string("huge")])])
      }
      try context.expectError(
        .decoding, entity: "Anything", attributes: ["size"], key: [.int(2)]
      ) { try store.find(Anything.self, 2) }
      try context.expectError(.decoding, entity: "Anything", key: [.int(2)]) {
        try store.fetch(Anything.all)
      }
      try context.expectEqual(try store.find(Anything.self, 1), good)
      try context.expectEqual(try store.fetch(Anything.all.where { $0.id < 2 }), [good])
      try context.expectEqual(try store.count(Anything.self), 2)
    },
    ConformanceCase("a value past the store's limit is refused before anything is written", "1.5") {
      context in
      var options = StoreOptions()
      options.maximumValueSize = 1000
      let store = try context.open(Anything.self, options: options)
      var fits = Anything(1)
      fits.string = String(repeating: "a", count: 1000)
      fits.data = Data(repeating: 7, count: 1000)
      try store.save(fits)
      try context.expectEqual(try store.find(Anything.self, 1), fits)
      var long = Anything(2)
      long.string = String(repeating: "a", count: 1001)
      try context.expectError(.tooLarge, entity: "Anything", attributes: ["string"]) {
        try store.save(long)
      }
      long = Anything(2)
      long.data = Data(repeating: 7, count: 1001)
      try context.expectError(.tooLarge, entity: "Anything", attributes: ["data"]) {
        try store.save([Anything(3), long])
      }
      // 334 letters of three bytes each are 1,002 bytes.
      try context.expectError(.tooLarge, entity: "Anything", attributes: ["string"]) {
        try store.update(Anything.all) { $0.string = String(repeating: "€", count: 334) }
      }
      try context.expectEqual(try store.fetch(Anything.all), [fits])
    },
    ConformanceCase("a value of several megabytes comes back", "1.5") { context in
      let store = try context.open(Anything.self)
      var large = Anything(1)
      large.data = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
      large.string = String(repeating: "0123456789", count: 200_000)
      try store.save(large)
      try context.expect(try store.find(Anything.self, 1) == large, "the large value")
    },
    ConformanceCase("json: a path that is missing, or null, is nil", "1.7") { context in
      let store = try context.open(Page.self)
      try store.savePages([#"{"a":{"b":[1,null]},"n":null}"#, #"{"a":5}"#, "null", "[]", "7"])
      let a = json("content", "a")
      let b0 = json("content", "a", "b", 0)
      let b1 = json("content", "a", "b", 1)
      let n = json("content", "n")
      try context.expectEqual(try store.ids("Page", a.compare(.equal, nothing)), [2, 3, 4])
      try context.expectEqual(try store.ids("Page", b0.compare(.equal, int(1))), [0])
      try context.expectEqual(
        try store.ids("Page", b1.compare(.equal, nothing)), [0, 1, 2, 3, 4])
      try context.expectEqual(try store.ids("Page", n.compare(.equal, nothing)), [0, 1, 2, 3, 4])
      try context.expectEqual(try store.ids("Page", a.compare(.equal, int(5))), [1])
      try context.expectEqual(
        try store.ids("Page", .not(a.compare(.equal, int(5)))), [0, 2, 3, 4])
    },
    ConformanceCase("json: a number that fits Int64 is an int, any other a double", "1.7") {
      context in
      let store = try context.open(Page.self)
      try store.savePages([
        "[9007199254740993]", "[9007199254740992]", "[9007199254740992.0]",
        "[9223372036854775807]", "[9223372036854775808]", "[1e2]", "[-9223372036854775808]",
      ])
      let first = json("content", 0)
      try context.expectEqual(
        try store.ids("Page", first.compare(.equal, int(9_007_199_254_740_993))), [0])
      try context.expectEqual(
        try store.ids("Page", first.compare(.equal, int(9_007_199_254_740_992))), [1, 2])
      try context.expectEqual(try store.ids("Page", first.compare(.equal, int(.max))), [3])
      try context.expectEqual(
        try store.ids("Page", first.compare(.equal, real(9_223_372_036_854_775_808.0))), [4])
      try context.expectEqual(try store.ids("Page", first.compare(.equal, int(100))), [5])
      try context.expectEqual(try store.ids("Page", first.compare(.less, int(0))), [6])
    },
    ConformanceCase("json: of duplicate names the last counts", "1.7") { context in
      let store = try context.open(Page.self)
      try store.savePages([#"{"a":1,"a":2}"#, #"{"a":2,"a":1}"#, #"{"\u0061":3,"b":0}"#])
      let a = json("content", "a")
      try context.expectEqual(try store.ids("Page", a.compare(.equal, int(2))), [0])
      try context.expectEqual(try store.ids("Page", a.compare(.equal, int(1))), [1])
      try context.expectEqual(try store.ids("Page", a.compare(.equal, int(3))), [2])
    },
    ConformanceCase("json: kinds do not convert into one another", "1.7") { context in
      let store = try context.open(Page.self)
      try store.savePages(["[true]", #"["true"]"#, "[1]", #"["1"]"#, "[[1]]"])
      let first = json("content", 0)
      try context.expectEqual(
        try store.ids("Page", first.compare(.equal, .value(.bool(true)))), [0])
      try context.expectEqual(try store.ids("Page", first.compare(.equal, text("true"))), [1])
      try context.expectEqual(try store.ids("Page", first.compare(.equal, int(1))), [2])
      try context.expectEqual(try store.ids("Page", first.compare(.equal, text("1"))), [3])
      try context.expectEqual(
        try store.ids("Page", json("content", 0, 0).compare(.equal, int(1))), [4])
    },
    ConformanceCase("json: a Codable value comes back, data, dates and infinities too", "1.7") {
      context in
      let store = try context.open(Leaflet.self)
      let leaflet = Leaflet(
        id: 1,
        content: .init(
          title: "a\"\\\u{0}\u{1F600}é", bytes: Data([0, 1, 255]),
          when: Date(timeIntervalSinceReferenceDate: 0.1),
          numbers: [.infinity, -.infinity, 0.1, -0.0, 1e300], count: .max, nested: ["k": [nil, 3]]))
      try store.save(leaflet)
      let found = try context.unwrap(try store.find(Leaflet.self, 1), "the leaflet")
      try context.expectEqual(found, leaflet)
      try context.expectEqual(
        found.content.numbers.map(\.sign), [.plus, .minus, .plus, .minus, .plus])
    },
  ]
}

extension Store {
  /// Saves JSON texts as they are, under keys from 0.
  func savePages(_ texts: [String]) throws {
    _ = try write { transaction in
      try transaction.insert(
        texts.enumerated().map { id, text in
          DynamicRow("Page", ["id": .int(Int64(id)), "content": .json(text)])
        })
    }
  }
}
