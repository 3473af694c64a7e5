import Workloads

/// Hand-written code over the libraries of SQLite and LMDB.
enum RawMigrations {
  private static let pragmas = ["journal_mode = WAL", "synchronous = OFF"]

  static func makeSQLite(_ path: String, _ rows: Rows) throws {
    _ = try RawSQLite(path: path, pragmas: pragmas).plainInsert(rows.players)()
  }

  static func runSQLite(_ path: String, _ work: MigrationWork) throws -> (() throws -> Double)? {
    if work.isInParts { return nil }
    let connection = try RawConnection(path: path, pragmas: pragmas)
    // The library reads the schema at the first statement.
    _ = try connection.statement("SELECT * FROM plain")
    try connection.transaction {
      if let statements = work.statements {
        for statement in statements { try connection.execute(statement) }
      } else {
        try connection.changeRows({ $0 + 1000 }, note: { "\($0), \($1)" })
      }
    }
    return { try connection.number(work.sumQuery) }
  }

  static func makeLMDB(_ path: String, _ rows: Rows) throws {
    _ = try RawLMDB(path: path).plainInsert(rows.players)()
  }

  static func runLMDB(_ path: String, _ work: MigrationWork) throws -> (() throws -> Double)? {
    let file: RawLMDB
    switch work {
    case .open, .planned: file = try RawLMDB(path: path)
    case .set:
      file = try RawLMDB(path: path)
      try file.changeScores { $0 * 2 + 1 }
    case .five:
      file = try RawLMDB(path: path)
      try file.changeScores { $0 + 5 }
    case .rename, .drop, .add, .index, .indexAtOnce, .changeType, .rows, .rowsInParts, .fiveInParts,
      .lastPart:
      return nil
    }
    return { Double(try file.sumOfScores()) }
  }
}
