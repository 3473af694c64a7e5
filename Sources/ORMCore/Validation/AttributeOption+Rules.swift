// Rules of attributes. Nil breaks none of them: an attribute that must have a value is not optional.

public import ORMStorage

extension AttributeOption {
  static func rule(
    _ name: String, _ message: String, _ condition: @escaping @Sendable (Operand) -> Condition
  ) -> Self {
    Self(kind: .rule(AttributeRule(name: name, condition: condition, message: message)))
  }

  /// Between two bounds, either of which may be left out.
  static func range<Bound: AttributeValue>(
    from lower: Bound?, to upper: Bound?, isOpen: Bool = false
  ) -> Self {
    var parts: [(Comparator, StoredValue)] = []
    var words: [String] = []
    if let lower {
      parts.append((.greaterOrEqual, lower.storedValue))
      words.append("at least \(lower)")
    }
    if let upper {
      parts.append((isOpen ? .less : .lessOrEqual, upper.storedValue))
      words.append(isOpen ? "less than \(upper)" : "at most \(upper)")
    }
    let bounds = parts
    return rule("range", "must be " + words.joined(separator: " and ")) { operand in
      let conditions = bounds.map { Condition.compare(operand, $0.0, .value($0.1), []) }
      return conditions.count == 1 ? conditions[0] : .all(conditions)
    }
  }

  static func length(
    from lower: Int?, to upper: Int?, of measure: @escaping @Sendable (Operand) -> Operand
  ) -> Self {
    var parts: [(Comparator, Int)] = []
    var words: [String] = []
    if let lower {
      parts.append((.greaterOrEqual, lower))
      words.append("at least \(lower)")
    }
    if let upper {
      parts.append((.lessOrEqual, upper))
      words.append("at most \(upper)")
    }
    let bounds = parts
    return rule("length", "its length must be " + words.joined(separator: " and ")) { operand in
      let conditions = bounds.map {
        Condition.compare(measure(operand), $0.0, .value(.int(Int64($0.1))), [])
      }
      return conditions.count == 1 ? conditions[0] : .all(conditions)
    }
  }

  static func matching(_ pattern: String) -> Self {
    rule("matches", "must match \(pattern)") {
      .text($0, .matches, .value(.string(pattern)), [])
    }
  }
}

extension AttributeOption where Value: AttributeValue & Comparable {
  /// The value is in a range, its bounds among it.
  ///
  /// ```swift
  /// static let stock: EntityPart<Snack> = .attribute("stock", \.stock, .range(0...100))
  /// ```
  public static func range(_ range: ClosedRange<Value>) -> Self {
    self.range(from: range.lowerBound, to: range.upperBound)
  }
  /// The value is in a range, its upper bound not among it.
  ///
  /// ```swift
  /// static let stock: EntityPart<Snack> = .attribute("stock", \.stock, .range(0..<100))
  /// ```
  public static func range(_ range: Range<Value>) -> Self {
    self.range(from: range.lowerBound, to: range.upperBound, isOpen: true)
  }
  /// The value is at least a bound.
  ///
  /// ```swift
  /// static let stock: EntityPart<Snack> = .attribute("stock", \.stock, .range(0...))
  /// ```
  public static func range(_ range: PartialRangeFrom<Value>) -> Self {
    self.range(from: range.lowerBound, to: nil)
  }
  /// The value is at most a bound.
  ///
  /// ```swift
  /// static let stock: EntityPart<Snack> = .attribute("stock", \.stock, .range(...100))
  /// ```
  public static func range(_ range: PartialRangeThrough<Value>) -> Self {
    self.range(from: nil, to: range.upperBound)
  }
  /// The value is less than a bound.
  ///
  /// ```swift
  /// static let stock: EntityPart<Snack> = .attribute("stock", \.stock, .range(..<100))
  /// ```
  public static func range(_ range: PartialRangeUpTo<Value>) -> Self {
    self.range(from: nil, to: range.upperBound, isOpen: true)
  }
}

