internal import ORMStorage

/// The storage of the rows of one declared entity.
final class EntityStorage: Sendable {
  /// The entity as the program declares it; requests count columns by it.
  let declared: StoredEntity
  /// The layout of its records, by the columns of the file.
  let layout: RecordLayout
  /// The position of each declared column among the columns of the file.
  let fileColumns: [Int]
  /// The declared columns of a record.
  let columns: RowColumns
  /// The keyspace of the rows; nil when the file, which may not be written, has no such entity.
  let keyspace: Keyspace?
  /// The primary key.
  let key: KeyShape
  /// The form in which keys longer than the map's are stored.
  let overflowKeys: OverflowKeys
  /// The indexes that the file has.
  let indexes: [IndexStorage]
  /// The indexes that are being built: writers keep them, and readers do not use them.
  let building: [IndexStorage]
  /// The indexes that writers keep: both.
  let maintained: [IndexStorage]
  /// The entity that lists the keys of changed rows, while a migration copies this one.
  let keyList: EntityStorage?

  init(
    declared: StoredEntity, layout: RecordLayout, keyspace: Keyspace?, indexes: [IndexStorage],
    building: [IndexStorage] = [], overflowKeys: OverflowKeys, keyList: EntityStorage? = nil
  ) {
    self.declared = declared
    self.layout = layout
    fileColumns = declared.columns.map { layout.entity.column(named: $0.name) ?? 0 }
    columns = RowColumns(layout, fileColumns)
    self.keyspace = keyspace
    key = KeyShape(primaryKeyOf: layout)
    self.overflowKeys = overflowKeys.fitting(key)
    self.indexes = indexes
    self.building = building
    maintained = indexes + building
    self.keyList = keyList
  }

  /// The position of the hidden or generated key's column in the file; nil for other entities.
  var generatedKey: RecordField? {
    declared.generatesKeys ? layout.fields[layout.entity.key[0]] : nil
  }

  /// The values of a primary key, as far as its bytes can be read.
  func values(ofKey key: UnsafeRawBufferPointer) -> [StoredValue] {
    KeyDecoder.values(self.key, of: key)
  }

  /// The error for a row whose record is damaged.
  func damaged(_ key: UnsafeRawBufferPointer) -> StoreError {
    StoreError(
      .corrupt, "the record of a row is damaged", entity: declared.modelName,
      key: values(ofKey: key))
  }

  /// The error for an index entry that belongs to no row, where several indexes were read.
  func missing() -> StoreError {
    StoreError(
      .corrupt, "an index does not match its rows", entity: declared.modelName)
  }

  /// The error for an index entry that belongs to no row, or a row without its entry.
  func damaged(_ index: IndexStorage, key: [StoredValue] = []) -> StoreError {
    StoreError(
      .corrupt, "the index \(index.index.name) does not match its rows",
      entity: declared.modelName, key: key)
  }
}
