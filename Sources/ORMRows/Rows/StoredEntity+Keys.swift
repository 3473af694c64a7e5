internal import ORMStorage

extension StoredEntity {
  /// The key of a row, as far as it can be read.
  package func key<R: RowReader & ~Copyable>(of row: borrowing R) -> [StoredValue] {
    var values: [StoredValue] = []
    for position in key where position < row.columnCount {
      if let value = try? row.value(at: position) { values.append(value) }
    }
    return values
  }

  /// The key of a row as an error names it: none where the store is still to give it.
  package func givenKey(of row: BufferedRow) -> [StoredValue] {
    let key = key(of: row)
    return generatesKeys && key == [.int(0)] ? [] : key
  }

  /// The name, key and values of rows as a put takes them by key.
  package func keyValues(of row: [StoredValue]) -> [StoredValue] { key.map { row[$0] } }
}
