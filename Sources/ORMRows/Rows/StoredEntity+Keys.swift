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

  /// Returns whether a key is one that the store replaces by the next one.
  package func awaitsKey(_ key: [StoredValue]) -> Bool { generatesKeys && key == [.int(0)] }

  /// The key of a row as an error names it: none where the store is still to give it.
  package func givenKey(of row: BufferedRow) -> [StoredValue] {
    let key = key(of: row)
    return awaitsKey(key) ? [] : key
  }

  /// The put that sets columns of rows by their keys, and the source of its rows.
  ///
  /// - Parameter rows: the key of each row, and its values in the columns; those of the key stay.
  func update(
    _ rows: [[StoredValue]], setting columns: [Int]
  ) -> (request: PutRequest, source: ValueSource) {
    let given = key + columns
    let order = given.indices.filter { $0 < key.count || !key.contains(given[$0]) }
      .sorted { given[$0] < given[$1] }
    let columns = order.map { given[$0] }
    let request = PutRequest(entity: name, mode: .update, columns: columns, reports: .outcomes)
    let isInOrder = order.elementsEqual(given.indices)
    let values = isInOrder ? rows : rows.map { row in order.map { row[$0] } }
    return (request, ValueSource(values, columns: columns, entity: self))
  }

  /// The columns of a put whose rows set these; nil where they set all of them.
  package func requested(_ columns: [Int]) -> [Int]? {
    columns.count == self.columns.count && keySource != .hidden ? nil : columns
  }

  /// The conditions that hold for rows with these values in some columns.
  package func equalities(_ columns: [Int], _ values: [StoredValue]) -> [Condition] {
    zip(columns, values).map {
      .compare(.attribute(self.columns[$0].attribute), .equal, .value($1), [])
    }
  }

  /// The name, key and values of rows as a put takes them by key.
  package func keyValues(of row: [StoredValue]) -> [StoredValue] { key.map { row[$0] } }
}

extension StoredEntity.KeySource {
  /// Returns whether a key stands for "not given yet", so that the store or Strata gives one.
  package func isUnassigned(_ key: [StoredValue]) -> Bool {
    switch self {
    case .generated, .hidden: key.isEmpty || key == [.int(0)]
    case .uuidV4, .uuidV7: key == [.uuid(UUIDGenerator.unassigned)]
    case .program: false
    }
  }
}
