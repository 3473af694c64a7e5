/// A store that does something else than the contract says.
public struct ConformanceFailure: Error, Hashable, Sendable {
  /// The case.
  public var name: String
  /// The clauses that are broken.
  public var clauses: [String]
  /// The store.
  public var store: String
  /// The subject of the expectation.
  public var subject: String
  /// The result that the contract requires.
  public var expected: String
  /// The result that was found.
  public var got: String
  /// The source location in the suite, as `file:line`.
  public var location: String
}

extension ConformanceFailure: CustomStringConvertible {
  /// Several lines for a person.
  public var description: String {
    """
    \(store) breaks \(clauses.joined(separator: ", ")): \(name)
      \(subject.isEmpty ? "" : subject + ", ")at \(location)
      expected: \(expected)
      got:      \(got)
    """
  }
}
