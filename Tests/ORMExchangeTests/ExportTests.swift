import Foundation
import ORMExchange
import TestSupport
import Testing

/// Files that are written from a store.
@Suite struct ExportTests {
  let folder = TestFolder()

  private func text(_ name: String) throws -> String {
    String(decoding: try bytes(folder.file(name)), as: UTF8.self)
  }

  @Test("The forms of an export", arguments: ImportStore.allCases)
  func forms(kind: ImportStore) throws {
    let store = try kind.open(folder)
    try store.save([
      Article(id: 1, title: "a,\"b\"", note: "", count: 2), Article(id: 2, title: "é", note: nil),
    ])
    let lines =
      #"{"id":1,"title":"a,\"b\"","note":"","count":2}"# + "\n"
      + #"{"id":2,"title":"é","note":null,"count":0}"# + "\n"
    let report = try store.export(Article.all, to: .jsonLines(folder.file("a.jsonl")))
    #expect((report.records, report.bytes) == (2, lines.utf8.count))
    #expect(try text("a.jsonl") == lines)
    try store.export(Article.where { $0.id == 2 }, to: .json(folder.file("a.json")))
    #expect(
      try text("a.json") == "[\n{\"id\":2,\"title\":\"é\",\"note\":null,\"count\":0}\n]\n")
    try store.export(Article.all, to: .csv(folder.file("a.csv")))
    #expect(try text("a.csv") == "id,title,note,count\n1,\"a,\"\"b\"\"\",\"\",2\n2,é,,0\n")
    try store.export(DynamicQuery("Article"), to: .csv(folder.file("b.csv")))
    #expect(try text("b.csv") == text("a.csv"))
    try store.export(Article.where { $0.id == 9 }, to: .json(folder.file("a.json")))
    #expect(try text("a.json") == "[]\n")
    #expect(try folder.names().filter { $0.hasSuffix(".tmp") } == [])
    #expect(
      storeError { try store.export(Article.all, to: .json(folder.file("no/a.json"))) }?.code
        == .cannotOpen)
  }

  @Test("Nested objects are written as far as they are prefetched", arguments: ImportStore.allCases)
  func nested(kind: ImportStore) throws {
    let store = try kind.open(folder)
    let mapping = JSONMapping(Team.self).nested(\.players)
    try store.import(
      Team.self,
      from: .json(.text(#"{"id":1,"name":"Reds","players":[{"id":3,"fullName":"Ann"}]}"#)))
    try store.export(
      Team.all.prefetch(\.players), to: .jsonLines(folder.file("t.jsonl")), mapping: mapping)
    let line = #"{"id":1,"name":"Reds","players":[{"id":3,"fullName":"Ann","team_id":1}]}"#
    #expect(try text("t.jsonl") == line + "\n")
    try store.deleteAll(Player.self)
    try store.deleteAll(Team.self)
    try store.import(Team.self, from: .jsonLines(.file(folder.file("t.jsonl")))) {
      $0.mapping = mapping
    }
    #expect(try store.find(Player.self, 3)?.team.id == 1)
  }

  @Test("12.12 What was exported is imported to the same", arguments: ImportStore.allCases)
  func roundTrip(kind: ImportStore) throws {
    var random = SeededGenerator.printed(#function)
    let store = try kind.open(folder)
    let samples = (0..<120).map { _ in RandomMappingTests.sample(&random) }
    try store.save(samples)
    let stored = try store.fetch(Sample.all)
    for (name, target, source) in [
      ("json", ExportTo.json(folder.file("s.json")), ImportFrom.json(.file(folder.file("s.json")))),
      ("jsonl", .jsonLines(folder.file("s.jl")), .jsonLines(.file(folder.file("s.jl")))),
      ("csv", .csv(folder.file("s.csv")), .csv(.file(folder.file("s.csv")))),
    ] {
      try store.export(Sample.all, to: target)
      try store.deleteAll(Sample.self)
      let report = try store.import(Sample.self, from: source)
      #expect(report.inserted == stored.count, "\(name)")
      #expect(try store.fetch(Sample.all) == stored, "\(name)")
      try store.export(DynamicQuery("Sample"), to: target)
      let again = try store.import(entity: "Sample", from: source)
      #expect(again.unchanged == stored.count, "\(name)")
    }
  }

  @Test("12.12 An export is one snapshot")
  func snapshot() throws {
    let store = try ImportStore.sqlite.open(folder)
    try store.save((1...3_000).map { Rated(id: $0, stars: 1) })
    // Written while the file is: the mapping's hook writes a row for each that it sees.
    let mapping = JSONMapping(Rated.self).afterWriting { _, rated in
      if rated.id % 1_000 == 0 {
        let done = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
          _ = try? store.save(Rated(id: rated.id + 10_000, stars: 2))
          done.signal()
        }
        done.wait()
      }
    }
    let report = try store.export(
      Rated.all, to: .jsonLines(folder.file("r.jsonl")), mapping: mapping)
    #expect(report.records == 3_000)
    #expect(try store.count(Rated.self) == 3_003)
  }
}
