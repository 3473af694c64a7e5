internal import ORMStorage

/// The entries that the engine keeps about the store itself, in a table of names and values.
///
/// `schema` is the stored schema as JSON; `key:` and an entity's stored name is the greatest key
/// that was ever committed, recorded when rows are deleted (clause 5.5); `checksum` is that of
/// `schema`, which only stores have whose rows have checksums; `checksum:` and an entity's stored
/// name is the name by which checksums of its rows begin, where that is not its table's; `dropped`
/// lists, by stored entity, the columns of tables that were dropped and are still there, as JSON;
/// `dropped tables` lists the tables of dropped entities that are; `overflow` lists the stored
/// entities whose tables have overflow keys, as JSON; `unfinished` lists the parts that a change of
/// tables adds and removes, as JSON, while it is made outside of transactions.
enum SQLMeta {
  static let schema = "schema"
  static let checksum = "checksum"
  static let dropped = "dropped"
  static let overflow = "overflow"
  static let hiddenTables = "dropped tables"
  static let unfinished = "unfinished"
  static func greatestKey(_ entity: String) -> String { "key:" + entity }
  static func checksumName(_ entity: String) -> String { "checksum:" + entity }

  /// The checksum of a schema's text.
  static func checksum(ofSchema text: String) -> String {
    String(Array(text.utf8).withUnsafeBytes { XXHash64.hash($0) })
  }
}

extension SQLSession {
  /// Makes the table.
  static func createMeta(_ connection: any SQLConnection, _ dialect: any SQLDialect) throws {
    let value = StoredColumn("value", .string)
    let name = StoredColumn("name", .string)
    try connection.execute(
      "CREATE TABLE \(dialect.quoted(table: SQLNames.meta)) ("
        + [name, value].map {
          dialect.declaration(of: $0, named: dialect.quoted($0.name), isRowNumber: false)
        }.joined(separator: ", ")
        + ", PRIMARY KEY (\(dialect.quoted("name"))))"
        + dialect.tableEnding(hasRowNumbers: false))
  }

  /// The statement that removes the table.
  static func metaRemoval(_ dialect: any SQLDialect) -> String {
    "DROP TABLE \(dialect.quoted(table: SQLNames.meta))"
  }

  /// A value; nil when there is none of the name.
  static func meta(
    _ name: String, _ connection: any SQLConnection, _ dialect: any SQLDialect
  ) throws -> String? {
    let statement = try connection.statement(
      "SELECT \(dialect.quoted("value")) FROM \(dialect.quoted(table: SQLNames.meta)) "
        + "WHERE \(dialect.quoted("name")) = \(dialect.placeholder(1))")
    defer { statement.rewind() }
    try statement.bind(name, at: 1)
    return try statement.step() ? statement.text(at: 0) : nil
  }

  /// Sets a value.
  static func setMeta(
    _ name: String, _ value: String, _ connection: any SQLConnection, _ dialect: any SQLDialect
  ) throws {
    let columns = ["name", "value"].map { dialect.quoted($0) }
    var text =
      "INSERT INTO \(dialect.quoted(table: SQLNames.meta)) (\(columns.joined(separator: ", "))) "
      + "VALUES (\(dialect.placeholder(1)), \(dialect.placeholder(2)))"
    if dialect.supportsOnConflict {
      text += " ON CONFLICT (\(columns[0])) DO UPDATE SET \(columns[1]) = excluded.\(columns[1])"
    } else {
      try removeMeta(name, connection, dialect)
    }
    let statement = try connection.statement(text)
    defer { statement.rewind() }
    try statement.bind(name, at: 1)
    try statement.bind(value, at: 2)
    try statement.run()
  }

  /// The values whose names begin with a text, by the rest of their names.
  static func metas(
    beginningWith start: String, _ connection: any SQLConnection, _ dialect: any SQLDialect
  ) throws -> [ExactText: String] {
    let columns = ["name", "value"].map { dialect.quoted($0) }
    let statement = try connection.statement(
      "SELECT \(columns.joined(separator: ", ")) FROM \(dialect.quoted(table: SQLNames.meta))")
    defer { statement.rewind() }
    var found: [ExactText: String] = [:]
    while try statement.step() {
      guard let name = statement.text(at: 0), name.hasPrefix(start) else { continue }
      found[String(name.dropFirst(start.count))] = statement.text(at: 1)
    }
    return found
  }

  /// Removes a value, if there is one of the name.
  static func removeMeta(
    _ name: String, _ connection: any SQLConnection, _ dialect: any SQLDialect
  ) throws {
    let statement = try connection.statement(
      dialect.deletion(from: dialect.quoted(table: SQLNames.meta), as: nil)
        + " WHERE \(dialect.quoted("name")) = \(dialect.placeholder(1))")
    defer { statement.rewind() }
    try statement.bind(name, at: 1)
    try statement.run()
  }

  /// The greatest key that an entity ever had; 0 when there was none.
  func greatestKey(_ table: SQLTable) throws -> Int64 {
    let (key, recorded) = try rows(table).greatestKey(
      recordedAs: SQLMeta.greatestKey(table.stored.name))
    return max(key, recorded.flatMap { Int64($0) } ?? 0)
  }

  /// The greatest key recorded for an entity; 0 for none.
  func recordedKey(_ table: SQLTable) throws -> Int64 {
    let text = try Self.meta(SQLMeta.greatestKey(table.stored.name), connection, dialect)
    return text.flatMap { Int64($0) } ?? 0
  }

  /// Records the greatest key of a table, whose row was deleted.
  func recordKey(_ greatest: Int64, _ table: SQLTable) throws {
    if greatest > (try recordedKey(table)) {
      try Self.setMeta(
        SQLMeta.greatestKey(table.stored.name), String(greatest), connection, dialect)
    }
  }
}
