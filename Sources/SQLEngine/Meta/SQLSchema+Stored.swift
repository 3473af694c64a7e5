internal import ORMStorage

extension SQLSchema {
  /// Reads the layout that a database keeps, all of it declared; nil for a database without one.
  ///
  /// - Throws: `corrupt` for a schema that cannot be read.
  static func stored(
    _ connection: any SQLConnection, _ dialect: any SQLDialect
  ) throws -> SQLSchema? {
    guard try connection.hasTable(SQLNames.meta) else { return nil }
    let stored: String?
    let checksum: String?
    let dropped: String?
    let overflow: String?
    var names: [ExactText: String] = [:]
    do {
      stored = try SQLSession.meta(SQLMeta.schema, connection, dialect)
      checksum = try SQLSession.meta(SQLMeta.checksum, connection, dialect)
      dropped = try SQLSession.meta(SQLMeta.dropped, connection, dialect)
      overflow = try SQLSession.meta(SQLMeta.overflow, connection, dialect)
      if checksum != nil {
        names = try SQLSession.metas(
          beginningWith: SQLMeta.checksumName(""), connection, dialect)
      }
    } catch var error as StoreError where dialect.isRefusedStatement(error) {
      // The table is not as this engine makes it.
      error.code = .corrupt
      throw error
    }
    guard let stored, checksum == nil || checksum == SQLMeta.checksum(ofSchema: stored),
      try isMarked(checksum != nil, connection, dialect),
      let schema = try? StoredSchema.decoded(from: stored),
      let droppedColumns = try? dropped.map({
        try JSONCoding.decode(DroppedColumns.self, from: $0).tables
      }) ?? [:],
      let overflowing = try? overflow.map({ try JSONCoding.decode([String].self, from: $0) }) ?? []
    else { throw StoreError(.corrupt, "the store's schema cannot be read") }
    return SQLSchema(
      declared: schema, stored: schema, hasChecksums: checksum != nil, checksumNames: names,
      dropped: droppedColumns, overflowing: Set(texts: overflowing),
      version: try connection.schemaVersion())
  }

  /// Returns whether the database has the mark of checksums if it should have it, and only then.
  private static func isMarked(
    _ hasChecksums: Bool, _ connection: any SQLConnection, _ dialect: any SQLDialect
  ) throws -> Bool {
    guard let mark = dialect.checksumMark else { return true }
    let statement = try connection.statement(mark.query)
    defer { statement.rewind() }
    return try statement.step() && (statement.int64(at: 0) == mark.value) == hasChecksums
  }

  /// Records the stored entities whose tables have overflow keys.
  static func record(
    overflowing entities: Set<ExactText>, _ connection: any SQLConnection, _ dialect: any SQLDialect
  ) throws {
    if entities.isEmpty {
      try SQLSession.removeMeta(SQLMeta.overflow, connection, dialect)
    } else {
      try SQLSession.setMeta(
        SQLMeta.overflow, JSONCoding.encode(entities.sorted().map(\.text)), connection, dialect)
    }
  }

  /// Gives tables overflow keys, and records it; returns the layout afterwards.
  func overflow(
    _ entities: Set<ExactText>, _ connection: any SQLConnection, _ dialect: any SQLDialect
  ) throws -> SQLSchema {
    let after = overflowing(in: overflowing.union(entities))
    for (plain, table) in zip(storedTables, after.storedTables)
    where table.hasOverflowKeys && !plain.hasOverflowKeys {
      try table.overflow(plain, connection, dialect)
    }
    try Self.record(overflowing: after.overflowing, connection, dialect)
    return after
  }
}

/// The dropped columns of stored entities: an object whose members have the names of the entities.
struct DroppedColumns: Codable {
  var tables: [ExactText: [SQLTable.DroppedColumn]] = [:]

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(_ tables: [ExactText: [SQLTable.DroppedColumn]]) { self.tables = tables }

  init(from decoder: any Decoder) throws {
    let object = try decoder.container(keyedBy: Name.self)
    for name in object.allKeys {
      tables[name.stringValue] = try object.decode([SQLTable.DroppedColumn].self, forKey: name)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Name.self)
    for (entity, columns) in tables.sorted(by: { $0.key < $1.key }) {
      try object.encode(columns, forKey: Name(stringValue: entity.text))
    }
  }
}
