public import FoundationEssentials

/// One stored value of any kind: what rows, conditions and requests are made of.
///
/// `==` and hashing are by kind and content, so `.int(1)` and `.double(1)` differ here. How values
/// compare in a condition is `StoredValue.compare(_:_:)`.
public enum StoredValue: Hashable, Codable, Sendable {
  /// No value.
  case null
  /// A truth value.
  case bool(Bool)
  /// An integer of any width up to 64 bits.
  case int(Int64)
  /// An unsigned integer above `Int64.max`; smaller ones are always `.int`.
  case uint(UInt64)
  /// A double; a NaN is never stored.
  case double(Double)
  /// A text; every scalar is kept, NUL included.
  case string(String)
  /// Bytes.
  case data(Data)
  /// A moment; the bits of its `timeIntervalSinceReferenceDate` are kept.
  case date(Date)
  /// A UUID.
  case uuid(UUID)
  /// A decimal number.
  case decimal(Decimal)
  /// A list of scalars.
  case array([StoredValue])
  /// A JSON text.
  case json(String)
}

extension StoredValue {
  /// The value of an unsigned integer, in its one form.
  @inlinable
  public static func unsigned(_ value: UInt64) -> StoredValue {
    value <= UInt64(Int64.max) ? .int(Int64(value)) : .uint(value)
  }

  /// Whether this is `.null`.
  @inlinable
  public var isNull: Bool { if case .null = self { true } else { false } }

  /// Whether both are the same to the last bit: `-0.0` and `0.0` are not.
  public func isIdentical(to other: StoredValue) -> Bool {
    switch (self, other) {
    case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern
    case (.date(let a), .date(let b)):
      a.timeIntervalSinceReferenceDate.bitPattern == b.timeIntervalSinceReferenceDate.bitPattern
    case (.array(let a), .array(let b)):
      a.count == b.count && zip(a, b).allSatisfy { $0.isIdentical(to: $1) }
    case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
    case (.json(let a), .json(let b)): a.utf8.elementsEqual(b.utf8)
    default: self == other
    }
  }
}
