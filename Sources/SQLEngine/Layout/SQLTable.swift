package import ORMStorage

/// The layout of one entity in the database: its table, its indexes and the tables of its elements.
///
/// The table has the columns of the store (``stored``), which may be more than the program declares
/// (``entity``). Requests count the columns of `entity`; the table counts those of `stored`.
package final class SQLTable: Sendable {
  /// The entity as the program declares it.
  package let entity: StoredEntity
  /// The entity as the store has it: its former columns, then the new ones.
  package let stored: StoredEntity
  /// The table's name.
  package let name: String
  /// The table's columns, in the order of `stored`.
  package let columns: [Column]
  /// The index in `columns` of each column of a full row: first those of `entity`, as requests
  /// count them, then those that the program does not declare.
  package let columnIndexes: [Int]
  /// The index of the key column that the engine's own row number represents.
  package let rowNumber: Int?
  /// The columns of the table that were dropped, in its order; new rows have nil there.
  package let dropped: [DroppedColumn]
  /// The indexes of `stored`, by their names in the database.
  package let indexes: [Index]
  /// The name of the column of checksums; nil where the store keeps none.
  package let checksum: String?
  /// The name by which checksums of rows begin: that of the table before it was ever renamed.
  package let checksumName: String
  /// True if values were put that are too long for an entry of an index (``canOverflow(_:)``).
  package let hasOverflowKeys: Bool

  /// One column of a table.
  package struct Column: Hashable, Sendable {
    /// The stored column that it holds.
    package var stored: StoredColumn
    /// Its name.
    package var name: String
    /// The column beside it that holds its folded text, when an index asks for it.
    package var folded: String?
    /// The table of its elements, when an index asks for it.
    package var elements: String?
  }

  /// A column that only the table has: it was dropped, and the table was not written anew since.
  package struct DroppedColumn: Hashable, Codable, Sendable {
    /// Its name.
    package var name: String
    /// Its ordinal among `columns` and the dropped ones, which checksums count; nil for folded
    /// texts.
    package var ordinal: Int?

    // The names in the database.
    private enum CodingKeys: String, CodingKey {
      case name
      case ordinal = "place"
    }
  }

  /// One index beside the primary key.
  package struct Index: Equatable, Sendable {
    /// The stored index that it implements, by positions in `stored`.
    package var stored: StoredIndex
    /// Its name.
    package var name: String
  }

  /// Lays out an entity; `name` is its table's.
  package init(
    _ entity: StoredEntity, stored: StoredEntity, name: String, indexNames: [String],
    dropped: [DroppedColumn] = [], hasChecksums: Bool = false, checksumName: String? = nil,
    hasOverflowKeys: Bool = false
  ) {
    self.hasOverflowKeys = hasOverflowKeys
    var names = SQLNames()
    var columns = stored.columns.map {
      Column(stored: $0, name: names.name(for: $0.name), folded: nil, elements: nil)
    }
    for index in stored.indexes {
      for term in index.terms {
        let column = columns[term.column].name
        switch term.form {
        case .value: break
        case .caseFolded: columns[term.column].folded = SQLNames.folded(column: column)
        case .elements:
          columns[term.column].elements = SQLNames.elements(table: name, column: column)
        }
      }
    }
    self.entity = entity
    self.stored = stored
    self.name = name
    self.columns = columns
    let declared = entity.columns.compactMap { stored.column(named: $0.name) }
    self.columnIndexes = declared + columns.indices.filter { !declared.contains($0) }
    self.rowNumber =
      stored.key.count == 1 && stored.columns[stored.key[0]].type.kind == .int ? stored.key[0] : nil
    self.dropped = dropped
    self.checksum = hasChecksums ? SQLNames.checksum : nil
    self.checksumName = checksumName ?? name
    self.indexes = zip(stored.indexes, indexNames).map { Index(stored: $0, name: $1) }
  }

  /// The table's column for a column of a full row.
  package func column(_ position: Int) -> Column { columns[columnIndexes[position]] }
  /// The names of all columns that rows were written with, in the order of the table.
  package var rowColumnNames: [String] {
    var names = columns.map(\.name)
    for column in dropped {
      if let ordinal = column.ordinal { names.insert(column.name, at: min(ordinal, names.count)) }
    }
    return names
  }
  /// The key's columns, in key order.
  package var keyColumns: [Column] { stored.key.map { columns[$0] } }
  /// The columns whose elements are stored in tables of their own.
  package var elementColumns: [Column] { columns.filter { $0.elements != nil } }

  /// The kind of the elements of an array column.
  package static func elementType(_ column: StoredColumn) -> AttributeType {
    if case .array(let element) = column.type { element } else { column.type }
  }
}