extension AttributeOption {
  /// The value is nil, or in a range, its bounds among it.
  public static func range<Bound: AttributeValue & Comparable>(
    _ range: ClosedRange<Bound>
  ) -> Self where Value == Bound? {
    self.range(from: range.lowerBound, to: range.upperBound)
  }
  /// The value is nil, or in a range, its upper bound not among it.
  public static func range<Bound: AttributeValue & Comparable>(
    _ range: Range<Bound>
  ) -> Self where Value == Bound? {
    self.range(from: range.lowerBound, to: range.upperBound, isOpen: true)
  }
  /// The value is nil, or at least a bound.
  public static func range<Bound: AttributeValue & Comparable>(
    _ range: PartialRangeFrom<Bound>
  ) -> Self where Value == Bound? {
    self.range(from: range.lowerBound, to: nil)
  }
  /// The value is nil, or at most a bound.
  public static func range<Bound: AttributeValue & Comparable>(
    _ range: PartialRangeThrough<Bound>
  ) -> Self where Value == Bound? {
    self.range(from: nil, to: range.upperBound)
  }
  /// The value is nil, or less than a bound.
  public static func range<Bound: AttributeValue & Comparable>(
    _ range: PartialRangeUpTo<Bound>
  ) -> Self where Value == Bound? {
    self.range(from: nil, to: range.upperBound, isOpen: true)
  }
}

/// A type that has a length for a rule: texts in Unicode scalars, arrays and sets in elements.
///
/// Nil breaks no rule.
public protocol MeasuredAttribute: AttributeValue {
  /// Returns the operand that gives the length in a condition.
  static func lengthOperand(of operand: Operand) -> Operand
}

extension String: MeasuredAttribute {
  /// The text's Unicode scalars.
  public static func lengthOperand(of operand: Operand) -> Operand { .function(.length, operand) }
}
extension Array: MeasuredAttribute where Element: AttributeValue {
  /// The array's elements.
  public static func lengthOperand(of operand: Operand) -> Operand { .function(.count, operand) }
}
extension Set: MeasuredAttribute where Element: AttributeValue {
  /// The set's elements.
  public static func lengthOperand(of operand: Operand) -> Operand { .function(.count, operand) }
}
extension Optional: MeasuredAttribute where Wrapped: MeasuredAttribute {
  /// The length of the wrapped value.
  public static func lengthOperand(of operand: Operand) -> Operand {
    Wrapped.lengthOperand(of: operand)
  }
}

extension AttributeOption where Value: MeasuredAttribute {
  /// The length is in a range: Unicode scalars of a text, elements of an array or set.
  ///
  /// ```swift
  /// static let name: EntityPart<Snack> = .attribute("name", \.name, .length(1...40))
  /// ```
  public static func length(_ range: ClosedRange<Int>) -> Self {
    length(from: range.lowerBound, to: range.upperBound, of: Value.lengthOperand)
  }
  /// The length is at least a bound.
  ///
  /// ```swift
  /// static let name: EntityPart<Snack> = .attribute("name", \.name, .length(1...))
  /// ```
  public static func length(_ range: PartialRangeFrom<Int>) -> Self {
    length(from: range.lowerBound, to: nil, of: Value.lengthOperand)
  }
  /// The length is at most a bound.
  ///
  /// ```swift
  /// static let name: EntityPart<Snack> = .attribute("name", \.name, .length(...40))
  /// ```
  public static func length(_ range: PartialRangeThrough<Int>) -> Self {
    length(from: nil, to: range.upperBound, of: Value.lengthOperand)
  }
}

