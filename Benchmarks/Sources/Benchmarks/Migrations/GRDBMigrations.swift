import GRDB
import Workloads

/// The migrator of GRDB, with the statements of hand-written code.
enum GRDBMigrations {
  private static func queue(_ path: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF")
    }
    return try DatabaseQueue(path: path, configuration: configuration)
  }

  private static func migrator(_ work: MigrationWork?) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { _ in }
    guard let work, work.plan?.versions.last?.number ?? 1 > 1 else { return migrator }
    migrator.registerMigration("2") { database in
      for statement in work.statements ?? [] { try database.execute(sql: statement) }
      if work.statements == nil { try changeRows(database) }
    }
    return migrator
  }

  private static func changeRows(_ database: Database) throws {
    let update = try database.makeStatement(
      sql: "UPDATE plain SET score = ?, note = ? WHERE id = ?")
    let rows = try Row.fetchCursor(database, sql: "SELECT * FROM plain ORDER BY id")
    while let row = try rows.next() {
      let score: Int64 = row["score"]
      let name: String = row["name"]
      let country: String = row["country"]
      let id: Int64 = row["id"]
      try update.execute(arguments: [score + 1000, "\(name), \(country)", id])
    }
  }

  static func make(_ path: String, _ rows: Rows) throws {
    try RawMigrations.makeSQLite(path, rows)
    let queue = try queue(path)
    try migrator(nil).migrate(queue)
    try queue.close()
  }

  static func run(_ path: String, _ work: MigrationWork) throws -> (() throws -> Double)? {
    if work.isInParts { return nil }
    let queue = try queue(path)
    if work != .open { try migrator(work).migrate(queue) }
    return {
      let sum = try queue.read { try Double.fetchOne($0, sql: work.sumQuery) }
      try queue.close()
      return sum ?? .nan
    }
  }
}
