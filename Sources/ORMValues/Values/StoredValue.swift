public import FoundationEssentials

/// One stored value of any kind: what rows, conditions and requests are made of.
///
/// `==` and hashing are by kind and content, so `.int(1)` and `.double(1)` differ here, and so do
/// composed and decomposed é; ``StoredValue/==(_:_:)`` says the rest. How values compare in a
/// condition is ``compare(_:_:)``.
public enum StoredValue: Codable, Sendable {
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
  /// A sequence of bytes.
  case data(Data)
  /// A timestamp; the bits of its `timeIntervalSinceReferenceDate` are kept.
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

  /// True if this is `.null`.
  @inlinable
  public var isNull: Bool { if case .null = self { true } else { false } }
}

extension StoredValue {
  /// The error for a stored value of another kind than asked for.
  public static func unexpected(_ what: String) -> StoreError {
    StoreError(.decoding, "the stored value is not \(what)")
  }
  /// The error for a NaN given to be stored.
  public static var notANumber: StoreError {
    StoreError(.invalidValue, "NaN cannot be stored")
  }
}
