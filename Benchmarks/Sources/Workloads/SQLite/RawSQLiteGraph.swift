import CBenchSQLite

/// The best hand-written code over libsqlite3 for a graph: cached statements, default pragmas,
/// foreign keys that cascade.
package final class RawSQLiteGraph: GraphOperations {
  private let raw: RawConnection

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
    // The array of clubs outlives its members.
    unowned(unsafe) let club: Club
  }

  package init(path: String, pragmas: [String] = []) throws {
    raw = try RawConnection(path: path, pragmas: pragmas + ["foreign_keys = ON"])
    try raw.execute("CREATE TABLE club (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
    try raw.execute(
      """
      CREATE TABLE member (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER NOT NULL,
        club INTEGER REFERENCES club ON DELETE CASCADE)
      """)
    try raw.execute("CREATE INDEX member_club ON member (club)")
    try raw.execute("CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
    try raw.execute(
      """
      CREATE TABLE club_tag (club INTEGER NOT NULL REFERENCES club ON DELETE CASCADE,
        tag INTEGER NOT NULL REFERENCES tag ON DELETE CASCADE, PRIMARY KEY (club, tag))
        WITHOUT ROWID
      """)
    try raw.execute("CREATE INDEX club_tag_tag ON club_tag (tag)")
  }

  package func fill(clubs: Int, size: Int, tags: Int) throws {
    try raw.execute("BEGIN")
    for table in ["club_tag", "member", "club", "tag"] { try raw.execute("DELETE FROM \(table)") }
    let club = try raw.statement("INSERT INTO club VALUES (?, ?)")
    for id in 1...Int64(clubs) {
      sqlite3_bind_int64(club, 1, id)
      try raw.with(GraphData.clubName(id), at: 2, club) { try raw.run(club) }
    }
    let member = try raw.statement("INSERT INTO member VALUES (?, ?, ?, ?)")
    for index in 0..<Int64(clubs * size) {
      sqlite3_bind_int64(member, 1, index + 1)
      sqlite3_bind_int64(member, 3, GraphData.age(index + 1))
      sqlite3_bind_int64(member, 4, index / Int64(size) + 1)
      try raw.with(GraphData.memberName(index + 1), at: 2, member) { try raw.run(member) }
    }
    let tag = try raw.statement("INSERT INTO tag VALUES (?, ?)")
    for id in 1...Int64(tags) {
      sqlite3_bind_int64(tag, 1, id)
      try raw.with("Tag \(id)", at: 2, tag) { try raw.run(tag) }
    }
    try raw.execute("COMMIT")
  }

  package func prefetch() throws -> Int {
    try raw.transaction {
      var clubs: [Club] = []
      try raw.rows(raw.statement("SELECT id, name FROM club ORDER BY id")) { row in
        clubs.append(Club(id: sqlite3_column_int64(row, 0), name: raw.text(row, 1)))
      }
      try fillMembers(
        of: clubs,
        raw.statement(
          "SELECT id, name, age, club FROM member WHERE club IN (SELECT id FROM club) "
            + "ORDER BY club, id"))
      return sum(of: clubs)
    }
  }

  package func load(_ ids: [Int64]) throws -> Int {
    let clubs = ids.map { Club(id: $0, name: GraphData.clubName($0)) }
    let list = "[" + ids.map(String.init).joined(separator: ",") + "]"
    let query = try raw.statement(
      "SELECT id, name, age, club FROM member WHERE club IN (SELECT value FROM json_each(?)) "
        + "ORDER BY club, id")
    try raw.with(list, at: 1, query) { try fillMembers(of: clubs, query) }
    return sum(of: clubs)
  }

  /// Hands members to their clubs; they come sorted by club, so that a club is looked up once.
  private func fillMembers(of clubs: [Club], _ members: OpaquePointer) throws {
    let byID = Dictionary(uniqueKeysWithValues: clubs.map { ($0.id, $0) })
    var last: Club?
    try raw.rows(members) { row in
      let key = sqlite3_column_int64(row, 3)
      if last?.id != key { last = byID[key] }
      guard let club = last else { return }
      club.members.append(
        Member(
          id: sqlite3_column_int64(row, 0), name: raw.text(row, 1),
          age: sqlite3_column_int64(row, 2), club: club))
    }
  }

  private func sum(of clubs: [Club]) -> Int {
    var sum = 0
    for club in clubs {
      for member in club.members {
        sum &+= GraphData.sum(member.id, member.name, member.age, club: member.club.name)
      }
    }
    return sum
  }

  package func countAny(age: Int64) throws -> Int {
    let query = try raw.statement(
      "SELECT count(*) FROM club WHERE EXISTS "
        + "(SELECT 1 FROM member WHERE member.club = club.id AND member.age >= ?)")
    sqlite3_bind_int64(query, 1, age)
    var count = 0
    try raw.rows(query) { count = Int(sqlite3_column_int64($0, 0)) }
    return count
  }

  package func attach(clubs: Int, tags: Int) throws -> Int {
    try raw.execute("BEGIN")
    let link = try raw.statement("INSERT OR IGNORE INTO club_tag VALUES (?, ?)")
    for club in 1...Int64(clubs) {
      for tag in 1...Int64(tags) {
        sqlite3_bind_int64(link, 1, club)
        sqlite3_bind_int64(link, 2, tag)
        try raw.run(link)
      }
    }
    try raw.execute("COMMIT")
    return clubs * tags
  }

  package func deleteClubs() throws -> Int {
    try raw.run(try raw.statement("DELETE FROM club"))
    return Int(sqlite3_changes(raw.database))
  }
}
