package import FoundationEssentials
public import ORMValues

extension RecordBuilder {
  /// Sets a field to a value of any kind; null leaves it null.
  ///
  /// `invalidValue` when the value is not of the field's type.
  package mutating func set(_ value: StoredValue, _ field: RecordField) throws {
    switch (value, field.encoding) {
    case (.null, _): return
    case (.bool(let value), .bool): set(bits: UInt8(value ? 1 : 0), field)
    case (.int(let value), _): if set(value, field) { return } else { throw unfit(field) }
    case (.uint(let value), .uint64): set(bits: value, field)
    case (.double(let value), .double): set(bits: value.bitPattern, field)
    case (.date(let value), .date):
      set(bits: value.timeIntervalSinceReferenceDate.bitPattern, field)
    case (.uuid(let value), .uuid):
      withUnsafeBytes(of: value.uuid) { set(bytes: $0, field) }
    case (.string(var text), .string), (.json(var text), .json):
      text.withUTF8 { set(bytes: UnsafeRawBufferPointer($0), field) }
    case (.data(let value), .data): value.withUnsafeBytes { set(bytes: $0, field) }
    case (.decimal(let value), .decimal): try set(value, field)
    case (.array(let value), .array): try set(value, field)
    default: throw unfit(field)
    }
  }

  /// Sets a decimal field.
  package mutating func set(_ value: Decimal, _ field: RecordField) throws {
    if value.isNaN { throw unfit(field) }
    var text = DecimalText.text(of: value)
    text.withUTF8 { set(bytes: UnsafeRawBufferPointer($0), field) }
  }

  /// Sets an array field.
  package mutating func set(_ value: [StoredValue], _ field: RecordField) throws {
    if !set(field, { ArrayCoding.append(value, to: &$0) }) { throw unfit(field) }
  }

  /// The error for a value that is not of the field's type.
  @inline(never) @usableFromInline
  package func unfit(_ field: RecordField) -> StoreError {
    let column = layout.entity.columns[Int(field.column)]
    return StoreError(
      .invalidValue, "the value is not one of type \(column.type)",
      entity: layout.entity.modelName, attributes: [column.attribute])
  }
}
