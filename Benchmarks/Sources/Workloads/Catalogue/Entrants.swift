import LMDBBackend
import MemoryBackend
import ORM
import SQLiteBackend

/// The contestants that need no package but ours.
package struct Entrants {
  /// The path of a file of this name.
  package let path: (String) -> String
  /// The options of the stores of Strata with plain models.
  package let options: StoreOptions

  package init(options: StoreOptions = StoreOptions(), path: @escaping (String) -> String) {
    self.options = options
    self.path = path
  }

  /// The entrants in the order of tables.
  package var all: [Entrant] {
    [
      rawSQLite, tunedSQLite, strataSQLite, strataCodable, rawLMDB, strataLMDB, plain,
      strataMemory,
    ]
  }

  package var rawSQLite: Entrant { rawSQLite(named: "raw SQLite", pragmas: []) }

  /// Hand-written code with the pragmas that a careful program sets; commits are as durable.
  package var tunedSQLite: Entrant {
    rawSQLite(named: "raw SQLite tuned", pragmas: Self.tunedPragmas)
  }

  package static let tunedPragmas = [
    "journal_mode = WAL", "synchronous = FULL", "cache_size = -65536", "mmap_size = 1073741824",
  ]

  private func rawSQLite(named name: String, pragmas: [String]) -> Entrant {
    let file = { (section: String) in path("\(name)-\(section).sqlite") }
    return Entrant(
      name: name,
      [
        .players: { try RawSQLite(path: file("players"), pragmas: pragmas) },
        .queries: { try RawSQLiteQueries(path: file("queries"), pragmas: pragmas) },
        .numbers: { try RawSQLiteNumbers(path: file("numbers"), pragmas: pragmas) },
        .graph: { try RawSQLiteGraph(path: file("graph"), pragmas: pragmas) },
        .opening: { try RawSQLiteOpening(path: file("opening"), pragmas: pragmas) },
      ])
  }

  package var rawLMDB: Entrant {
    Entrant(
      name: "raw LMDB",
      [
        .players: { try RawLMDB(path: path("players.raw-lmdb")) },
        .queries: { try RawLMDBQueries(path: path("queries.raw-lmdb")) },
        .numbers: { try RawLMDBNumbers(path: path("numbers.raw-lmdb")) },
        .graph: { try RawLMDBGraph(path: path("graph.raw-lmdb")) },
        .opening: { try RawLMDBOpening(path: path("opening.raw-lmdb")) },
      ])
  }

  /// Arrays and dictionaries.
  package var plain: Entrant {
    Entrant(
      name: "plain",
      [
        .players: { PlainPlayers() }, .queries: { PlainQueries() }, .numbers: { PlainNumbers() },
        .graph: { PlainGraph() },
      ])
  }

  package var strataSQLite: Entrant {
    strata("Strata SQLite") {
      try SQLiteStore(path: path("\($0).sqlite"), schema: $1, options: options)
    }
  }

  package var strataLMDB: Entrant {
    strata("Strata LMDB") {
      try LMDBStore(path: path("\($0).lmdb"), schema: $1, options: options)
    }
  }

  /// LMDB with reads by the library's cursors.
  package var strataLMDBLibrary: Entrant {
    strata("Strata LMDB library") { name, schema in
      var lmdb = LMDBOptions()
      lmdb.readsPagesDirectly = false
      return try LMDBStore(path: path("library-\(name).lmdb"), schema: schema, lmdb: lmdb)
    }
  }

  /// SQLite with models through Codable.
  package var strataCodable: Entrant {
    func open(_ name: String, _ schema: Schema) throws -> any Store {
      try SQLiteStore(path: path("codable-\(name).sqlite"), schema: schema)
    }
    return Entrant(
      name: "Strata codable",
      [
        .players: {
          StrataCodable(store: try open("players", Schema(CodedPlayer.self, CodedPlain.self)))
        },
        .numbers: {
          StrataCodableNumbers(store: try open("numbers", Schema(CodedNumbers.self)))
        },
      ])
  }

  package var strataMemory: Entrant {
    strata("Strata memory", hasFile: false) {
      MemoryStore(schema: $1, options: options)
    }
  }

  /// Stores that have entities with external contents, rules and subentities beside those measured.
  package var strataLayered: [(String, Entrant)] {
    func entrant(_ name: String, _ open: @escaping (Schema) throws -> any Store) -> (
      String, Entrant
    ) {
      (
        "\(name)-layered",
        Entrant(
          name: "Strata \(name) layered",
          [
            .players: {
              let schema = try Schema(
                Player.self, PlainPlayer.self, Document.self, Contract.self)
              return StrataPlayers(store: try open(schema))
            }
          ])
      )
    }
    return [
      entrant("sqlite") { try SQLiteStore(path: path("layered.sqlite"), schema: $0) },
      entrant("lmdb") { try LMDBStore(path: path("layered.lmdb"), schema: $0) },
      entrant("memory") { MemoryStore(schema: $0) },
    ]
  }

  private func strata(
    _ name: String, hasFile: Bool = true,
    _ open: @escaping (String, Schema) throws -> any Store
  ) -> Entrant {
    var sections: [Section: () throws -> Any] = [
      .players: {
        StrataPlayers(store: try open("players", Schema(Player.self, PlainPlayer.self)))
      },
      .queries: { StrataQueries(store: try open("queries", Schema(RankedPlayer.self))) },
      .numbers: { StrataNumbers(store: try open("numbers", Schema(Numbers.self))) },
      .graph: {
        StrataGraph(store: try open("graph", Schema(Club.self, Member.self, Tag.self)))
      },
    ]
    if hasFile { sections[.opening] = { try StrataOpening { try open("opening", $0) } } }
    return Entrant(name: name, sections)
  }
}
