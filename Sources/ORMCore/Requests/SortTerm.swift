/// One key of an order.
public struct SortTerm: Hashable, Codable, Sendable {
  /// What is sorted by.
  public var operand: Operand
  /// Whether from the greatest to the least.
  public var isDescending: Bool
  /// Where nil stands; nil means first when ascending and last when descending (semantics 3.1).
  public var nils: NilPlacement?
  /// How texts are compared: after `TextFolding.fold` with these options.
  public var options: TextOptions

  /// Makes a key.
  public init(
    _ operand: Operand, isDescending: Bool = false, nils: NilPlacement? = nil,
    options: TextOptions = []
  ) {
    self.operand = operand
    self.isDescending = isDescending
    self.nils = nils
    self.options = options
  }

  /// Where nil stands in an order.
  public enum NilPlacement: String, Hashable, Codable, Sendable {
    /// Before every value.
    case first
    /// After every value.
    case last
  }

  /// Whether nil comes before every value, the default worked in.
  public var nilsComeFirst: Bool {
    switch nils {
    case .first: true
    case .last: false
    case nil: !isDescending
    }
  }
}

/// One aggregate over rows.
public struct Aggregate: Hashable, Codable, Sendable {
  /// Which.
  public var kind: Kind
  /// Of what; nil only for a count of rows.
  public var operand: Operand?

  /// Makes an aggregate.
  public init(_ kind: Kind, _ operand: Operand? = nil) {
    self.kind = kind
    self.operand = operand
  }

  /// The kinds of aggregates; semantics 4.1 says what each gives.
  public enum Kind: String, Hashable, Codable, Sendable {
    /// How many rows, or how many that are not nil.
    case count
    /// How many different values; nil is not one.
    case countDistinct
    /// The exact sum, 0 over nothing.
    case sum
    /// The exact mean as a double, nil over nothing.
    case average
    /// The least, nil over nothing.
    case minimum
    /// The greatest, nil over nothing.
    case maximum
  }
}
