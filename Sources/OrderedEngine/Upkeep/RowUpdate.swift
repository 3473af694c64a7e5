@_spi(Records) internal import ORMStorage

/// The assignments of a set-based update, worked out for one row after another.
struct RowUpdate: ~Copyable {
  /// The row as it was; the caller points it at the record.
  var reader: RecordReader
  /// The record as it becomes.
  var builder: RecordBuilder
  /// The row as it becomes.
  private(set) var newRow: RecordView
  private let entity: EntityStorage
  private let assignments: [Assignment]
  private let isAssigned: [Bool]
  /// True if all that is assigned has a fixed width, so that it can be written over in a copy.
  private let isOver: Bool
  private let maximumValueSize: Int
  /// The values read of related rows before any row was changed, for one row after another.
  private var foreseen: [StoredValue] = []
  private var nextForeseen = 0

  private final class Assignment {
    let column: StoredColumn
    let field: RecordField
    let value: BoundOperand
    /// The value where it is arithmetic on integers alone.
    let arithmetic: IntegerArithmetic?
    /// True if related rows are read, which the update itself may change.
    let readsOthers: Bool

    init(
      _ entity: EntityStorage, _ position: Int, _ value: BoundOperand, readsOthers: Bool
    ) {
      column = entity.declared.columns[position]
      field = entity.columns.fields[position]
      self.value = value
      self.readsOthers = readsOthers
      let isOfIntegers = column.type.integerRange != nil
      arithmetic = isOfIntegers ? IntegerArithmetic(value, of: entity.declared) : nil
    }
  }

  init(
    _ entity: EntityStorage, _ assignments: [StoreChange.Assignment],
    _ bindings: [StoredValue], in view: StoreView, maximumValueSize: Int
  ) throws {
    self.entity = entity
    self.maximumValueSize = maximumValueSize
    reader = RecordReader(entity.columns)
    builder = RecordBuilder(entity.layout)
    newRow = RecordView(entity.layout)
    var isAssigned = entity.layout.fields.map { _ in false }
    self.assignments = try assignments.map { assignment in
      guard entity.columns.fields.indices.contains(assignment.column) else {
        throw StoreError(
          .unknownAttribute, "the entity has no column \(assignment.column)",
          entity: entity.declared.modelName)
      }
      isAssigned[Int(entity.columns.fields[assignment.column].column)] = true
      let operand = try CompiledOperand(
        assignment.value, entity: entity.declared, schema: view.layout.declared)
      return Assignment(
        entity, assignment.column, try operand.bound(to: bindings, related: view),
        readsOthers: !operand.relatedShapes.isEmpty)
    }
    self.isAssigned = isAssigned
    isOver = self.assignments.allSatisfy { !$0.field.encoding.isTail }
  }

  /// True if related rows are read, so that every row has to be foreseen before one is changed.
  var readsOthers: Bool { assignments.contains(where: \.readsOthers) }

  /// Computes the values that are read of related rows; rows are changed in the same order afterwards.
  mutating func foresee(_ key: UnsafeRawBufferPointer) throws {
    for assignment in assignments where assignment.readsOthers {
      do {
        foreseen.append(try assignment.value.evaluateForUpdate(reader))
      } catch let error as StoreError {
        throw filled(error, key, assignment)
      }
    }
  }

  private mutating func value(of assignment: Assignment) throws -> StoredValue {
    guard assignment.readsOthers else { return try assignment.value.evaluateForUpdate(reader) }
    nextForeseen += 1
    return foreseen[nextForeseen - 1]
  }

  private func filled(
    _ error: StoreError, _ key: UnsafeRawBufferPointer, _ assignment: Assignment
  ) -> StoreError {
    error.filling(
      entity: entity.declared.modelName, key: entity.values(ofKey: key),
      attributes: [assignment.column.attribute])
  }

  /// Makes the new record; false when it is the same as the old.
  mutating func apply(_ key: UnsafeRawBufferPointer) throws -> Bool {
    let isCopied = isOver && builder.begin(copying: reader.view)
    if !isCopied { builder.clear() }
    for assignment in assignments {
      do {
        if let number = try assignment.arithmetic?.value(for: reader),
          builder.set(number, assignment.field)
        {
          continue
        }
        var value = try value(of: assignment)
        if !assignment.value.isConstant { value = value.rounded(for: assignment.column.type) }
        value = value.normalized(for: assignment.column)
        if let fault = assignment.column.type.fault(
          of: value, isOptional: assignment.column.isOptional)
        {
          throw StoreError(
            value.isNull ? .missingValue : .invalidValue, "the value \(fault)")
        }
        let start = builder.bytes.count
        if isCopied && value.isNull {
          builder.release(assignment.field)
        } else {
          try builder.set(value, assignment.field)
        }
        if builder.bytes.count - start > maximumValueSize {
          throw StoreError(
            .tooLarge, "the value is larger than the store's limit of \(maximumValueSize) bytes")
        }
      } catch let error as StoreError {
        throw filled(error, key, assignment)
      }
    }
    if !isCopied {
      for field in entity.layout.fields where !isAssigned[Int(field.column)] {
        try builder.copy(field, from: reader.view)
      }
    }
    try builder.finish()
    guard newRow.move(to: builder.bytes) else { throw entity.damaged(key) }
    return !isSame()
  }

  private func isSame() -> Bool {
    let old = reader.view
    guard old.columnCount == newRow.columnCount else { return false }
    let start = entity.layout.checksumSize
    return old.count == newRow.count
      && ByteOrder.compare(
        UnsafeRawBufferPointer(rebasing: old.bytes[start...]),
        UnsafeRawBufferPointer(rebasing: newRow.bytes[start...])) == .equal
  }
}
