/// One relationship of a model with its Swift types: how its values are reached in an object.
package protocol RelationshipEnd<Model>: Sendable {
  /// The model that declares it.
  associatedtype Model
  /// The model it leads to.
  associatedtype Target: PrimaryKeyed
  /// What was declared; the target's name, the inverse and the storage are not worked out in it.
  var declaration: RelationshipDescription { get }
  /// The property.
  var path: any AnyKeyPath & Sendable { get }
  /// The property of the target that leads back, where it was declared here.
  var inversePath: (any AnyKeyPath & Sendable)? { get }
  /// The entity description between the two, for a many-to-many with attributes of its own.
  var through: (@Sendable () -> EntityDescription)? { get }
  /// What the program set; nil where the link was fetched, or not loaded.
  func change(of model: Model) -> [LinkElement<Target>]?
  /// What the link says, as far as a key says it: the same as `change`, without a list.
  func saying(of model: Model) -> LinkSaying<Target.ID>
  /// The targets as far as they are at hand, fetched or set; nil where they are not loaded.
  func targets(of model: Model) -> [Target]?
  /// The keys of the targets as far as they are known, fetched or set.
  func ids(of model: Model) -> [Target.ID]?
  /// Whether nothing is known of the link.
  func isUnknown(of model: Model) -> Bool
  /// The key of a to-one as far as it is known, fetched or set; nil for a to-many.
  func key(of model: Model) -> Target.ID?
  /// Ties the link to the graph of a fetch that read it: with these targets, or the one whose key
  /// it has. What the program set stays.
  func attach(_ graph: FetchGraph, targets: [Target.ID]?, to model: inout Model)
  /// Gives an object the link of another.
  func copy(from other: Model, to model: inout Model)
  /// Sets the link as if it had been read: with these targets, without their objects.
  func setFetched(_ ids: [Target.ID], in model: inout Model)
  /// Makes the link one of which nothing is known.
  func forget(in model: inout Model)
}

/// What the link of an object says for a save.
package enum LinkSaying<ID> {
  /// Nothing: it was fetched, with this key, or not loaded.
  case nothing(ID?)
  /// That it leads to this key, or nowhere.
  case key(ID?)
  /// That it leads to objects, or to several.
  case objects
}

extension RelationshipEnd {
  /// Ties a to-one, by the key that it has, to the graph of a fetch.
  package func attach(_ graph: FetchGraph, to model: inout Model) {
    attach(graph, targets: nil, to: &model)
  }
}

/// A to-one of a model.
package struct ToOneEnd<Model, Target: PrimaryKeyed>: RelationshipEnd {
  package let declaration: RelationshipDescription
  package let link: WritableAttributePath<Model, ToOne<Target>>
  package let inversePath: (any AnyKeyPath & Sendable)?
  package var path: any AnyKeyPath & Sendable { link }
  package var through: (@Sendable () -> EntityDescription)? { nil }

  package func change(of model: Model) -> [LinkElement<Target>]? {
    switch model[keyPath: link].state {
    case .notLoaded, .fetched: nil
    case .key(let id): id.map { [.key($0)] } ?? []
    case .object(let target): [.object(target)]
    }
  }

  package func saying(of model: Model) -> LinkSaying<Target.ID> {
    switch model[keyPath: link].state {
    case .notLoaded: .nothing(nil)
    case .fetched(let id, _): .nothing(id)
    case .key(let id): .key(id)
    case .object: .objects
    }
  }

  package func ids(of model: Model) -> [Target.ID]? {
    let value = model[keyPath: link]
    if case .notLoaded = value.state { return nil }
    return value.id.map { [$0] } ?? []
  }

  package func isUnknown(of model: Model) -> Bool {
    if case .notLoaded = model[keyPath: link].state { true } else { false }
  }

  package func key(of model: Model) -> Target.ID? { model[keyPath: link].id }

  package func targets(of model: Model) -> [Target]? {
    let value = model[keyPath: link]
    return value.isLoaded ? value.loaded.map { [$0] } ?? [] : nil
  }

  package func attach(_ graph: FetchGraph, targets: [Target.ID]?, to model: inout Model) {
    switch (model[keyPath: link].state, targets) {
    case (.fetched, let targets?), (.notLoaded, let targets?):
      model[keyPath: link] = ToOne(.fetched(targets.first, graph))
    case (.fetched(let id, _), nil): model[keyPath: link] = ToOne(.fetched(id, graph))
    case (.notLoaded, nil), (.key, _), (.object, _): break
    }
  }

  package func copy(from other: Model, to model: inout Model) {
    model[keyPath: link] = other[keyPath: link]
  }

  package func setFetched(_ ids: [Target.ID], in model: inout Model) {
    model[keyPath: link] = ToOne(.fetched(ids.first, nil))
  }

  package func forget(in model: inout Model) { model[keyPath: link] = .notLoaded }
}

/// A to-many of a model.
package struct ToManyEnd<Model: PrimaryKeyed, Target: PrimaryKeyed>: RelationshipEnd {
  package let declaration: RelationshipDescription
  package let link: WritableAttributePath<Model, ToMany<Target>>
  package let inversePath: (any AnyKeyPath & Sendable)?
  package let through: (@Sendable () -> EntityDescription)?
  package var path: any AnyKeyPath & Sendable { link }

  package func change(of model: Model) -> [LinkElement<Target>]? {
    if case .set(let elements) = model[keyPath: link].state { elements } else { nil }
  }

  package func saying(of model: Model) -> LinkSaying<Target.ID> {
    guard case .set(let elements) = model[keyPath: link].state else { return .nothing(nil) }
    return elements.isEmpty ? .key(nil) : .objects
  }

  package func ids(of model: Model) -> [Target.ID]? { model[keyPath: link].ids }

  package func isUnknown(of model: Model) -> Bool {
    if case .notLoaded = model[keyPath: link].state { true } else { false }
  }

  package func key(of model: Model) -> Target.ID? { nil }

  package func targets(of model: Model) -> [Target]? { model[keyPath: link].loaded }

  package func attach(_ graph: FetchGraph, targets: [Target.ID]?, to model: inout Model) {
    guard let targets else { return }
    if case .set = model[keyPath: link].state { return }
    model[keyPath: link] = ToMany(.fetched(targets, graph))
  }

  package func copy(from other: Model, to model: inout Model) {
    model[keyPath: link] = other[keyPath: link]
  }

  /// A to-many without its objects is not loaded.
  package func setFetched(_ ids: [Target.ID], in model: inout Model) { forget(in: &model) }

  package func forget(in model: inout Model) { model[keyPath: link] = .notLoaded }
}
