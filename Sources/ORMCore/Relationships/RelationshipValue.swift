/// The value of a relationship in a model: a ``ToOne`` or a ``ToMany``.
///
/// Functions that take key paths of both name it, such as `Team.all.prefetch(\.players, \.coach)`.
public protocol RelationshipValue: Sendable {
  /// The model that the relationship leads to.
  associatedtype Target: PrimaryKeyed
}

extension ToOne: RelationshipValue {}
extension ToMany: RelationshipValue {}
