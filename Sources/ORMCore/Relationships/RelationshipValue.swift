internal import ORMStorage

/// The value of a relationship in a model: a ``ToOne`` or a ``ToMany``.
///
/// What takes the key paths of both, such as `Team.all.prefetch(\.players, \.coach)`, names it.
public protocol RelationshipValue: Sendable {
  /// The model that the relationship leads to.
  associatedtype Target: PrimaryKeyed
}

extension ToOne: RelationshipValue {}
extension ToMany: RelationshipValue {}
