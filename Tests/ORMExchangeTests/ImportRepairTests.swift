import Foundation
import ORMExchange
import TestSupport
import Testing

/// Imports of data that once lost or changed something.
@Suite struct ImportRepairTests {
  let folder = TestFolder()

  @Test("12.3 A prune after a resume knows what was given", arguments: ImportStore.allCases)
  func pruneAfterResume(kind: ImportStore) throws {
    let store = try kind.open(folder)
    let lines = (1...6).map { #"{"id":\#($0),"title":"t\#($0)"}"# }
    let path = try folder.write(Data(lines.joined(separator: "\n").utf8), "given.jsonl")
    func run(_ last: Int64?) throws -> ImportReport {
      try store.import(Article.self, from: .jsonLines(.file(path))) {
        $0.mapping = JSONMapping(Article.self).after { article, _ in
          article.id == last ? .fail("the end") : .keep
        }
        $0.match = .on(\.title, \.note)
        $0.given = { $0.note = "shop" }
        $0.commit = .every(2)
        $0.prune = .missing(in: Article.where { $0.note == "shop" })
        $0.pruneLimit = 1
      }
    }
    #expect(storeError { _ = try run(3) }?.message.contains("the end") == true)
    #expect(try store.count(Article.self) == 2)
    let report = try run(nil)
    #expect((report.resumedAt, report.deleted) == (2, 0))
    #expect(try store.fetch(Article.all).map(\.id) == [1, 2, 3, 4, 5, 6])
  }

  @Test(
    "12.3 A prune after a resume passes over records that were left out",
    arguments: ImportStore.allCases)
  func skippedBeforeResume(kind: ImportStore) throws {
    let store = try kind.open(folder)
    try store.save(Article(id: 1, title: "stored"))
    // The second record has no title of its own, and the first is of another kind.
    try store.save(Article(id: 3, title: "c"))
    let text = """
      {"kind":"other"}
      {"kind":"article","id":3,"count":7}
      {"kind":"article","id":4,"title":"d"}
      {"kind":"article","id":5,"title":"e"}
      """
    let path = try folder.write(Data(text.utf8), "kinds.jsonl")
    let plain = JSONMapping(Article.self).kind(in: "kind", "article", otherwise: .skip)
    func run(_ mapping: JSONMapping<Article>) throws -> ImportReport {
      try store.import(Article.self, from: .jsonLines(.file(path))) {
        $0.mapping = mapping
        $0.given = { $0.note = "shop" }
        $0.commit = .every(2)
        $0.prune = .missing(in: Article.all)
      }
    }
    let ending = plain.after { article, _ in article.id == 4 ? .fail("the end") : .keep }
    #expect(storeError { _ = try run(ending) }?.message.contains("the end") == true)
    let report = try run(plain.after { _, _ in .keep })
    #expect((report.resumedAt, report.skipped, report.deleted) == (2, 1, 1))
    #expect(try store.fetch(Article.all).map { "\($0.id) \($0.count)" } == ["3 7", "4 0", "5 0"])
    let map = DynamicMapping(kind: .init(in: "kind", ["article"], otherwise: .skip))
    func runByNames() throws -> ImportReport {
      try store.import(entity: "Article", from: .jsonLines(.file(path))) {
        $0.mapping = map
        $0.commit = .every(2)
        $0.prune = DynamicQuery("Article")
      }
    }
    try store.delete(Article.self, id: 5)
    try store.save(Article(id: 6, title: "e"))
    #expect(storeError { _ = try runByNames() }?.code == .duplicate)
    try store.delete(Article.self, id: 6)
    #expect(try runByNames().skipped == 1)
  }

  private static let byCode = JSONMapping(Product.self)
    .nested(\.parent, from: "parent", as: .linkBy(\.code))

  @Test(
    "12.4 A link by an attribute follows what the import writes", arguments: ImportStore.allCases)
  func writtenTargets(kind: ImportStore) throws {
    let text = #"[{"id":1,"code":"Z"},{"id":2,"code":"A"},{"id":5,"parent":"A"}]"#
    let map = DynamicMapping(links: ["parent": .init(as: .linkBy, by: "code")])
    let store = try kind.open(folder)
    for commit in [ImportCommit.atEnd, .every(1)] {
      for byNames in [false, true] {
        try store.deleteAll(Product.self)
        try store.save(Product(id: 1, code: "A"))
        if byNames {
          try store.import(entity: "Product", from: .json(.text(text))) {
            $0.mapping = map
            $0.commit = commit
          }
        } else {
          try store.import(Product.self, from: .json(.text(text))) {
            $0.mapping = Self.byCode
            $0.commit = commit
          }
        }
        #expect(try store.fetch(Product.all).map(\.code) == ["Z", "A", nil])
        #expect(try store.find(Product.self, 5)?.parent.id == 2, "\(commit) \(byNames)")
      }
    }
    // Targets that are nested and saved are written too.
    try store.deleteAll(Product.self)
    try store.save(Maker(id: 1, code: "A"))
    let nested =
      #"[{"id":1,"maker":{"id":1,"code":"Z"}},{"id":2,"maker":{"id":2,"code":"A"}},"#
      + #"{"id":5,"donor":"A"}]"#
    try store.import(Product.self, from: .json(.text(nested))) {
      $0.mapping = JSONMapping(Product.self).nested(\.maker)
        .nested(\.donor, as: .linkBy(\.code))
    }
    #expect(try store.find(Product.self, 5)?.donor.id == 2)
  }

  @Test("12.2 Rows that are stored keep their links", arguments: ImportStore.allCases)
  func insertOnly(kind: ImportStore) throws {
    let store = try kind.open(folder)
    try store.save([Product(id: 1, code: "a"), Product(id: 7, parent: .key(1))])
    let text = """
      [{"id":1,"parent":"b"},{"id":3,"parent":"b"},{"id":4,"parent_id":9},{"id":7,"parent_id":9},
      {"id":2,"code":"b"},{"id":9}]
      """
    for (match, round) in [(ImportMatch<Product>.key, 0), (.on(\.code), 1)] {
      let text = round == 0 ? text : #"[{"id":8,"code":"a","parent":"c"},{"id":5,"code":"c"}]"#
      try store.import(Product.self, from: .json(.text(text))) {
        $0.mapping = JSONMapping(Product.self)
          .nested(\.parent, from: "parent", as: .linkBy(\.code))
          .leaveOut(\.related)
        $0.match = match
        $0.merge = .insertOnly
      }
    }
    let parents = try store.fetch(Product.all).map { "\($0.id) \($0.parent.id ?? 0)" }
    #expect(parents == ["1 0", "2 0", "3 2", "4 0", "5 0", "7 1", "9 0"])
  }

  @Test("12.2 What is no array does not clear a to-many", arguments: ImportStore.allCases)
  func elementsOfNoArray(kind: ImportStore) throws {
    let store = try kind.open(folder)
    try store.save(Team(id: 1, name: "Reds"))
    try store.save(Player(id: 2, fullName: "Ann", team: .key(1)))
    func run(_ squad: String) -> StoreError? {
      storeError {
        try store.import(Team.self, from: .json(.text(#"{"id":1,"name":"R","squad":\#(squad)}"#))) {
          $0.mapping = JSONMapping(Team.self).keys(\.players, from: "squad[*].id", when: .reading)
        }
      }
    }
    for squad in [#""x""#, "3", "true", #"{"id":2}"#] {
      let error = run(squad)
      #expect((error?.code, error?.attributes) == (.invalidImport, ["players"]), "\(squad)")
      #expect(try store.find(Player.self, 2)?.team.id == 1)
    }
    #expect(run(#"[{"id":2}]"#) == nil)
    #expect(try store.find(Player.self, 2)?.team.id == 1)
    #expect(run("null") == nil)
    #expect(try store.find(Player.self, 2)?.team.id == nil)
  }

  @Test func patternsOfDatesNeedAField() throws {
    for pattern in ["miliseconds", "milisseconds", "iso-8601", "Z", ""] {
      let data = DynamicMapping(fields: ["added": .init(as: .date([.pattern(pattern)]))])
      let typed = storeError { try JSONMapping<Snack>(data).check() }
      #expect(typed?.code == .invalidMapping, "\(pattern)")
      let store = try ImportStore.memory.open(folder)
      let byNames = storeError {
        try store.import(entity: "Snack", from: .json(.text("[]"))) { $0.mapping = data }
      }
      #expect((byNames?.code, byNames?.attributes) == (.invalidMapping, ["added"]))
    }
    for pattern in ["yyyy", "dd.MM.", "HH:mm"] {
      try JSONMapping(Snack.self).field(\.added, as: .date(.pattern(pattern))).check()
    }
  }

  @Test("12.4 A key that cannot be stored ends the import", arguments: ImportStore.allCases)
  func keysThatCannotBeStored(kind: ImportStore) throws {
    let schema = try Schema(Maker.self, Visit.self, Keyless.self, Sale.self)
    let store = try kind.open(folder, schema)
    func error<Model: Persistable>(_ model: Model.Type, _ text: String) -> StoreError? {
      storeError {
        try store.import(model, from: .json(.text(text))) { $0.missingTargets = .keepKey }
      }
    }
    let hidden = error(Keyless.self, #"{"name":"a","maker_id":9}"#)
    #expect((hidden?.code, hidden?.attributes) == (.invalidMapping, ["maker"]))
    let required = error(Sale.self, #"{"id":1,"maker_id":9}"#)
    #expect((required?.code, required?.attributes) == (.invalidMapping, ["maker"]))
    let byNames = storeError {
      try store.import(entity: "Visit", from: .json(.text(#"{"maker_id":9}"#))) {
        $0.missingTargets = .keepKey
      }
    }
    #expect((byNames?.code, byNames?.attributes) == (.invalidMapping, ["maker"]))
    // The key that the store makes is known to an import of the model.
    #expect(error(Visit.self, #"{"maker_id":9}"#) == nil)
    #expect(try store.fetch(Visit.all).map { $0.maker.id } == [9])
    #expect(try store.count(Keyless.self) == 0)
  }

  @Test("Links find the rows of many values", arguments: ImportStore.allCases)
  func manyRowsOfOneValue(kind: ImportStore) throws {
    let store = try kind.open(folder)
    let same = (1...40).map { Maker(id: $0, name: "same") }
    try store.save(same + (41...60).map { Maker(id: $0, name: "m\($0)") })
    let mapping = JSONMapping(Product.self).nested(\.maker, as: .linkBy(\.name))
    let text = (41...60).map { #"{"id":\#($0),"maker":"m\#($0)"}"# } + [#"{"id":1,"maker":"same"}"#]
    let report = try store.import(
      Product.self, from: .jsonLines(.text(text.joined(separator: "\n")))
    ) {
      $0.mapping = mapping
      $0.onBad = .collect()
    }
    #expect(report.bad.map(\.error.code) == [.ambiguous])
    #expect(try store.fetch(Product.all).map { $0.maker.id } == (41...60).map { Int64($0) })
  }

  @Test(
    "12.4 A key in a nested object that leads nowhere ends the import",
    arguments: ImportStore.allCases)
  func missingTargetsOfNestedObjects(kind: ImportStore) throws {
    let store = try kind.open(folder)
    let text = #"{"id":1,"product":{"id":5,"maker_id":99}}"#
    func error(_ treatment: ImportMissingTargets) -> StoreError? {
      storeError {
        try store.import(Order.self, from: .json(.text(text))) {
          $0.mapping = JSONMapping(Order.self).nested(\.product)
          $0.missingTargets = treatment
          $0.onBad = .collect()
        }
      }
    }
    for treatment in [ImportMissingTargets.clear, .keepKey, .create] {
      let error = error(treatment)
      #expect(
        (error?.code, error?.entity, error?.attributes) == (.invalidMapping, "Product", ["maker"]))
    }
    #expect(error(.fail) == nil)
    #expect(try store.count(Order.self) == 0)
    // A required link of the record itself still makes it bad.
    let report = try store.import(Order.self, from: .json(.text(#"{"id":1,"product_id":7}"#))) {
      $0.missingTargets = .clear
      $0.onBad = .collect()
    }
    #expect(report.bad.map(\.error.code) == [.missingTarget])
  }

  @Test("12.1 Links are read in both forms by names", arguments: ImportStore.allCases)
  func linksByNames(kind: ImportStore) throws {
    let text = """
      [{"id":1,"maker":3},{"id":2,"maker_id":4},{"id":5,"maker":{"id":3}},{"id":6,"maker":null},
      {"id":7,"name":"x"}]
      """
    let store = try kind.open(folder)
    try store.save([Maker(id: 3), Maker(id: 4)])
    for byNames in [false, true] {
      try store.deleteAll(Product.self)
      try store.save([6, 7].map { Product(id: $0, maker: .key(3)) })
      if byNames {
        try store.import(entity: "Product", from: .json(.text(text)))
      } else {
        try store.import(Product.self, from: .json(.text(text)))
      }
      let makers = try store.fetch(Product.all).map { $0.maker.id ?? 0 }
      #expect(makers == [3, 4, 3, 0, 3], "\(byNames)")
    }
    // Without a default, the default is nil.
    let map = DynamicMapping(fields: [
      "note": .init(onAbsent: .useDefault), "count": .init(onAbsent: .useDefault),
    ])
    for byNames in [false, true] {
      try store.save(Article(id: 1, title: "a", note: "n", count: 5))
      let source = ImportFrom.json(.text(#"{"id":1,"title":"b"}"#))
      if byNames {
        try store.import(entity: "Article", from: source) { $0.mapping = map }
      } else {
        try store.import(Article.self, from: source) { $0.mapping = JSONMapping(map) }
      }
      let article = try #require(try store.find(Article.self, 1))
      #expect((article.title, article.note, article.count) == ("b", nil, 0), "\(byNames)")
    }
  }

  @Test func rulesThatNamesDoNotHaveAreFaults() throws {
    let store = try ImportStore.memory.open(folder)
    func faults(_ entity: String, _ mapping: DynamicMapping) -> [String] {
      let reading = storeError {
        try store.import(entity: entity, from: .json(.text("[]"))) { $0.mapping = mapping }
      }
      let writing = storeError {
        try store.export(
          DynamicQuery(entity), to: .jsonLines(folder.file("out.jsonl")), mapping: mapping)
      }
      return [reading, writing].map { error in
        error.map { "\($0.code) \($0.attributes.joined())" } ?? "-"
      }
    }
    #expect(
      faults("Team", DynamicMapping(counts: ["players": "size"])) == [
        "-", "invalidMapping players",
      ])
    let part = DynamicMapping.Part(fields: ["home": .init(from: ["place"])])
    #expect(
      faults("Customer", DynamicMapping(reading: part))
        == ["invalidMapping home", "invalidMapping home"])
    #expect(
      faults(
        "Product",
        DynamicMapping(
          fields: ["maker_id": .init(from: ["a"])],
          links: ["maker": .init(from: ["b"], as: .key)]))
        == ["invalidMapping maker_id", "invalidMapping maker_id"])
  }
}

/// A model whose key the store makes, with a link that may keep its key.
struct Visit: PrimaryKeyed, Codable, Hashable {
  var id: Int64 = 0
  var maker: ToOne<Maker> = ToOne()

  static let entity = Entity<Visit>("Visit") {
    .key("id", \.id, .generated).relationship("maker", \.maker, targetDeleted: .noAction)
  }
}

/// A model without a primary key.
struct Keyless: Persistable, Codable, Hashable {
  var name: String
  var maker: ToOne<Maker> = ToOne()

  static let entity = Entity<Keyless>("Keyless") {
    .attribute("name", \.name).relationship("maker", \.maker, targetDeleted: .noAction)
  }
}

/// A model with a link that it needs, and that may keep its key otherwise.
struct Sale: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var maker: ToOne<Maker>

  static let entity = Entity<Sale>("Sale") {
    .key("id", \.id)
      .relationship("maker", \.maker, targetDeleted: .noAction, required: true)
  }
}
