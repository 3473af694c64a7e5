internal import FoundationEssentials
public import ORMStorage

extension Optional: AttributeValue where Wrapped: AttributeValue {
  /// The wrapped type's.
  public static var attributeType: AttributeType { Wrapped.attributeType }
  /// True: an optional may be nil.
  public static var isOptional: Bool { true }
  /// Nil for a null column.
  @inlinable @inline(__always)
  public static func read<R: RowReader & ~Copyable>(from row: borrowing R, at column: Int) throws
    -> Wrapped?
  { try Wrapped.readIfPresent(from: row, at: column) }
  /// Null for nil.
  @inlinable @inline(__always)
  public func write<W: RowWriter & ~Copyable>(to row: inout W, at column: Int) throws {
    if let value = self {
      try value.write(to: &row, at: column)
    } else {
      try row.setNull(at: column)
    }
  }
  /// `.null` for nil.
  public var storedValue: StoredValue { self?.storedValue ?? .null }
  /// Nil from `.null`.
  public init(storedValue: StoredValue) throws {
    self = storedValue.isNull ? nil : try Wrapped(storedValue: storedValue)
  }
}

extension Array: AttributeValue where Element: AttributeValue {
  /// `data` for bytes, else `array` of the element's type.
  public static var attributeType: AttributeType {
    Element.self == UInt8.self ? .data : .array(Element.attributeType)
  }
  /// Reads an `array` column, or a `data` column for bytes.
  public static func read<R: RowReader & ~Copyable>(from row: borrowing R, at column: Int) throws
    -> [Element]
  {
    if Element.self == UInt8.self {
      return try row.withBytes(at: column) { bytes in
        bytes.withMemoryRebound(to: Element.self) { Array($0) }
      }
    }
    return try row.array(at: column).map { try Element(storedValue: $0) }
  }
  /// Writes an `array` column, or a `data` column for bytes.
  public func write<W: RowWriter & ~Copyable>(to row: inout W, at column: Int) throws {
    switch try checkedStoredValue() {
    case .data(let bytes): try row.set(bytes, at: column)
    case .array(let elements): try row.set(array: elements, at: column)
    default: throw StoredValue.unexpected("an array")
    }
  }
  /// `.array`, or `.data` for bytes.
  public var storedValue: StoredValue {
    // An empty array of any type can be cast to bytes: the type is asked first.
    if Element.self == UInt8.self, let bytes = self as? [UInt8] { return .data(.init(bytes)) }
    return .array(map { $0.storedValue })
  }
  /// Reads an `.array`, or `.data` for bytes.
  public init(storedValue: StoredValue) throws {
    switch storedValue {
    case .data(let bytes):
      guard Element.self == UInt8.self, let elements = [UInt8](bytes) as? [Element] else {
        throw StoredValue.unexpected("an array")
      }
      self = elements
    case .array(let elements): self = try elements.map { try Element(storedValue: $0) }
    default: throw StoredValue.unexpected("an array")
    }
  }

  private func checkedStoredValue() throws -> StoredValue {
    let value = storedValue
    if case .array(let elements) = value { try StoredValue.checkElements(elements) }
    return value
  }
}

extension Set: AttributeValue where Element: AttributeValue {
  /// `array` of the element's type.
  public static var attributeType: AttributeType { .array(Element.attributeType) }
  /// Reads an `array` column.
  public static func read<R: RowReader & ~Copyable>(from row: borrowing R, at column: Int) throws
    -> Set<Element>
  { try Set(storedValue: .array(row.array(at: column))) }
  /// Writes an `array` column, in the order of `StoredValue.order`.
  public func write<W: RowWriter & ~Copyable>(to row: inout W, at column: Int) throws {
    guard case .array(let elements) = storedValue else { return }
    try StoredValue.checkElements(elements)
    try row.set(array: elements, at: column)
  }
  /// `.array` of the elements in one order, so that equal sets are stored alike.
  public var storedValue: StoredValue {
    .array(map { $0.storedValue }.sorted { StoredValue.order($0, $1) < 0 })
  }
  /// Reads an `.array`.
  public init(storedValue: StoredValue) throws {
    guard case .array(let elements) = storedValue else { throw StoredValue.unexpected("a set") }
    self = try Set(elements.map { try Element(storedValue: $0) })
  }
}

extension StoredValue {
  /// Throws `invalidValue` for a NaN or a nil among the elements of an array.
  fileprivate static func checkElements(_ elements: [StoredValue]) throws {
    for element in elements {
      switch element {
      case .null: throw StoreError(.invalidValue, "an array that contains nil cannot be stored")
      case .double(let value) where value.isNaN: throw notANumber
      case .date(let value) where value.timeIntervalSinceReferenceDate.isNaN: throw notANumber
      case .decimal(let value) where value.isNaN: throw notANumber
      default: continue
      }
    }
  }
}

extension AttributeValue where Self: RawRepresentable, RawValue: AttributeValue {
  /// The raw value's type.
  public static var attributeType: AttributeType { RawValue.attributeType }
  /// Reads a raw value; one without a case is `decoding`.
  @inlinable @inline(__always)
  public static func read<R: RowReader & ~Copyable>(from row: borrowing R, at column: Int) throws
    -> Self
  {
    guard let value = Self(rawValue: try RawValue.read(from: row, at: column)) else {
      throw StoredValue.unexpected("a case of \(Self.self)")
    }
    return value
  }
  /// Writes the raw value.
  @inlinable @inline(__always)
  public func write<W: RowWriter & ~Copyable>(to row: inout W, at column: Int) throws {
    try rawValue.write(to: &row, at: column)
  }
  /// The raw value's.
  public var storedValue: StoredValue { rawValue.storedValue }
  /// Reads the stored form of a raw value; one without a case is `decoding`.
  public init(storedValue: StoredValue) throws {
    guard let value = Self(rawValue: try RawValue(storedValue: storedValue)) else {
      throw StoredValue.unexpected("a case of \(Self.self)")
    }
    self = value
  }
}
