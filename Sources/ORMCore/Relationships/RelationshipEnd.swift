package import ORMStorage

/// One relationship of a model with its Swift types: how its values are reached in an object.
package protocol RelationshipEnd<Model>: Sendable {
  /// The model that declares it.
  associatedtype Model
  /// The model it leads to.
  associatedtype Target: PrimaryKeyed
  /// The declared description; the target's name, the inverse and the storage are not resolved in
  /// it.
  var declaration: RelationshipDescription { get }
  /// The property.
  var path: any AnyKeyPath & Sendable { get }
  /// The key of a to-one's target, `\.team.id`; nil for a to-many.
  var keyPath: (any AnyKeyPath & Sendable)? { get }
  /// The property of the target that leads back, where it was declared here.
  var inversePath: (any AnyKeyPath & Sendable)? { get }
  /// The entity description between the two, for a many-to-many with attributes of its own.
  var through: (@Sendable () -> EntityDescription)? { get }
  /// Returns the elements that the program set; nil if the link was fetched, or not loaded.
  func change(of model: Model) -> [LinkElement<Target>]?
  /// The changes that the program made member by member; nil where there are none.
  func steps(of model: Model) -> [LinkStep<Target>]?
  /// Returns the state of the link, as far as a key says it: the same as `change`, without a list.
  func state(of model: Model) -> LinkState<Target.ID>
  /// The targets as far as they are at hand, fetched or set; nil where they are not loaded.
  func targets(of model: Model) -> [Target]?
  /// The graph of the fetch that the targets come from; nil for those that the program set.
  func graph(of model: Model) -> FetchGraph?
  /// The keys of the targets as far as they are known, fetched or set.
  func ids(of model: Model) -> [Target.ID]?
  /// Returns whether nothing is known of the link.
  func isUnknown(of model: Model) -> Bool
  /// The key of a to-one as far as it is known, fetched or set; nil for a to-many.
  func key(of model: Model) -> Target.ID?
  /// Ties the link to the graph of a fetch that read it: with these targets, or the one whose key
  /// it has. Links that the program set stay.
  func attach(_ graph: FetchGraph, targets: LinkTargets<Target.ID>?, to model: inout Model)
  /// Returns an attachment that ties the links of objects to a graph.
  ///
  /// The graph holds these targets, which are in the order of the objects' positions.
  func attachment(of targets: [LinkTargets<Target.ID>?]) -> LinkAttachment<Model>
  /// Gives objects the links of others, each that of the one at its position; with `keepsSet`,
  /// links that the program set stay.
  func copy(from others: [Model], to models: inout [Model], keepsSet: Bool)
  /// Detaches the links of objects: they become as a fresh row would give them.
  func detach(_ models: inout [Model], holdsKey: Bool)
  /// Sets the link as if it had been read: with these targets, without their objects.
  func setFetched(_ ids: [Target.ID], in model: inout Model)
  /// Makes the link one of which nothing is known.
  func forget(in model: inout Model)
  /// Sets the link, as a program does; a to-one leads to the last element, or nowhere.
  ///
  /// - Parameters:
  ///   - elements: the targets.
  ///   - addition: of a to-many, the position at which they are added to the members that there
  ///     are; nil if they replace those.
  ///   - model: the object.
  func set(_ elements: [LinkElement<Target>], adding addition: LinkAddition?, in model: inout Model)
}

/// A position at which targets are added to the members of a to-many.
package enum LinkAddition: Sendable {
  /// Behind the members; a target that is one of them stays in its position.
  case atEnd
  /// Before the others, in their own order. The to-many must be ordered.
  case atStart
}

