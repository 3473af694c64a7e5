#if Command
  import ORM

  /// One thing that `strata bench` measures, through the public API.
  struct BenchStep {
    let name: String
    let unit: String
    let units: Int
    /// Prepares the state from which the step starts; not measured.
    var prepare: (any Store) throws -> Void = { _ in }
    /// Gives how many rows, or queries, there were; more or fewer than expected is a fault.
    let run: (any Store) throws -> Int
    let expected: Int

    /// The steps for a number of rows, in their order: each begins with the rows that the steps before it
    /// left.
    static func all(rows: Int) -> [BenchStep] {
      let models = (1...Int64(rows)).map { BenchRow(id: $0) }
      let keys = (0..<min(rows, 10_000)).map { Int64(($0 &* 7919) % rows) + 1 }
      let commits = 20
      let scores = BenchRow.scores
      func count(below score: Int64) -> Int { models.count { $0.score < score } }
      let tenth = count(below: scores / 10)
      return [
        BenchStep(
          name: "insert, one transaction", unit: "row", units: rows,
          prepare: { try $0.deleteAll(BenchRow.self) }, run: { try $0.insert(models).inserted },
          expected: rows),
        BenchStep(
          name: "one durable save", unit: "commit", units: commits + 1,
          prepare: { try $0.delete(BenchRow.all.where { $0.id < 0 }) },
          run: { store in
            for number in 1...Int64(commits) { try store.save(BenchRow(id: -number)) }
            // The steps after this one find as many rows as before.
            return try store.delete(BenchRow.all.where { $0.id < 0 })
          }, expected: commits),
        BenchStep(
          name: "find by key, one transaction", unit: "row", units: keys.count,
          run: { store in
            try store.read { tx in
              try keys.reduce(0) { try $0 + (tx.find(BenchRow.self, $1) == nil ? 0 : 1) }
            }
          }, expected: keys.count),
        BenchStep(
          name: "scan to an array", unit: "row", units: rows,
          run: { try $0.fetch(BenchRow.all).count }, expected: rows),
        BenchStep(
          name: "filter by index", unit: "row", units: max(1, tenth),
          run: { try $0.fetch(BenchRow.all.where { $0.score < scores / 10 }).count },
          expected: tenth),
        BenchStep(
          name: "top 20 by index", unit: "query", units: 100,
          run: { store in
            let query = BenchRow.all.sorted(by: .descending(\.score)).limit(20)
            return try store.read { tx in
              for _ in 0..<100 { _ = try tx.fetch(query) }
              return 100
            }
          }, expected: 100),
        BenchStep(
          name: "count by index", unit: "row counted", units: max(1, tenth),
          run: { try $0.count(BenchRow.all.where { $0.score < scores / 10 }) }, expected: tenth),
        BenchStep(
          name: "count by scan", unit: "row seen", units: rows,
          run: { try $0.count(BenchRow.all.where { $0.rating < 2 }) }, expected: rows),
        BenchStep(
          name: "update by filter", unit: "row", units: max(1, tenth),
          run: { store in
            try store.update(BenchRow.all.where { $0.score < scores / 10 }) { $0[\.rating] += 1 }
          }, expected: tenth),
        BenchStep(
          name: "delete by filter", unit: "row", units: max(1, tenth),
          prepare: { try $0.save(models.filter { $0.score < scores / 10 }) },
          run: { try $0.delete(BenchRow.all.where { $0.score < scores / 10 }) }, expected: tenth),
      ]
    }
  }
#endif
