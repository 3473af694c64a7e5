/// The effect of deleting an object on the objects that it is related to (clause 5.7).
///
/// The rule belongs to the relationship of the deleted object: the rule of `Team.players` decides about
/// the players when a team is deleted.
public enum DeleteRule: String, Hashable, Codable, Sendable {
  /// The related objects stay, and no longer point at the deleted one.
  case nullify
  /// The related objects are deleted too, by their own rules; a cycle ends.
  case cascade
  /// The delete is refused with `denied` as long as a related object would remain after it.
  case deny
  /// Nothing is done: referencing objects keep the deleted object's key (clause 2.9).
  case noAction
}
