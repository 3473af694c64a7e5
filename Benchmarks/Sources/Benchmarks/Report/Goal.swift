/// The goal of a store: at most a multiple of the time of another contestant.
struct Goal {
  /// The workload's word.
  let word: String
  let store: String
  let base: String
  let limit: Double
  var clock: KeyPath<Time, Double> { word == "durable" ? \.wall : \.cpu }

  /// The goals of the project, in the order of the table in Documentation/Performance.md.
  static let all: [Goal] = {
    var goals: [Goal] = []
    func add(
      _ words: [String], sqlite: Double, lmdb: Double, plain: Double? = nil, rawLMDB: Double? = nil
    ) {
      for word in words {
        goals.append(Goal(word: word, store: "Strata SQLite", base: "raw SQLite", limit: sqlite))
        goals.append(Goal(word: word, store: "Strata LMDB", base: "raw LMDB", limit: lmdb))
        if let plain {
          goals.append(Goal(word: word, store: "Strata memory", base: "plain", limit: plain))
        }
        if let rawLMDB {
          goals.append(Goal(word: word, store: "Strata memory", base: "raw LMDB", limit: rawLMDB))
        }
      }
    }
    add(["scan", "scan-ints"], sqlite: 1.10, lmdb: 1.15, plain: 2.5, rawLMDB: 0.9)
    add(["find"], sqlite: 1.25, lmdb: 1.25, plain: 2.5, rawLMDB: 0.7)
    add(["filter", "top", "pages"], sqlite: 1.10, lmdb: 1.25, rawLMDB: 0.9)
    add(["insert", "insert-indexed"], sqlite: 1.15, lmdb: 1.20, plain: 2)
    add(["upsert"], sqlite: 1.3, lmdb: 1.20, plain: 2)
    add(["stream"], sqlite: 1.10, lmdb: 1.30)
    add(["find-each"], sqlite: 1.25, lmdb: 1.50)
    add(["filter-scan"], sqlite: 1.10, lmdb: 1.30)
    add(["durable"], sqlite: 1.05, lmdb: 1.05)
    add(["update", "delete"], sqlite: 1.05, lmdb: 1.2)
    add(["graph"], sqlite: 1.15, lmdb: 1.2)
    add(["count", "count-scan", "group-sum"], sqlite: 1.05, lmdb: 1.2, rawLMDB: 0.9)
    add(["sum-doubles"], sqlite: 1.6, lmdb: 1.6)
    // Models through Codable beside the same of GRDB, wherever rows are read.
    for word in ["scan", "scan-ints", "stream", "find", "find-each", "filter", "top"] {
      goals.append(
        Goal(word: word, store: "Strata codable", base: "GRDB codable", limit: 0.8))
    }
    // Twenty, seven and four times as fast as GRDB's default, and never slower than its fastest.
    for (words, factor) in [
      (["find", "upsert"], 20.0), (["insert", "insert-indexed"], 7),
      (["scan", "scan-ints"], 4),
    ] {
      for word in words {
        goals.append(
          Goal(word: word, store: "Strata SQLite", base: "GRDB codable", limit: 1 / factor))
      }
    }
    for word in [
      "insert", "insert-indexed", "upsert", "find", "find-each", "scan", "scan-ints",
      "filter", "filter-scan", "top", "pages", "count", "count-scan", "group-sum", "graph",
    ] {
      for base in ["GRDB fast", "GRDB stmt", "GRDB codable"] {
        goals.append(Goal(word: word, store: "Strata SQLite", base: base, limit: 1))
      }
    }
    return goals
  }()
}
