internal import ORMStorage

/// A range of values that a condition can ask for: `1..<3`, `1...3`, `1...`, `..<3` and `...3`.
public protocol ValueRange<Bound> {
  /// The type of the bounds.
  associatedtype Bound: Comparable
  /// The least value; nil for a range without one.
  var lowerValue: Bound? { get }
  /// The bound above; nil for a range without one.
  var upperValue: Bound? { get }
  /// True if the upper bound lies in the range.
  var includesUpperValue: Bool { get }
}

extension ValueRange {
  /// Returns the condition that an operand lies in the range.
  fileprivate func condition(on operand: Operand) -> Condition
  where Bound: AttributeValue {
    var parts: [Condition] = []
    if let lower = lowerValue {
      parts.append(.compare(operand, .greaterOrEqual, .value(lower.storedValue), []))
    }
    if let upper = upperValue {
      parts.append(
        .compare(
          operand, includesUpperValue ? .lessOrEqual : .less, .value(upper.storedValue), []))
    }
    return parts.count == 1 ? parts[0] : .all(parts)
  }
}

extension Range: ValueRange {
  /// The lower bound.
  public var lowerValue: Bound? { lowerBound }
  /// The upper bound.
  public var upperValue: Bound? { upperBound }
  /// False: the upper bound is not in the range.
  public var includesUpperValue: Bool { false }
}

extension ClosedRange: ValueRange {
  /// The lower bound.
  public var lowerValue: Bound? { lowerBound }
  /// The upper bound.
  public var upperValue: Bound? { upperBound }
  /// True: the upper bound is in the range.
  public var includesUpperValue: Bool { true }
}

extension PartialRangeFrom: ValueRange {
  /// The lower bound.
  public var lowerValue: Bound? { lowerBound }
  /// Nil: there is no upper bound.
  public var upperValue: Bound? { nil }
  /// False: there is no upper bound.
  public var includesUpperValue: Bool { false }
}

extension PartialRangeThrough: ValueRange {
  /// Nil: there is no lower bound.
  public var lowerValue: Bound? { nil }
  /// The upper bound.
  public var upperValue: Bound? { upperBound }
  /// True: the upper bound is in the range.
  public var includesUpperValue: Bool { true }
}

extension PartialRangeUpTo: ValueRange {
  /// Nil: there is no lower bound.
  public var lowerValue: Bound? { nil }
  /// The upper bound.
  public var upperValue: Bound? { upperBound }
  /// False: the upper bound is not in the range.
  public var includesUpperValue: Bool { false }
}

extension Field where Value: ComparableAttribute {
  /// Returns the condition that the value lies in a range; nil lies in none.
  ///
  /// ```swift
  /// Snack.where { $0.price.isIn(1.0..<3.0) }
  /// Flight.where { $0.departure.isIn(monday...) }
  /// ```
  public func isIn<Bounds: ValueRange>(_ range: Bounds) -> Filter<Model>
  where Bounds.Bound == Value.Present {
    Filter(range.condition(on: operand))
  }
}

extension QueryClause where Value: ComparableAttribute {
  /// It lies in a range; nil lies in none: `.whose(\.price).isIn(1.0..<3.0)`.
  public func isIn<Bounds: ValueRange>(_ range: Bounds) -> Query<Model>
  where Bounds.Bound == Value.Present {
    closed(field.isIn(range))
  }
}

extension Query {
  /// Returns the query for those of its rows whose attribute lies in a range; nil lies in none.
  ///
  /// The attribute may be of any type with an order: numbers, texts, dates, UUIDs. A store
  /// with an index on the attribute reads the rows of the range alone.
  ///
  /// ```swift
  /// let cheap = try store.fetch(Snack.all.range(1.0..<3.0, of: \.price))
  /// let late = try Flight.all.range(monday..., of: \.departure).fetch()
  /// ```
  ///
  /// ``range(_:)`` without an attribute takes positions of the result.
  public func range<Value: ComparableAttribute, Bounds: ValueRange>(
    _ range: Bounds, of path: AttributePath<Model, Value>
  ) -> Query where Bounds.Bound == Value.Present {
    self.where(Filter(range.condition(on: Model.operand(of: path, scope: 0))))
  }
}
