internal import Foundation
internal import ORM
internal import ORMCore

extension ConformanceCase {
  /// Clauses 6.4 and 6.10: every loop that a request can make long ends early, and soon.
  ///
  /// Each case prints, for each loop, the milliseconds by which it outlasted its end.
  static let endlessLoops: [ConformanceCase] = [
    ConformanceCase("each loop that reads ends by its deadline", "6.10") { context in
      let store = try context.openTangles()
      var times = LoopTimes()
      for loop in EndlessLoop<ReadTransaction>.reading {
        try context.expectLate(loop.name, &times) { try store.read(within: $0, loop.run) }
      }
      times.print("reads past a deadline", context)
      try context.expectEqual(try store.count(Tangle.self), ConformanceContext.tangles)
    },
    ConformanceCase(async: "each loop that reads ends when its task is cancelled", "6.4") {
      context in
      let store = try await offThePool { try context.openTangles() }
      var times = LoopTimes()
      for loop in EndlessLoop<ReadTransaction>.reading {
        let time = try await context.expectEndCancelled(loop.name) { begun, ended in
          try await store.read { transaction in
            begun.open()
            try ended.noting { try loop.run(transaction) }
          }
        }
        times.note(loop.name, time)
      }
      times.print("reads past a cancellation", context)
      try context.expectEqual(try await store.count(Tangle.self), ConformanceContext.tangles)
    },
    ConformanceCase("each loop that writes ends by its deadline and changes nothing", "6.10") {
      context in
      let store = try context.openTangles()
      var times = LoopTimes()
      for loop in EndlessLoop<WriteTransaction>.writing {
        try context.expectLate(loop.name, &times) { limit in
          try store.write(within: limit) { transaction in
            try transaction.save(Fibre(5_000))
            try loop.run(transaction)
          }
        }
        try context.expectTangles(store)
      }
      times.print("writes past a deadline", context)
    },
    ConformanceCase(
      async: "each loop that writes ends when its task is cancelled and changes nothing", "6.4"
    ) { context in
      let store = try await offThePool { try context.openTangles() }
      var times = LoopTimes()
      for loop in EndlessLoop<WriteTransaction>.writing {
        let time = try await context.expectEndCancelled(loop.name) { begun, ended in
          try await store.write { transaction in
            begun.open()
            try ended.noting { try loop.run(transaction) }
          }
        }
        times.note(loop.name, time)
        try await offThePool { try context.expectTangles(store) }
      }
      times.print("writes past a cancellation", context)
    },
    ConformanceCase(
      "each loop that writes in a block inside of another ends by the earlier deadline", "6.3",
      "6.10"
    ) { context in
      let store = try context.openTangles()
      var times = LoopTimes()
      for loop in EndlessLoop<WriteTransaction>.writing {
        // The outer block has less time, and nothing remains.
        try context.expectLate(loop.name, &times) { limit in
          try store.write(within: limit) { transaction in
            try transaction.save(Fibre(5_000))
            try store.write(within: .seconds(60), loop.run)
          }
        }
        // The inner block has less time; the outer one goes on, without the writes of the inner one.
        try store.write(within: .seconds(60)) { transaction in
          try transaction.save(Fibre(5_000))
          try context.expectLate("\(loop.name), alone", &times) {
            try store.write(within: $0, loop.run)
          }
          try context.expectEqual(
            try transaction.count(Tangle.self), ConformanceContext.tangles, loop.name)
          try context.expectEqual(try transaction.count(Fibre.self), 3, loop.name)
          try transaction.delete(Fibre.all.where { $0.id == 5_000 })
        }
      }
      times.print("inner blocks past a deadline", context)
      try context.expectTangles(store)
    },
    ConformanceCase("a statement in SQL without end ends by its deadline", "2.13", "6.10") {
      context in
      let store = try context.open(Snack.self)
      guard (try? store.query(sql: "SELECT 1 AS one")) != nil else { return }
      let endless: SQLRequest = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
        SELECT count(*) AS c FROM n WHERE i < 0
        """
      var times = LoopTimes()
      try context.expectLate("a query", &times) {
        try store.read(within: $0) { _ = try $0.query(sql: endless) }
      }
      try context.expectLate("a query of a write", &times) { limit in
        try store.write(within: limit) { transaction in
          try transaction.save(Snack(1))
          _ = try transaction.query(sql: endless)
        }
      }
      times.print("statements past a deadline", context)
      try context.expectEqual(try store.count(Snack.self), 0)
    },
    ConformanceCase("a history ends by its deadline", "6.10", "11.5") { context in
      let store = try context.open(Snack.self, options: .keepingHistory(level: .values))
      let start = try store.historyToken
      for number in 0..<60 { try store.save((1...10).map { Snack($0, "\(number)") }) }
      var times = LoopTimes()
      try context.expectLate("a history", &times) { limit in
        try store.read(within: limit) { transaction in
          for _ in 0..<10_000 { _ = try transaction.history(after: start) }
        }
      }
      times.print("reads past a deadline", context)
      try context.expectEqual(try store.history(after: start).count, 60)
    },
    ConformanceCase("operations over many rows ask while they work whether to end", "6.4", "6.10") {
      context in
      let store = try context.openTangles()
      // A server works while its client waits, which asks by time instead of rows.
      let isServer = (try? store.query(sql: "SELECT current_database() AS name")) != nil
      let least = isServer ? 1 : ConformanceContext.tangles / 256
      var gaps = LoopTimes()
      for operation in LongOperation.all {
        for number in 2...4 {
          try context.expectEnd(ofQuestion: number, in: operation.name, mayBeDone: isServer) {
            try operation.run(store)
          }
          try context.expectTangles(store)
        }
        let (questions, _) = try gaps.noteGap(operation.name) { try operation.run(store) }
        try context.expect(questions >= least, "\(operation.name): \(questions) questions")
        try context.expectTangles(store)
      }
      gaps.print("longest times between questions (their number)", context)
    },
    ConformanceCase("each step of a migration can be ended, and the store is as it was", "10.4") {
      context in
      var store = try context.open(try RowSchema.schema(1))
      try store.write { transaction in
        try transaction.insert(
          (1...1_200).map { DynamicRow("Row", ["id": .int($0), "a": .int($0 % 100)]) })
      }
      var gaps = LoopTimes()
      for version in 2...RowSchema.last {
        let schema = try RowSchema.schema(version)
        let options = StoreOptions.migrating(RowSchema.plan(to: version))
        let name = RowSchema.names[version - 2]
        try context.expectEnd(ofQuestion: 3, in: name, mayBeDone: false) {
          _ = try context.reopen(store, schema, options: options)
        }
        store = try context.reopen(store, try RowSchema.schema(version - 1))
        try RowSchema.expect(version - 1, store, context)
        store = try gaps.noteGap(name) {
          try context.reopen(store, schema, options: options)
        }.result
        try RowSchema.expect(version, store, context)
      }
      gaps.print("longest times between questions of migrations (their number)", context)
    },
  ]
}

extension ConformanceContext {
  /// The number of tangles.
  static let tangles = 1_200
  private static let fibres: [Int64] = [1, 2]
  /// The time by which a loop may outlast its end, on a machine under load.
  private static let greatestOvershoot = Duration.seconds(2)

  /// Opens a store with a net of tangles, each of which holds every fibre.
  func openTangles(options: StoreOptions = StoreOptions()) throws -> any Store {
    var unlimited = options
    unlimited.operationLimit = nil
    var store = try open(Tangle.self, Fibre.self, Tassel.self, options: unlimited)
    // Texts without a pattern, for which every set of positions is new.
    var state: UInt64 = 1
    let text = String(
      decoding: (0..<10_000).map { _ -> UInt8 in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 40 & 1 == 0 ? 0x61 : 0x62
      }, as: UTF8.self)
    try store.write { transaction in
      try transaction.save(Self.fibres.map { Fibre($0) })
      try transaction.save(
        (1...Self.tangles).map { number in
          Tangle(
            Int64(number), text: number <= 60 ? text : "",
            numbers: number == 1 ? Array(0..<300) : [],
            fibres: ToMany(Self.fibres.map { Fibre($0) }), tassels: ToMany([Tassel(Int64(number))]))
        })
    }
    if options.operationLimit != nil {
      store = try reopen(store, Tangle.self, Fibre.self, Tassel.self, options: options)
    }
    return store
  }

  /// Expects the net as ``openTangles(options:)`` made it.
  func expectTangles(_ store: any Store) throws {
    try store.read(within: .seconds(60)) { transaction in
      try expectEqual(try transaction.count(Tangle.self), Self.tangles)
      try expectEqual(try transaction.count(Tassel.self), Self.tangles)
      try expectEqual(try transaction.fetch(Fibre.all).map(\.id), Self.fibres)
      let weights = (1...Self.tangles).reduce(0) { $0 + Int64($1 % 7) }
      try expectEqual(try transaction.sum(Tangle.all, \.weight), weights)
    }
  }

  /// Expects that a body which would go on for long is ended by its deadline, and notes by how much it
  /// outlasted that.
  ///
  /// A store that is asked in time ends within 100 ms; machines under load take longer.
  func expectLate(
    _ name: String, _ times: inout LoopTimes, _ body: (Duration) throws -> Void
  ) throws {
    let given = Duration.milliseconds(40)
    let time = try expectEnd(of: name, .deadlineExceeded) { try body(given) } - given
    try expect(time < Self.greatestOvershoot, "\(name) went on for \(time)")
    times.note(name, time)
  }

  /// Expects that a body which would go on for long throws an error soon, and returns its time.
  @discardableResult
  func expectEnd(
    of name: String, _ code: StoreError.Code, _ body: () throws -> Void
  ) throws -> Duration {
    let begun = ContinuousClock.now
    do {
      try body()
      throw failure(name, expected: "\(code)", got: "success")
    } catch let error as StoreError {
      try expect(error.code == code, "\(name): \(error)")
    }
    let time = ContinuousClock.now - begun
    try expect(time < .seconds(15), "\(name) went on for \(time)")
    return time
  }

  /// Expects that a call which would go on for long ends soon after its task was cancelled, and returns
  /// by how much it outlasted that.
  func expectEndCancelled(
    _ name: String, _ body: @escaping @Sendable (Latch, LoopEnd) async throws -> Void
  ) async throws -> Duration {
    let begun = Latch()
    let end = LoopEnd()
    let task = Task { try await body(begun, end) }
    try await offThePool { try begun.wait() }
    try await Task.sleep(for: .milliseconds(30))
    let cancelled = ContinuousClock.now
    task.cancel()
    let outcome = await task.result
    let time = (end.time.value ?? .now) - cancelled
    do {
      try outcome.get()
      throw failure(name, expected: "CancellationError", got: "success")
    } catch is CancellationError {}
    try expect(time < Self.greatestOvershoot, "\(name) went on for \(time)")
    return time
  }
}
