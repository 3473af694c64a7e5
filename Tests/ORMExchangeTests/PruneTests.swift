import Foundation
import ORMExchange
import TestSupport
import Testing

/// Deletion of rows for which no record came.
@Suite struct PruneTests {
  let folder = TestFolder()

  @Test("12.5 A prune deletes what a naive set says", arguments: ImportStore.allCases)
  func naive(kind: ImportStore) throws {
    var random = SeededGenerator.printed(#function)
    let store = try kind.open(folder)
    for _ in 0..<10 {
      try store.deleteAll(Rated.self)
      let stored = Set((1...200).filter { _ in Bool.random(using: &random) }.map { Int64($0) })
      try store.save(stored.sorted().map { Rated(id: $0, stars: Int($0 % 5) + 1) })
      let came = Set((1...200).filter { _ in Bool.random(using: &random) }.map { Int64($0) })
      let lines = came.shuffled(using: &random).map { #"{"id":\#($0),"stars":\#($0 % 5 + 1)}"# }
      let report = try store.import(
        Rated.self, from: .jsonLines(.text(lines.joined(separator: "\n")))
      ) {
        $0.prune = .missing(in: Rated.where { $0.stars <= 3 })
        $0.pruneLimit = 1
      }
      let gone = stored.filter { $0 % 5 + 1 <= 3 && !came.contains($0) }
      #expect(report.deleted == gone.count)
      #expect(
        try Set(store.fetch(Rated.all).map(\.id)) == stored.union(came).subtracting(gone))
    }
  }

  @Test(
    "12.5 A prune past its limit, or with bad records, deletes nothing",
    arguments: ImportStore.allCases)
  func refused(kind: ImportStore) throws {
    let store = try kind.open(folder)
    try store.save((1...10).map { Rated(id: $0, stars: 1) })
    let four = (1...4).map { #"{"id":\#($0),"stars":2}"# }.joined(separator: "\n")
    func error(_ text: String, _ configure: (inout ImportOptions<Rated>) -> Void) -> StoreError? {
      storeError {
        try store.import(Rated.self, from: .jsonLines(.text(text))) {
          $0.prune = .missing(in: Rated.all)
          configure(&$0)
        }
      }
    }
    #expect(error(four) { _ in }?.code == .pruneRefused)
    #expect(
      error(four) { _ in }?.message.hasPrefix("the prune would delete 6 of 10 rows") == true)
    #expect(error("") { _ in }?.code == .pruneRefused)
    let bad = four + "\n{\"id\":5,\"stars\":\"x\"}\n"
    #expect(
      error(bad) {
        $0.onBad = .collect()
        $0.pruneLimit = 1
      }?.code == .pruneRefused)
    #expect(try store.fetch(Rated.all).map(\.stars) == Array(repeating: 1, count: 10))
    #expect(
      error(bad) {
        $0.onBad = .collect()
        $0.pruneLimit = 0.6
        $0.prunesDespiteBadRecords = true
      } == nil)
    #expect(try store.fetch(Rated.all).map(\.id) == [1, 2, 3, 4])
  }

  @Test("A prune follows the attributes of a match", arguments: ImportStore.allCases)
  func byMatch(kind: ImportStore) throws {
    let store = try kind.open(folder)
    try store.save(["Chips", "Cake", "Nuts"].map { Snack(name: $0) })
    try store.import(Snack.self, from: .csv(.text("name,price\nCake,2\nNuts,3\nTea,1\n"))) {
      $0.match = .on(\.name)
      $0.prune = .missing(in: Snack.all)
    }
    #expect(
      try store.fetch(Snack.all).map { "\($0.name) \($0.price)" }
        == ["Cake 2.0", "Nuts 3.0", "Tea 1.0"])
  }

  @Test("Rows by names are pruned by a condition", arguments: ImportStore.allCases)
  func dynamic(kind: ImportStore) throws {
    let store = try kind.open(folder)
    try store.save((1...10).map { Rated(id: $0, stars: Int($0 % 2) + 1) })
    let report = try store.import(entity: "Rated", from: .csv(.text("id,stars\n2,1\n11,4\n"))) {
      $0.prune = DynamicQuery(
        "Rated", where: .compare(.attribute("stars"), .equal, .value(.int(1)), []))
      $0.pruneLimit = 0.9
    }
    #expect(report.deleted == 4)
    #expect(try store.fetch(Rated.all).map(\.id) == [1, 2, 3, 5, 7, 9, 11])
  }

  @Test(
    "12.5 A record that a rule refuses keeps no row from a prune that is done despite it",
    arguments: ImportStore.allCases)
  func refusedRecords(kind: ImportStore) throws {
    let store = try kind.open(folder)
    for isByNames in [false, true] {
      try store.deleteAll(Rated.self)
      try store.save((1...4).map { Rated(id: $0, stars: 1) })
      let source = ImportFrom.jsonLines(
        .text(
          [#"{"id":1,"stars":2}"#, #"{"id":2,"stars":9}"#, #"{"id":3,"stars":{}}"#]
            .joined(separator: "\n")))
      func set(_ settings: inout ImportSettings) {
        settings.onBad = .collect()
        settings.prunesDespiteBadRecords = true
        settings.pruneLimit = 1
      }
      let report =
        try isByNames
        ? store.import(entity: "Rated", from: source) {
          set(&$0.settings)
          $0.prune = DynamicQuery("Rated")
        }
        : store.import(Rated.self, from: source) {
          set(&$0.settings)
          $0.prune = .missing(in: Rated.all)
        }
      #expect((report.badCount, report.deleted) == (2, 3))
      #expect(try store.fetch(Rated.all) == [Rated(id: 1, stars: 2)])
    }
  }

  @Test(
    "12.5 A prune by names is refused where a record has no key, and nothing is changed",
    arguments: ImportStore.allCases)
  func keyless(kind: ImportStore) throws {
    let store = try kind.open(folder)
    try store.save(Snack(name: "old"))
    let error = storeError {
      try store.import(entity: "Snack", from: .csv(.text("name\nChips\nCake\n"))) {
        $0.prune = DynamicQuery("Snack")
        $0.pruneLimit = 1
      }
    }
    #expect(error?.code == .pruneRefused)
    #expect(try store.fetch(Snack.all).map(\.name) == ["old"])
    // The store's keys of new models are known.
    let report = try store.import(Snack.self, from: .csv(.text("name\nChips\nCake\n"))) {
      $0.prune = .missing(in: Snack.all)
    }
    #expect((report.inserted, report.deleted) == (2, 1))
    #expect(try store.fetch(Snack.all).map(\.name) == ["Chips", "Cake"])
  }

  @Test(
    "12.5 Rows that deny the deletion of each other are pruned together",
    arguments: ImportStore.allCases)
  func denied(kind: ImportStore) throws {
    let store = try kind.open(folder, Schema(Step.self))
    let count: Int64 = 2_600
    // Chains in both directions, over more than a batch, and a ring of a first and a last row.
    for direction in [-1, 1, 0] as [Int64] {
      try store.save((1...count).map { Step(id: $0, kind: "old") })
      try store.save(
        (1...count).map { id in
          let next = id + direction
          let before: Int64? =
            direction == 0 ? [1: count, count: 1][id] : (1...count).contains(next) ? next : nil
          return Step(id: id, kind: "old", before: before.map { .key($0) } ?? ToOne())
        })
      let report = try store.import(Step.self, from: .json(.text(#"{"id":9999,"kind":"new"}"#))) {
        $0.prune = .missing(in: Step.where { $0.kind == "old" })
        $0.pruneLimit = 1
      }
      #expect(report.deleted == Int(count))
      #expect(try store.fetch(Step.all).map(\.id) == [9_999])
    }
    // A row outside of the scope denies it.
    try store.save((1...1_500).map { Step(id: $0, kind: "old") })
    try store.save(Step(id: 5_000, kind: "new", before: .key(1)))
    let error = storeError {
      try store.import(Step.self, from: .json(.text(#"{"id":9998,"kind":"new"}"#))) {
        $0.prune = .missing(in: Step.where { $0.kind == "old" })
        $0.pruneLimit = 1
      }
    }
    #expect(error?.code == .denied)
    #expect(try store.count(Step.self) == 1_502)
  }
}

/// A row that denies the deletion of the one before it.
struct Step: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var kind: String
  var before: ToOne<Step> = ToOne()

  static let entity = Entity<Step>("Step") {
    .key("id", \.id)
      .attribute("kind", \.kind)
      .relationship("before", \.before, targetDeleted: .deny)
  }
}
