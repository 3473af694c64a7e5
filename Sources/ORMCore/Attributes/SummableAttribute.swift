public import FoundationEssentials

/// An attribute that can be summed.
public protocol SummableAttribute: AttributeValue {
  /// The type of its sums: wide enough for the kind, and not optional.
  associatedtype Total: AttributeValue
}

extension Int8: SummableAttribute {
  /// Sums are 64 bits wide.
  public typealias Total = Int64
}
extension Int16: SummableAttribute {
  /// Sums are 64 bits wide.
  public typealias Total = Int64
}
extension Int32: SummableAttribute {
  /// Sums are 64 bits wide.
  public typealias Total = Int64
}
extension Int64: SummableAttribute {
  /// The same.
  public typealias Total = Int64
}
extension Int: SummableAttribute {
  /// The same.
  public typealias Total = Int
}
extension UInt8: SummableAttribute {
  /// Sums are 64 bits wide.
  public typealias Total = Int64
}
extension UInt16: SummableAttribute {
  /// Sums are 64 bits wide.
  public typealias Total = Int64
}
extension UInt32: SummableAttribute {
  /// Sums are 64 bits wide.
  public typealias Total = Int64
}
extension UInt64: SummableAttribute {
  /// The same.
  public typealias Total = UInt64
}
extension UInt: SummableAttribute {
  /// The same.
  public typealias Total = UInt
}
extension Float: SummableAttribute {
  /// Sums are doubles.
  public typealias Total = Double
}
extension Double: SummableAttribute {
  /// The same.
  public typealias Total = Double
}
extension Decimal: SummableAttribute {
  /// The same.
  public typealias Total = Decimal
}
extension Optional: SummableAttribute where Wrapped: SummableAttribute {
  /// Nil is skipped.
  public typealias Total = Wrapped.Total
}

/// An attribute with an order, whose least and greatest can be asked.
public protocol ComparableAttribute: AttributeValue {
  /// The type without nil.
  associatedtype Present: AttributeValue = Self
}

extension Int8: ComparableAttribute {}
extension Int16: ComparableAttribute {}
extension Int32: ComparableAttribute {}
extension Int64: ComparableAttribute {}
extension Int: ComparableAttribute {}
extension UInt8: ComparableAttribute {}
extension UInt16: ComparableAttribute {}
extension UInt32: ComparableAttribute {}
extension UInt64: ComparableAttribute {}
extension UInt: ComparableAttribute {}
extension Float: ComparableAttribute {}
extension Double: ComparableAttribute {}
extension Decimal: ComparableAttribute {}
extension Bool: ComparableAttribute {}
extension String: ComparableAttribute {}
extension Date: ComparableAttribute {}
extension UUID: ComparableAttribute {}
extension Data: ComparableAttribute {}
extension Optional: ComparableAttribute where Wrapped: ComparableAttribute {
  /// The wrapped type's.
  public typealias Present = Wrapped.Present
}
