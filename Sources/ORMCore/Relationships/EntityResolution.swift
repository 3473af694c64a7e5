internal import ORMStorage

extension EntityDescription {
  /// Names, in the terms of indexes and unique rules, the attributes that hold the keys of to-ones:
  /// `team.id`, or `team` for the whole key, stands for `team_id`.
  fileprivate mutating func nameKeysInIndexes() {
    let declared = Set(indexes)
    indexes = indexes.compactMap { index in
      var named = index
      named.terms = index.terms.flatMap { term in
        keys(namedBy: term.attribute).map {
          .init($0, isDescending: term.isDescending, form: term.form)
        }
      }
      // The index that every key has is there already.
      return named == index || !declared.contains(named) ? named : nil
    }
  }

  /// The attributes that a term of an index names.
  private func keys(namedBy term: String) -> [String] {
    guard position(of: term) == nil else { return [term] }
    for relationship in relationships {
      guard case .own(let names, position: _) = relationship.storage else { continue }
      let name = relationship.name
      if term == name { return names }
      let named = names.filter { "\(name).\($0.dropFirst(name.count + 1))" == term }
      if !named.isEmpty { return named }
    }
    return [term]
  }
}

/// An entity's relationships worked out: their targets and inverses, where their links live, and
/// the attributes that hold the keys of to-ones.
///
/// A pure function of the declarations of the entity and its targets. Contradictions are recorded
/// as `failures`, which the schema reports when it is built.
@usableFromInline
package final class EntityResolution: Sendable {
  /// The entity with the attributes of its to-ones after those that were declared.
  package let description: EntityDescription
  /// The position of each attribute by its name.
  package let names: [String: Int]
  /// The positions of the attributes that hold each relationship's key, in declared order; empty where the
  /// key does not live in this entity.
  @usableFromInline package let keyPositions: [[Int]]
  /// The same by the relationship's name.
  package let keyPositionsByName: [String: [Int]]
  /// Every broken rule.
  package let failures: [StoreError]

  /// The positions of the attributes that hold the key of a relationship; empty where none does.
  package func keyPositions<End: RelationshipEnd>(of end: End) -> [Int] {
    keyPositionsByName[end.declaration.name] ?? []
  }

  /// Works out the relationships of an entity.
  init<Model>(
    _ declared: EntityDescription, ends: [any RelationshipEnd<Model>], naming: NamingStrategy?,
    parent: String?
  ) {
    var description = declared
    description.parent = parent
    var failures: [StoreError] = []
    var keyPositions: [[Int]] = []
    description.relationships = []
    for end in ends {
      let (relationship, failure) = Self.resolve(end, in: declared)
      description.relationships.append(relationship)
      if let failure { failures.append(failure) }
      guard case .own(let names, position: _) = relationship.storage else {
        keyPositions.append([])
        continue
      }
      keyPositions.append(
        Array(description.attributes.count..<description.attributes.count + names.count))
      let types = Self.keyAttributes(of: end).map(\.type)
      for (name, type) in zip(names, types) {
        description.attributes.append(
          AttributeDescription(
            name, type,
            storedName: naming.map { relationship.storedName(of: name, in: declared, by: $0) },
            isOptional: !relationship.isRequired))
      }
      let isUnique =
        relationship.inverse.flatMap { Self.target(of: end).relationship(named: $0) }?
        .isToMany == false
      // The primary key finds by its first attributes.
      let isFirst = names.elementsEqual(declared.key.prefix(names.count))
      if isFirst, !isUnique || names.count == declared.key.count { continue }
      let index = IndexDescription(names.map { .init($0) }, isUnique: isUnique)
      if !description.indexes.contains(index) { description.indexes.append(index) }
    }
    description.nameKeysInIndexes()
    self.description = description
    self.failures = failures
    self.keyPositions = keyPositions
    names = Self.names(of: description)
    keyPositionsByName = Dictionary(
      zip(description.relationships.map(\.name), keyPositions),
      uniquingKeysWith: { first, _ in first })
  }

  /// The positions of attributes by their names.
  static func names(of description: EntityDescription) -> [String: Int] {
    Dictionary(
      description.attributes.enumerated().map { ($1.name, $0) },
      uniquingKeysWith: { first, _ in first })
  }

  private static func target<End: RelationshipEnd>(of end: End) -> EntityDescription {
    End.Target.entity.declared
  }

  private static func keyAttributes<End: RelationshipEnd>(of end: End) -> [AttributeDescription] {
    End.Target.entity.keyAttributes
  }

  /// One relationship with its target, inverse and storage.
  private static func resolve<End: RelationshipEnd>(
    _ end: End, in entity: EntityDescription
  ) -> (RelationshipDescription, StoreError?) {
    var relationship = end.declaration
    let target = End.Target.entity.declared
    relationship.target = target.name
    let (inverse, message) = inverse(of: end)
    relationship.inverse = inverse?.name
    relationship.through = end.through?().name
    relationship.storage =
      RelationshipContext(
        entity: entity, relationship: relationship, target: target, inverse: inverse,
        through: end.through?()
      ).storage
    let failure = message.map {
      StoreError(
        .invalidSchema, $0, entity: entity.name, attributes: [relationship.name])
    }
    return (relationship, failure)
  }

  /// The target's relationship back, declared on either side.
  private static func inverse<End: RelationshipEnd>(
    of end: End
  ) -> (RelationshipDescription?, String?) {
    let ends = End.Target.entity.relationships
    let target = End.Target.entity.declared.name
    let naming = ends.filter { isModel(End.Model.self, targetOf: $0) && leads($0, backTo: end) }
    guard let path = end.inversePath else {
      if naming.count > 1 {
        let names = naming.map(\.declaration.name).joined(separator: " and ")
        return (
          nil,
          "\(target) names it as the inverse of \(names), but it can be the inverse of only one"
        )
      }
      return (naming.first?.declaration, nil)
    }
    guard let inverse = End.Target.entity.relationship(at: path) else {
      return (nil, "its inverse is not a relationship of \(target)")
    }
    let name = inverse.declaration.name
    guard isModel(End.Model.self, targetOf: inverse) else {
      return (nil, "its inverse \(target).\(name) does not lead back to this entity")
    }
    if (path as AnyKeyPath) == (end.path as AnyKeyPath) {
      return (nil, "a relationship cannot be its own inverse")
    }
    if let other = inverse.inversePath, (other as AnyKeyPath) != (end.path as AnyKeyPath) {
      return (nil, "its inverse \(target).\(name) names another inverse")
    }
    if naming.contains(where: { $0.declaration.name != name }) {
      return (
        nil,
        "it names \(name) as its inverse, but another relationship of \(target) names it"
      )
    }
    return (inverse.declaration, nil)
  }

  private static func isModel<End: RelationshipEnd>(_ model: Any.Type, targetOf end: End) -> Bool {
    End.Target.self == model
  }

  private static func leads(
    _ end: any RelationshipEnd, backTo other: some RelationshipEnd
  ) -> Bool {
    end.inversePath.map { ($0 as AnyKeyPath) == (other.path as AnyKeyPath) } ?? false
  }

  /// A resolution that is computed at its first use and then cached.
  @usableFromInline
  final class Once: Sendable {
    @usableFromInline let reference = OnceReference<EntityResolution>()

    /// The resolution; nil before the first use.
    @inlinable
    var known: EntityResolution? { reference.object }

    /// Returns the resolution, which the first use makes.
    func value(_ make: () -> EntityResolution) -> EntityResolution {
      reference.object ?? reference.keep(make())
    }
  }
}
