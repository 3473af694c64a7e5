internal import FoundationEssentials
internal import ORMStorage

/// Rows with a value for every column of their entity, and which columns each one sets.
///
/// Puts take the same columns of every row. Where the rows of one put differ, or a row may need a
/// default that core works out, ``WriteTransaction/put(_:_:entity:)`` completes them.
package struct FullRows {
  /// The values by column; columns that are not set are null.
  package var values: [[StoredValue]]
  /// The columns that every row sets.
  package var columns: [Int]
  /// The columns that single rows set beside them, by the position of the row.
  package var others: [Int: Set<Int>] = [:]

  /// Rows that all set the same columns; a hidden key that they lack is 0.
  package init(_ values: [[StoredValue]], set columns: [Int]) {
    self.values = values
    self.columns = columns
  }

  /// The values of some columns, row by row.
  package func values(of columns: [Int]) -> [[StoredValue]] {
    if let first = values.first, columns.elementsEqual(first.indices) { return values }
    return values.map { row in columns.map { row[$0] } }
  }

  /// Returns whether a row sets a column.
  package func sets(_ column: Int, row: Int) -> Bool {
    columns.contains(column) || others[row]?.contains(column) == true
  }
}

extension WriteTransaction {
  /// Puts rows as one operation.
  ///
  /// A column may be set by other rows of the put, or have a default that core computes. In a row that
  /// does not set it, it keeps its stored value, and takes its default where the row is new.
  ///
  /// - Parameter isCopy: whether the rows come as another store held them, to be taken as they are: the
  ///   targets of their to-ones may come later, or never.
  @discardableResult
  package func put(
    _ rows: FullRows, _ request: PutRequest, entity: StoredEntity, isCopy: Bool = false
  ) throws -> OutcomeCounter {
    var rows = rows
    for row in rows.values.indices where rows.values[row].count < entity.columns.count {
      // A hidden key that the row lacks, or a column that core has beside the model.
      let isKey = entity.key.contains(rows.values[row].count)
      rows.values[row].append(isKey ? .int(0) : .null)
    }
    let columns = try complete(&rows, request, entity: entity)
    var source = ValueSource(rows.values(of: columns), columns: columns, entity: entity)
    return try put(
      from: &source, request, columns: columns, entity: entity, isCopy: isCopy
    ) { _, _ in rows.values }
  }

  /// Puts rows that a source gives as one operation, with their links.
  ///
  /// - Parameters:
  ///   - columns: the columns that each row sets, in ascending order.
  ///   - linked: returns the rows, of which only the given columns are looked at.
  package func put<Source: RowSource>(
    from source: inout Source, _ request: PutRequest, columns: [Int], entity: StoredEntity,
    isCopy: Bool = false, linked: (Source, _ columns: [Int]) throws -> [[StoredValue]]
  ) throws -> OutcomeCounter {
    var request = request
    request.columns = entity.requested(columns)
    let rules = try store.relationshipRules().of(entity)
    if isCopy || rules.isPutAlone(columns, request.mode) {
      return try put(from: &source, request, entity: entity)
    }
    let rows = try linked(source, entity.key + rules.linkColumns)
    return try operation { transaction in
      let put = LinkedPut(
        transaction: transaction, rules: rules, columns: columns, mode: request.mode)
      return try put.run(rows) { failures in
        try transaction.put(from: &source, request, entity: entity, failures: failures)
      }
    }
  }

  /// Fills in columns that rows do not set; gives the columns that all rows set then.
  private func complete(
    _ rows: inout FullRows, _ request: PutRequest, entity: StoredEntity
  ) throws -> [Int] {
    let mayInsert = request.mode != .update
    let computed = entity.columns.indices.filter {
      entity.columns[$0].computedDefault != nil && !entity.columns[$0].isInternal
    }
    var columns = Set(rows.columns)
    for others in rows.others.values { columns.formUnion(others) }
    if mayInsert { columns.formUnion(computed) }
    let all = columns.sorted()
    let mayLack = mayInsert && request.nilKeeps && !computed.isEmpty
    if rows.others.isEmpty, !mayLack, columns.count == rows.columns.count { return all }
    let open = rows.values.indices.map { row in
      all.filter { column in
        if !rows.sets(column, row: row) { return true }
        return mayInsert && request.nilKeeps && computed.contains(column)
          && rows.values[row][column].isNull
      }
    }
    guard open.contains(where: { !$0.isEmpty }) else { return all }
    // The latest row of each key: an earlier row of the batch, or the stored one. An earlier one may have
    // the key that the store is about to give it.
    var latest: [GroupKey: [StoredValue]] = [:]
    var keys = try KeyForecast(of: rows, entity, mayInsert ? writing() : nil)
    for row in rows.values.indices {
      let own = entity.key.map { rows.values[row][$0] }
      let key = keys.key(of: own)
      let isGiven = !entity.awaitsKey(key)
      var known = isGiven ? latest[GroupKey(key)] : nil
      if known == nil, isGiven, key == own, request.mode != .insert {
        known = try stored(key, entity)
      }
      for column in open[row] {
        rows.values[row][column] =
          known?[column] ?? entity.columns[column].freshDefault(of: store.runtime)
      }
      guard isGiven else { continue }
      var after = known ?? rows.values[row]
      for column in all where !(request.nilKeeps && rows.values[row][column].isNull) {
        after[column] = rows.values[row][column]
      }
      latest[GroupKey(key)] = after
    }
    return all
  }

  /// The stored row with a key; nil where there is none.
  private func stored(_ key: [StoredValue], _ entity: StoredEntity) throws -> [StoredValue]? {
    let request = FetchRequest(
      of: entity, condition: .all(entity.equalities(entity.key, key)))
    return try live().rows(of: request).first
  }
}

/// The integer keys that a store will give to the rows of one put (clause 5.5).
private struct KeyForecast {
  /// The greatest key so far; nil where no key is given, or the store does not report it.
  private var greatest: Int64?

  init(of rows: FullRows, _ entity: StoredEntity, _ writer: (any StoreWriter)?) throws {
    guard let writer, let column = entity.key.first, entity.generatesKeys,
      rows.values.contains(where: { $0[column] == .int(0) })
    else { return }
    greatest = try writer.greatestKey(of: entity.name)
  }

  /// The key that a row will have; as it is where that is not known.
  mutating func key(of given: [StoredValue]) -> [StoredValue] {
    guard let known = greatest, case .int(let key)? = given.first else { return given }
    greatest = max(known, key)
    guard key == 0, known < .max else { return given }
    greatest = known + 1
    return [.int(known + 1)]
  }
}

extension StoredColumn {
  /// Returns the value that a new row gets if it does not set the column.
  package func freshDefault(of runtime: StoreRuntime) -> StoredValue {
    switch computedDefault {
    case .now: .date(runtime.now)
    case .uuid: .uuid(UUIDGenerator.random(by: runtime.options.uuids))
    case nil: programDefault ?? .null
    }
  }
}