/// The layout of a whole schema in the database.
package final class SQLSchema: Sendable {
  /// The schema as the program declares it.
  package let declared: StoredSchema
  /// The schema as the store keeps it.
  package let stored: StoredSchema
  /// The tables of the declared entities, by stored name.
  package let tables: [ExactText: SQLTable]
  /// The tables of all stored entities, in their order; for those not declared, `entity` is the
  /// stored one.
  package let storedTables: [SQLTable]
  /// True while another program migrates the store, so that this one only reads.
  let refusesWriters: Bool
  /// True if rows have checksums.
  package let hasChecksums: Bool
  /// True if rows are verified by their checksums as requests read them.
  package let verifiesRows: Bool
  /// The names by which checksums begin, by stored entity, where they are not those of the tables.
  package let checksumNames: [ExactText: String]
  /// The columns that were dropped and that tables still have, by stored entity.
  package let dropped: [ExactText: [SQLTable.DroppedColumn]]
  /// The stored entities whose tables have overflow keys.
  package let overflowing: Set<ExactText>
  /// The database's ``SQLConnection/schemaVersion()`` at which it has this layout.
  package let version: Int64?

  /// Lays out a schema.
  ///
  /// Every declared entity is among the stored ones.
  package init(
    declared: StoredSchema, stored: StoredSchema, hasChecksums: Bool = false,
    verifiesRows: Bool = false, checksumNames: [ExactText: String] = [:],
    dropped: [ExactText: [SQLTable.DroppedColumn]] = [:], overflowing: Set<ExactText> = [],
    version: Int64? = nil
  ) {
    self.overflowing = overflowing
    var names = SQLNames()
    var indexNames = SQLNames()
    var all: [SQLTable] = []
    var tables: [ExactText: SQLTable] = [:]
    for entity in stored.entities {
      let table = SQLTable(
        declared[entity.name] ?? entity,
        stored: declared[entity.name].map { entity.naming(attributesAs: $0) } ?? entity,
        name: names.name(for: entity.name),
        indexNames: entity.indexes.map { SQLNames.index(indexNames.name(for: $0.name)) },
        dropped: dropped[entity.name] ?? [], hasChecksums: hasChecksums,
        checksumName: checksumNames[entity.name],
        hasOverflowKeys: overflowing.contains(entity.name))
      all.append(table)
      if declared[entity.name] != nil { tables[entity.name] = table }
    }
    self.declared = declared
    self.stored = stored
    refusesWriters = stored.refusesWriters
    self.tables = tables
    self.storedTables = all
    self.hasChecksums = hasChecksums
    self.verifiesRows = hasChecksums && verifiesRows
    self.dropped = dropped
    self.checksumNames = hasChecksums ? Self.checksumNames(all) : [:]
    self.version = version
  }

  /// The same layout with another version, verified or not.
  private init(_ other: SQLSchema, verifiesRows: Bool, version: Int64?) {
    declared = other.declared
    stored = other.stored
    refusesWriters = other.refusesWriters
    tables = other.tables
    storedTables = other.storedTables
    hasChecksums = other.hasChecksums
    self.verifiesRows = hasChecksums && verifiesRows
    dropped = other.dropped
    checksumNames = other.checksumNames
    overflowing = other.overflowing
    self.version = version
  }

  private static func checksumNames(_ tables: [SQLTable]) -> [ExactText: String] {
    Dictionary(
      tables.filter { $0.checksumName != $0.name }.map {
        (ExactText($0.stored.name), $0.checksumName)
      },
      uniquingKeysWith: { first, _ in first })
  }

  /// Returns the layout for a program that declares another part of the stored schema.
  package func declaring(
    _ declared: StoredSchema, verifiesRows: Bool, version: Int64?
  ) -> SQLSchema {
    let declared = declared.following(aliasesOf: stored)
    if declared == self.declared {
      return SQLSchema(self, verifiesRows: verifiesRows, version: version)
    }
    return SQLSchema(
      declared: declared, stored: stored, hasChecksums: hasChecksums, verifiesRows: verifiesRows,
      checksumNames: checksumNames, dropped: dropped, overflowing: overflowing, version: version)
  }

  /// Returns the layout with overflow keys in the tables of some stored entities.
  package func overflowing(in entities: Set<ExactText>) -> SQLSchema {
    SQLSchema(
      declared: declared, stored: stored, hasChecksums: hasChecksums, verifiesRows: verifiesRows,
      checksumNames: checksumNames, dropped: dropped, overflowing: entities, version: version)
  }

  /// The table of a declared entity; `unknownEntity` when there is none.
  package func table(_ entity: String) throws -> SQLTable {
    guard let table = tables[entity] else {
      throw StoreError(.unknownEntity, "the schema has no entity of this name", entity: entity)
    }
    return table
  }
}
