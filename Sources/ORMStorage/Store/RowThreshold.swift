/// A number of rows from which an engine answers or writes in another manner.
///
/// The random runs of the conformance kit draw their sizes on both sides of each threshold, and a
/// run that never crosses one fails. So a new threshold of an engine is listed here.
package struct RowThreshold: Hashable, Sendable, CustomStringConvertible {
  /// The first number of rows of the other manner.
  package let rows: Int
  /// The manner, in words.
  package let description: String

  /// The ordered engine weighs plans by the sizes of an entity.
  package static let weighedPlans = RowThreshold(16, "plans are weighed")
  /// The ordered engine estimates the entries of a range, which it counts one by one below.
  package static let estimatedEntries = RowThreshold(64, "entries are estimated")
  /// The SQL engine updates rows by keys in more than one statement.
  package static let batchedUpdates = RowThreshold(64, "updates take several statements")
  /// The SQL engine puts rows in more than one statement.
  package static let batchedPuts = RowThreshold(1_000, "puts take several statements")

  /// Every threshold, in the order of rows.
  package static let all = [weighedPlans, estimatedEntries, batchedUpdates, batchedPuts]

  private init(_ rows: Int, _ description: String) {
    self.rows = rows
    self.description = description
  }
}
