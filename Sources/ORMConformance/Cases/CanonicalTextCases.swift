internal import ORM
internal import ORMObservation

/// Texts that are canonically equal, and have different scalars (clause 2.3).
private let composed = "\u{E9}"
private let decomposed = "e\u{301}"

extension ConformanceCase {
  /// Clauses 1.7, 2.3 and 2.10: names and keys that Swift's `==` takes for one.
  static let canonicalTexts: [ConformanceCase] = [
    ConformanceCase(
      "names in JSON whose scalars differ are two, in one query and after another", "1.7", "2.3"
    ) { context in
      let store = try context.open(Page.self)
      try store.savePages([
        #"{"\#(composed)":1}"#, #"{"\#(decomposed)":1}"#,
        #"{"\#(composed)":{"\#(decomposed)":2},"\#(decomposed)":3}"#,
      ])
      let one = json("content", .key(composed))
      let other = json("content", .key(decomposed))
      let isOne = one.compare(.equal, int(1))
      let isOther = other.compare(.equal, int(1))
      let condition: [(Condition, [Int64], String)] = [
        (isOne, [0], "the first"), (isOther, [1], "the second, after the first"),
        (isOne, [0], "the first again"), (.any([isOne, isOther]), [0, 1], "or"),
        (.all([isOne, isOther]), [], "and"), (.any([isOther, isOne]), [0, 1], "or, turned"),
        (.all([isOne, .not(isOther)]), [0], "and not"),
        (
          json("content", .key(composed), .key(decomposed)).compare(.equal, int(2)), [2],
          "a nested name"
        ),
        (
          json("content", .key(composed), .key(composed)).compare(.equal, nothing), [0, 1, 2],
          "a nested name that is not there"
        ),
        (one.compare(.equal, other), [], "beside each other"),
      ]
      for (condition, expected, what) in condition {
        try context.expectEqual(try store.ids("Page", condition), expected, what)
      }
      for (operand, expected) in [(one, [0, 1, 2]), (other, [1, 0, 2])] as [(Operand, [Int64])] {
        try context.expectEqual(
          try store.ids(
            "Page", attribute("id").compare(.less, int(2)),
            order: [SortTerm(operand, isDescending: true), SortTerm(attribute("id"))]),
          expected.filter { $0 < 2 }, "sorted by one of them")
      }
      try context.expectEqual(
        try store.ids("Page", .constant(true), order: [SortTerm(one), SortTerm(other)]),
        [1, 0, 2], "sorted by both: nil before 1, and 1 before an object")
      try context.expectEqual(
        try store.aggregate("Page", Aggregate(.count, one)), .int(2), "a count of one")
      try context.expectEqual(
        try store.aggregate("Page", Aggregate(.count, other)), .int(2), "a count of the other")
      let filters = try [composed, decomposed].map {
        try Filter<Page>(format: "content['\($0)'] == 1")
      }
      try context.expect(filters[0] != filters[1], "two filters are two")
      try context.expectEqual(try store.fetch(Page.where(filters[0])).map(\.id), [0], "a format")
      try context.expectEqual(try store.fetch(Page.where(filters[1])).map(\.id), [1], "another")
    },
    ConformanceCase("columns of a selection whose names are canonically equal are two", "2.3") {
      context in
      let store = try context.open(Page.self)
      try store.savePages([#"{"\#(composed)":1,"\#(decomposed)":2}"#])
      let rows = try store.fetch(
        DynamicSelection(
          "Page",
          [
            .value(composed, json("content", .key(composed))),
            .value(decomposed, json("content", .key(decomposed))),
          ]))
      try context.expectEqual(rows.map { $0[composed] }, [.int(1)], "the first")
      try context.expectEqual(rows.map { $0[decomposed] }, [.int(2)], "the second")
      try context.expectEqual(rows.map { $0["e"] }, [.null], "a name that is not there")
    },
    ConformanceCase("variables whose names are canonically equal are two", "2.3", "2.10") {
      context in
      let store = try context.open(Page.self)
      try store.savePages(["1", "2", "3"])
      let filter = try Filter<Page>(format: "id == $\(composed) OR id == $\(decomposed)")
      try context.expectEqual(
        filter.variables.map { Array($0.unicodeScalars) },
        [decomposed, composed].map { Array($0.unicodeScalars) }, "both wait for a value")
      let bound = try filter.binding([composed: 0]).binding([decomposed: 2])
      try context.expectEqual(try store.fetch(Page.where(bound)).map(\.id), [0, 2], "both bound")
      try context.expectError(.invalidCondition) {
        _ = try store.fetch(Page.where(filter.binding([composed: 0])))
      }
    },
    ConformanceCase("text keys that are canonically equal are two keys of a batch", "1.6", "2.3") {
      context in
      let store = try context.open(Label.self)
      try store.insert([Label(composed), Label(decomposed), Label("e")])
      let ids = try store.fetch(Label.all).map { Array($0.id.unicodeScalars) }
      try context.expectEqual(
        ids, ["e", decomposed, composed].map { Array($0.unicodeScalars) }, "inserted")
      try store.save([Label(decomposed), Label(composed)], duplicates: .throw)
      try context.expectEqual(try store.count(Label.all), 3, "saved")
      try context.expectError(.invalidBatch) {
        try store.save([Label(composed), Label(composed)], duplicates: .throw)
      }
      try store.delete([Label(decomposed)])
      let rest = try store.fetch(Label.all).map { Array($0.id.unicodeScalars) }
      try context.expectEqual(rest, ["e", composed].map { Array($0.unicodeScalars) }, "deleted")
    },
    ConformanceCase("a link is set to a key that is canonically equal to its own", "2.3", "5.8") {
      context in
      let store = try context.open(Label.self, Flacon.self)
      try store.insert([Label(composed), Label(decomposed)])
      try store.save(Flacon(id: 1, label: ToOne(Label(composed))))
      for key in [decomposed, composed] {
        var flacon = try context.unwrap(
          try store.find(Flacon.self, 1, prefetch: \.label), "the flacon")
        flacon.label.setKey(key)
        try context.expectEqual(
          flacon.label.id.map { Array($0.unicodeScalars) }, Array(key.unicodeScalars), "set")
        try store.save(flacon)
        let stored = try store.find(Flacon.self, 1)?.label.id
        try context.expectEqual(
          stored.map { Array($0.unicodeScalars) }, Array(key.unicodeScalars), "stored")
      }
      let (one, other) = (ToOne(Label(composed)), ToOne(Label(decomposed)))
      try context.expect(one != other && one == ToOne(Label(composed)), "two links are two")
      try context.expect(
        ToMany([Label(composed)]) != ToMany([Label(decomposed)]), "two lists are two")
    },
    ConformanceCase("names of a schema that are canonically equal are one", "2.3", "7.5", "7.6") {
      context in
      var store = try context.open(Spelled.self)
      try store.save(Spelled(id: 1, name: "a"))
      for name in [composed, decomposed] {
        let rows = try store.fetch(
          DynamicQuery("Spelled", where: attribute(name).compare(.equal, text("a"))))
        try context.expectEqual(rows.map { $0[name] }, [.string("a")], "asked by \(name)")
      }
      let error = try context.expectError(.schemaMismatch) {
        try context.reopen(store, Respelled.self)
      }
      try context.expectEqual(error.failures.map(\.attributes), [[decomposed]], "which name")
      store = try context.reopen(store, Spelled.self)
      try context.expectEqual(try store.find(Spelled.self, 1)?.name, "a", "opened again")
      let refused = try context.expectError(.invalidSchema) { try Schema(CanonicalNames.self) }
      try context.expectEqual(refused.failures.count, 1, "one fault")
    },
  ]
}

/// A model with a name that has another spelling.
private struct Spelled: PrimaryKeyed, Codable {
  var id: Int64
  var name: String

  enum CodingKeys: String, CodingKey {
    case id
    case name = "\u{E9}"
  }

  static let entity = Entity<Spelled>("Spelled") {
    .key("id", \.id).attribute(composed, \.name)
  }
}

/// The same entity with the other spelling.
private struct Respelled: PrimaryKeyed, Codable {
  var id: Int64
  var name: String

  enum CodingKeys: String, CodingKey {
    case id
    case name = "e\u{301}"
  }

  static let entity = Entity<Respelled>("Spelled") {
    .key("id", \.id).attribute(decomposed, \.name)
  }
}

/// A model that leads to a key that is a text.
private struct Flacon: PrimaryKeyed, Codable {
  var id: Int64
  var label: ToOne<Label>

  static let entity = Entity<Flacon>("Flacon") {
    .key("id", \.id).relationship("label", \.label)
  }
}

/// A model with both spellings.
private struct CanonicalNames: PrimaryKeyed, Codable {
  var id: Int64
  var name: String
  var other: String

  static let entity = Entity<CanonicalNames>("CanonicalNames") {
    .key("id", \.id).attribute(composed, \.name).attribute(decomposed, \.other)
  }
}
