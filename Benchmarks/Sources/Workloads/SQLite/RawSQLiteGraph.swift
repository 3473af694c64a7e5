import CBenchSQLite

/// The best hand-written code over libsqlite3 for a graph: cached statements, default pragmas,
/// foreign keys that cascade.
package final class RawSQLiteGraph: GraphVerbs {
  private let database: OpaquePointer
  private var statements: [String: OpaquePointer] = [:]

  /// Objects that hold one another, as a program without an ORM would have them.
  private final class Club {
    let id: Int64
    let name: String
    var members: [Member] = []
    init(id: Int64, name: String) {
      self.id = id
      self.name = name
    }
  }

  private struct Member {
    let id: Int64
    let name: String
    let age: Int64
    unowned let club: Club
  }

  package init(path: String, pragmas: [String] = []) throws {
    var database: OpaquePointer?
    let code = sqlite3_open(path, &database)
    guard code == SQLITE_OK, let database else { throw RawSQLite.Failure(code: code) }
    self.database = database
    for pragma in pragmas + ["foreign_keys = ON"] { try execute("PRAGMA \(pragma)") }
    try execute("CREATE TABLE club (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
    try execute(
      """
      CREATE TABLE member (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER NOT NULL,
        club INTEGER REFERENCES club ON DELETE CASCADE)
      """)
    try execute("CREATE INDEX member_club ON member (club)")
    try execute("CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
    try execute(
      """
      CREATE TABLE club_tag (club INTEGER NOT NULL REFERENCES club ON DELETE CASCADE,
        tag INTEGER NOT NULL REFERENCES tag ON DELETE CASCADE, PRIMARY KEY (club, tag))
        WITHOUT ROWID
      """)
    try execute("CREATE INDEX club_tag_tag ON club_tag (tag)")
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close(database)
  }

  private func execute(_ sql: String) throws {
    let code = sqlite3_exec(database, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw RawSQLite.Failure(code: code) }
  }

  private func statement(_ sql: String) throws -> OpaquePointer {
    if let statement = statements[sql] { return statement }
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(
      database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw RawSQLite.Failure(code: code) }
    statements[sql] = statement
    return statement
  }

  private func step(_ statement: OpaquePointer) throws {
    let code = sqlite3_step(statement)
    guard code == SQLITE_DONE else { throw RawSQLite.Failure(code: code) }
    sqlite3_reset(statement)
  }

  /// Runs a statement to its end, a row at a time.
  private func rows(_ statement: OpaquePointer, _ body: (OpaquePointer) -> Void) throws {
    while true {
      let code = sqlite3_step(statement)
      if code == SQLITE_DONE { break }
      guard code == SQLITE_ROW else { throw RawSQLite.Failure(code: code) }
      body(statement)
    }
    sqlite3_reset(statement)
  }

  private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  private func bind(_ text: String, _ index: Int32, _ statement: OpaquePointer) {
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        _ = sqlite3_bind_text(
          statement, index, characters.baseAddress, Int32(characters.count), Self.transient)
      }
    }
  }

  private func text(_ statement: OpaquePointer, _ column: Int32) -> String {
    guard let bytes = sqlite3_column_text(statement, column) else { return "" }
    let count = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  package func fill(clubs: Int, size: Int, tags: Int) throws {
    try execute("BEGIN")
    for table in ["club_tag", "member", "club", "tag"] { try execute("DELETE FROM \(table)") }
    let club = try statement("INSERT INTO club VALUES (?, ?)")
    for id in 1...Int64(clubs) {
      sqlite3_bind_int64(club, 1, id)
      bind(GraphData.clubName(id), 2, club)
      try step(club)
    }
    let member = try statement("INSERT INTO member VALUES (?, ?, ?, ?)")
    for index in 0..<Int64(clubs * size) {
      sqlite3_bind_int64(member, 1, index + 1)
      bind(GraphData.memberName(index + 1), 2, member)
      sqlite3_bind_int64(member, 3, GraphData.age(index + 1))
      sqlite3_bind_int64(member, 4, index / Int64(size) + 1)
      try step(member)
    }
    let tag = try statement("INSERT INTO tag VALUES (?, ?)")
    for id in 1...Int64(tags) {
      sqlite3_bind_int64(tag, 1, id)
      bind("Tag \(id)", 2, tag)
      try step(tag)
    }
    try execute("COMMIT")
  }

  package func prefetch() throws -> Int {
    try execute("BEGIN")
    var clubs: [Club] = []
    var byID: [Int64: Club] = [:]
    try rows(try statement("SELECT id, name FROM club ORDER BY id")) { row in
      let club = Club(id: sqlite3_column_int64(row, 0), name: text(row, 1))
      clubs.append(club)
      byID[club.id] = club
    }
    try rows(
      try statement(
        "SELECT id, name, age, club FROM member WHERE club IN (SELECT id FROM club) "
          + "ORDER BY club, id")
    ) { row in
      if let club = byID[sqlite3_column_int64(row, 3)] {
        club.members.append(
          Member(
            id: sqlite3_column_int64(row, 0), name: text(row, 1),
            age: sqlite3_column_int64(row, 2), club: club))
      }
    }
    try execute("COMMIT")
    var sum = 0
    for club in clubs {
      for member in club.members {
        sum &+= GraphData.sum(member.id, member.name, member.age, club: member.club.name)
      }
    }
    return sum
  }

  package func load(_ ids: [Int64]) throws -> Int {
    let clubs = ids.map { Club(id: $0, name: GraphData.clubName($0)) }
    let byID = Dictionary(uniqueKeysWithValues: clubs.map { ($0.id, $0) })
    let list = "[" + ids.map(String.init).joined(separator: ",") + "]"
    let query = try statement(
      "SELECT id, name, age, club FROM member WHERE club IN (SELECT value FROM json_each(?)) "
        + "ORDER BY club, id")
    bind(list, 1, query)
    try rows(query) { row in
      if let club = byID[sqlite3_column_int64(row, 3)] {
        club.members.append(
          Member(
            id: sqlite3_column_int64(row, 0), name: text(row, 1),
            age: sqlite3_column_int64(row, 2), club: club))
      }
    }
    var sum = 0
    for club in clubs {
      for member in club.members {
        sum &+= GraphData.sum(member.id, member.name, member.age, club: club.name)
      }
    }
    return sum
  }

  package func countAny(age: Int64) throws -> Int {
    let query = try statement(
      "SELECT count(*) FROM club WHERE EXISTS "
        + "(SELECT 1 FROM member WHERE member.club = club.id AND member.age >= ?)")
    sqlite3_bind_int64(query, 1, age)
    var count = 0
    try rows(query) { count = Int(sqlite3_column_int64($0, 0)) }
    return count
  }

  package func attach(clubs: Int, tags: Int) throws -> Int {
    try execute("BEGIN")
    let link = try statement("INSERT OR IGNORE INTO club_tag VALUES (?, ?)")
    for club in 1...Int64(clubs) {
      for tag in 1...Int64(tags) {
        sqlite3_bind_int64(link, 1, club)
        sqlite3_bind_int64(link, 2, tag)
        try step(link)
      }
    }
    try execute("COMMIT")
    return clubs * tags
  }

  package func deleteClubs() throws -> Int {
    try step(try statement("DELETE FROM club"))
    return Int(sqlite3_changes(database))
  }
}
