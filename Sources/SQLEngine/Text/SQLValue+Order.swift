internal import FoundationEssentials
internal import ORMStorage

/// Values to sort by, in forms that the engine orders as `StoredValue.order` does. Engines order
/// null, numbers, texts by their bytes, and bytes, in this sequence.
extension SQLValue {
  /// A value whose operand is known to give values of one kind, or of any (nil).
  init(ordering value: StoredValue, as kind: AttributeType.Kind?) {
    switch (kind, value) {
    case (_, .null): self = .null
    case (.bool, .bool(let value)): self = .integer(value ? 1 : 0)
    case (.int, .int(let value)), (.double, .int(let value)): self = .integer(value)
    case (.int, .double(let value)), (.double, .double(let value)): self = Self.number(value)
    case (.date, .date(let value)): self = Self.number(value.timeIntervalSinceReferenceDate)
    case (.string, .string(let value)): self = .text(value)
    case (.uuid, .uuid(let value)):
      self = .blob(withUnsafeBytes(of: value.uuid) { Array($0) })
    case (.data, .data(let value)): self = .blob(Array(value))
    default:
      self = .blob(OrderedBytes(of: value, isExact: kind == .decimal || kind == .unsigned).bytes)
    }
  }

  /// A double; a NaN comes after all numbers, where texts are.
  private static func number(_ value: Double) -> SQLValue {
    value.isNaN ? .text("") : .real(value)
  }
}

/// Bytes in the order of `StoredValue.order`, for values of any kinds together.
private struct OrderedBytes {
  private(set) var bytes: [UInt8] = []

  /// The kinds in their order, each by its first byte; null never gets here but inside arrays.
  private enum Rank: UInt8 {
    case null, bool, number, date, string, uuid, data, array, json
  }

  /// - Parameter isExact: whether all numbers of the order are integers and decimals, and none a
  ///   double.
  init(of value: StoredValue, isExact: Bool) { append(value, isExact) }

  private mutating func append(_ value: StoredValue, _ isExact: Bool) {
    switch value {
    case .null: bytes.append(Rank.null.rawValue)
    case .bool(let value): bytes += [Rank.bool.rawValue, value ? 1 : 0]
    case .int(let value):
      bytes.append(Rank.number.rawValue)
      isExact
        ? append(Decimal(value)) : append(Double(value), rest: value.differenceFromNearestDouble)
    case .uint(let value):
      bytes.append(Rank.number.rawValue)
      isExact
        ? append(Decimal(value)) : append(Double(value), rest: value.differenceFromNearestDouble)
    case .double(let value):
      bytes.append(Rank.number.rawValue)
      append(value, rest: 0)
    case .decimal(let value):
      bytes.append(Rank.number.rawValue)
      append(value)
    case .date(let value):
      bytes.append(Rank.date.rawValue)
      append(value.timeIntervalSinceReferenceDate, rest: 0)
    case .string(let value): bytes += [Rank.string.rawValue] + value.utf8
    case .uuid(let value):
      bytes.append(Rank.uuid.rawValue)
      withUnsafeBytes(of: value.uuid) { bytes += $0 }
    case .data(let value): bytes += [Rank.data.rawValue] + value
    case .json(let value): bytes += [Rank.json.rawValue] + value.utf8
    case .array(let elements):
      bytes.append(Rank.array.rawValue)
      for element in elements {
        bytes.append(1)
        // A zero inside an element is distinguished from its end.
        for byte in OrderedBytes(of: element, isExact: isExact).bytes {
          bytes.append(byte)
          if byte == 0 { bytes.append(0xFF) }
        }
        bytes += [0, 1]
      }
      bytes.append(0)
    }
  }

  private mutating func append(_ value: Decimal) {
    bytes += DecimalText.orderedBytes(of: value)
  }

  /// Appends a number as its nearest double, then the difference to it.
  ///
  /// Rounding keeps order, so the rest decides only between numbers that share the double.
  private mutating func append(_ value: Double, rest: Int64) {
    // -0.0 is 0.0; NaN of any bits comes last.
    let pattern = value.isNaN ? UInt64.max >> 1 : (value == 0 ? 0 : value.bitPattern)
    append(pattern >> 63 == 0 ? pattern | 1 << 63 : ~pattern)
    append(UInt64(bitPattern: rest) ^ 1 << 63)
  }

  private mutating func append(_ value: UInt64) {
    withUnsafeBytes(of: value.bigEndian) { bytes += $0 }
  }
}

extension FixedWidthInteger {
  /// The integer minus the double nearest to it.
  fileprivate var differenceFromNearestDouble: Int64 {
    // The nearest double may be one past the greatest integer.
    Int64(truncatingIfNeeded: Int128(self) - Int128(Double(self)))
  }
}
