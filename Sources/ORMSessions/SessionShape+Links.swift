internal import ORMCore

// Links that an undo brings back after they were saved.
extension SessionShape {
  /// Returns the relationships whose targets are known and that differ from the base.
  func knownChanges(of model: Model, since base: Model) -> [String] {
    if ends.isEmpty { return [] }
    return ends.filter { isKnownChange($0, of: model, since: base) }.map(\.declaration.name)
  }

  private func isKnownChange<End: RelationshipEnd>(
    _ end: End, of model: End.Model, since base: End.Model
  ) -> Bool {
    let isSet = end.change(of: model) != nil || end.steps(of: model) != nil
    guard isSet || SessionLinks(end, of: model) != SessionLinks(end, of: base) else { return false }
    return end.declaration.isToMany ? end.ids(of: model) != nil : end.targets(of: model) != nil
  }

  /// Returns a model whose links say how they differ from the base.
  ///
  /// Links that were fetched say nothing, and no save writes them. Those are the links that an undo
  /// brings back.
  func model(_ model: Model, statingLinksSince base: Model) -> Model {
    if ends.isEmpty { return model }
    let changed = ends.filter { isChangedUnset($0, of: model, since: base) }
    if changed.isEmpty { return model }
    var model = copy(model)
    for end in changed { state(end, of: &model, since: base) }
    return model
  }

  private func isChangedUnset<End: RelationshipEnd>(
    _ end: End, of model: End.Model, since base: End.Model
  ) -> Bool {
    guard end.change(of: model) == nil, end.steps(of: model) == nil, end.ids(of: model) != nil
    else { return false }
    return SessionLinks(end, of: model) != SessionLinks(end, of: base)
  }

  private func state<End: RelationshipEnd>(
    _ end: End, of model: inout Model, since base: Model
  ) where End.Model == Model {
    guard let ids = end.ids(of: model) else { return }
    if let end = end as? ToOneEnd<Model, End.Target> {
      end.slot.set(ids.first.map { .key($0) } ?? nil, in: &model)
    } else if let end = end as? ToManyEnd<Model, End.Target> {
      var links = ToMany<End.Target>()
      if end.declaration.isOrdered {
        links = .keys(ids)
      } else if let old = end.ids(of: base) {
        links.change(from: old, to: ids)
      } else {
        links = .keys(ids)
      }
      end.slot.set(links, in: &model)
    }
  }

  /// Returns a model with changes of links that are not known taken back, or made again.
  ///
  /// - Parameters:
  ///   - current: the object as it is shown: its changes were saved, if it differs from `before`.
  ///   - before: the object before the step.
  ///   - after: the object after it.
  ///   - numbers: the units in which they differ.
  func model(
    _ model: Model, retracingLinksOf current: Model, from before: Model, to after: Model,
    _ numbers: [Int]
  ) -> Model {
    var model = model
    for number in numbers {
      guard let end = units[number].end, units[number].positions.isEmpty else { continue }
      retrace(end, of: current, from: before, to: after, in: &model)
    }
    return model
  }

  private func retrace<End: RelationshipEnd>(
    _ end: End, of current: Model, from before: Model, to after: Model, in model: inout Model
  ) where End.Model == Model {
    let made = SessionLinks(end, of: before)
    let wanted = SessionLinks(end, of: after)
    guard SessionLinks(end, of: current) != made, let end = end as? ToManyEnd<Model, End.Target>
    else { return }
    var links = end.slot.value(in: current)
    if let old = end.ids(of: before), let new = end.ids(of: after) {
      if end.declaration.isOrdered { return }
      links.change(from: old, to: new)
    } else {
      let shared = zip(made.steps, wanted.steps).prefix { $0 == $1 }.count
      for step in (end.steps(of: before) ?? []).dropFirst(shared).reversed() {
        switch step {
        case .append(let element, _), .insert(let element, _): links.remove(key: element.id)
        case .remove(let id): links.append(key: id)
        }
      }
      for step in (end.steps(of: after) ?? []).dropFirst(shared) {
        switch step {
        case .append(let element, _): links.append(key: element.id)
        case .insert(let element, let index): links.insert(key: element.id, at: index)
        case .remove(let id): links.remove(key: id)
        }
      }
    }
    end.slot.set(links, in: &model)
  }
}

extension ToMany {
  /// Removes and adds the keys in which two lists differ.
  fileprivate mutating func change(from old: [Target.ID], to new: [Target.ID]) {
    let oldKeys = Set(old.map { SessionLinks.key($0) })
    let newKeys = Set(new.map { SessionLinks.key($0) })
    for id in old where !newKeys.contains(SessionLinks.key(id)) { remove(key: id) }
    for id in new where !oldKeys.contains(SessionLinks.key(id)) { append(key: id) }
  }
}