/// The state of an object's link for a save.
package enum LinkState<ID> {
  /// No change: the link was fetched, with this key, or not loaded.
  case nothing(ID?)
  /// A link to this key, or to none.
  case key(ID?)
  /// A link to an object, or to several.
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
  package let slot: LinkSlot<Model, ToOne<Target>>
  /// Compiled for its types where the relationship is declared.
  package let work: ToOneWork<Model, Target>
  package let inversePath: (any AnyKeyPath & Sendable)?
  package var path: any AnyKeyPath & Sendable { slot.path }
  package var keyPath: (any AnyKeyPath & Sendable)? {
    AttributePaths.joined(slot.path, \ToOne<Target>.id)
  }
  package var through: (@Sendable () -> EntityDescription)? { nil }

  package func change(of model: Model) -> [LinkElement<Target>]? {
    switch slot.value(in: model).state {
    case .notLoaded, .fetched: nil
    case .key(let id): id.map { [.key($0)] } ?? []
    case .object(let target): [.object(target)]
    }
  }

  package func steps(of model: Model) -> [LinkStep<Target>]? { nil }

  package func graph(of model: Model) -> FetchGraph? {
    if case .fetched(_, let graph) = slot.value(in: model).state { graph } else { nil }
  }

  package func state(of model: Model) -> LinkState<Target.ID> {
    switch slot.value(in: model).state {
    case .notLoaded: .nothing(nil)
    case .fetched(let id, _): .nothing(id)
    case .key(let id): .key(id)
    case .object: .objects
    }
  }

  package func ids(of model: Model) -> [Target.ID]? {
    let value = slot.value(in: model)
    if case .notLoaded = value.state { return nil }
    return value.id.map { [$0] } ?? []
  }

  package func isUnknown(of model: Model) -> Bool {
    if case .notLoaded = slot.value(in: model).state { true } else { false }
  }

  package func key(of model: Model) -> Target.ID? { slot.value(in: model).id }

  package func targets(of model: Model) -> [Target]? {
    let value = slot.value(in: model)
    return value.isLoaded ? value.loaded.map { [$0] } ?? [] : nil
  }

  package func attach(
    _ graph: FetchGraph, targets: LinkTargets<Target.ID>?, to model: inout Model
  ) {
    work.attach(slot, graph, targets, &model)
  }

  package func attachment(of targets: [LinkTargets<Target.ID>?]) -> LinkAttachment<Model> {
    work.attachment(slot, targets)
  }

  package func copy(from others: [Model], to models: inout [Model], keepsSet: Bool) {
    work.copy(slot, others, &models, keepsSet)
  }

  package func detach(_ models: inout [Model], holdsKey: Bool) {
    work.detach(slot, &models, holdsKey)
  }

  package func setFetched(_ ids: [Target.ID], in model: inout Model) {
    slot.set(ToOne(.fetched(ids.first, nil)), in: &model)
  }

  package func forget(in model: inout Model) { slot.set(.notLoaded, in: &model) }

  package func set(
    _ elements: [LinkElement<Target>], adding addition: LinkAddition?, in model: inout Model
  ) {
    switch elements.last {
    case .object(let target): slot.set(.to(target), in: &model)
    case .key(let id): slot.set(.key(id), in: &model)
    case nil: slot.set(nil, in: &model)
    }
  }
}

/// A to-many of a model.
package struct ToManyEnd<Model: PrimaryKeyed, Target: PrimaryKeyed>: RelationshipEnd {
  package let declaration: RelationshipDescription
  package let slot: LinkSlot<Model, ToMany<Target>>
  /// Compiled for its types where the relationship is declared.
  package let work: ToManyWork<Model, Target>
  package let inversePath: (any AnyKeyPath & Sendable)?
  package let through: (@Sendable () -> EntityDescription)?
  package var path: any AnyKeyPath & Sendable { slot.path }
  package var keyPath: (any AnyKeyPath & Sendable)? { nil }

  package func change(of model: Model) -> [LinkElement<Target>]? {
    if case .set(let elements) = slot.value(in: model).state { elements } else { nil }
  }

  package func steps(of model: Model) -> [LinkStep<Target>]? {
    if case .changed(let changes) = slot.value(in: model).state { changes.steps } else { nil }
  }

  package func graph(of model: Model) -> FetchGraph? {
    if case .fetched(_, let graph) = slot.value(in: model).state { graph } else { nil }
  }

  package func state(of model: Model) -> LinkState<Target.ID> {
    switch slot.value(in: model).state {
    case .notLoaded, .fetched: .nothing(nil)
    case .set(let elements): elements.isEmpty ? .key(nil) : .objects
    case .changed: .objects
    }
  }

  package func ids(of model: Model) -> [Target.ID]? { slot.value(in: model).ids }

  package func isUnknown(of model: Model) -> Bool {
    if case .notLoaded = slot.value(in: model).state { true } else { false }
  }

  package func key(of model: Model) -> Target.ID? { nil }

  package func targets(of model: Model) -> [Target]? { slot.value(in: model).loaded }

  package func attach(
    _ graph: FetchGraph, targets: LinkTargets<Target.ID>?, to model: inout Model
  ) {
    work.attach(slot, graph, targets, &model)
  }

  package func attachment(of targets: [LinkTargets<Target.ID>?]) -> LinkAttachment<Model> {
    work.attachment(slot, targets)
  }

  package func copy(from others: [Model], to models: inout [Model], keepsSet: Bool) {
    work.copy(slot, others, &models, keepsSet)
  }

  package func detach(_ models: inout [Model], holdsKey: Bool) {
    work.forget(slot, &models)
  }

  /// A to-many without its objects is not loaded.
  package func setFetched(_ ids: [Target.ID], in model: inout Model) { forget(in: &model) }

  package func forget(in model: inout Model) { slot.set(.notLoaded, in: &model) }

  package func set(
    _ elements: [LinkElement<Target>], adding addition: LinkAddition?, in model: inout Model
  ) {
    guard let addition else { return slot.set(ToMany(.set(elements)), in: &model) }
    slot.change(in: &model) { links in
      var positions = KeyPositions<Target.ID>(of: Target.self)
      var count = 0
      for element in elements {
        // A target that comes twice has the position of the first.
        let isPlaced =
          addition == .atEnd
          || !element.id.isUnassigned(for: Target.self)
            && positions.insert(element.id, at: count) != count
        switch element {
        case .object(let target) where isPlaced: links.append(target)
        case .key(let id) where isPlaced: links.append(key: id)
        case .object(let target): links.insert(target, at: count)
        case .key(let id): links.insert(key: id, at: count)
        }
        if !isPlaced { count += 1 }
      }
    }
  }
}
