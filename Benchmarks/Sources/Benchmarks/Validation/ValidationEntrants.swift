import LMDBBackend
import MemoryBackend
import ORM
import SQLiteBackend
import Workloads

/// What rules, managed attributes and hooks cost a row, and that they cost nothing where there are none:
/// the same rows as a model of each kind, in a store of its own; the bare one is in a store that has
/// no other model, and once more in one whose other models are guarded.
struct ValidationEntrants {
  let path: (String) -> String

  /// The contestants by kind of store.
  var all: [(kind: String, entrants: [Entrant])] {
    let kinds: [(String, (String, Schema) throws -> any Store)] = [
      ("SQLite", { try SQLiteStore(path: path($0 + ".sqlite"), schema: $1) }),
      ("LMDB", { try LMDBStore(path: path($0 + ".lmdb"), schema: $1) }),
      ("memory", { MemoryStore(schema: $1) }),
    ]
    return kinds.map { kind, open in
      func store(_ name: String, _ models: any Persistable.Type...) throws -> any Store {
        try open("interceptors-\(name)", Schema(models: models))
      }
      let makers: [(String, () throws -> Any)] = [
        ("bare", { ValidationRunner<BareRow>(store: try store("bare", BareRow.self)) }),
        (
          "bare among validated",
          { ValidationRunner<BareRow>(store: try store("among", BareRow.self, RuledRow.self)) }
        ),
        ("three rules", { ValidationRunner<RuledRow>(store: try store("rules", RuledRow.self)) }),
        (
          "timestamp and version",
          { ValidationRunner<ManagedRow>(store: try store("managed", ManagedRow.self)) }
        ),
        ("hooks", { ValidationRunner<HookedRow>(store: try store("hooks", HookedRow.self)) }),
      ]
      return (kind, makers.map { Entrant(name: $0.0, [.interceptors: $0.1]) })
    }
  }
}

/// Writes of validated rows; each workload finds what the one before it left.
struct ValidationWorkloads {
  let rows: Int

  var all: [Workload] {
    let rows = rows
    return [
      Workload(
        "insert", "insert", unit: "row", units: rows, in: .interceptors,
        as: (any ValidationOperations).self
      ) { section, _ in
        try section.clear()
        return { try section.insert(rows) }
      },
      Workload(
        "update", "update of a batch", unit: "row", units: rows, in: .interceptors,
        as: (any ValidationOperations).self
      ) { section, repetition in { try section.update(round: Int64(repetition + 1)) } },
      Workload(
        "raise", "set-based update", unit: "row", units: rows, in: .interceptors,
        as: (any ValidationOperations).self
      ) { section, _ in { try section.raise() } },
    ]
  }
}
