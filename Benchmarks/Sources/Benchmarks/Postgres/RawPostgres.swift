import CBenchPostgres
import Foundation

/// The calls that one would write by hand over libpq: prepared statements, binary forms, no layer.
final class RawPostgres {
  private let connection: OpaquePointer
  /// The table, with its namespace.
  let table: String
  /// The number of requests that were sent.
  private(set) var trips = 0

  private static let columns = [
    "id", "name", "station", "value", "isValid", "level", "note", "time",
  ]
  private static let types = [
    "bigint", "text", "bigint", "double precision", "boolean", "bigint", "text",
    "double precision",
  ]

  init(_ location: String, namespace: String) throws {
    let uri = location.replacingOccurrences(of: "postgres:", with: "postgresql:")
    guard let connection = PQconnectdb(uri), PQstatus(connection) == CONNECTION_OK else {
      throw Disagreement(description: "\(uri) cannot be opened")
    }
    self.connection = connection
    table = "\"\(namespace)\".\"Reading\""
    let list = Self.columns.map { "\"\($0)\"" }.joined(separator: ", ")
    let arrays = Self.types.enumerated().map { "$\($0.offset + 1)::\($0.element)[]" }
      .joined(separator: ", ")
    try run("DROP SCHEMA IF EXISTS \"\(namespace)\" CASCADE; CREATE SCHEMA \"\(namespace)\"")
    let definitions = zip(Self.columns, Self.types).map { name, type in
      "\"\(name)\" \(type)\(type == "text" ? " COLLATE \"C\"" : "") NOT NULL"
    }
    try run(
      "CREATE TABLE \(table) (\(definitions.joined(separator: ", ")), PRIMARY KEY (id))")
    try prepare("find", "SELECT \(list) FROM \(table) WHERE id = $1")
    try prepare("scan", "SELECT \(list) FROM \(table) ORDER BY id")
    try prepare("insert", "INSERT INTO \(table) (\(list)) SELECT * FROM unnest(\(arrays))")
    try prepare(
      "save",
      "INSERT INTO \(table) (\(list)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) "
        + "DO UPDATE SET "
        + Self.columns.dropFirst().map { "\"\($0)\" = excluded.\"\($0)\"" }
        .joined(separator: ", "))
    let differs = Self.columns.dropFirst().map { "t.\"\($0)\" IS DISTINCT FROM g.\"\($0)\"" }
    let values = Self.columns.map { "g.\"\($0)\"" }.joined(separator: ", ")
    try prepare(
      "upsert",
      """
      WITH given AS (SELECT * FROM unnest(\(arrays)) WITH ORDINALITY AS g(\(list), n)),
      found AS MATERIALIZED (SELECT g.n, t.id IS NOT NULL AS was, \(differs.joined(separator: " OR "))
      AS differs FROM given g LEFT JOIN \(table) t ON t.id = g.id),
      put AS (INSERT INTO \(table) (\(list)) SELECT \(values) FROM given g JOIN found f USING (n)
      WHERE NOT f.was OR f.differs ORDER BY g.n ON CONFLICT (id) DO UPDATE SET
      \(Self.columns.dropFirst().map { "\"\($0)\" = excluded.\"\($0)\"" }.joined(separator: ", ")))
      SELECT CASE WHEN NOT was THEN 1 WHEN differs THEN 2 ELSE 3 END FROM found ORDER BY n
      """)
    try prepare("sum", "SELECT sum(value) FROM \(table)")
  }

  func close() { PQfinish(connection) }

  // MARK: Calls

  private func check(_ result: OpaquePointer?) throws -> OpaquePointer {
    let status = PQresultStatus(result)
    guard let result, status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK else {
      throw Disagreement(description: String(cString: PQerrorMessage(connection)))
    }
    return result
  }

  func run(_ sql: String) throws {
    trips += 1
    PQclear(try check(PQexec(connection, sql)))
  }

  private func prepare(_ name: String, _ sql: String) throws {
    PQclear(try check(PQprepare(connection, name, sql, 0, nil)))
  }

  private func execute<R>(
    _ name: String, _ values: [[UInt8]], _ body: (OpaquePointer) throws -> R
  ) throws -> R {
    trips += 1
    var all: [UInt8] = []
    let starts = values.map { value in
      defer { all += value }
      return all.count
    }
    let lengths = values.map { Int32($0.count) }
    let formats = values.map { _ in Int32(1) }
    let result = try all.withUnsafeBytes { bytes in
      let pointers = starts.map {
        bytes.baseAddress.map { $0.assumingMemoryBound(to: CChar.self) }?.advanced(by: $0)
      }
      return try check(
        PQexecPrepared(
          connection, name, Int32(values.count), pointers, lengths, formats, 1))
    }
    defer { PQclear(result) }
    return try body(result)
  }

  private func number(_ result: OpaquePointer, _ row: Int32, _ column: Int32) -> UInt64 {
    UInt64(
      bigEndian: UnsafeRawPointer(PQgetvalue(result, row, column)).loadUnaligned(as: UInt64.self))
  }

  private func text(_ result: OpaquePointer, _ row: Int32, _ column: Int32) -> String {
    let start = UnsafeRawPointer(PQgetvalue(result, row, column))
    return String(
      decoding: UnsafeRawBufferPointer(
        start: start, count: Int(PQgetlength(result, row, column))), as: UTF8.self)
  }

  private func reading(_ result: OpaquePointer, _ row: Int32) -> Reading {
    Reading(
      id: Int64(bitPattern: number(result, row, 0)), name: text(result, row, 1),
      station: Int64(bitPattern: number(result, row, 2)),
      value: Double(bitPattern: number(result, row, 3)),
      isValid: PQgetvalue(result, row, 4).pointee != 0,
      level: Int64(bitPattern: number(result, row, 5)), note: text(result, row, 6),
      time: Double(bitPattern: number(result, row, 7)))
  }

  // MARK: Work

  func find(_ id: Int64) throws -> Reading? {
    try execute("find", [Self.bytes(UInt64(bitPattern: id))]) {
      PQntuples($0) == 1 ? reading($0, 0) : nil
    }
  }

  func scan() throws -> [Reading] {
    try execute("scan", []) { result in (0..<PQntuples(result)).map { reading(result, $0) } }
  }

  func save(_ row: Reading) throws {
    try execute("save", Self.values(row)) { _ in }
  }

  func insert(_ rows: [Reading]) throws {
    try run("BEGIN")
    for start in stride(from: 0, to: rows.count, by: 1_000) {
      try execute("insert", Self.arrays(rows[start..<min(start + 1_000, rows.count)])) { _ in }
    }
    try run("COMMIT")
  }

  /// Returns the numbers of rows inserted, updated and left.
  func upsert(_ rows: [Reading]) throws -> [Int] {
    var counts = [0, 0, 0]
    try run("BEGIN")
    for start in stride(from: 0, to: rows.count, by: 1_000) {
      try execute("upsert", Self.arrays(rows[start..<min(start + 1_000, rows.count)])) { result in
        for row in 0..<PQntuples(result) { counts[Int(PQgetvalue(result, row, 0)[3]) - 1] += 1 }
      }
    }
    try run("COMMIT")
    return counts
  }

  func sum() throws -> Double {
    try execute("sum", []) { Double(bitPattern: number($0, 0, 0)) }
  }

  // MARK: Binary forms

  private static func bytes(_ value: UInt64) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
  }

  private static func values(_ row: Reading) -> [[UInt8]] {
    [
      bytes(UInt64(bitPattern: row.id)), Array(row.name.utf8),
      bytes(UInt64(bitPattern: row.station)), bytes(row.value.bitPattern),
      [row.isValid ? 1 : 0], bytes(UInt64(bitPattern: row.level)), Array(row.note.utf8),
      bytes(row.time.bitPattern),
    ]
  }

  private static func arrays(_ rows: ArraySlice<Reading>) -> [[UInt8]] {
    func array(_ type: UInt32, _ append: (Reading, inout [UInt8]) -> Void) -> [UInt8] {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(20 + rows.count * 24)
      for word in [1, 0, type, UInt32(rows.count), 1] { add(word, &bytes) }
      for row in rows { append(row, &bytes) }
      return bytes
    }
    func add(_ value: UInt32, _ bytes: inout [UInt8]) {
      withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }
    func number(_ type: UInt32, _ value: @escaping (Reading) -> UInt64) -> [UInt8] {
      array(type) { row, bytes in
        add(8, &bytes)
        withUnsafeBytes(of: value(row).bigEndian) { bytes.append(contentsOf: $0) }
      }
    }
    func text(_ value: @escaping (Reading) -> String) -> [UInt8] {
      array(25) { row, bytes in
        let text = value(row).utf8
        add(UInt32(text.count), &bytes)
        bytes.append(contentsOf: text)
      }
    }
    return [
      number(20) { UInt64(bitPattern: $0.id) }, text { $0.name },
      number(20) { UInt64(bitPattern: $0.station) }, number(701) { $0.value.bitPattern },
      array(16) { row, bytes in
        add(1, &bytes)
        bytes.append(row.isValid ? 1 : 0)
      },
      number(20) { UInt64(bitPattern: $0.level) }, text { $0.note },
      number(701) { $0.time.bitPattern },
    ]
  }
}
