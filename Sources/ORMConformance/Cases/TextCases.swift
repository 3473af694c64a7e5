internal import ORM
internal import ORMObservation

extension ConformanceCase {
  /// Clauses 2.3 to 2.5: texts.
  static let texts: [ConformanceCase] = [
    ConformanceCase("texts are equal by scalar and order by code point", "2.3") { context in
      let store = try context.open(Word.self)
      // In UTF-16 order U+FF5E would come after the surrogates of 😀.
      let words = ["é", "e\u{301}", "Z", "a", "😀", "\u{FF5E}", "e", "ß", "", "a\0"]
      try store.save(words.enumerated().map { Word(Int64($0), $1) })
      let order: [Int64] = [8, 2, 3, 9, 6, 1, 7, 0, 5, 4]
      for name in Word.attributes {
        let word = attribute(name)
        try context.expectEqual(
          try store.ids("Word", .constant(true), order: [SortTerm(word)]), order, "sorted")
        try context.expectEqual(
          try store.ids("Word", .constant(true), order: [SortTerm(word, isDescending: true)]),
          order.reversed(), "sorted downwards")
        try context.expectEqual(try store.ids("Word", word.compare(.equal, text("é"))), [0])
        try context.expectEqual(
          try store.ids("Word", word.compare(.equal, text("e\u{301}"))), [1])
        try context.expectEqual(
          try store.ids("Word", word.list([.string("é"), .string("a")])), [0, 3])
        try context.expectEqual(
          try store.ids("Word", word.compare(.greater, text("\u{FF5E}"))), [4])
        try context.expectEqual(
          try store.ids("Word", word.compare(.less, text("a"))), [2, 8])
        try context.expectEqual(
          try store.ids("Word", word.compare(.lessOrEqual, text("a\0"))), [2, 3, 8, 9])
        try context.expectEqual(try store.ids("Word", word.compare(.equal, text("A"))), [])
      }
      try context.expectEqual(
        try store.aggregate("Word", Aggregate(.countDistinct, attribute("plain"))), .int(10))
      try context.expectEqual(
        try store.aggregate("Word", Aggregate(.maximum, attribute("indexed"))), .string("😀"))
    },
    ConformanceCase("a normalized attribute is stored in NFC and compared in it", "2.3") {
      context in
      let store = try context.open(NormalWord.self)
      let saved = try store.save(NormalWord(1, "cafe\u{301}"))
      try context.expectEqual(
        Array(saved.normal.unicodeScalars), Array("caf\u{E9}".unicodeScalars), "what save returns")
      let found = try context.unwrap(try store.find(NormalWord.self, 1), "the word")
      try context.expectEqual(
        Array(found.normal.unicodeScalars), Array("caf\u{E9}".unicodeScalars))
      try context.expectEqual(
        Array(found.free.unicodeScalars), Array("cafe\u{301}".unicodeScalars))
      for form in ["caf\u{E9}", "cafe\u{301}"] {
        try context.expectEqual(
          try store.ids("NormalWord", attribute("normal").compare(.equal, text(form))), [1])
        try context.expectEqual(
          try store.ids("NormalWord", attribute("normal").list([.string(form)])), [1])
        try context.expectEqual(
          try store.ids("NormalWord", attribute("normal").text(.endsWith, text(form))), [1])
        try context.expectError(.duplicate, entity: "NormalWord", attributes: ["normal"]) {
          try store.insert(NormalWord(2, form))
        }
      }
      try context.expectEqual(
        try store.ids("NormalWord", attribute("free").compare(.equal, text("caf\u{E9}"))), [])
      try context.expectEqual(
        try store.update(NormalWord.all) { $0.normal = "e\u{301}" }, 1)
      try context.expectEqual(
        try store.find(NormalWord.self, 1)?.normal.unicodeScalars.count, 1)
    },
    ConformanceCase("[c] folds case fully, [d] drops marks, [n] compares canonically", "2.4") {
      context in
      let store = try context.open(Word.self)
      // (stored, asked, options, whether they are equal)
      let table: [(String, String, TextOptions, Bool)] = [
        ("Straße", "STRASSE", .caseInsensitive, true),
        ("straße", "strasse", .caseInsensitive, true),
        ("straße", "strasse", [], false),
        ("\u{FB01}n", "FIN", .caseInsensitive, true),
        ("ΣΊΣΥΦΟΣ", "σίσυφος", .caseInsensitive, true),
        ("σ", "ς", .caseInsensitive, true),
        ("\u{212A}", "k", .caseInsensitive, true),
        ("\u{130}", "i\u{307}", .caseInsensitive, true),
        ("I", "ı", .caseInsensitive, false),
        ("ǅ", "ǆ", .caseInsensitive, true),
        ("é", "e\u{301}", .caseInsensitive, false),
        ("é", "e\u{301}", .normalized, true),
        ("É", "e\u{301}", .normalized, false),
        ("É", "e\u{301}", [.normalized, .caseInsensitive], true),
        ("é", "e", .diacriticInsensitive, true),
        ("é", "E", .diacriticInsensitive, false),
        ("é", "E", [.diacriticInsensitive, .caseInsensitive], true),
        ("Crème Brûlée", "creme brulee", [.diacriticInsensitive, .caseInsensitive], true),
        ("\u{1E9B}\u{323}", "\u{17F}\u{323}\u{307}", .normalized, true),
        ("가", "\u{1100}\u{1161}", .normalized, true),
        ("ﬁ", "fi", .normalized, false),
        ("a", "a\0", .caseInsensitive, false),
      ]
      try store.save(table.enumerated().map { Word(Int64($0), $1.0) })
      for name in Word.attributes {
        for (id, (stored, asked, options, isEqual)) in table.enumerated() {
          let isRow = attribute("id").compare(.equal, int(Int64(id)))
          let equals = attribute(name).compare(.equal, text(asked), options)
          let subject = "\(name): \(stored) ==\(options) \(asked)"
          try context.expectEqual(
            try store.ids("Word", .all([isRow, equals])), isEqual ? [Int64(id)] : [], subject)
          try context.expectEqual(
            try store.ids("Word", equals).contains(Int64(id)), isEqual, subject + ", alone")
          try context.expectEqual(
            try store.ids(
              "Word", .all([isRow, attribute(name).compare(.notEqual, text(asked), options)])),
            isEqual ? [] : [Int64(id)], "not " + subject)
          try context.expectEqual(
            try store.ids("Word", attribute(name).list([.string("?"), .string(asked)], options))
              .contains(Int64(id)), isEqual, subject + ", IN")
          try context.expectEqual(
            try store.ids("Word", attribute(name).text(.beginsWith, text(asked), options))
              .contains(Int64(id)), isEqual, subject + ", BEGINSWITH")
        }
      }
    },
    ConformanceCase("[c] orders after folding", "2.4", "3.1") { context in
      let store = try context.open(Word.self)
      try store.save(["b", "B", "a", "ss", "ß", "T", nil].enumerated().map { Word(Int64($0), $1) })
      for name in Word.attributes {
        try context.expectEqual(
          try store.ids(
            "Word", .constant(true), order: [SortTerm(attribute(name), options: .caseInsensitive)]),
          [6, 2, 0, 1, 3, 4, 5], name)
        try context.expectEqual(
          try store.ids("Word", attribute(name).compare(.greater, text("B"), .caseInsensitive)),
          [3, 4, 5], name)
      }
    },
    ConformanceCase("CONTAINS, BEGINSWITH and ENDSWITH", "2.4", "2.5") { context in
      let store = try context.open(Word.self)
      let words: [String?] = [
        "Banana", "", nil, "ana", "a\0b", "STRASSE", "Straße", "e\u{301}a", "%_", "An",
      ]
      try store.save(words.enumerated().map { Word(Int64($0), $1) })
      let table: [(TextOperator, String, TextOptions, [Int64])] = [
        (.contains, "ana", [], [0, 3]),
        (.contains, "", [], [0, 1, 3, 4, 5, 6, 7, 8, 9]),
        (.beginsWith, "", [], [0, 1, 3, 4, 5, 6, 7, 8, 9]),
        (.endsWith, "", [], [0, 1, 3, 4, 5, 6, 7, 8, 9]),
        (.contains, "AN", .caseInsensitive, [0, 3, 9]),
        (.contains, "AN", [], []),
        (.beginsWith, "an", [], [3]),
        (.beginsWith, "an", .caseInsensitive, [3, 9]),
        (.endsWith, "na", [], [0, 3]),
        (.contains, "\0", [], [4]),
        (.beginsWith, "a\0", [], [4]),
        (.endsWith, "\0b", [], [4]),
        (.contains, "%", [], [8]),
        (.contains, "_", [], [8]),
        (.endsWith, "sse", .caseInsensitive, [5, 6]),
        (.beginsWith, "stras", .caseInsensitive, [5, 6]),
        (.contains, "ss", [], []),
        (.contains, "e", [], [6, 7]),
        (.contains, "ea", .diacriticInsensitive, [7]),
        (.beginsWith, "é", .normalized, [7]),
        (.beginsWith, "é", [], []),
      ]
      for name in Word.attributes {
        for (symbol, needle, options, expected) in table {
          let condition = attribute(name).text(symbol, text(needle), options)
          try context.expectEqual(try store.ids("Word", condition), expected, "\(condition)")
        }
      }
    },
    ConformanceCase("LIKE matches the whole text by scalars", "2.5") { context in
      let store = try context.open(Word.self)
      // (text, pattern, options, whether it matches)
      let table: [(String, String, TextOptions, Bool)] = [
        ("abc", "abc", [], true), ("abc", "ab", [], false), ("abc", "bc", [], false),
        ("abc", "a*", [], true), ("abc", "*c", [], true), ("abc", "*b*", [], true),
        ("abc", "a?c", [], true), ("abc", "a??", [], true), ("abc", "a???", [], false),
        ("abc", "?", [], false), ("", "", [], true), ("", "*", [], true), ("", "?", [], false),
        ("abc", "*", [], true), ("abc", "***", [], true), ("abc", "", [], false),
        ("abc", "ABC", [], false), ("abc", "A*", .caseInsensitive, true),
        ("a*c", "a\\*c", [], true), ("abc", "a\\*c", [], false), ("a?c", "a\\?c", [], true),
        ("a\\c", "a\\\\c", [], true), ("%", "%", [], true), ("a", "%", [], false),
        ("a", "_", [], false), ("_", "_", [], true), ("😀", "?", [], true),
        ("e\u{301}", "?", [], false), ("e\u{301}", "??", [], true), ("é", "?", [], true),
        ("a\nb", "a?b", [], true), ("a\0b", "a?b", [], true), ("a\0b", "a\0*", [], true),
        ("aXbXc", "a*X*c", [], true), ("aaab", "*aab", [], true), ("aaab", "*ab*b", [], false),
        ("mississippi", "*iss*ip*", [], true),
        ("Crème", "creme", [.caseInsensitive, .diacriticInsensitive], true),
        ("Straße", "strasse", .caseInsensitive, true),
        ("[a]", "[a]", [], true), ("a", "[a]", [], false),
      ]
      try store.save(table.enumerated().map { Word(Int64($0), $1.0) })
      for name in Word.attributes {
        for (id, (stored, pattern, options, matches)) in table.enumerated() {
          let condition = Condition.all([
            attribute("id").compare(.equal, int(Int64(id))),
            attribute(name).text(.like, text(pattern), options),
          ])
          try context.expectEqual(
            try store.ids("Word", condition), matches ? [Int64(id)] : [],
            "\(stored) LIKE\(options) \(pattern)")
        }
      }
    },
    ConformanceCase("MATCHES is a regular expression of the whole text", "2.5") { context in
      let store = try context.open(Word.self)
      let table: [(String, String, TextOptions, Bool)] = [
        ("abc", "abc", [], true), ("abc", "ab", [], false), ("abc", "bc", [], false),
        ("abc", "a.c", [], true), ("abc", "a|abc", [], true), ("abc", ".*", [], true),
        ("", "", [], true), ("", "a*", [], true), ("", "a+", [], false), ("a", "", [], false),
        ("2026-11-21", "\\d{4}-\\d\\d-\\d\\d", [], true), ("ABC", "abc", [], false),
        ("ABC", "abc", .caseInsensitive, true), ("ABC", "(?i)a[b]c", [], true),
        ("Straße", "STRAS{2}E", .caseInsensitive, true), ("Straße", "STRAS{2}E", [], false),
        ("Crème", "cre.e", [.caseInsensitive, .diacriticInsensitive], true),
        ("é", ".", [], true), ("😀", ".", [], true), ("a\nb", "a.b", [], false),
        ("a\nb", "(?s)a.b", [], true), ("aaab", "(a+)+", [], false), ("aaab", "(a+)+b", [], true),
        ("a*c", "a\\*c", [], true), ("Ωmega", "\\p{Greek}\\p{Ll}+", [], true),
        ("x-1", "[[a-z]--[abc]]-[^a-z]", [], true), ("ab ab", "(\\bab\\b.?)+", [], true),
      ]
      try store.save(table.enumerated().map { Word(Int64($0), $1.0) })
      for name in Word.attributes {
        for (id, (stored, pattern, options, matches)) in table.enumerated() {
          let condition = Condition.all([
            attribute("id").compare(.equal, int(Int64(id))),
            attribute(name).text(.matches, text(pattern), options),
          ])
          try context.expectEqual(
            try store.ids("Word", condition), matches ? [Int64(id)] : [],
            "\(stored) MATCHES\(options) \(pattern)")
        }
      }
      try store.save([Word(1000, nil)])
      try context.expectEqual(
        try store.ids("Word", attribute("plain").text(.matches, text("(?s).*"))),
        table.indices.map(Int64.init), "nil matches nothing")
      try context.expectEqual(
        try store.ids("Word", attribute("plain").text(.matches, nothing)), [], "nil is no pattern")
    },
    ConformanceCase("A pattern that MATCHES does not know is refused", "2.5") { context in
      let store = try context.open(Word.self)
      for pattern in ["(a)\\1", "a(?=b)", "[a", "a++"] {
        try context.expectError(.invalidCondition, pattern) {
          _ = try store.ids("Word", attribute("plain").text(.matches, text(pattern)))
        }
      }
      try context.expectError(.invalidCondition, "an attribute is no pattern") {
        _ = try store.ids("Word", attribute("plain").text(.matches, attribute("plain")))
      }
    },
    ConformanceCase("length counts scalars; upper and lower case are Unicode's", "2.5") { context in
      let store = try context.open(Word.self)
      try store.save(
        ["straße", "e\u{301}", "", nil, "😀\0", "ΑΣ", "ﬃ"].enumerated().map { Word(Int64($0), $1) })
      let word = attribute("plain")
      let length = Operand.function(.length, word)
      let upper = Operand.function(.uppercase, word)
      let lower = Operand.function(.lowercase, word)
      let table: [(Condition, [Int64])] = [
        (length.compare(.equal, int(6)), [0]), (length.compare(.equal, int(2)), [1, 4, 5]),
        (length.compare(.equal, int(0)), [2]), (length.compare(.equal, nothing), [3]),
        (length.compare(.equal, int(1)), [6]),
        (upper.compare(.equal, text("STRASSE")), [0]), (upper.compare(.equal, text("FFI")), [6]),
        (upper.compare(.equal, nothing), [3]),
        // A sigma at the end of a word is a final one.
        (lower.compare(.equal, text("ας")), [5]), (lower.compare(.equal, text("straße")), [0]),
        (Operand.function(.length, upper).compare(.equal, int(7)), [0]),
      ]
      for (condition, expected) in table {
        try context.expectEqual(try store.ids("Word", condition), expected, "\(condition)")
      }
      try context.expectEqual(
        try store.ids("Word", .constant(true), order: [SortTerm(length, isDescending: true)]),
        [0, 5, 4, 1, 6, 2, 3], "sorted by length, nil last")
    },
    ConformanceCase("arrays: elements, positions, counts, equality", "2.3", "2.7") { context in
      let store = try context.open(Snack.self, Anything.self)
      try store.save([
        Snack(1, tags: ["hot", "red"]), Snack(2, tags: []), Snack(3, tags: ["Hot"]),
        Snack(4, tags: ["red", "hot", "hot"]), Snack(5, tags: ["", "e\u{301}"]),
      ])
      func ids(_ filter: Filter<Snack>) throws -> [Int64] {
        try store.fetch(Snack.all.where(filter)).map(\.id)
      }
      let tags = Fields<Snack>().tags
      try context.expectEqual(try ids(tags.contains("hot")), [1, 4])
      try context.expectEqual(try ids(tags.contains("é")), [])
      try context.expectEqual(try ids(tags.contains("")), [5])
      try context.expectEqual(try ids(!tags.contains("hot")), [2, 3, 5])
      try context.expectEqual(try ids(tags.count() == 0), [2])
      try context.expectEqual(try ids(tags.count() > 1), [1, 4, 5])
      try context.expectEqual(try ids(tags.element(at: 0) == "red"), [4])
      try context.expectEqual(try ids(tags.element(at: 1) == nil), [2, 3])
      try context.expectEqual(try ids(tags.element(at: 5) == nil), [1, 2, 3, 4, 5])
      try context.expectEqual(try ids(tags == ["red", "hot", "hot"]), [4])
      try context.expectEqual(try ids(tags == []), [2])
      try context.expectEqual(
        try store.ids("Snack", .isIn(text("HOT"), list: attribute("tags"), .caseInsensitive)),
        [1, 3, 4])
      var some = Anything(1)
      some.doubles = [1, 0x1p53, -0.0]
      some.ints = [1, 2]
      try store.save([some, Anything(2)])
      try context.expectEqual(
        try store.ids("Anything", .isIn(int(0), list: attribute("doubles"), [])), [1])
      try context.expectEqual(
        try store.ids("Anything", .isIn(int((1 << 53) + 1), list: attribute("doubles"), [])), [])
      try context.expectEqual(
        try store.ids("Anything", .isIn(real(2), list: attribute("ints"), [])), [1])
      try context.expectEqual(
        try store.ids("Anything", .not(.isIn(int(1), list: attribute("ints"), []))), [2])
      try context.expectEqual(try store.find(Anything.self, 1)?.doubles?[2].sign, .minus)
    },
  ]
}
