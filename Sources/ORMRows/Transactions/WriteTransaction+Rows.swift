internal import ORMStorage

// Rows by lists of keys: read, changed and deleted in lists of a size that every store answers from
// a key or an index, so that the work grows with the rows alone.

extension ReadTransaction {
  /// The values in `output` of the rows whose `columns` hold one of the keys, in no order; of all
  /// rows, soft-deleted or not, unless said otherwise.
  package func rows(
    of entity: StoredEntity, where columns: [Int], in keys: [[StoredValue]], output: [Int],
    seeing deleted: DeletedRows = .included
  ) throws -> [[StoredValue]] {
    if keys.isEmpty { return [] }
    return try live().values(
      of: entity, where: columns, in: keys, output: output, seeing: deleted)
  }

  /// Returns the number of rows that have one of some keys; of all rows, soft-deleted or not,
  /// unless said otherwise.
  ///
  /// As many as there are keys only if every key has a row and no list names one twice.
  package func count(
    of entity: StoredEntity, among keys: [[StoredValue]], seeing deleted: DeletedRows = .included
  ) throws -> Int {
    let reader = try live()
    var visitor = ValueCollector()
    for condition in KeyLists(entity, entity.key).conditions(keys) {
      let request = FetchRequest(
        entity: entity.name, output: .aggregates([Aggregate(.count, nil)]),
        condition: entity.seeing(deleted, where: condition))
      try reader.visit(request, &visitor)
    }
    return visitor.rows.reduce(0) { sum, row in
      if case .int(let count)? = row.first { sum + Int(count) } else { sum }
    }
  }
}

extension ReadTransaction {
  /// The greatest integer in a column of the rows whose `columns` hold a key; 0 where there is none.
  package func greatest(
    _ column: Int, of entity: StoredEntity, where columns: [Int], equal key: [StoredValue]
  ) throws -> Int64 {
    let operand = Operand.attribute(entity.columns[column].attribute)
    // The last in the order, which an index gives without the rest.
    let request = FetchRequest(
      entity: entity.name, output: .values([operand]),
      condition: .all(entity.equalities(columns, key)),
      sort: SortTerm.total([SortTerm(operand, isDescending: true)], entity: entity),
      limit: 1)
    let rows = try live().rows(of: request)
    if case .int(let value)? = rows.first?.first { return value }
    return 0
  }
}

extension WriteTransaction {
  /// Sets columns of rows by their keys, as one operation.
  ///
  /// - Parameter rows: the key of each row, and its values in the columns.
  package func update(
    _ rows: [[StoredValue]], setting columns: [Int], of entity: StoredEntity
  ) throws {
    if rows.isEmpty { return }
    var (request, source) = entity.update(rows, setting: columns)
    _ = try put(from: &source, request, entity: entity)
  }

  /// Deletes the rows whose `columns` hold one of the keys.
  @discardableResult
  package func deleteRows(
    of entity: StoredEntity, where columns: [Int], in keys: [[StoredValue]]
  ) throws -> Int {
    var count = 0
    for condition in KeyLists(entity, columns).conditions(keys) {
      let request = FetchRequest(of: entity, condition: condition)
      count += try apply(.delete(request), entity: entity)
    }
    return count
  }
}
