internal import Foundation
internal import ORM

extension ConformanceCase {
  /// Clause 1.6: keys of every type and of any length.
  static let keys: [ConformanceCase] = [
    keyCase("bools", [false, true]),
    keyCase("Int8", [Int8.min, -1, 0, 1, .max]),
    keyCase("Int64", [Int64.min, -1, 0, 1, 1 << 53, (1 << 53) + 1, .max]),
    keyCase("UInt8", [UInt8.min, 1, 127, 128, .max]),
    keyCase("UInt64", [UInt64.min, 1, (1 << 63) - 1, 1 << 63, .max]),
    keyCase(
      "doubles",
      [
        -Double.infinity, -.greatestFiniteMagnitude, -1, -.leastNonzeroMagnitude, 0,
        .leastNonzeroMagnitude, 0.1, 1, .infinity,
      ]),
    keyCase("floats", [-Float.infinity, -0.1, 0, 0.1, .infinity]),
    keyCase(
      "texts",
      ["", "\0", "\0\0", "\0a", "A", "a", "a\0", "a\0b", "ab", "e\u{301}", "é", "\u{FFFF}", "😀"]),
    keyCase(
      "data",
      [[], [0], [0, 0], [0, 1], [0, 255], [1], [1, 0], [255], [255, 0], [255, 255]].map { Data($0) }
    ),
    keyCase(
      "dates", [-1e300, -0.5, 0, 0.5, 1e10].map { Date(timeIntervalSinceReferenceDate: $0) }),
    keyCase(
      "UUIDs",
      [
        "00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000001",
        "7FFFFFFF-0000-0000-0000-000000000000", "80000000-0000-0000-0000-000000000000",
        "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
      ].compactMap { UUID(uuidString: $0) }),
    keyCase(
      "decimals",
      [
        -Decimal.greatestFiniteMagnitude, -10, -9.5, -Decimal.leastNonzeroMagnitude, 0,
        Decimal(sign: .plus, exponent: -20, significand: 1), 0.25, 1, 9, 10, 11, 99, 100,
        Decimal.greatestFiniteMagnitude,
      ]),
    keyCase("URLs", ["a:b", "http://a/", "http://a/b", "z:"].compactMap { URL(string: $0) }),
    keyCase(
      "texts of 10 KB",
      ["", "a", "b"].map { String(repeating: "x", count: 10_000) + $0 } + ["xy", "y"]),
    keyCase(
      "data of 10 KB with one byte that differs",
      (0..<5).map { Data(repeating: 255, count: 10_000 - $0) }.reversed()
        + [Data(repeating: 255, count: 10_000) + [0]]),
    ConformanceCase("-0.0 and 0.0 are one key", "1.2", "1.6", "5.1") { context in
      let store = try context.open(Box<Double>.self)
      try store.insert(Box(-0.0, "a"))
      try context.expectEqual(try store.find(Box<Double>.self, 0.0)?.label, "a")
      try context.expectEqual(try store.find(Box<Double>.self, -0.0)?.id.sign, .minus)
      try context.expectError(.duplicate, entity: "Box", attributes: ["id"]) {
        try store.insert(Box(0.0, "b"))
      }
      let saved = try store.save(Box(0.0, "c"))
      let found = try context.unwrap(try store.find(Box<Double>.self, -0.0), "the box")
      try context.expectEqual(found.label, "c")
      try context.expectEqual(found.id.sign, saved.id.sign, "what save returns is what is stored")
      try context.expectEqual(try store.count(Box<Double>.self), 1)
      try context.expectEqual(try store.delete(Box<Double>.self, id: -0.0), true)
      try context.expectEqual(try store.count(Box<Double>.self), 0)
    },
    ConformanceCase("long texts can be indexed and unique, and keep their order", "1.6", "3.1") {
      context in
      let store = try context.open(Word.self, NormalWord.self)
      let prefix = String(repeating: "Long ", count: 2_000)
      let texts = [prefix + "B", prefix, prefix + "a", prefix + "b", "Long", prefix + "\0"]
      try store.save(texts.enumerated().map { Word(Int64($0), $1) })
      for name in Word.attributes {
        try context.expectEqual(
          try store.ids("Word", .constant(true), order: [SortTerm(attribute(name))]),
          [4, 1, 5, 0, 2, 3], "sorted by \(name)")
        try context.expectEqual(
          try store.ids(
            "Word", .constant(true),
            order: [SortTerm(attribute(name), isDescending: true, options: .caseInsensitive)]),
          // B and b are equal under [c]; the key comes last, in the same direction.
          [3, 0, 2, 5, 1, 4], "sorted by \(name)[c]")
        try context.expectEqual(
          try store.ids("Word", attribute(name).compare(.greater, text(prefix + "B"))), [2, 3])
        try context.expectEqual(
          try store.ids("Word", attribute(name).compare(.equal, text(prefix + "b"))), [3])
        try context.expectEqual(
          try store.ids(
            "Word",
            attribute(name).compare(.equal, text(prefix.lowercased() + "b"), .caseInsensitive)),
          [0, 3])
        try context.expectEqual(
          try store.ids("Word", attribute(name).text(.beginsWith, text(prefix))),
          [0, 1, 2, 3, 5])
      }
      try store.save([NormalWord(1, prefix + "1"), NormalWord(2, prefix + "2")])
      try context.expectError(.duplicate, entity: "NormalWord", attributes: ["normal"]) {
        try store.insert(NormalWord(3, prefix + "2"))
      }
      try context.expectEqual(try store.count(NormalWord.self), 2)
    },
    ConformanceCase("composite keys: found, ordered part by part, updated, deleted", "1.6", "3.2") {
      context in
      let store = try context.open(Enrolment.self)
      let enrolments = [
        Enrolment("a", 2), Enrolment("", -1), Enrolment("a", 10), Enrolment("a\0", 1),
        Enrolment("ab", 1), Enrolment("", 5),
      ]
      try store.save(enrolments)
      let expected: [Enrolment.ID] = [
        .init(room: "", number: -1), .init(room: "", number: 5), .init(room: "a", number: 2),
        .init(room: "a", number: 10), .init(room: "a\0", number: 1), .init(room: "ab", number: 1),
      ]
      try context.expectEqual(try store.fetch(Enrolment.all).map(\.id), expected)
      try context.expectEqual(
        try store.fetch(Enrolment.all.sorted(by: .descending(\.seat))).map(\.id),
        expected.reversed(), "the key follows the last term's direction")
      try context.expectEqual(
        try store.fetch(Enrolment.all.where { $0.id.room == "a" }).map(\.id.number), [2, 10])
      try context.expectEqual(
        try store.fetch(Enrolment.all.where { $0.id.room == "a" && $0.id.number > 2 }).count, 1)
      try store.update(Enrolment("a", 2, seat: "9B"))
      try context.expectEqual(
        try store.find(Enrolment.self, .init(room: "a", number: 2))?.seat, "9B")
      try context.expectEqual(
        try store.find(Enrolment.self, .init(room: "b", number: 2)), nil)
      try context.expectError(
        .duplicate, entity: "Enrolment", attributes: ["room", "number"],
        values: [.string("a"), .int(2)]
      ) { try store.insert(Enrolment("a", 2)) }
      try context.expectEqual(
        try store.delete(Enrolment.self, id: .init(room: "a", number: 2)), true)
      try context.expectEqual(try store.count(Enrolment.self), 5)
    },
    ConformanceCase("models without a key: inserted, queried, updated, deleted", "1.6", "5.2") {
      context in
      let store = try context.open(Note.self)
      try store.insert(Note(text: "a", rank: 1))
      try store.insert([Note(text: "b", rank: 2), Note(text: "a", rank: 1), Note(text: "c")])
      try context.expectEqual(
        try store.fetch(Note.all).map(\.text), ["a", "b", "a", "c"], "in the order of inserting")
      try context.expectEqual(try store.count(Note.all.where { $0.text == "a" }), 2)
      try context.expectEqual(
        try store.update(Note.all.where { $0.text == "a" }) { $0[\.rank] = $0[\.rank] + 10 }, 2)
      try context.expectEqual(try store.fetch(Note.all).map(\.rank), [11, 2, 11, nil])
      let counts = try store.write { try $0.save(Note(text: "c", rank: 7), matchingOn: \.text) }
      try context.expectEqual(counts.updated, 1)
      try context.expectEqual(
        try store.write { try $0.save(Note(text: "d", rank: 7), matchingOn: \.text) }.inserted, 1)
      try context.expectEqual(try store.delete(Note.all.where { $0.rank == 11 }), 2)
      try context.expectEqual(
        try store.fetch(Note.all),
        [Note(text: "b", rank: 2), Note(text: "c", rank: 7), Note(text: "d", rank: 7)])
    },
  ]

