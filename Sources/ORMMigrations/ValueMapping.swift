public import ORMStorage

/// A mapping of values from one type to another; null stays null.
///
/// ```swift
/// let step = MigrationStep.changeType(
///   of: "stops", to: .int64, in: "Route", by: .cases(["none": .int(0), "one": .int(1)]))
/// ```
public struct ValueMapping: Codable, Sendable {
  let form: Form

  enum Form: Codable, Sendable {
    case exact
    case rounded
    case truncated
    case text
    case cases(values: [ExactText: StoredValue])
    case custom(closure: MigrationClosure<@Sendable (StoredValue) throws -> StoredValue?>)
  }

  /// The same value in the other type; a value that the type cannot express exactly is an error.
  ///
  /// Texts are read as `CAST` of predicate formats reads them. A double becomes the decimal of its
  /// shortest text, as Swift prints it: 2.99 becomes 2.99.
  public static let exact = Self(form: .exact)
  /// The nearest number, halves away from zero, for integers; otherwise as ``exact``.
  public static let rounded = Self(form: .rounded)
  /// The number without its fraction, for integers; otherwise as ``exact``.
  public static let truncated = Self(form: .truncated)
  /// The value as a text, as `CAST` of predicate formats writes it.
  public static let text = Self(form: .text)

  /// A value for each text; other texts fail.
  public static func cases(_ values: [String: StoredValue]) -> Self {
    Self(form: .cases(values: [ExactText: StoredValue](values)))
  }

  /// A closure, which returns nil for a value that it cannot map.
  ///
  /// - Parameters:
  ///   - name: a name for the closure, which the store keeps instead of its code.
  ///   - revision: a number that is raised when the closure changes its meaning.
  ///   - body: called with each value that is not null.
  public static func custom(
    named name: String, revision: Int,
    _ body: @escaping @Sendable (StoredValue) throws -> StoredValue?
  ) -> Self {
    Self(form: .custom(closure: .init(name: name, revision: revision, body: body)))
  }

  /// True for ``exact``.
  var isExact: Bool { if case .exact = form { true } else { false } }

  /// True for ``text``.
  var isText: Bool { if case .text = form { true } else { false } }

  /// Throws `invalidPlan` for a closure that was not read with the plan.
  func checkClosure() throws {
    if case .custom(let closure) = form { _ = try closure.run() }
  }

  /// The value mapped to a type; nil where it cannot be.
  func map(_ value: StoredValue, to type: AttributeType) throws -> StoredValue? {
    if value.isNull { return .null }
    let mapped: StoredValue?
    switch form {
    case .exact: mapped = value.exactly(as: type)
    case .rounded: mapped = value.integral(by: StoredValue.round, as: type)
    case .truncated: mapped = value.integral(by: StoredValue.truncate, as: type)
    case .text: mapped = value.cast(to: .string)
    case .cases(let values):
      guard case .string(let text) = value else { return nil }
      mapped = values[text]
    case .custom(let closure): mapped = try closure.run()(value)
    }
    guard let mapped else { return nil }
    return mapped.isNull ? nil : mapped
  }
}

/// The outcome for a value that a ``ValueMapping`` cannot map.
public enum MappingFailure: Codable, Sendable {
  /// The migration stops with `migrationFailed` and `invalidValue`, naming up to 100 keys and no
  /// value.
  case `throw`
  /// The attribute becomes null; it must be optional.
  case null
  /// The attribute becomes this value.
  case value(StoredValue)
  /// The attribute becomes null, and the old value is stored in another attribute of the old type.
  case keepIn(String)
}

extension StoredValue {
  /// The same value in a type; nil where the type cannot express it.
  fileprivate func exactly(as type: AttributeType) -> StoredValue? {
    switch (self, type.kind) {
    case (.bool, .bool), (.array, .array), (.json, .json), (.data, .data), (.uuid, .uuid):
      return self
    case (.int(let value), .bool): return value == 0 ? .bool(false) : value == 1 ? .bool(true) : nil
    case (.string(let text), .json): return .json(text)
    case (.double(let value), .decimal): return Self.string("\(value)").cast(to: .decimal)
    case (_, .unsigned): return cast(to: .int)
    default: return cast(to: type.kind)
    }
  }

  /// The number without a fraction in a type.
  fileprivate func integral(
    by rule: (StoredValue) -> ArithmeticOutcome, as type: AttributeType
  ) -> StoredValue? {
    guard type.kind == .int || type.kind == .unsigned else { return exactly(as: type) }
    var number = self
    if case .string = self { number = cast(to: .decimal) }
    guard case .value(let whole) = rule(number) else { return exactly(as: type) }
    return whole.cast(to: .int)
  }
}
