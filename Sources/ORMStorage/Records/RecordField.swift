package import ORMValues

/// The position and the encoding of one column in a record.
@usableFromInline
package struct RecordField: Sendable {
  /// The column's bit in ``RecordView/missing``.
  @usableFromInline package var missingBit: UInt64
  /// The column's offset in the fixed part, or its number among the tails.
  @usableFromInline package var location: UInt32
  /// The column's position among the columns of the file: its bit in the null bitmap.
  @usableFromInline package var column: UInt16
  /// The encoding of the column.
  @usableFromInline package var encoding: Encoding
  /// The column's bit in its byte of the null bitmap.
  @usableFromInline package var nullMask: UInt8

  package init(encoding: Encoding, column: Int, location: Int) {
    self.encoding = encoding
    self.column = UInt16(truncatingIfNeeded: column)
    self.location = UInt32(truncatingIfNeeded: location)
    nullMask = 1 << UInt8(column & 7)
    missingBit = 1 << UInt64(min(column, Self.far))
  }

  /// The first of the columns that have one bit together, the last of a word.
  @usableFromInline static let far = 63

  /// The column's byte in the null bitmap.
  @inlinable @inline(__always)
  package var nullOffset: Int { Int(column) >> 3 }

  /// The encoding of a column: a fixed number of bytes, or a tail of any length.
  @usableFromInline
  package enum Encoding: UInt8, Sendable {
    case bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, double, date, uuid
    case string, data, decimal, array, json

    package init(_ type: AttributeType) {
      switch type {
      case .bool: self = .bool
      case .int8: self = .int8
      case .int16: self = .int16
      case .int32: self = .int32
      case .int64: self = .int64
      case .uint8: self = .uint8
      case .uint16: self = .uint16
      case .uint32: self = .uint32
      case .uint64: self = .uint64
      case .float, .double: self = .double
      case .string: self = .string
      case .data: self = .data
      case .date: self = .date
      case .uuid: self = .uuid
      case .decimal: self = .decimal
      case .array: self = .array
      case .json: self = .json
      }
    }

    /// The bytes of the fixed part; 0 for tails.
    @inlinable @inline(__always)
    package var width: Int {
      switch self {
      case .bool, .int8, .uint8: 1
      case .int16, .uint16: 2
      case .int32, .uint32: 4
      case .int64, .uint64, .double, .date: 8
      case .uuid: 16
      case .string, .data, .decimal, .array, .json: 0
      }
    }

    /// True if the column is one of the integers but `uint64`.
    @inlinable @inline(__always)
    package var isInteger: Bool {
      rawValue >= Self.int8.rawValue && rawValue <= Self.uint32.rawValue
    }

    /// True if the column is a tail.
    @inlinable @inline(__always)
    package var isTail: Bool { rawValue >= Self.string.rawValue }
  }
}
