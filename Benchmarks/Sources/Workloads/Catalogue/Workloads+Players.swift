/// The workloads of a run.
package struct Workloads {
  package let rows: Rows

  package init(_ rows: Rows) { self.rows = rows }

  package var all: [Workload] {
    writes + singles + reads + openings + scans + numbers + queries + graph + changes + features
  }

  private typealias Players = any PlayerOperations

  /// Inserts and upserts in batches.
  package var writes: [Workload] {
    let rows = rows
    let upserts = max(1, rows.count / 5)
    return [
      Workload(
        "insert", "insert, one transaction", unit: "row", units: rows.count, in: .players,
        as: Players.self, spoils: [.plain]
      ) { section, _ in
        try section.clearPlain()
        return section.plainInsert(rows.players)
      },
      Workload(
        "insert-loop", "insert, a call for each row", unit: "row", units: rows.count, in: .players,
        as: (any LoopOperations).self, spoils: [.plain]
      ) { section, _ in
        try (section as? any PlayerOperations)?.clearPlain()
        return section.insertOneByOne(rows.players)
      },
      Workload(
        "upsert", "upsert, half new", unit: "row", units: upserts, in: .players, as: Players.self,
        data: [.plain], spoils: [.plain]
      ) { section, repetition in
        let new = Int64(rows.count + repetition * upserts)
        return section.plainUpsert(
          (0..<Int64(upserts)).map { index in
            PlayerData(id: index % 2 == 0 ? index + 1 : new + index, round: Int64(repetition + 1))
          })
      },
      Workload(
        "insert-indexed", "insert with index", unit: "row", units: rows.count, in: .players,
        as: Players.self, spoils: [.indexed]
      ) { section, _ in
        try section.clearIndexed()
        return section.indexedInsert(rows.players)
      },
    ]
  }

  /// Questions to the table with an index on the score.
  package var reads: [Workload] {
    let rows = rows
    let keys = rows.keys(max(1, rows.count / 5))
    let scores = (0..<200).map { Int64($0 * 5) }
    let matching = rows.players.count { $0.score % 5 == 0 }
    return [
      Workload(
        "find", "find by key in one transaction", unit: "row", units: keys.count, in: .players,
        as: Players.self, data: [.indexed]
      ) { section, _ in { try section.find(keys) } },
      Workload(
        "scan", "scan to an array, 8 fields", unit: "row", units: rows.count, in: .players,
        as: Players.self, data: [.indexed]
      ) { section, _ in { try section.scan() } },
      Workload(
        "stream", "stream of all rows, 8 fields", unit: "row", units: rows.count, in: .players,
        as: (any StreamOperations).self, data: [.indexed]
      ) { section, _ in { try section.stream() } },
      Workload(
        "filter", "filter by index", unit: "row", units: matching, in: .players, as: Players.self,
        data: [.indexed]
      ) { section, _ in { try section.filter(scores) } },
      Workload(
        "top", "top 20 by index", unit: "query", units: 500, in: .players, as: Players.self,
        data: [.indexed]
      ) { section, _ in { try section.top(500) } },
    ]
  }

  /// Transactions of one row each.
  package var singles: [Workload] {
    let rows = rows
    let keys = rows.keys(max(1, rows.count / 20))
    let commits = 50
    return [
      Workload(
        "durable", "one durable insert", unit: "commit", units: commits, in: .players,
        as: (any SingleOperations).self, data: [.plain], spoils: [.plain]
      ) { section, repetition in
        let first = Int64(10 * rows.count + repetition * commits)
        let players = (first..<first + Int64(commits)).map { PlayerData(id: $0) }
        return { try section.insertEach(players) }
      },
      Workload(
        "find-each", "find by key, a read each", unit: "row", units: keys.count, in: .players,
        as: (any SingleOperations).self, data: [.indexed]
      ) { section, _ in { try section.findEach(keys) } },
    ]
  }

  /// The way from a closed file to its first row.
  package var openings: [Workload] {
    [
      Workload(
        "open", "open, find by key, close", unit: "opening", units: 20, in: .opening,
        as: (any OpeningOperations).self
      ) { section, _ in { try (0..<20).reduce(0) { sum, _ in try sum &+ section.openAndFind(7) } } }
    ]
  }

  /// Questions that no index answers.
  package var scans: [Workload] {
    let count = rows.count
    return [
      Workload(
        "filter-scan", "filter by scan, a hundredth of the rows", unit: "row seen", units: count,
        in: .players, as: (any ScanOperations).self, data: [.indexed]
      ) { section, _ in { try section.filterByScan(below: 0.01) } },
      Workload(
        "count-scan", "count by scan", unit: "row seen", units: count, in: .players,
        as: (any ScanOperations).self, data: [.indexed]
      ) { section, _ in { try section.countByScan(below: 0.5) } },
      Workload(
        "sum-doubles", "sum of doubles, exact in Strata", unit: "row", units: count, in: .players,
        as: (any ScanOperations).self, data: [.indexed]
      ) { section, _ in { try section.sumOfRatings() } },
    ]
  }

  /// Changes of the fiftieth of the rows that have certain scores.
  package var changes: [Workload] {
    func scores(_ repetition: Int) -> Range<Int64> {
      let first = Int64(repetition % 50) * 20
      return first..<first + 20
    }
    let fiftieth = max(1, rows.players.count { $0.score < 20 })
    return [
      Workload(
        "update", "update by filter, of an indexed column", unit: "row", units: fiftieth,
        in: .players, as: (any ChangeOperations).self, data: [.indexed], spoils: [.indexed]
      ) { section, repetition in { try section.raise(scores(repetition)) } },
      Workload(
        "delete", "delete by filter", unit: "row", units: fiftieth, in: .players,
        as: (any ChangeOperations).self, data: [.indexed], spoils: [.indexed]
      ) { section, repetition in { try section.delete(scores(repetition)) } },
    ]
  }

  /// Sessions and observations, which programs import by themselves.
  package var features: [Workload] {
    let rows = rows
    let commits = 50
    return [
      Workload(
        "session", "change and save by a session", unit: "row",
        units: max(1, rows.players.count { $0.score < 20 }), in: .players,
        as: (any FeatureOperations).self, data: [.indexed], spoils: [.indexed]
      ) { section, repetition in
        let first = Int64(repetition % 50) * 20
        return { try section.raiseInSession(first..<first + 20) }
      },
      Workload(
        "observe", "one durable insert beside an observation", unit: "commit", units: commits,
        in: .players, as: (any FeatureOperations).self, data: [.plain], spoils: [.plain]
      ) { section, repetition in
        let first = Int64(10 * rows.count + repetition * commits)
        let players = (first..<first + Int64(commits)).map { PlayerData(id: $0) }
        return { try section.insertObserved(players) }
      },
    ]
  }
}
