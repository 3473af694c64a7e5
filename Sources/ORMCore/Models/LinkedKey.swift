internal import ORMStorage

/// The to-ones of a model that are parts of its primary key.
///
/// The attributes of such a part are those that hold the target's key. They are worked out at the
/// first use, since the target's type may still be on its way when the entity is made.
final class LinkedKey<Model>: Sendable {
  /// The to-ones by their names.
  private let ends: [String: any RelationshipEnd<Model>]
  /// The part of `id` that each is, where it was declared.
  private let paths: [(path: any AnyKeyPath & Sendable, name: String)]
  private let reference = OnceReference<Parts>()

  /// A key worked out.
  final class Parts: Sendable {
    /// The declared description with the names of all attributes of the key.
    let description: EntityDescription
    /// The attributes of the key, in key order.
    let attributes: [KeyAttribute]

    init(_ description: EntityDescription, _ attributes: [KeyAttribute]) {
      self.description = description
      self.attributes = attributes
    }
  }

  init(
    _ names: [String: (any AnyKeyPath & Sendable)?], _ relationships: [any RelationshipEnd<Model>]
  ) {
    ends = Dictionary(
      relationships.map { ($0.declaration.name, $0) }, uniquingKeysWith: { first, _ in first }
    ).filter { names.keys.contains($0.key) }
    paths = names.compactMap { name, path in path.map { ($0, name) } }
  }

  /// The key of the entity.
  func parts(of entity: Entity<Model>) -> Parts {
    if let known = reference.object { return known }
    let attributes = attributes(of: entity, inside: [])
    var description = entity.written
    description.key = attributes.map(\.attribute.name)
    return reference.keep(Parts(description, attributes))
  }

  /// The attributes of the key; none of to-ones that lead back to an entity whose key asks.
  func attributes(of entity: Entity<Model>, inside outer: [ObjectIdentifier]) -> [KeyAttribute] {
    let here = outer + [ObjectIdentifier(entity)]
    return entity.written.key.flatMap { name -> [KeyAttribute] in
      if let end = ends[name] { return Self.attributes(of: end, inside: here) }
      return entity.written.position(of: name).map {
        [KeyAttribute(attribute: entity.written.attributes[$0], part: name)]
      } ?? []
    }
  }

  private static func attributes<End: RelationshipEnd>(
    of end: End, inside outer: [ObjectIdentifier]
  ) -> [KeyAttribute] {
    let name = end.declaration.name
    let target = End.Target.entity
    if outer.contains(ObjectIdentifier(target)) { return [] }
    return target.linkedKey.attributes(of: target, inside: outer).map { key in
      KeyAttribute(
        attribute: AttributeDescription("\(name)_\(key.attribute.name)", key.attribute.type),
        part: End.Target.ID.self is any AttributeValue.Type ? name : "\(name)_\(key.part)")
    }
  }

  /// The position of the one attribute that a part of `id` is; nil for any other key path.
  func column(at path: AnyKeyPath, of entity: Entity<Model>) -> Int? {
    guard let part = paths.first(where: { ($0.path as AnyKeyPath) == path }),
      let columns = entity.resolved.keyPositionsByName[part.name], columns.count == 1
    else { return nil }
    return columns[0]
  }
}

/// An attribute of a primary key.
package struct KeyAttribute: Sendable {
  /// The attribute; of a to-one, its name and type.
  package let attribute: AttributeDescription
  /// The names that lead to it in the model's `ID`, with underscores between them.
  let part: String
}

extension Entity {
  /// The attributes of the primary key, in key order, those of to-ones among them.
  package var keyAttributes: [AttributeDescription] { keyParts.map(\.attribute) }

  /// The attributes of the primary key with their positions in the model's `ID`.
  var keyParts: [KeyAttribute] {
    hasLinkedKey
      ? linkedKey.parts(of: self).attributes : linkedKey.attributes(of: self, inside: [])
  }
}

extension EntityDescription {
  /// Returns whether a to-one of the entity is part of its primary key.
  func isKey(_ relationship: RelationshipDescription) -> Bool {
    guard case .own(let names, position: _) = relationship.storage, !names.isEmpty else {
      return false
    }
    return names.allSatisfy(key.contains)
  }
}
