internal import ORMStorage

/// A to-one inside a typed condition: `$0.team.name == "Reds"`.
///
/// Attributes through it are optional: nil where there is no target (clause 2.8). A key that
/// points at nothing counts as no target (clause 2.9): `$0.team == nil` is true of it, and
/// `$0.team == 7` is true only where the target is there.
///
/// ```swift
/// Player.all.where { $0.team.name == "Reds" || $0.team == nil }
/// Player.all.where { $0.team.coach.name.like("A*") && $0.team.players.count > 11 }
/// ```
@dynamicMemberLookup
public struct ToOneField<Model: Persistable, Target: PrimaryKeyed>: Sendable {
  let linkPath: LinkPath

  /// An attribute of the target; nil where there is none.
  public subscript<Value>(
    dynamicMember path: AttributePath<Target, Value>
  ) -> Field<Model, Value?> { self[path] }

  /// An optional attribute of the target; nil where there is none.
  public subscript<Value>(
    dynamicMember path: AttributePath<Target, Value?>
  ) -> Field<Model, Value?> { self[path] }

  /// A to-one of the target.
  public subscript<Next>(
    dynamicMember path: AttributePath<Target, ToOne<Next>>
  ) -> ToOneField<Model, Next> { self[path] }

  /// A to-many of the target; empty where there is none.
  public subscript<Next>(
    dynamicMember path: AttributePath<Target, ToMany<Next>>
  ) -> ToManyField<Model, Next> { self[path] }

  /// An attribute of the target by its key path, where its name is also a word of this type.
  public subscript<Value>(path: AttributePath<Target, Value>) -> Field<Model, Value?> {
    Field(FieldPath(linkPath: linkPath, model: Target.self, path: path))
  }

  /// An optional attribute of the target by its key path.
  public subscript<Value>(path: AttributePath<Target, Value?>) -> Field<Model, Value?> {
    Field(FieldPath(linkPath: linkPath, model: Target.self, path: path))
  }

  /// A to-one of the target by its key path.
  public subscript<Next>(path: AttributePath<Target, ToOne<Next>>) -> ToOneField<Model, Next> {
    ToOneField<Model, Next>(linkPath: linkPath.following(path, of: Target.self))
  }

  /// A to-many of the target by its key path.
  public subscript<Next>(path: AttributePath<Target, ToMany<Next>>) -> ToManyField<Model, Next> {
    ToManyField<Model, Next>(linkPath: linkPath.following(path, of: Target.self))
  }
}

extension ToOneField {
  /// Returns whether the target has this key, or there is none for nil.
  public static func == (link: ToOneField, id: Target.ID?) -> Filter<Model> {
    Filter(link.condition(equal: id))
  }

  /// Returns whether the target has another key, or there is one for nil.
  public static func != (link: ToOneField, id: Target.ID?) -> Filter<Model> { !(link == id) }

  /// Returns whether the target is this object, by its key.
  public static func == (link: ToOneField, target: Target) -> Filter<Model> {
    Filter(link.condition(equal: target.id))
  }

  /// Returns whether the target is another than this object, or there is none.
  public static func != (link: ToOneField, target: Target) -> Filter<Model> { !(link == target) }

  /// Returns whether both lead to the same object, or neither leads anywhere.
  public static func == (left: ToOneField, right: ToOneField) -> Filter<Model> {
    Filter(
      .all(
        zip(left.keyOperands, right.keyOperands).map { .compare($0, .equal, $1, []) }))
  }

  /// Returns whether they lead to different objects, or one of them nowhere.
  public static func != (left: ToOneField, right: ToOneField) -> Filter<Model> {
    !(left == right)
  }

  /// Returns whether there is no target.
  ///
  /// ```swift
  /// Player.where { $0.team.isNil() }
  /// ```
  public func isNil() -> Filter<Model> { self == nil }

  /// Returns whether the target's key is one of a list; nil stands for no target.
  ///
  /// ```swift
  /// Player.where { $0.team.isIn([7, 8]) }
  /// ```
  public func isIn(_ ids: some Sequence<Target.ID?>) -> Filter<Model> {
    Filter(.any(ids.map { condition(equal: $0) }))
  }

  var keyOperands: [Operand] {
    Target.entity.declared.key.map { linkPath.operand(named: $0) }
  }

  private func condition(equal id: Target.ID?) -> Condition {
    guard let id else { return .compare(linkPath.operand, .equal, .value(.null), []) }
    do {
      let values = try id.keyValues()
      let operands = values.count == 1 ? [linkPath.operand] : keyOperands
      let parts = zip(operands, values).map {
        Condition.compare($0, .equal, .value($1), [])
      }
      return parts.count == 1 ? parts[0] : .all(parts)
    } catch {
      return .invalid(
        error as? StoreError
          ?? StoreError(.invalidCondition, "\(error)", entity: Target.entity.declared.name))
    }
  }
}
