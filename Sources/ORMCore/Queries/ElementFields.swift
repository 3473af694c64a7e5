internal import Synchronization

/// The attributes and relationships of an element inside a condition on a to-many:
/// `t.players.any { $0.age > 30 }` is handed one.
///
/// ```swift
/// Team.where { $0.players.any { element in element.age > 30 && element.name == "Bo" } }
/// ```
///
/// Its fields belong to the enclosing condition, so that they can be combined with attributes of
/// the enclosing rows.
@dynamicMemberLookup
public struct ElementFields<Model: Persistable, Element: Persistable>: Sendable {
  let scope: Int

  /// An attribute.
  @_disfavoredOverload
  public subscript<Value>(
    dynamicMember path: AttributePath<Element, Value>
  ) -> Field<Model, Value> { self[path] }

  /// A to-one.
  public subscript<Target>(
    dynamicMember path: AttributePath<Element, ToOne<Target>>
  ) -> ToOneField<Model, Target> { self[path] }

  /// A to-many.
  public subscript<Target>(
    dynamicMember path: AttributePath<Element, ToMany<Target>>
  ) -> ToManyField<Model, Target> { self[path] }

  /// An attribute by its key path, where its name is also a word of this type.
  @_disfavoredOverload
  public subscript<Value>(path: AttributePath<Element, Value>) -> Field<Model, Value> {
    Field(FieldPath(linkPath: LinkPath(scope: scope), model: Element.self, path: path))
  }

  /// A to-one by its key path.
  public subscript<Target>(
    path: AttributePath<Element, ToOne<Target>>
  ) -> ToOneField<Model, Target> {
    ToOneField(linkPath: LinkPath(scope: scope).following(path, of: Element.self))
  }

  /// A to-many by its key path.
  public subscript<Target>(
    path: AttributePath<Element, ToMany<Target>>
  ) -> ToManyField<Model, Target> {
    ToManyField(linkPath: LinkPath(scope: scope).following(path, of: Element.self))
  }
}

/// The numbers by which typed conditions name elements.
///
/// While a closure runs, its element has a number that no other has: a negative one. When the
/// closure is done the element gets one more than the highest in the closure's condition. So inner
/// elements never share a number with the elements around, and the same closures always make equal
/// conditions.
enum ElementScope {
  private static let last = Atomic(0)

  /// A number that no other element has.
  static func open() -> Int { last.subtract(1, ordering: .relaxed).newValue }
}
