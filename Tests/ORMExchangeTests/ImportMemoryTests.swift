import Foundation
import ORM
import TestSupport
import Testing

@testable import ORMExchange

/// What an import remembers, in memory that does not grow with its source.
@Suite struct ImportMemoryTests {
  let folder = TestFolder()

  @Test("Numbers of records answer like a set, with one page in memory")
  func numbers() throws {
    var random = SeededGenerator.printed(#function)
    for _ in 0..<20 {
      let numbers = RecordNumbers()
      let size = RecordNumbers.pageSize * 6
      var naive: Set<Int> = []
      var added = (0..<300).map { _ in Int.random(in: 0..<size, using: &random) }
      if Bool.random(using: &random) { added.sort() }
      var pages: [Int: Data] = [:]
      #expect(numbers.first == nil)
      for number in added {
        try numbers.insert(number)
        naive.insert(number)
        #expect(numbers.capacityInMemory == RecordNumbers.pageSize)
        if Int.random(in: 0..<50, using: &random) == 0 {
          try numbers.takeChanges { pages[$0] = $1 }
        }
      }
      try numbers.takeChanges { pages[$0] = $1 }
      let again = RecordNumbers()
      for (index, page) in pages { try again.add(index, page) }
      for numbers in [numbers, again] {
        #expect(numbers.count == naive.count)
        #expect(numbers.first == naive.min())
        for number in added + (0..<300).map({ _ in Int.random(in: 0..<size, using: &random) }) {
          #expect(try numbers.contains(number) == naive.contains(number))
        }
        // Nothing has changed since.
        try numbers.takeChanges { _, _ in Issue.record("a page that did not change") }
      }
    }
    let error = storeError { try RecordNumbers().add(0, Data([1])) }
    #expect(error?.code == .corrupt)
  }

  @Test("9.5: Numbers of a transaction that is run again are taken back, and handed on again")
  func takenBack() throws {
    let (near, far) = (17, RecordNumbers.pageSize * 2 + 5)
    let numbers = RecordNumbers()
    try numbers.insert(20)
    try numbers.takeChanges { _, _ in }
    numbers.mark()
    for _ in 0..<2 {
      try numbers.insert(near)
      try numbers.insert(far)
      try numbers.insert(20)
      #expect(numbers.count == 3 && numbers.first == near)
      var pages: Set<Int> = []
      try numbers.takeChanges { index, _ in pages.insert(index) }
      #expect(pages.isSuperset(of: [0, 2]))
      try numbers.takeBack()
      #expect(numbers.count == 1 && numbers.first == 20)
      #expect(try numbers.contains(20))
      #expect(try !numbers.contains(near) && !numbers.contains(far))
      try numbers.takeChanges { _, _ in Issue.record("a page that did not change") }
    }
  }

  @Test("Spooled keys come back in their order and in the opposite one")
  func spool() throws {
    for count in [0, 1, 999, 1_000, 1_001, 5_000] {
      let spool = KeySpool()
      let keys: [[StoredValue]] = (0..<count).map { [.int(Int64($0)), .string("key \($0)")] }
      for key in keys {
        try spool.append(key)
        #expect(spool.countInMemory < KeySpool.batch)
      }
      #expect(spool.count == count)
      var forth: [[StoredValue]] = []
      var back: [[StoredValue]] = []
      try spool.forEachBatch { forth += $0 }
      try spool.forEachBatch(reversed: true) { back += $0 }
      #expect(forth == keys)
      #expect(back == keys.reversed())
    }
  }

  /// The largest number of keys, rows and bad records in memory between two batches of an import, and
  /// while its end is settled.
  private func largest<Model: PrimaryKeyed>(
    _ store: any Store, _ lines: [String], _ options: ImportOptions<Model>
  ) throws -> (count: Int, report: ImportReport) {
    let source = ImportFrom.jsonLines(.text(lines.joined(separator: "\n")))
    // All of it runs on this thread.
    nonisolated(unsafe) var most = 0
    nonisolated(unsafe) var running: ImportRun<ModelSink<Model>>?
    let sink = try ModelSink(options)
    sink.seen = SeenKeys(runSize: 1_000, runsInMemory: 2)
    var settings = options.settings
    settings.progress = { _ in most = max(most, running?.countInMemory ?? 0) }
    let run = ImportRun(sink, store, source, try ImportFile(source.content), settings)
    running = run
    let report = try run.run()
    running = nil
    return (max(most, run.countInMemory), report)
  }

  /// Imports a number of records and three times as many, and checks that memory holds a number of keys,
  /// rows and bad records at the most; a batch has 1,000 records.
  private func expectBound<Model: PrimaryKeyed>(
    _ most: Int, _ options: ImportOptions<Model>, _ lines: (Int) -> [String],
    _ check: (any Store, Int, ImportReport) throws -> Void
  ) throws {
    let counts = try [1_600, 4_800].map { count in
      let folder = TestFolder()
      defer { withExtendedLifetime(folder) {} }
      let store = try ImportStore.sqlite.open(folder)
      let result = try largest(store, lines(count), options)
      try check(store, count, result.report)
      return result.count
    }
    #expect(counts.allSatisfy { $0 <= most }, "\(counts)")
  }

  @Test("12.4 Records that wait for their targets do not wait in memory")
  func waiting() throws {
    for merge in [ImportMerge.present, .insertOnly] {
      var options = ImportOptions<Order>()
      options.mapping = JSONMapping(Order.self).nested(\.product, from: "product")
      options.merge = merge
      // Half of the orders come before their products, which the others bring.
      try expectBound(1_000, options) { count in
        (1...count).map { #"{"id":\#($0),"amount":\#($0),"product":\#($0)}"# }
          + (1...count).map { #"{"id":\#(count + $0),"product":{"id":\#($0)}}"# }
      } _: { store, count, report in
        #expect((report.read, report.deferred) == (2 * count, count))
        #expect(report.inserted == 2 * count)
        let products = try store.fetch(Order.all).map { $0.product.id }
        let expected: [Int64?] = (0..<2 * count).map { Int64($0 % count + 1) }
        #expect(products == expected)
      }
    }
  }

  @Test("12.4 Links to later records do not wait in memory")
  func links() throws {
    for merge in [ImportMerge.present, .insertOnly] {
      var options = ImportOptions<Folder>()
      options.merge = merge
      try expectBound(1_000, options) { count in
        (1...count).map { #"{"id":\#($0),"name":"f","parent_id":\#($0 % count + 1)}"# }
      } _: { store, count, report in
        #expect((report.inserted, report.badCount) == (count, 0))
        let expected: [Int64?] = (1...count).map { Int64($0 % count + 1) }
        let parents = try store.fetch(Folder.all).map { $0.parent.id }
        #expect(parents == expected)
      }
    }
  }

  @Test("12.6 Bad records are listed up to a limit, and all of them written")
  func bad() throws {
    let path = folder.file("bad.jsonl")
    var options = ImportOptions<Rated>()
    options.onBad = .collect(upTo: 100_000, writingTo: path)
    try expectBound(2_000, options) { count in
      (1...count).map { #"{"id":\#($0),"stars":\#($0 % 4 == 0 ? 1 : 9)}"# }
    } _: { store, count, report in
      #expect((report.inserted, report.badCount) == (count / 4, count / 4 * 3))
      let numbers = report.bad.map(\.number)
      #expect(numbers == Array((1...count).filter { $0 % 4 != 0 }.prefix(1_000)))
      let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
      #expect(lines.count == count / 4 * 3)
    }
  }

  @Test("12.5 Keys of a prune beyond its runs are not in memory")
  func prune() throws {
    var options = ImportOptions<Tag>()
    options.prune = .missing(in: Tag.where { $0.id > "x" })
    options.pruneLimit = 1
    try expectBound(4_000, options) { count in
      (1...count).map { #"{"id":"t\#($0)"}"# }
    } _: { store, count, report in
      #expect((report.inserted, report.deleted) == (count, 0))
      // The rows of the scope come from elsewhere: none of the next records is for one.
      try store.save((1...2_500).map { Tag(id: "x\($0)") })
      let again = try largest(store, [#"{"id":"t1"}"#, #"{"id":"x7"}"#], options)
      #expect(again.report.deleted == 2_499)
      #expect(try store.count(Tag.self) == count + 1)
    }
  }
}