extension AttributeOption where Value == String {
  /// The whole text matches a regular expression, as `TextOperator.matches` says.
  ///
  /// ```swift
  /// static let name: EntityPart<Snack> = .attribute("name", \.name, .matches("[A-Z].*"))
  /// ```
  public static func matches(_ pattern: String) -> Self { matching(pattern) }
}
extension AttributeOption where Value == String? {
  /// The text is nil, or all of it matches a regular expression.
  ///
  /// ```swift
  /// static let taste: EntityPart<Snack> = .attribute("taste", \.taste, .matches("[a-z]+"))
  /// ```
  public static func matches(_ pattern: String) -> Self { matching(pattern) }
}

extension AttributeOption where Value: AttributeValue {
  /// A check by code, for rules that a condition cannot express.
  ///
  /// ```swift
  /// static let stock: EntityPart<Snack> =
  ///   .attribute("stock", \.stock, .check("must be even") { $0.isMultiple(of: 2) })
  /// ```
  ///
  /// Stored with the Swift type alone, not in the schema; a set-based update reads the
  /// rows for it. `message` is reported where it does not hold: "must be even".
  public static func check(
    _ message: String, _ holds: @escaping @Sendable (Value) -> Bool
  ) -> Self {
    Self(kind: .check(message, holds))
  }
}

#if Macros
  // The options in `@Attribute`, where the property's type is not known.
  extension AttributeOption where Value == DeclaredValue {
    /// The value is nil or in the range.
    ///
    /// ```swift
    /// @Attribute(.range(0...100)) var stock: Int
    /// ```
    public static func range<Bound: AttributeValue>(_ range: ClosedRange<Bound>) -> Self {
      self.range(from: range.lowerBound, to: range.upperBound)
    }
    /// The value is nil or in the range.
    ///
    /// ```swift
    /// @Attribute(.range(0..<100)) var stock: Int
    /// ```
    public static func range<Bound: AttributeValue>(_ range: Range<Bound>) -> Self {
      self.range(from: range.lowerBound, to: range.upperBound, isOpen: true)
    }
    /// The value is nil or at least the bound.
    ///
    /// ```swift
    /// @Attribute(.range(0...)) var stock: Int
    /// ```
    public static func range<Bound: AttributeValue>(_ range: PartialRangeFrom<Bound>) -> Self {
      self.range(from: range.lowerBound, to: nil)
    }
    /// The value is nil or at most the bound.
    ///
    /// ```swift
    /// @Attribute(.range(...100)) var stock: Int
    /// ```
    public static func range<Bound: AttributeValue>(_ range: PartialRangeThrough<Bound>) -> Self {
      self.range(from: nil, to: range.upperBound)
    }
    /// The value is nil or less than the bound.
    ///
    /// ```swift
    /// @Attribute(.range(..<100)) var stock: Int
    /// ```
    public static func range<Bound: AttributeValue>(_ range: PartialRangeUpTo<Bound>) -> Self {
      self.range(from: nil, to: range.upperBound, isOpen: true)
    }
    /// The length is in the range.
    ///
    /// ```swift
    /// @Attribute(.length(1...40)) var name: String
    /// ```
    public static func length(_ range: ClosedRange<Int>) -> Self {
      length(from: range.lowerBound, to: range.upperBound, of: String.lengthOperand)
    }
    /// The length is at least the bound.
    ///
    /// ```swift
    /// @Attribute(.length(1...)) var name: String
    /// ```
    public static func length(_ range: PartialRangeFrom<Int>) -> Self {
      length(from: range.lowerBound, to: nil, of: String.lengthOperand)
    }
    /// The length is at most the bound.
    ///
    /// ```swift
    /// @Attribute(.length(...40)) var name: String
    /// ```
    public static func length(_ range: PartialRangeThrough<Int>) -> Self {
      length(from: nil, to: range.upperBound, of: String.lengthOperand)
    }
    /// The whole text matches the regular expression.
    ///
    /// ```swift
    /// @Attribute(.matches("[A-Z].*")) var name: String
    /// ```
    public static func matches(_ pattern: String) -> Self { matching(pattern) }
  }
#endif
