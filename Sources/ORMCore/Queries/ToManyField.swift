internal import ORMStorage

/// A to-many inside a typed condition: `t.players.any { $0.age > 30 && $0.name == t.name }`.
///
/// ```swift
/// Team.where { $0.players.any { $0.age > 30 } && $0.players.count > 11 }
/// ```
///
/// The closures name an element; fields that they capture name the rows around. A further relationship
/// flattens: `t.players.posts` are the posts of all players, one element for each path to it (clause 2.7).
@dynamicMemberLookup
public struct ToManyField<Model: Persistable, Target: PrimaryKeyed>: Sendable {
  let linkPath: LinkPath

  /// The elements of a to-many of every element.
  public subscript<Next>(
    dynamicMember path: AttributePath<Target, ToMany<Next>>
  ) -> ToManyField<Model, Next> { self[path] }

  /// The targets of a to-one of every element; those without one are not among them.
  public subscript<Next>(
    dynamicMember path: AttributePath<Target, ToOne<Next>>
  ) -> ToManyField<Model, Next> { self[path] }

  /// A to-many of every element by its key path, where its name is also a word of this type.
  public subscript<Next>(path: AttributePath<Target, ToMany<Next>>) -> ToManyField<Model, Next> {
    ToManyField<Model, Next>(linkPath: linkPath.following(path, of: Target.self))
  }

  /// A to-one of every element by its key path.
  public subscript<Next>(path: AttributePath<Target, ToOne<Next>>) -> ToManyField<Model, Next> {
    ToManyField<Model, Next>(linkPath: linkPath.following(path, of: Target.self))
  }
}

extension ToManyField {
  /// A closure that computes a result from an element.
  public typealias Body<Result> = (ElementFields<Model, Target>) -> Result

  /// Returns whether an element satisfies a condition; false where there is none.
  ///
  /// ```swift
  /// Team.where { $0.players.any { $0.age > 30 } }
  /// ```
  public func any(_ body: Body<Filter<Model>>) -> Filter<Model> {
    Filter(some { body($0).condition })
  }

  /// Returns whether a Bool attribute of an element is true.
  public func any(_ body: Body<Field<Model, Bool>>) -> Filter<Model> {
    any { body($0).isTrue }
  }

  /// Returns whether every element satisfies a condition; true where there is none.
  ///
  /// ```swift
  /// Team.where { $0.players.all { $0.age > 18 } }
  /// ```
  public func all(_ body: Body<Filter<Model>>) -> Filter<Model> {
    Filter(.not(some { .not(body($0).condition) }))
  }

  /// Returns whether a Bool attribute of every element is true.
  public func all(_ body: Body<Field<Model, Bool>>) -> Filter<Model> {
    all { body($0).isTrue }
  }

  /// Returns whether no element satisfies a condition; true where there is none.
  ///
  /// ```swift
  /// Team.where { $0.players.none { $0.team == nil } }
  /// ```
  public func none(_ body: Body<Filter<Model>>) -> Filter<Model> {
    Filter(.not(some { body($0).condition }))
  }

  /// Returns whether a Bool attribute of no element is true.
  public func none(_ body: Body<Field<Model, Bool>>) -> Filter<Model> {
    none { body($0).isTrue }
  }

  /// Returns whether there is no element.
  ///
  /// ```swift
  /// Team.where { $0.players.isEmpty() }
  /// ```
  public func isEmpty() -> Filter<Model> { Filter(.not(some { _ in .constant(true) })) }

  /// Returns whether an element has this key.
  ///
  /// ```swift
  /// Team.where { $0.players.contains(3) }
  /// ```
  public func contains(_ id: Target.ID) -> Filter<Model> {
    any { element in
      do {
        let parts = zip(Target.entity.declared.key, try id.keyValues()).map {
          Condition.compare(
            .path(Operand.Path([$0], scope: element.scope)), .equal, .value($1), [])
        }
        return Filter(parts.count == 1 ? parts[0] : .all(parts))
      } catch {
        return Filter(
          .invalid(
            error as? StoreError
              ?? StoreError(.invalidCondition, "\(error)", entity: Target.entity.declared.name)))
      }
    }
  }

  private func some(_ body: Body<Condition>) -> Condition {
    if let error = linkPath.error { return .invalid(error) }
    let outer = ElementScope.open()
    let condition = body(ElementFields(scope: outer))
    if let error = StackReserve.refusal(of: condition) { return .invalid(error) }
    let scope = condition.highestScope + 1
    return .some(
      Elements(linkPath.path, scope: scope),
      condition.mappingPaths { $0.moved(from: outer, to: scope) })
  }

  /// An aggregate over the elements that satisfy a condition.
  func aggregate(
    _ kind: Aggregate.Kind, _ operand: Body<Operand?>, where body: Body<Condition>
  ) -> Operand {
    if let error = linkPath.error { return .invalid(error) }
    let outer = ElementScope.open()
    let element = ElementFields<Model, Target>(scope: outer)
    let operand = operand(element)
    let condition = body(element)
    if let error = StackReserve.refusal(of: condition) { return .invalid(error) }
    let scope = Swift.max(operand?.highestScope ?? 0, condition.highestScope) + 1
    return .ofElements(
      kind, operand?.mappingPaths { $0.moved(from: outer, to: scope) },
      Elements(linkPath.path, scope: scope),
      condition.mappingPaths { $0.moved(from: outer, to: scope) })
  }
}
