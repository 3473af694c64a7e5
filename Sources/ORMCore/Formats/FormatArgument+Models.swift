public import ORMStorage

extension AttributeValue {
  /// The value itself.
  public func formatSubstitute() throws -> FormatSubstitute { .value(storedValue) }
}

extension PrimaryKeyed {
  /// The object's key.
  public func formatSubstitute() throws -> FormatSubstitute {
    FormatSubstitute(content: .key(try id.keyValues(), entity: Self.entity.declared.name))
  }
}

extension CompositeKey {
  /// The values of the key.
  public func formatSubstitute() throws -> FormatSubstitute {
    FormatSubstitute(content: .key(try keyValues(), entity: nil))
  }
}

extension KeyPath: FormatArgument where Root: Persistable {
  /// The name of the attribute or relationship that the key path reads, for `%K`.
  public func formatSubstitute() throws -> FormatSubstitute {
    let entity = Root.entity
    if let name = entity.name(ofPath: self) {
      return FormatSubstitute(content: .name(name, entity: entity.declared.name))
    }
    throw StoreError.notDeclared(
      self, "an attribute", entity: entity.declared.name)
  }
}

/// A format written down in the program: a literal, never a text made when the program runs.
///
/// A value can enter it through arguments alone. A `String` goes to ``Filter/init(format:_:)``.
public struct FilterFormat: ExpressibleByStringLiteral, Sendable {
  let text: String

  /// The literal.
  public init(stringLiteral value: StaticString) { text = "\(value)" }
}
