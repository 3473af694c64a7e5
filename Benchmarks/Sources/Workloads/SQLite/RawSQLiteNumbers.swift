import CBenchSQLite

/// Ten integers by hand-written SQL over the code of ``RawConnection``.
package final class RawSQLiteNumbers: NumberOperations {
  private let raw: RawConnection

  package init(path: String, pragmas: [String] = []) throws {
    raw = try RawConnection(path: path, pragmas: pragmas)
    try raw.execute(
      """
      CREATE TABLE numbers (id INTEGER PRIMARY KEY, a INTEGER NOT NULL, b INTEGER NOT NULL,
        c INTEGER NOT NULL, d INTEGER NOT NULL, e INTEGER NOT NULL, f INTEGER NOT NULL,
        g INTEGER NOT NULL, h INTEGER NOT NULL, i INTEGER NOT NULL)
      """)
  }

  package func fill(_ numbers: [NumberData]) throws {
    try raw.transaction {
      let statement = try raw.statement("INSERT INTO numbers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      for n in numbers {
        for (place, value) in [n.id, n.a, n.b, n.c, n.d, n.e, n.f, n.g, n.h, n.i].enumerated() {
          sqlite3_bind_int64(statement, Int32(place + 1), value)
        }
        try raw.run(statement)
      }
    }
  }

  package func scanNumbers() throws -> Int {
    let row = try raw.statement("SELECT * FROM numbers ORDER BY id")
    var numbers: [NumberData] = []
    try raw.rows(row) { row in
      numbers.append(
        NumberData(
          id: sqlite3_column_int64(row, 0), a: sqlite3_column_int64(row, 1),
          b: sqlite3_column_int64(row, 2), c: sqlite3_column_int64(row, 3),
          d: sqlite3_column_int64(row, 4), e: sqlite3_column_int64(row, 5),
          f: sqlite3_column_int64(row, 6), g: sqlite3_column_int64(row, 7),
          h: sqlite3_column_int64(row, 8), i: sqlite3_column_int64(row, 9)))
    }
    return numbers.checksum
  }
}
