import Foundation
import ORMExchange
import TestSupport
import Testing

/// Imports in many transactions that end early and go on.
@Suite struct ResumeTests {
  let folder = TestFolder()

  @Test(
    "12.3 An import that ends after any batch goes on to the same result",
    arguments: ImportStore.allCases)
  func everyBatch(kind: ImportStore) throws {
    // Every folder leads to one that comes later, but the last.
    let lines = (1...60).map { #"{"id":\#($0),"name":"f\#($0)","parent_id":\#($0 % 60 + 1)}"# }
    let path = try folder.write(Data(lines.joined(separator: "\n").utf8), "folders.jsonl")
    let store = try kind.open(folder)
    for last in stride(from: 1, through: 60, by: 7) {
      try store.deleteAll(Folder.self)
      try store.save(Folder(id: 99, name: "old"))
      let ending = JSONMapping(Folder.self).after { folder, _ in
        folder.id == last ? .fail("the end") : .keep
      }
      let error = storeError {
        try store.import(Folder.self, from: .jsonLines(.file(path))) {
          $0.mapping = ending
          $0.commit = .every(10)
        }
      }
      #expect(error?.message.contains("the end") == true)
      #expect(try store.count(Folder.self) == (last - 1) / 10 * 10 + 1)
      let report = try store.import(Folder.self, from: .jsonLines(.file(path))) {
        $0.commit = .every(10)
        $0.prune = .missing(in: Folder.all)
      }
      #expect(report.resumedAt == (last - 1) / 10 * 10)
      #expect((report.read, report.inserted, report.deleted) == (60, 60, 1))
      let found = try store.fetch(Folder.all)
      #expect(found.map(\.id) == Array(1...60))
      #expect(found.map { $0.parent.id } == (1...60).map { $0 % 60 + 1 })
      #expect(try store.count(ImportCheckpoint.self) == 0)
    }
  }

  @Test func aSourceThatChangedIsRefused() throws {
    let store = try ImportStore.sqlite.open(folder)
    let lines = (1...30).map { #"{"id":\#($0),"stars":\#($0 == 25 ? 9 : 1)}"# }
    let path = try folder.write(Data(lines.joined(separator: "\n").utf8), "rated.jsonl")
    func run(_ resumes: Bool = true) throws -> ImportReport {
      try store.import(Rated.self, from: .jsonLines(.file(path))) {
        $0.commit = .every(10)
        $0.resumes = resumes
      }
    }
    #expect(storeError { _ = try run() }?.code == .validationFailed)
    try folder.write(Data((lines.dropFirst().joined(separator: "\n")).utf8), "rated.jsonl")
    #expect(storeError { _ = try run() }?.code == .sourceChanged)
    try folder.write(Data(#"{"id":1,"stars":5}"#.utf8), "rated.jsonl")
    let report = try run(false)
    #expect((report.resumedAt, report.read, report.updated) == (0, 1, 1))
  }
}
