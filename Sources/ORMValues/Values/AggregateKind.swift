/// The kinds of aggregates; clause 4.1 gives the results of each.
public enum AggregateKind: String, Hashable, Codable, Sendable {
  /// The number of rows, or of values that are not nil.
  case count
  /// The number of different values; nil is not one.
  case countDistinct
  /// The exact sum, 0 over nothing.
  case sum
  /// The exact mean as a double, nil over nothing.
  case average
  /// The least value, nil over nothing.
  case minimum
  /// The greatest value, nil over nothing.
  case maximum
}
