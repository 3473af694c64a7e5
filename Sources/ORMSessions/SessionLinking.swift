public import ORMCore

extension Session {
  /// Returns whether a key is one that the session made until the store gives another.
  func isTemporary<Model: PrimaryKeyed>(
    _ key: [StoredValue], _ shape: SessionShape<Model>
  ) -> Bool {
    guard shape.generatesKeys, key.count == 1, case .int(let value) = key[0] else { return false }
    return TemporaryKeys.contains(value)
  }

  /// Returns a model whose links name the session's objects by their keys, with the keys that saves
  /// gave instead of temporary ones.
  func linked<Model: PrimaryKeyed>(_ model: Model) -> Model {
    map(model, namesObjects: true)
  }

  /// Returns a model with the keys that saves gave instead of temporary ones, its own among them.
  func translated<Model: PrimaryKeyed>(_ model: Model) -> Model {
    var model = map(model, namesObjects: false)
    if let key = assignedKey(of: Model.self, model.id) { model.id = key }
    return model
  }

  private func map<Model: PrimaryKeyed>(_ model: Model, namesObjects: Bool) -> Model {
    let ends = Model.entity.relationships
    if ends.isEmpty { return model }
    var model = table(of: Model.self).shape.copy(model)
    for end in ends { map(end, of: &model, namesObjects: namesObjects) }
    return model
  }

  private func map<End: RelationshipEnd>(
    _ end: End, of model: inout End.Model, namesObjects: Bool
  ) where End.Model: PrimaryKeyed {
    guard end.change(of: model) != nil || end.steps(of: model) != nil else { return }
    // Links that name no new key stay as they are, with the objects that were loaded.
    if !namesObjects, !namesAssignedKey(end, of: model) { return }
    func element(_ element: LinkElement<End.Target>) -> LinkElement<End.Target> {
      switch element {
      case .key(let id): .key(assignedKey(of: End.Target.self, id) ?? id)
      case .object(let target):
        if let key = assignedKey(of: End.Target.self, target.id) {
          .key(key)
        } else if namesObjects, isKnown(target) {
          .key(target.id)
        } else {
          .object(target)
        }
      }
    }
    if let end = end as? ToOneEnd<End.Model, End.Target> {
      guard let first = end.change(of: model)?.first else { return }
      switch element(first) {
      case .key(let id): end.slot.set(.key(id), in: &model)
      case .object(let target): end.slot.set(.to(target), in: &model)
      }
    } else if let end = end as? ToManyEnd<End.Model, End.Target> {
      end.slot.set(mapped(end.slot.value(in: model), element), in: &model)
    }
  }

  /// Returns whether a link names an object by the temporary key that it had.
  private func namesAssignedKey<End: RelationshipEnd>(_ end: End, of model: End.Model) -> Bool {
    let steps = (end.steps(of: model) ?? []).map { step in
      switch step {
      case .append(let element, _), .insert(let element, _): element.id
      case .remove(let id): id
      }
    }
    let ids = (end.change(of: model) ?? []).map(\.id) + steps
    return ids.contains { assignedKey(of: End.Target.self, $0) != nil }
  }

  private func mapped<Target: PrimaryKeyed>(
    _ links: ToMany<Target>, _ element: (LinkElement<Target>) -> LinkElement<Target>
  ) -> ToMany<Target> {
    switch links.state {
    case .set(let elements): return ToMany(.set(elements.map(element)))
    case .changed(let changes):
      // Steps on links that are not loaded do the same when they are saved.
      var new = ToMany<Target>()
      func add(_ element: LinkElement<Target>, at index: Int?) {
        switch (element, index) {
        case (.key(let id), let index?): new.insert(key: id, at: index)
        case (.key(let id), nil): new.append(key: id)
        case (.object(let target), let index?): new.insert(target, at: index)
        case (.object(let target), nil): new.append(target)
        }
      }
      for step in changes.steps {
        switch step {
        case .append(let target, let index):
          let target = element(target)
          // One that was taken out before goes to the end.
          if index != nil { new.remove(key: target.id) }
          add(target, at: nil)
        case .insert(let target, let index): add(element(target), at: index)
        case .remove(let id): new.remove(key: assignedKey(of: Target.self, id) ?? id)
        }
      }
      return new
    case .notLoaded, .fetched: return links
    }
  }

  /// The key that a save gave to an object with a temporary one.
  private func assignedKey<Target: PrimaryKeyed>(
    of target: Target.Type, _ id: Target.ID
  ) -> Target.ID? {
    let assigned = table(of: target).assigned
    if !assigned.isEmpty, let key = try? id.keyValues(), let new = assigned[GroupKey(key)] {
      return try? Target.ID(keyValues: new)
    }
    return parent?.assignedKey(of: target, id)
  }

  /// Returns whether the session has the object, as it is here or with a temporary key.
  private func isKnown<Target: PrimaryKeyed>(_ target: Target) -> Bool {
    let table = table(of: Target.self)
    let key = table.shape.key(of: target)
    if isTemporary(key, table.shape) { return true }
    guard let live = table.handle(key), !live.isRemoved else { return false }
    return live.hasAttributes(of: target)
  }
}

extension Live {
  /// Returns whether an object has the same attributes as the handle shows, or as it was loaded with.
  func hasAttributes(of model: Model) -> Bool {
    [current, base].contains { own in
      shape.difference(own, model).allSatisfy { shape.units[$0].end != nil }
    }
  }
}

// MARK: - Links to handles

extension ToMany {
  /// Adds an object of a session at the end, by its key.
  ///
  /// ```swift
  /// team.players.append(session.insert(Player(name: "Ada")))
  /// ```
  ///
  /// The object may be one that the session inserted and has not saved.
  public mutating func append(_ object: Live<Target>) { append(key: object.id) }

  /// Adds an object of a session at an index of an ordered to-many, or moves it there.
  public mutating func insert(_ object: Live<Target>, at index: Int) {
    insert(key: object.id, at: index)
  }

  /// Takes an object of a session out; it is not deleted.
  public mutating func remove(_ object: Live<Target>) { remove(key: object.id) }
}

extension ToOne {
  /// A link to an object of a session, by its key.
  ///
  /// ```swift
  /// player.team = .to(team)
  /// ```
  public static func to(_ object: Live<Target>) -> ToOne { .key(object.id) }
}