  /// Keys in ascending order: saved in another, they come back in order, are found, are refused a
  /// second time, and make ranges.
  private static func keyCase<Key: PrimaryKey & AttributeValue & Codable>(
    _ what: String, _ keys: [Key]
  ) -> ConformanceCase {
    ConformanceCase("keys: \(what)", "1.6", "2.2", "3.1") { context in
      let store = try context.open(Box<Key>.self)
      let boxes = keys.enumerated().map { Box($1, "\($0)") }
      try store.insert(
        boxes.enumerated().sorted { $0.offset * 7 % 5 < $1.offset * 7 % 5 }
          .map(\.element))
      try context.expectEqual(try store.fetch(Box<Key>.all), boxes, "in ascending order")
      try context.expectEqual(
        try store.fetch(Box<Key>.all.sorted(by: .descending(\.id))), boxes.reversed(),
        "in descending order")
      for (index, box) in boxes.enumerated() {
        try context.expectEqual(try store.find(Box<Key>.self, box.id), box)
        try context.expectEqual(
          try store.fetch(Box<Key>.all.where { $0.id < box.id }), Array(boxes.prefix(index)),
          "less than number \(index)")
        try context.expectEqual(
          try store.fetch(Box<Key>.all.where { $0.id >= box.id }),
          Array(boxes.dropFirst(index)), "at least number \(index)")
        try context.expectError(.duplicate, entity: "Box", attributes: ["id"]) {
          try store.insert(Box(box.id, "again"))
        }
      }
      for box in boxes { try store.update(Box(box.id, box.label + "!")) }
      try context.expectEqual(
        try store.fetch(Box<Key>.all).map(\.label), boxes.map { $0.label + "!" })
      for box in boxes { try context.expectEqual(try store.delete(box), true) }
      try context.expectEqual(try store.count(Box<Key>.self), 0)
    }
  }
}
