import Foundation
import ORMExchange
import TestSupport
import Testing

/// Links to records that come later, or never.
@Suite struct ImportLinkTests {
  let folder = TestFolder()

  @Test("12.4 Records in any order give the same links", arguments: ImportStore.allCases)
  func anyOrder(kind: ImportStore) throws {
    var random = SeededGenerator.printed(#function)
    let store = try kind.open(folder)
    // A tree of folders: the parent of each has a smaller id.
    let parents = (2...1_500).map { Int64.random(in: 1..<Int64($0), using: &random) }
    var lines = [#"{"id":1,"name":"root"}"#]
    for (index, parent) in parents.enumerated() {
      lines.append(#"{"id":\#(index + 2),"name":"f","parent_id":\#(parent)}"#)
    }
    lines.shuffle(using: &random)
    let report = try store.import(
      Folder.self, from: .jsonLines(.text(lines.joined(separator: "\n"))))
    #expect(report.inserted == 1_500)
    #expect(report.deferred > 0)
    let found = try store.fetch(Folder.all)
    #expect(found.map(\.id) == Array(1...1_500))
    #expect(found.dropFirst().map { $0.parent.id } == parents.map { $0 })
    #expect(found[0].parent.id == nil)
  }

  @Test("Records that lead to each other are linked", arguments: ImportStore.allCases)
  func cycle(kind: ImportStore) throws {
    let store = try kind.open(folder)
    // More than a batch apart.
    let between = (10...1_200).map { #"{"id":\#($0),"name":"f"}"# }
    let lines =
      [#"{"id":1,"name":"a","parent_id":2}"#] + between + [#"{"id":2,"name":"b","parent_id":1}"#]
    try store.import(Folder.self, from: .jsonLines(.text(lines.joined(separator: "\n"))))
    #expect(try store.find(Folder.self, 1)?.parent.id == 2)
    #expect(try store.find(Folder.self, 2)?.parent.id == 1)
  }

  @Test("The later of two records decides about a link", arguments: ImportStore.allCases)
  func laterLink(kind: ImportStore) throws {
    let store = try kind.open(folder)
    let between = (10...1_200).map { #"{"id":\#($0),"name":"f"}"# }
    let lines =
      [#"{"id":1,"name":"a","parent_id":5000}"#] + between + [#"{"id":1,"parent_id":10}"#]
      + [#"{"id":5000,"name":"late"}"#]
    try store.import(Folder.self, from: .jsonLines(.text(lines.joined(separator: "\n"))))
    #expect(try store.find(Folder.self, 1)?.parent.id == 10)
  }

  @Test("A target that never comes", arguments: ImportStore.allCases)
  func missing(kind: ImportStore) throws {
    let text = #"[{"id":1,"name":"a"},{"id":2,"name":"b","parent_id":9}]"#
    let store = try kind.open(folder)
    let error = storeError { try store.import(Folder.self, from: .json(.text(text))) }
    #expect(error?.code == .missingTarget)
    #expect(error?.message.hasPrefix("[1] (line 1, column 22, byte 21): ") == true)
    #expect(try store.count(Folder.self) == 0)
    let collected = try store.import(Folder.self, from: .json(.text(text))) {
      $0.onBad = .collect()
    }
    #expect(collected.bad.map(\.error.code) == [.missingTarget])
    #expect(try store.fetch(Folder.all).map(\.name) == ["a", "b"])
    let cleared = try store.import(Folder.self, from: .json(.text(text))) {
      $0.missingTargets = .clear
    }
    #expect(cleared.badCount == 0)
    #expect(try store.find(Folder.self, 2)?.parent.id == nil)
  }

  @Test("Forward references of rows by names", arguments: ImportStore.allCases)
  func dynamic(kind: ImportStore) throws {
    let store = try kind.open(folder)
    let lines = (1...1_200).map { #"{"id":\#($0),"name":"f","parent_id":\#($0 % 1200 + 1)}"# }
    let report = try store.import(
      entity: "Folder", from: .jsonLines(.text(lines.joined(separator: "\n"))))
    #expect(report.inserted == 1_200)
    let found = try store.fetch(Folder.all)
    #expect(found.map { $0.parent.id } == (1...1_200).map { $0 % 1200 + 1 })
  }
}
