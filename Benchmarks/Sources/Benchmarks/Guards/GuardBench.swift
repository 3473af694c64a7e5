import Foundation
import LMDBBackend
import MemoryBackend
import ORM
import SQLiteBackend

/// What rules, kept attributes and hooks cost a row, and that they cost nothing where there are none:
/// the same rows as a model of each kind, in a store of its own; the bare one is in a store that has
/// no other model, and once more in one whose other models are guarded.
struct GuardBench {
  let rows: Int
  let repetitions: Int
  let path: (String) -> String

  func run() throws {
    let kinds: [(String, (String) -> String, (String, Schema) throws -> any Store)] = [
      ("SQLite", { $0 + ".sqlite" }, { try SQLiteStore(path: $0, schema: $1) }),
      ("LMDB", { $0 + ".lmdb" }, { try LMDBStore(path: $0, schema: $1) }),
      ("memory", { $0 }, { MemoryStore(schema: $1) }),
    ]
    Benchmarks.say("\(rows) rows, medians of \(repetitions), CPU time a row\n")
    Benchmarks.say(
      "| workload | bare | bare among guarded | three rules | moment and version | hooks |")
    Benchmarks.say("|---|--:|--:|--:|--:|--:|")
    for (kind, file, open) in kinds {
      func store(_ name: String, _ models: any Persistable.Type...) throws -> any Store {
        try open(path(file("guards-\(kind)-\(name)")), Schema(models: models))
      }
      let contestants: [(name: String, value: any GuardContestant)] = [
        ("bare", GuardRunner<BareRow>(store: try store("bare", BareRow.self))),
        (
          "bare among guarded",
          GuardRunner<BareRow>(store: try store("among", BareRow.self, RuledRow.self))
        ),
        ("three rules", GuardRunner<RuledRow>(store: try store("rules", RuledRow.self))),
        ("moment and version", GuardRunner<KeptRow>(store: try store("kept", KeptRow.self))),
        ("hooks", GuardRunner<HookedRow>(store: try store("hooks", HookedRow.self))),
      ]
      let measurement = Measurement(contestants: contestants, repetitions: repetitions)
      for workload in workloads() {
        let times = try measurement.measure(workload)
        let cells = times.enumerated().map { index, time in
          index == 0 ? readable(time) : String(format: "%.2f ×", time / times[0])
        }
        Benchmarks.say("| \(kind): \(workload.name) | " + cells.joined(separator: " | ") + " |")
      }
    }
  }

  private func workloads() -> [Workload<any GuardContestant>] {
    let rows = rows
    return [
      Workload(
        name: "insert", unit: "row", units: rows, prepare: { try $0.clear() },
        run: { contestant, _ in try contestant.insert(rows) }),
      Workload(
        name: "update of a batch", unit: "row", units: rows,
        run: { contestant, repetition in try contestant.update(round: Int64(repetition + 1)) }),
      Workload(
        name: "set-based update", unit: "row", units: rows,
        run: { contestant, _ in try contestant.raise() }),
    ]
  }
}

/// A model in its store.
protocol GuardContestant: Sendable {
  func clear() throws
  func insert(_ rows: Int) throws -> Int
  func update(round: Int64) throws -> Int
  func raise() throws -> Int
}

struct GuardRunner<Row: GuardedRow>: GuardContestant {
  let store: any Store

  func clear() throws { try store.deleteAll(Row.self) }

  func insert(_ rows: Int) throws -> Int {
    let models = (1...Int64(rows)).map {
      Row(id: $0, name: "Row number \($0)", score: $0 % 1000, rating: Double($0 % 100) / 100)
    }
    return try store.insert(models).inserted
  }

  func update(round: Int64) throws -> Int {
    var models = try store.fetch(Row.all)
    for index in models.indices { models[index].score += round }
    return try store.save(models).updated
  }

  func raise() throws -> Int {
    // By names: a key path through the protocol is no attribute's.
    try store.write {
      try $0.update(
        DynamicQuery(Row.entity.description.name),
        ["score": .arithmetic(.add, .attribute("score"), .value(.int(1)))])
    }
  }
}
