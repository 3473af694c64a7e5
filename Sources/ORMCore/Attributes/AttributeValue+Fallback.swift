// Raw values without a case, where the attribute names one that stands for them (clause 1.4).

public import ORMStorage

extension RowReader where Self: ~Copyable {
  /// An enum, or the fallback for a raw value without a case:
  /// `size = try row.value(at: 3, fallback: .other)`.
  ///
  /// A value that cannot be a raw value, such as a text instead of a number, is `decoding`.
  @inlinable @inline(__always)
  public func value<Value: AttributeValue & RawRepresentable>(
    at column: Int, fallback: Value
  ) throws -> Value where Value.RawValue: AttributeValue {
    Value(rawValue: try Value.RawValue.read(from: self, at: column)) ?? fallback
  }

  /// An enum that may be nil, or the fallback for a raw value without a case.
  @inlinable @inline(__always)
  public func value<Value: AttributeValue & RawRepresentable>(
    at column: Int, fallback: Value
  ) throws -> Value? where Value.RawValue: AttributeValue {
    try isNull(at: column) ? nil : value(at: column, fallback: fallback) as Value
  }
}

extension AttributeValue {
  /// The value of its stored form, or the fallback's where that is of the right type and has none.
  package init(_ stored: StoredValue, orFallback fallback: StoredValue?) throws {
    do {
      try self.init(storedValue: stored)
    } catch {
      guard let fallback, !stored.isNull,
        Self.attributeType.fault(of: stored, isOptional: false) == nil
      else { throw error }
      try self.init(storedValue: fallback)
    }
  }
}

extension Persistable {
  /// The fallback of the attribute that an operand is, here or through to-ones; nil where it is
  /// none, or names none.
  package static func fallback(of operand: Operand) -> StoredValue? {
    guard case .path(let path) = operand, path.scope == 0 else { return nil }
    return fallback(path.names[...])
  }

  private static func fallback(_ names: ArraySlice<String>) -> StoredValue? {
    guard names.count > 1 else {
      return entity.fallbacks.values.first { $0.name == names.first }?.fallback
    }
    let end = entity.relationships.first { $0.declaration.name == names.first }
    return end.flatMap { target(of: $0).fallback(names.dropFirst()) }
  }

  private static func target<End: RelationshipEnd>(of end: End) -> any Persistable.Type {
    End.Target.self
  }
}
