import GRDB
import Glibc
import Workloads

/// Questions by GRDB's query interface, with records of either kind.
final class GRDBQueries<Record: GRDBPlayer>: QueryOperations {
  private let queue: DatabaseQueue

  init(path: String, _: Record.Type) throws {
    let pattern = Pattern()
    var configuration = Configuration()
    configuration.prepareDatabase { database in
      database.add(
        function: DatabaseFunction("bench_regexp", argumentCount: 1, pure: true) { values in
          String.fromDatabaseValue(values[0]).map { pattern.matches($0) }
        })
    }
    queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.write { database in
      try database.execute(
        sql: """
          CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, team INTEGER,
            score INTEGER NOT NULL, rating REAL NOT NULL, country TEXT NOT NULL,
            isActive INTEGER NOT NULL, note TEXT);
          CREATE INDEX player_score ON player (score);
          CREATE INDEX player_team ON player (team);
          CREATE INDEX player_country ON player (country, score)
          """)
    }
  }

  /// The C library's matcher; one thread at a time uses it, that of the queue.
  private final class Pattern: @unchecked Sendable {
    private var pattern = regex_t()
    init() { regcomp(&pattern, "^Player [0-9]*77$", REG_EXTENDED | REG_NOSUB) }
    func matches(_ text: String) -> Bool { regexec(&pattern, text, 0, nil, 0) == 0 }
  }

  func fill(_ players: [PlayerData]) throws {
    try queue.write { for player in players { try Record(player).insert($0) } }
  }

  private func checksum(
    _ request: QueryInterfaceRequest<Record>, _ database: Database
  ) throws -> Int {
    try request.fetchAll(database).reduce(0) { $0 &+ $1.data.checksum }
  }

  func single(_ keys: [Int64]) throws -> Int {
    try queue.read { database in
      try keys.reduce(0) { try $0 &+ checksum(Record.filter(Column("id") == $1), database) }
    }
  }

  func either(_ pairs: [(score: Int64, team: Int64)]) throws -> Int {
    try queue.read { database in
      try pairs.reduce(0) { sum, pair in
        try sum
          &+ checksum(
            Record.filter(Column("score") == pair.score || Column("team") == pair.team)
              .order(Column("id")), database)
      }
    }
  }

  func among(_ lists: [[Int64]]) throws -> Int {
    try queue.read { database in
      try lists.reduce(0) {
        try $0
          &+ checksum(Record.filter($1.contains(Column("id"))).order(Column("id")), database)
      }
    }
  }

  func pages(_ count: Int) throws -> Int {
    try queue.read { database in
      try (0..<count).reduce(0) {
        try $0
          &+ checksum(
            Record.order(Column("score"), Column("id")).limit(20, offset: $1 * 20), database)
      }
    }
  }

  func count(from scores: [Int64]) throws -> Int {
    try queue.read { database in
      try scores.reduce(0) {
        try $0
          &+ Record.filter(Column("score") >= $1 && Column("score") < $1 + 100)
          .fetchCount(database)
      }
    }
  }

  func sums() throws -> Int {
    try queue.read { database in
      let rows = try Row.fetchCursor(
        database,
        Record.select(Column("team"), sum(Column("score"))).group(Column("team"))
          .order(Column("team")))
      var total = 0
      while let row = try rows.next() { total = total.adding(team: row[0], sum: row[1]) }
      return total
    }
  }

  func sumsByCountry() throws -> Int {
    try queue.read { database in
      let rows = try Row.fetchCursor(
        database,
        Record.select(Column("country"), sum(Column("score"))).group(Column("country"))
          .order(Column("country")))
      var total = 0
      while let row = try rows.next() { total = total.adding(country: row[0], sum: row[1]) }
      return total
    }
  }

  func matching() throws -> Int {
    try queue.read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM player WHERE bench_regexp(name)") ?? 0
    }
  }
}
