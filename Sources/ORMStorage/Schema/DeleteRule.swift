internal import ORMValues

/// What deleting an object does to those it is related to (semantics 5.7).
///
/// The rule stands on the relationship of the object that is deleted: the rule of `Team.players`
/// says what becomes of the players when a team goes.
public enum DeleteRule: String, Hashable, Codable, Sendable {
  /// The related objects stay, and no longer point at the deleted one.
  case nullify
  /// The related objects are deleted too, by their own rules; a cycle ends.
  case cascade
  /// The delete is refused with `denied` as long as a related object would remain after it.
  case deny
  /// Nothing is done: what pointed at the deleted object keeps its key (semantics 2.9).
  case noAction
}
