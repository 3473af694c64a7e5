import Foundation
import ORM
import PostgresBackend
import StoreModels
import TestSupport
import Testing

/// Programs and servers that are killed, and several programs on one namespace: clauses 9.2 and 9.3.
@Suite(.serialized, .enabled(if: PostgresServer.isThere, PostgresServer.comment))
struct PostgresKillTests {
  private let namespace = PostgresNamespace()

  private static let kills =
    ProcessInfo.processInfo.environment["STRATA_KILLS"].flatMap { Int($0) } ?? 8

  private func open(_ location: String? = nil) throws -> PostgresStore {
    try PostgresStore(location ?? namespace.location(), schema: StoreModels.schema())
  }

  /// Expects the transactions up to `reported`, and perhaps one whose report was not read, whole;
  /// runs one more, and returns its number.
  private func expectNumbered(
    _ store: PostgresStore, _ reported: ClosedRange<Int>, _ comment: String
  ) throws -> Int {
    let number = try store.first(Journal.all.sorted(by: .descending(\.id)))?.id ?? 0
    #expect(reported.contains(number), "\(comment): \(number)")
    #expect(try store.fetch(Journal.all).map(\.id) == Array(1..<number + 1), "\(comment)")
    let found = try store.fetch(Entry.all).map { [$0.group, $0.number] }
    let expected = Numbered.groups(after: number).flatMap { group in
      (0..<Numbered.count(group)).map { [group, $0] }
    }
    #expect(found == expected, "\(comment)")
    let next = try Numbered.next(in: store)
    #expect(next == number + 1, "\(comment)")
    let report = try store.check()
    #expect(report.isSound, "\(comment): \(report)")
    return next
  }

  @Test(
    "9.3: After a kill of a program, the store has what it reported, and no part of one")
  func program() throws {
    let seed = runSeed()
    var generator = SeededGenerator(seed: seed)
    var reported = 0
    var observed: [String] = []
    for number in 0..<Self.kills {
      let helper = try HelperProcess.store(["number", namespace.location()])
      // A quarter of the kills come while the store is opened.
      if number % 4 != 3 { observed = [helper.line() ?? ""] }
      usleep(.random(in: 0...60_000, using: &generator))
      helper.kill()
      reported = (observed + helper.lines()).compactMap { Int($0) }.last ?? reported
      observed = []
      let store = try open()
      // The server may still be at the commit that the program sent last.
      reported = try expectNumbered(
        store, reported...reported + 1, "kill \(number), seed \(seed)")
      try store.close()
    }
    #expect(reported > Self.kills, "seed \(seed)")
  }

  @Test(
    "9.3: A server that crashes during commits has lost none that it acknowledged",
    .enabled(if: OwnServer.isPossible, OwnServer.comment))
  func server() throws {
    let server = try OwnServer(isDurable: true)
    defer { server.stop() }
    let seed = runSeed()
    var generator = SeededGenerator(seed: seed)
    let location = server.location + "&namespace=numbered"
    let store = try open(location)
    var codes: [String: Int] = [:]
    var next = 1
    for number in 0..<max(2, Self.kills / 4) {
      let progress = SharedList<Int>()
      let failures = SharedList<StoreError>()
      let first = next
      let isOver = DispatchSemaphore(value: 0)
      let isBack = Lock(false)
      Thread.detachNewThread {
        do {
          // A crash between two transactions is met by neither: a connection is made anew.
          while !isBack.withLock({ $0 }) { progress.add(try Numbered.next(in: store)) }
        } catch let error as StoreError {
          failures.add(error)
        } catch {}
        isOver.signal()
      }
      while progress.all.isEmpty, failures.all.isEmpty { usleep(1_000) }
      usleep(.random(in: 0...100_000, using: &generator))
      try server.crash()
      // The outcome of the last commit is asked for until the server is back.
      usleep(.random(in: 0...100_000, using: &generator))
      try server.start()
      isBack.withLock { $0 = true }
      isOver.wait()
      let code = failures.all.first?.code
      codes[code?.rawValue ?? "none", default: 0] += 1
      let last = progress.all.last ?? first - 1
      let isKnown = code == nil || code == .connectionLost
      #expect(isKnown || code == .outcomeUnknown, "\(failures.all)")
      let other = try open(location)
      let range = last...(isKnown ? last : last + 1)
      next = try expectNumbered(other, range, "crash \(number), seed \(seed)") + 1
      try other.close()
    }
    print("crashes of a server during commits: \(codes)")
    try store.close()
  }

  @Test("9.2: Eight programs that open an empty namespace at once make one store")
  func firstOpening() throws {
    for _ in 0..<max(1, Self.kills / 8) {
      let namespace = PostgresNamespace()
      let helpers = try (0..<8).map { _ in
        try HelperProcess.store(["count", namespace.location(), "5"])
      }
      for helper in helpers { #expect(helper.lines() == ["ok"]) }
      let store = try open(namespace.location())
      #expect(try store.find(Counter.self, 1)?.value == 40)
      #expect(try store.check().isSound)
      try store.close()
    }
  }

  @Test("9.2: Programs that write side by side follow one another, and keys are unique")
  func writers() throws {
    try open().close()
    let helpers = try (0..<8).map { number in
      try HelperProcess.store(
        number < 4
          ? ["number", namespace.location(), "20"] : ["count", namespace.location(), "20"])
    }
    var numbers: [Int] = []
    for helper in helpers {
      let lines = helper.lines()
      #expect(lines.last == "ok")
      numbers += lines.compactMap { Int($0) }
    }
    #expect(numbers.sorted() == Array(1...80))
    let store = try open()
    #expect(try store.find(Counter.self, 1)?.value == 80)
    _ = try expectNumbered(store, 80...80, "eight programs")
    try store.close()
  }

  @Test("9.2: Readers see whole tables while another program changes them")
  func tables() throws {
    let store = try PostgresStore(namespace.location(), schema: Schema(Counter.self))
    try store.save((1...100).map { Counter($0, value: $0) })
    let isOver = Lock(false)
    let done = DispatchGroup()
    let counts = SharedList<Int>()
    for _ in 0..<4 {
      done.enter()
      Thread.detachNewThread {
        var count = 0
        while !isOver.withLock({ $0 }) {
          do {
            let found = try store.fetch(Counter.all)
            if found != (1...100).map({ Counter($0, value: $0) }) { throw TestFailure("rows") }
            _ = try store.find(Counter.self, 7)
            count += 1
          } catch {
            Issue.record(error)
            break
          }
        }
        counts.add(count)
        done.leave()
      }
    }
    var schema = try Schema(Counter.self).stored
    for number in 0..<max(8, Self.kills / 2) {
      // A column with an index, which is added to the rows that are there.
      schema.entities[0].columns.append(
        StoredColumn("more\(number)", .int64, isOptional: true))
      schema.entities[0].indexes.append(
        StoredIndex("more\(number)", [StoredIndex.Term(2 + number)]))
      let other = try PostgresStore(namespace.location(), stored: schema)
      try other.close()
      usleep(5_000)
    }
    isOver.withLock { $0 = true }
    done.wait()
    #expect(counts.all.count == 4 && counts.all.allSatisfy { $0 > 0 })
    #expect(try store.check().isSound)
    try store.close()
  }
}
