import ORMCore

/// A copy of the content that is changed, and put back when it commits.
final class ArrayWriter: ArrayReader, StoreWriter {
  private let store: ArrayStore

  init(_ store: ArrayStore) throws {
    self.store = store
    super.init(try store.content())
  }

  /// Changes what a store is opened with.
  init(_ store: ArrayStore, _ content: ArrayContent) {
    self.store = store
    super.init(content)
  }

  func put<S: RowSource, O: PutVisitor>(
    _ request: PutRequest, from source: inout S, to visitor: inout O
  ) throws {
    var table = try content.table(request.entity)
    try table.put(
      request, from: &source, to: &visitor,
      maximumValueSize: store.runtime.options.maximumValueSize)
    content.tables[request.entity] = table
  }

  func raiseGreatestKey(of entity: String, to key: Int64) throws {
    var table = try content.table(entity)
    table.lastKey = max(table.lastKey, key)
    content.tables[entity] = table
  }

  func apply(_ change: StoreChange) throws -> Int {
    switch change {
    case .clear(let name):
      var table = try content.table(name)
      let count = table.rows.count
      table.removeAll()
      content.tables[name] = table
      return count
    case .delete(let request):
      var table = try content.table(request.shape.entity)
      let rows = try selected(by: request)
      var check = StopCheck()
      for row in rows {
        try check.step()
        table.remove(table.key(of: row))
      }
      content.tables[request.shape.entity] = table
      return rows.count
    case .update(let request, let assignments):
      return try update(request, assignments)
    }
  }

  private func update(
    _ request: FetchRequest, _ assignments: [StoreChange.Assignment]
  ) throws -> Int {
    var table = try content.table(request.shape.entity)
    let entity = table.entity
    let operands = try assignments.map { assignment in
      try CompiledOperand(assignment.value, entity: entity, schema: content.seen)
        .bound(to: request.bindings, related: self)
    }
    var keys: [[StoredValue]] = []
    var check = StopCheck()
    for row in try selected(by: request) {
      try check.step()
      let key = table.key(of: row)
      keys.append(key)
      var new = table.rows[table.position(of: key).index]
      for (assignment, operand) in zip(assignments, operands) {
        let column = entity.columns[assignment.column]
        do {
          var value = try operand.evaluateForUpdate(BufferedRow(row))
          // What is computed is rounded to a float; a constant is one, or is refused.
          if !operand.isConstant { value = value.rounded(for: column.type) }
          new[assignment.column] = try Self.checked(value, column)
        } catch let error as StoreError {
          throw error.filling(entity: entity.modelName, key: key, attributes: [column.attribute])
        }
      }
      try table.checkSizes(new, store.runtime.options.maximumValueSize)
      table.set(new)
    }
    try table.checkUniqueRules(of: keys)
    content.tables[request.shape.entity] = table
    return keys.count
  }

  /// The value as the column keeps it.
  private static func checked(
    _ value: StoredValue, _ column: StoredColumn
  ) throws -> StoredValue {
    var value = value
    if column.isNormalized, case .string(let text) = value {
      value = .string(TextFolding.normalizeNFC(text))
    }
    if let fault = column.type.fault(of: value, isOptional: column.isOptional) {
      throw StoreError(value.isNull ? .missingValue : .invalidValue, "the value \(fault)")
    }
    return value
  }

  /// The rows that a request selects, whole.
  private func selected(by request: FetchRequest) throws -> [[StoredValue]] {
    var collector = Collector()
    try visit(request, &collector)
    return collector.rows
  }

  private struct Collector: RowVisitor {
    var rows: [[StoredValue]] = []

    mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
      rows.append(try BufferedRow(copying: row).values)
      return .next
    }
  }

  func savepoint(_ body: () throws -> Void) throws {
    let before = content
    do {
      try body()
    } catch {
      content = before
      throw error
    }
  }

  func commit() throws { try store.replaceContent(by: content) }
}
