public import ORMStorage

/// The columns of a row that a ``SQLRow`` reads.
///
/// A row returns its layout to the engine, which alone uses it.
public final class SQLRowLayout: Sendable {
  /// The entity's name in the program, for errors.
  package let entity: String
  /// The columns, in order.
  package let columns: [Column]
  /// Positions in `columns` of the primary key; empty if the result does not hold it.
  package let key: [Int]
  /// The column of the statement, after those of the layout, that is 1 where the row fits its
  /// checksum; nil where rows are not verified.
  @usableFromInline package let intact: Int?

  /// One column of a result.
  package struct Column: Equatable, Sendable {
    /// The attribute's name in the program, for errors.
    package var attribute: String
    /// The type of the stored values.
    package var type: AttributeType
    /// The entity's name in the program, where it is another than that of the layout.
    package var entity: String?
    /// True if values may be of any kind and come with it: each is read as an array that holds it alone.
    package private(set) var isTagged = false

    /// True if each value is of the kind that the database gives it.
    package private(set) var isUntyped = false

    /// Makes a column of values of the kinds that the database gives.
    package init(untyped attribute: String) {
      self.attribute = attribute
      type = .json
      isUntyped = true
    }

    /// A column of values of any kind.
    package init(tagged attribute: String) {
      self.attribute = attribute
      type = .array(.json)
      isTagged = true
    }

    /// Makes a column.
    package init(_ attribute: String, _ type: AttributeType) {
      self.attribute = attribute
      self.type = type
    }

    /// A column of a table.
    package init(_ column: StoredColumn) { self.init(column.attribute, column.type) }
  }

  /// Makes a layout.
  package init(entity: String, columns: [Column], key: [Int], intact: Int? = nil) {
    self.entity = entity
    self.intact = intact
    self.columns = columns
    self.key = key
  }

  /// The layout of whole rows.
  package convenience init(_ entity: StoredEntity) {
    self.init(
      entity: entity.modelName,
      columns: entity.columns.map(Column.init), key: entity.key)
  }

  /// The error of a row that does not fit its checksum; the row gives the key.
  @usableFromInline
  package func damageError<R: RowReader & ~Copyable>(in row: borrowing R) -> StoreError {
    var key: [StoredValue] = []
    for position in self.key {
      guard let value = try? row.value(at: position) else { break }
      key.append(value)
    }
    return StoreError(
      .corrupt, SQLTable.damageMessage, entity: entity,
      key: key.count == self.key.count ? key : [])
  }

  /// The error of a value that does not fit the declaration of the column; the row gives the key.
  package func decodingError<R: RowReader & ~Copyable>(
    _ message: String, at column: Int, in row: borrowing R
  ) -> StoreError {
    var key: [StoredValue] = []
    for position in self.key where position != column {
      guard let value = try? row.value(at: position) else { break }
      key.append(value)
    }
    let entity = columns.indices.contains(column) ? columns[column].entity : nil
    return StoreError(
      .decoding, message, entity: entity ?? self.entity,
      key: key.count == self.key.count ? key : [],
      attributes: columns.indices.contains(column) ? [columns[column].attribute] : [])
  }
}
