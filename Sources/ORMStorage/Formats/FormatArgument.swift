internal import FoundationEssentials
public import ORMValues

/// A type whose values can stand for a `%@`, a `%K` or another argument of a format.
///
/// Every attribute value and array of them, key paths of models, objects with a primary key (which
/// stand for their keys), composite keys, and nil.
///
/// ```swift
/// try Filter<Snack>(format: "%K IN %@ AND name LIKE[cd] %@", \Snack.id, [1, 2], "a*")
/// ```
public protocol FormatArgument {
  /// Returns the value, key or name that the argument stands for in a format.
  ///
  /// - Throws: the errors of the conversion to a stored value; `unknownAttribute` for a key path that reads
  ///   no attribute.
  func formatSubstitute() throws -> FormatSubstitute
}

/// The value, key or name that an argument stands for in a format.
public struct FormatSubstitute: Hashable, Sendable {
  package let content: Content

  package enum Content: Hashable, Sendable {
    case value(StoredValue)
    /// The key of an object; the entity where it is known.
    case key([StoredValue], entity: String?)
    /// A key of an entity.
    case name(String, entity: String)
  }

  /// Makes the substitute of a value, a key or a name.
  package init(content: Content) { self.content = content }

  /// A value.
  public static func value(_ value: StoredValue) -> FormatSubstitute {
    FormatSubstitute(content: .value(value))
  }
}

extension Optional: FormatArgument where Wrapped: FormatArgument {
  /// Returns the substitute of the wrapped value; nil is null.
  public func formatSubstitute() throws -> FormatSubstitute {
    try self?.formatSubstitute() ?? .value(.null)
  }
}

extension Array: FormatArgument where Element: FormatArgument {
  /// A list of values; objects stand for their keys.
  public func formatSubstitute() throws -> FormatSubstitute {
    // An empty array of any type can be cast to any other.
    if Element.self == UInt8.self, let bytes = self as? [UInt8] {
      return .value(.data(Data(bytes)))
    }
    return .value(.array(try map { try $0.formatSubstitute().singleValue }))
  }
}

extension Set: FormatArgument where Element: FormatArgument {
  /// A list of values; objects stand for their keys.
  public func formatSubstitute() throws -> FormatSubstitute {
    try Array(self).formatSubstitute()
  }
}

extension FormatSubstitute {
  /// The one value that it is, or the one part of a key.
  package var singleValue: StoredValue {
    get throws {
      switch content {
      case .value(let value): return value
      case .key(let values, _) where values.count == 1: return values[0]
      default:
        throw StoreError(
          .invalidCondition, "expected a value, or a key of one attribute")
      }
    }
  }
}

extension StoredValue: FormatArgument {
  /// The value itself.
  public func formatSubstitute() throws -> FormatSubstitute { .value(self) }
}
