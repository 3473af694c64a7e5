import Foundation
import ORMExchange

import TestSupport
import Testing

/// Records, their rows and their values, on every kind of store.
@Suite struct ImportTests {
  let folder = TestFolder()

  /// A store with one article.
  private func store(_ kind: ImportStore) throws -> any Store {
    let store = try kind.open(folder)
    try store.save(Article(id: 1, title: "a", note: "n", count: 5))
    return store
  }

  private func articles(_ store: any Store) throws -> [String] {
    try store.fetch(Article.all).map {
      "\($0.id) \($0.title) \($0.note ?? "-") \($0.count)"
    }
  }

  @Test("12.2 Absent members keep what is stored, and null clears", arguments: ImportStore.allCases)
  func presence(kind: ImportStore) throws {
    let store = try store(kind)
    let text = #"[{"id":1,"title":"b"},{"id":2,"title":"c","note":null},{"id":3,"title":"d"}]"#
    let report = try store.import(Article.self, from: .json(.text(text)))
    #expect(
      (report.read, report.inserted, report.updated, report.unchanged) == (3, 2, 1, 0))
    #expect(try articles(store) == ["1 b n 5", "2 c - 0", "3 d - 0"])
    let again = try store.import(Article.self, from: .json(.text(text)))
    #expect((again.inserted, again.updated, again.unchanged) == (0, 0, 3))
    try store.import(Article.self, from: .jsonLines(.text(#"{"id":1,"note":null}"#)))
    #expect(try articles(store)[0] == "1 b - 5")
    #expect(
      report.description == "Article: 3 read, 2 inserted, 1 updated, 0 unchanged")
  }

  @Test("Merges decide about stored attributes", arguments: ImportStore.allCases)
  func merges(kind: ImportStore) throws {
    let text = #"{"id":1,"title":"b"}"#
    for (merge, expected) in [
      (ImportMerge.present, "1 b n 5"), (.replace, "1 b - 0"), (.skippingNil, "1 b n 0"),
      (.insertOnly, "1 a n 5"),
    ] {
      let store = try store(kind)
      try store.import(Article.self, from: .json(.text(text))) { $0.merge = merge }
      #expect(try articles(store) == [expected], "\(merge)")
      try store.deleteAll(Article.self)
      try store.close()
    }
  }

  @Test("Records find their rows by attributes", arguments: ImportStore.allCases)
  func match(kind: ImportStore) throws {
    let store = try store(kind)
    let text = """
      {"id":9,"title":"a","count":6}
      {"id":10,"title":"z","note":"m"}
      {"title":"a","note":"o"}
      """
    let report = try store.import(Article.self, from: .jsonLines(.text(text))) {
      $0.match = .on(\.title)
      $0.mapping = JSONMapping(Article.self).field(\.id, onAbsent: .useDefault)
      $0.onBad = .collect()
    }
    // The third record needs an id to be read at all.
    #expect((report.inserted, report.updated, report.badCount) == (1, 1, 1))
    #expect(try articles(store) == ["1 a n 6", "10 z m 0"])
    try store.delete(Article.self, id: 10)
    let ignored = try store.import(Article.self, from: .jsonLines(.text(text))) {
      $0.match = .on(\.title)
      $0.onMissing = .ignore
      $0.onBad = .collect()
    }
    #expect((ignored.inserted, ignored.unchanged, ignored.skipped) == (0, 1, 1))
  }

  @Test("12.4 Of two records with one key the later counts", arguments: ImportStore.allCases)
  func later(kind: ImportStore) throws {
    let store = try store(kind)
    let text = #"[{"id":2,"title":"b","count":3},{"id":3,"title":"c"},{"id":2,"title":"d"}]"#
    let report = try store.import(Article.self, from: .json(.text(text)))
    #expect((report.inserted, report.updated) == (2, 1))
    #expect(try articles(store) == ["1 a n 5", "2 d - 3", "3 c - 0"])
  }

  @Test(
    "Records without keys are inserted, and `given` adds values", arguments: ImportStore.allCases)
  func given(kind: ImportStore) throws {
    let store = try kind.open(folder)
    try store.import(Snack.self, from: .json(.text(#"[{"name":"Chips"},{"name":"Cake"}]"#))) {
      $0.given = { $0.taste = "sweet" }
    }
    #expect(try store.fetch(Snack.all).map(\.name) == ["Chips", "Cake"])
    #expect(try store.count(Snack.where { $0.taste == "sweet" }) == 2)
    // With a match, what is given is written over what is stored too.
    try store.import(Snack.self, from: .json(.text(#"[{"name":"Chips","price":2}]"#))) {
      $0.match = .on(\.name)
      $0.given = { $0.taste = "salty" }
    }
    let chips = try #require(try store.first(Snack.where { $0.name == "Chips" }))
    #expect((chips.id, chips.taste, chips.price) == (1, "salty", 2))
  }

  @Test("Nested objects are merged and linked", arguments: ImportStore.allCases)
  func nested(kind: ImportStore) throws {
    let store = try kind.open(folder)
    try store.import(
      Article.self,
      from: .json(
        .text(
          """
          {"data": {"items": [
            {"id": 1, "title": "a", "tags": [{"id": "x"}, {"id": "y"}]},
            {"id": 2, "title": "b", "tags": [{"id": "y"}, "x"]},
            {"id": 3, "title": "c"}
          ]}}
          """), at: "data.items[*]"))
    #expect(try store.count(Tag.self) == 2)
    let found = try store.fetch(Article.all.prefetch(\.tags))
    #expect(
      found.map { $0.tags.loaded?.map(\.id).sorted() ?? [] } == [["x", "y"], ["x", "y"], []])

    try store.save(Team(id: 7, name: "Reds"))
    try store.import(
      Player.self,
      from: .json(
        .text(
          """
          [{"id": 1, "fullName": "Ann", "team": {"id": 7}},
           {"id": 2, "fullName": "Bob", "team": {"id": 8, "name": "Blues"}},
           {"id": 3, "fullName": "Cy", "team_id": 8}]
          """)))
    let players = try store.fetch(Player.all.prefetch(\.team))
    #expect(players.map { $0.team.loaded?.name } == ["Reds", "Blues", "Blues"])
  }

  @Test("Rules of entities make records bad", arguments: ImportStore.allCases)
  func rules(kind: ImportStore) throws {
    let store = try kind.open(folder)
    let lines = (1...2_500).map { #"{"id":\#($0),"stars":\#($0 % 500 == 0 ? 9 : 3)}"# }
    let report = try store.import(
      Rated.self, from: .jsonLines(.text(lines.joined(separator: "\n")))
    ) { $0.onBad = .collect() }
    #expect(report.bad.map(\.number) == [500, 1_000, 1_500, 2_000, 2_500])
    #expect(report.bad.allSatisfy { $0.error.code == .validationFailed && $0.location.column == 1 })
    #expect(report.bad.map(\.location.line) == [500, 1_000, 1_500, 2_000, 2_500])
    #expect(try store.count(Rated.self) == 2_495)
    #expect(report.inserted == 2_495)
  }

  @Test(
    "12.3 An import in one transaction that throws leaves the store as it was",
    arguments: ImportStore.allCases)
  func allOrNothing(kind: ImportStore) throws {
    let store = try store(kind)
    let lines = (2...3_000).map { #"{"id":\#($0),"title":"\#($0)"}"# } + [#"{"id":1,"title":7}"#]
    let error = storeError {
      try store.import(Article.self, from: .jsonLines(.text(lines.joined(separator: "\n"))))
    }
    #expect(error?.code == .invalidImport)
    #expect(
      error?.message == "title (line 3000, column 17, byte \(byte(of: lines))): "
        + "expected a string, found a number")
    #expect(try articles(store) == ["1 a n 5"])
  }

  private func byte(of lines: [String]) -> Int {
    lines.dropLast().reduce(0) { $0 + $1.utf8.count + 1 } + 16
  }

  @Test("Rows by names follow the rules of a mapping", arguments: ImportStore.allCases)
  func dynamic(kind: ImportStore) throws {
    let store = try store(kind)
    let mapping = try JSONDecoder().decode(
      DynamicMapping.self,
      from: Data(
        """
        {"fields": {"title": {"from": ["info.title", "name"]}, "note": {"onAbsent": "setNil"},
          "count": {"onNull": "keep"}}, "unknown": "refuse"}
        """.utf8))
    #expect(mapping.fields["note"]?.onAbsent == .setNil)
    let text = #"[{"id":1,"name":"b","count":null},{"id":"2","info":{"title":7},"note":"m"}]"#
    let report = try store.import(entity: "Article", from: .json(.text(text))) {
      $0.mapping = mapping
    }
    #expect((report.inserted, report.updated) == (1, 1))
    #expect(try articles(store) == ["1 b - 5", "2 7 m 0"])
    let error = storeError {
      try store.import(entity: "Article", from: .json(.text(#"{"id":3,"other":1}"#))) {
        $0.mapping = mapping
      }
    }
    #expect(error?.message.hasPrefix("other (line 1, column 17, byte 16): ") == true)
    let faults = storeError {
      try store.import(entity: "Article", from: .json(.text("[]"))) {
        $0.mapping.fields = ["titel": .init(), "count": .init(as: "hex")]
      }
    }
    #expect((faults?.code, faults?.failures.count) == (.invalidMapping, 2))
  }

  @Test func rowsAreASource() throws {
    let store = try ImportStore.memory.open(folder)
    let rows = [DynamicRow("Article", ["id": .int(4), "title": .string("r")])]
    try store.import(Article.self, from: .rows(rows))
    #expect(try articles(store) == ["4 r - 0"])
  }

  @Test func progressReachesTheEnd() throws {
    let store = try ImportStore.memory.open(folder)
    let lines = (1...2_500).map { #"{"id":\#($0),"stars":3}"# }.joined(separator: "\n")
    let seen = Lock<[ImportProgress]>([])
    try store.import(Rated.self, from: .jsonLines(.text(lines))) {
      $0.progress = { progress in seen.withLock { $0.append(progress) } }
    }
    let last = try #require(seen.withLock { $0.last })
    #expect((last.bytes, last.size, last.records) == (lines.utf8.count, lines.utf8.count, 2_500))
    #expect(seen.withLock { $0.count } == 3)
  }
}
