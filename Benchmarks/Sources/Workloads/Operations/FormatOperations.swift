/// Predicate formats, which only Strata has.
package protocol FormatOperations {
  /// Parses, checks and binds a format of ten terms, so many times.
  func parse(_ times: Int) throws -> Int
}
