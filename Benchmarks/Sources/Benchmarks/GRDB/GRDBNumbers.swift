import GRDB
import Workloads

/// The parts that both kinds of records of ten integers share.
protocol GRDBNumber: FetchableRecord, PersistableRecord {
  init(_ data: NumberData)
  var data: NumberData { get }
}

/// Ten integers as a Codable record.
struct CodableNumber: GRDBNumber, Codable {
  static let databaseTableName = "numbers"
  var id, a, b, c, d, e, f, g, h, i: Int64

  init(_ n: NumberData) {
    (id, a, b, c, d) = (n.id, n.a, n.b, n.c, n.d)
    (e, f, g, h, i) = (n.e, n.f, n.g, n.h, n.i)
  }

  var data: NumberData {
    NumberData(id: id, a: a, b: b, c: c, d: d, e: e, f: f, g: g, h: h, i: i)
  }
}

/// Ten integers as a hand-written record: columns read by position.
struct FastNumber: GRDBNumber {
  static let databaseTableName = "numbers"
  var data: NumberData

  init(_ data: NumberData) { self.data = data }

  init(row: Row) {
    data = NumberData(
      id: row[0], a: row[1], b: row[2], c: row[3], d: row[4], e: row[5], f: row[6], g: row[7],
      h: row[8], i: row[9])
  }

  func encode(to container: inout PersistenceContainer) {
    for (name, value) in [
      ("id", data.id), ("a", data.a), ("b", data.b), ("c", data.c), ("d", data.d), ("e", data.e),
      ("f", data.f), ("g", data.g), ("h", data.h), ("i", data.i),
    ] {
      container[name] = value
    }
  }
}

/// The rows of ten integers by records of either kind.
struct GRDBNumbers<Number: GRDBNumber>: NumberOperations {
  let queue: DatabaseQueue

  init(path: String, _: Number.Type) throws {
    queue = try DatabaseQueue(path: path)
    try queue.write {
      try $0.execute(
        sql: """
          CREATE TABLE numbers (id INTEGER PRIMARY KEY, a INTEGER NOT NULL, b INTEGER NOT NULL,
            c INTEGER NOT NULL, d INTEGER NOT NULL, e INTEGER NOT NULL, f INTEGER NOT NULL,
            g INTEGER NOT NULL, h INTEGER NOT NULL, i INTEGER NOT NULL)
          """)
    }
  }

  func fill(_ numbers: [NumberData]) throws {
    try queue.write { for number in numbers { try Number(number).insert($0) } }
  }

  func scanNumbers() throws -> Int {
    try queue.read { try Number.order(Column("id")).fetchAll($0) }
      .reduce(0) { $0 &+ $1.data.checksum }
  }
}
