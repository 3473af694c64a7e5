import Foundation
import MemoryBackend
import ORMExchange
import SQLiteBackend
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
        $0.mapping = JSONMapping(Folder.self).after { _, _ in .keep }
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

  @Test(
    "12.3 Records that wait for their targets wait over an interruption",
    arguments: ImportStore.allCases)
  func waiting(kind: ImportStore) throws {
    // Twenty orders come before the products that twenty others bring.
    let lines =
      (1...20).map { #"{"id":\#($0),"product":\#($0)}"# }
      + (1...20).map { #"{"id":\#(20 + $0),"product":{"id":\#($0)}}"# }
    let path = try folder.write(Data(lines.joined(separator: "\n").utf8), "orders.jsonl")
    let mapping = JSONMapping(Order.self).nested(\.product, from: "product")
    let store = try kind.open(folder)
    func run(
      _ merge: ImportMerge, resumes: Bool = true, failing: Int64 = 0
    ) throws -> ImportReport {
      try store.import(Order.self, from: .jsonLines(.file(path))) {
        $0.mapping = mapping.after { order, _ in order.id == failing ? .fail("the end") : .keep }
        $0.merge = merge
        $0.commit = .every(10)
        $0.resumes = resumes
      }
    }
    for merge in [ImportMerge.present, .insertOnly] {
      for (last, resumes) in [(15, true), (25, true), (35, true), (35, false)] as [(Int64, Bool)] {
        try store.deleteAll(Order.self)
        try store.deleteAll(Product.self)
        #expect(storeError { _ = try run(merge, failing: last) }?.code == .invalidImport)
        let report = try run(merge, resumes: resumes)
        #expect(report.resumedAt == (resumes ? Int(last) / 10 * 10 : 0))
        #expect(report.read == 40)
        let products = try store.fetch(Order.all).map { $0.product.id }
        let expected: [Int64?] = (0..<40).map { Int64($0 % 20 + 1) }
        #expect(products == expected)
        #expect(try store.count(ImportCheckpoint.self) == 0)
      }
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

  @Test func anImportOfAnotherFormIsRefused() throws {
    let store = try ImportStore.sqlite.open(folder)
    let lines = (1...30).map { #"{"a":{"id":\#($0),"stars":\#($0 == 25 ? 9 : 1)}}"# }
    let path = try folder.write(Data(lines.joined(separator: "\n").utf8), "formed.jsonl")
    func run(
      at place: String = "a", merge: ImportMerge = .present,
      _ mapping: JSONMapping<Rated>? = nil, onBad: ImportBadRecords = .stop
    ) throws -> ImportReport {
      try store.import(Rated.self, from: .jsonLines(.file(path), at: place)) {
        $0.commit = .every(10)
        $0.merge = merge
        if let mapping { $0.mapping = mapping }
        $0.onBad = onBad
      }
    }
    #expect(storeError { _ = try run() }?.code == .validationFailed)
    #expect(storeError { _ = try run(at: "") }?.code == .sourceChanged)
    #expect(storeError { _ = try run(merge: .replace) }?.code == .sourceChanged)
    let renamed = JSONMapping(Rated.self).field(\.stars, from: "rank", onAbsent: .useDefault)
    #expect(storeError { _ = try run(renamed) }?.code == .sourceChanged)
    // Records may be treated in another way: the bad one is left out now.
    let report = try run(onBad: .collect())
    #expect((report.resumedAt, report.read, report.badCount) == (20, 30, 1))
    #expect(try store.count(Rated.self) == 29)
  }

  @Test("12.3 The data of a mapping with closures is compared, and so is its revision")
  func anotherMappingWithClosuresIsRefused() throws {
    let store = try ImportStore.sqlite.open(folder)
    let lines = (1...30).map { #"{"id":\#($0),"stars":\#($0 == 25 ? 9 : 1)}"# }
    let path = try folder.write(Data(lines.joined(separator: "\n").utf8), "closures.jsonl")
    let hooked = JSONMapping(Rated.self).after { _, _ in .keep }
    func run(
      _ mapping: JSONMapping<Rated>, revision: Int = 0, given: Bool = false
    ) throws -> ImportReport {
      try store.import(Rated.self, from: .jsonLines(.file(path))) {
        $0.commit = .every(10)
        $0.mapping = mapping
        $0.revision = revision
        if given { $0.given = { $0.id += 0 } }
        $0.onBad = .collect()
      }
    }
    func stop() throws {
      let error = storeError {
        try store.import(Rated.self, from: .jsonLines(.file(path))) {
          $0.commit = .every(10)
          $0.mapping = hooked
        }
      }
      #expect(error?.code == .validationFailed)
    }
    try stop()
    let cents = JSONTransform<Int64>.custom("cents") {
      $0.integer
    } write: {
      .number("\($0)")
    }
    let others = [
      hooked.field(\.stars, from: "rank", onAbsent: .useDefault), JSONMapping(Rated.self),
      hooked.after { _, _ in .keep }, hooked.before { _ in .keep },
      hooked.field(\.id, as: cents),
    ]
    for other in others { #expect(storeError { _ = try run(other) }?.code == .sourceChanged) }
    #expect(storeError { _ = try run(hooked, revision: 1) }?.code == .sourceChanged)
    #expect(storeError { _ = try run(hooked, given: true) }?.code == .sourceChanged)
    #expect(try run(JSONMapping(Rated.self).after { _, _ in .keep }).resumedAt == 20)
    #expect(try store.count(ImportCheckpoint.self) == 0)
  }

  @Test(
    "12.3 An import that was done before it was ended writes nothing when it goes on",
    arguments: ImportStore.allCases)
  func doneBeforeTheEnd(kind: ImportStore) throws {
    let lines = (1...25).map { #"{"text":"t\#($0)","stars":\#($0 == 25 ? 9 : 1)}"# }
    let path = try folder.write(Data(lines.joined(separator: "\n").utf8), "keyless.jsonl")
    let store = try kind.open(folder, Schema(Remark.self, ImportCheckpoint.self))
    func run() throws -> ImportReport {
      try store.import(Remark.self, from: .jsonLines(.file(path))) { $0.commit = .every(10) }
    }
    #expect(storeError { _ = try run() }?.code == .validationFailed)
    var checkpoint = try #require(
      try store.fetch(ImportCheckpoint.all).first { !$0.id.hasPrefix("#") })
    #expect(!checkpoint.state.contains("isDone"))
    // A kill after the last transaction of records leaves the state of an import that is done.
    var state = try JSONValue(parsing: checkpoint.state)
    state["isDone"] = true
    checkpoint.state = state.text
    try store.save(checkpoint)
    let report = try run()
    #expect((report.resumedAt, report.read, report.inserted) == (20, 20, 20))
    #expect(try store.count(Remark.all) == 20)
    #expect(try store.count(ImportCheckpoint.self) == 0)
    // That import is over, so the same source again is another one.
    #expect(storeError { _ = try run() }?.code == .validationFailed)
    #expect(try store.count(Remark.all) == 40)
    // Another source than that of an import that is done begins anew.
    checkpoint = try #require(
      try store.fetch(ImportCheckpoint.all).first { !$0.id.hasPrefix("#") })
    state = try JSONValue(parsing: checkpoint.state)
    state["isDone"] = true
    checkpoint.state = state.text
    try store.save(checkpoint)
    try folder.write(Data(#"{"text":"new","stars":2}"#.utf8), "keyless.jsonl")
    #expect(try run().resumedAt == 0)
    #expect(try store.count(Remark.all) == 41)
    #expect(try store.count(ImportCheckpoint.self) == 0)
  }

  @Test(
    "12.3 An import of records without keys stores each once, whichever call its process ends at")
  func endedAtEachCall() throws {
    let lines = (1...25).map { #"{"text":"t\#($0)","stars":1}"# }
    let path = try folder.write(Data(lines.joined(separator: "\n").utf8), "keyless.jsonl")
    var options = StoreOptions()
    // The write that removes the state may meet the end as well.
    options.onError = { _ in }
    func run(_ store: any Store) throws {
      try store.import(Remark.self, from: .jsonLines(.file(path))) { $0.commit = .every(10) }
    }
    var count = 0
    var afterRecords = 0
    while true {
      let store = MemoryStore(
        schema: try Schema(Remark.self, ImportCheckpoint.self), options: options)
      if storeError({ try run(FaultyStore(store, .end(after: count))) }) == nil { break }
      if try store.count(Remark.all) == 25 { afterRecords += 1 }
      try run(store)
      #expect(
        try store.fetch(Remark.all).map(\.text) == (1...25).map { "t\($0)" }, "\(count) calls")
      #expect(try store.count(ImportCheckpoint.self) == 0)
      try store.close()
      count += 1
    }
    #expect(count > 20)
    #expect(afterRecords > 0)
  }

  @Test(
    "12.3 A process that ends after an import of records without keys, without a close, has ended it"
  )
  func endOfTheProcess() async throws {
    let path = try folder.write(Data(#"{"text":"one","stars":1}"#.utf8), "ended.jsonl")
    for count in 1...3 {
      await #expect(processExitsWith: .success) { [path = path as String] in
        let store = try SQLiteStore(
          path: path + ".sqlite", schema: Schema(Remark.self, ImportCheckpoint.self))
        try store.import(Remark.self, from: .jsonLines(.file(path))) { $0.commit = .every(10) }
        exit(EXIT_SUCCESS)
      }
      #expect(try counts(at: path + ".sqlite") == [count, 0])
    }
  }

  /// The numbers of remarks and of states of imports in a file.
  private func counts(at path: String) throws -> [Int] {
    let store = try SQLiteStore(
      path: path, schema: Schema(Remark.self, ImportCheckpoint.self))
    defer { try? store.close() }
    return [try store.count(Remark.self), try store.count(ImportCheckpoint.self)]
  }

  @Test func anotherTextIsAnImportOfItsOwn() throws {
    let store = try ImportStore.sqlite.open(folder)
    func run(_ ids: ClosedRange<Int>, bad: Int? = nil) throws -> ImportReport {
      let lines = ids.map { #"{"id":\#($0),"stars":\#($0 == bad ? 9 : 1)}"# }
      return try store.import(Rated.self, from: .jsonLines(.text(lines.joined(separator: "\n")))) {
        $0.commit = .every(10)
      }
    }
    #expect(storeError { _ = try run(1...30, bad: 25) }?.code == .validationFailed)
    let other = try run(101...130)
    #expect((other.resumedAt, other.read) == (0, 30))
    #expect(try store.count(Rated.self) == 50)
  }
}

/// A model without a key.
private struct Remark: Persistable, Codable {
  var text: String
  var stars: Int

  static let entity = Entity<Remark>("Remark") {
    .attribute("text", \.text)
      .attribute("stars", \.stars, .range(1...5))
  }
}
