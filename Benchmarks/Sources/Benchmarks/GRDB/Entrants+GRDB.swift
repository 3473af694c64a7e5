import Workloads

extension Entrants {
  /// Ours and the peers, in the order of tables.
  var withPeers: [Entrant] {
    [
      rawSQLite, tunedSQLite, strataSQLite, strataCodable, grdbCodable, grdbFast, grdbStatic,
      grdbPool, rawLMDB,
      strataLMDB, plain, strataMemory,
    ]
  }

  /// Codable records, as most people use GRDB.
  var grdbCodable: Entrant {
    Entrant(
      name: "GRDB codable",
      [
        .players: {
          try GRDBPlayers(
            path: path("grdb-codable-players.sqlite"), CodablePlayer.self, CodablePlain.self)
        },
        .queries: {
          try GRDBQueries(path: path("grdb-codable-queries.sqlite"), CodablePlayer.self)
        },
        .numbers: {
          try GRDBNumbers(path: path("grdb-codable-numbers.sqlite"), CodableNumber.self)
        },
        .graph: { try GRDBGraph(path: path("grdb-codable-graph.sqlite")) },
      ])
  }

  /// Records written by hand.
  var grdbFast: Entrant {
    Entrant(
      name: "GRDB fast",
      [
        .players: {
          try GRDBPlayers(path: path("grdb-fast-players.sqlite"), FastPlayer.self, FastPlain.self)
        },
        .queries: { try GRDBQueries(path: path("grdb-fast-queries.sqlite"), FastPlayer.self) },
        .numbers: { try GRDBNumbers(path: path("grdb-fast-numbers.sqlite"), FastNumber.self) },
      ])
  }

  /// Static statements on a queue.
  var grdbStatic: Entrant {
    Entrant(name: "GRDB stmt", [.players: { try GRDBStatic(queue: path("stmt.sqlite")) }])
  }

  /// Static statements on a pool.
  var grdbPool: Entrant {
    Entrant(name: "GRDB pool", [.players: { try GRDBStatic(pool: path("pool.sqlite")) }])
  }
}
