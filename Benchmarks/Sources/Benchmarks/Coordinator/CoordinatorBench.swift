import Foundation
import LMDBBackend
import MemoryBackend
import ORM
import ORMCoordinator
import SQLiteBackend
import Workloads

/// A coordinator of two stores beside each store alone: `Benchmarks coordinator [ROWS] [REPETITIONS]`.
///
/// Items are in the first configuration, notes in the second. Commits are durable, as a program's are.
struct CoordinatorBench {
  let rows: Int
  let repetitions: Int
  let contestants: [CoordinatorContestant]
  let output: Output

  /// A step, with the number of operations that are measured together.
  private struct Step {
    let name: String
    let units: Int
    /// Saves values that differ from round to round, since a row that stays as it is costs no commit.
    let run: (_ store: any Store, _ round: Int) throws -> Int
  }

  private var steps: [Step] {
    let rows = Int64(rows)
    let keys = (0..<2_000).map { Int64($0) &* 7_919 % rows + 1 }
    return [
      Step(name: "find by key (goal: 1.02 ×)", units: keys.count) { store, _ in
        try keys.reduce(0) { try $0 &+ (store.find(BenchItem.self, $1)?.value ?? 0) }
      },
      Step(name: "fetch of 100 rows", units: 200) { store, _ in
        try keys.prefix(200).reduce(0) { sum, key in
          let items = try store.fetch(BenchItem.all.where { $0.id > key }.limit(100))
          return items.reduce(sum) { $0 &+ $1.value }
        }
      },
      Step(name: "fetch of 100 rows by notes", units: 50) { store, _ in
        try keys.prefix(50).reduce(0) { sum, key in
          let query = BenchItem.all.where { $0.id > key && $0.note.value > -1 }.limit(100)
          return try store.fetch(query).reduce(sum) { $0 &+ $1.value }
        }
      },
      Step(name: "save of an item (goal: 1.02 ×)", units: 200) { store, round in
        for key in keys.prefix(200) { try store.save(BenchItem(id: key, value: Int(key) + round)) }
        return 0
      },
      Step(name: "save of a note", units: 200) { store, round in
        for key in keys.prefix(200) { try store.save(BenchNote(id: key, value: Int(key) + round)) }
        return 0
      },
      Step(name: "item and note in one transaction (goal: both + 1 commit)", units: 200) {
        store, round in
        for key in keys.prefix(200) {
          try store.write { tx in
            try tx.save(BenchItem(id: key, value: Int(key) + round))
            try tx.save(BenchNote(id: key, value: Int(key) - round))
          }
        }
        return 0
      },
    ]
  }

  func run() throws {
    let stores = try contestants.map { contestant in
      let store = try contestant.open(Schema(BenchItem.self, BenchNote.self))
      try store.write { tx in
        let keys = (1...Int64(rows))
        try tx.insert(keys.map { BenchNote(id: $0, value: Int($0)) })
        try tx.insert(keys.map { BenchItem(id: $0, value: Int($0)) })
      }
      return store
    }
    output.say("\(rows) rows of each entity, medians of \(repetitions)\n")
    var report = RecordReport(
      Record(
        mode: "coordinator", rows: rows, repetitions: repetitions,
        contestants: contestants.map(\.name)), output)
    for step in steps {
      var times = stores.map { _ in [Time]() }
      for repetition in 0...repetitions {
        var checksums: Set<Int> = []
        for (index, store) in stores.enumerated() {
          let began = Time.now()
          checksums.insert(try step.run(store, repetition + 1))
          let time = Time.now().since(began, units: step.units)
          // The first repetition warms caches and is not counted.
          if repetition > 0 { times[index].append(time) }
        }
        guard checksums.count == 1 else {
          throw Disagreement(description: "\(step.name): \(checksums)")
        }
      }
      try report.add(
        Record.Line(
          word: step.name, name: step.name, unit: "operation", units: step.units, times: times))
    }
    for store in stores { try store.close() }
  }
}

/// A store, alone or as one of a coordinator.
struct CoordinatorContestant {
  let name: String
  let open: (Schema) throws -> any Store

  static func all(path: @escaping (String) -> String) -> [CoordinatorContestant] {
    func pair(_ name: String, _ items: StoreLocation, _ notes: StoreLocation)
      -> CoordinatorContestant
    {
      CoordinatorContestant(name: name) { schema in
        try StoreCoordinator(
          schema,
          configurations: [
            .configuration("items", BenchItem.self, at: items),
            .configuration("notes", BenchNote.self, at: notes),
          ])
      }
    }
    return [
      CoordinatorContestant(name: "SQLite") {
        try SQLiteStore(path: path("coordinator.sqlite"), schema: $0)
      },
      CoordinatorContestant(name: "LMDB") {
        try LMDBStore(path: path("coordinator.lmdb"), schema: $0)
      },
      pair("SQLite + memory", .sqlite(path: path("coordinator-a.sqlite")), .memory),
      pair(
        "SQLite + LMDB", .sqlite(path: path("coordinator-b.sqlite")),
        .lmdb(path: path("coordinator-b.lmdb"))),
      pair(
        "LMDB + SQLite", .lmdb(path: path("coordinator-c.lmdb")),
        .sqlite(path: path("coordinator-c.sqlite"))),
    ]
  }
}

/// A row of the first configuration, with a link to one of the second.
struct BenchItem: PrimaryKeyed, Codable {
  var id: Int64
  var value: Int
  var note: ToOne<BenchNote>

  init(id: Int64, value: Int) {
    self.id = id
    self.value = value
    note = .key(id)
  }

  static let entity = Entity<BenchItem>("Item") {
    .key("id", \.id).attribute("value", \.value).relationship("note", \.note)
  }
}

/// A row of the second configuration.
struct BenchNote: PrimaryKeyed, Codable {
  var id: Int64
  var value: Int

  static let entity = Entity<BenchNote>("Note") {
    .key("id", \.id).attribute("value", \.value)
  }
}
