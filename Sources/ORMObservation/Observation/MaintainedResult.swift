internal import ORM

/// The effect of a commit on a maintained result.
enum MaintainedStep {
  /// The result is the same.
  case same
  /// The result was changed.
  case changed
  /// The result cannot be computed from the commit: it must be fetched again.
  case lost
}

/// A result that is changed by commits, without a fetch.
protocol MaintainedResult<Value>: AnyObject {
  associatedtype Value: Sendable
  /// The entity whose rows decide the result.
  var entity: RecordedEntity { get }
  /// The result as it is now.
  var value: Value { get throws }
  /// Applies the changes of a commit.
  func apply(_ changes: ObservedChanges) throws -> MaintainedStep
  /// Takes the result as it is now for the one that the consumer has.
  func rebase()
  /// Returns whether the result differs from the one that the consumer has; nil if that is not known.
  var differsFromBase: Bool? { get }
}
