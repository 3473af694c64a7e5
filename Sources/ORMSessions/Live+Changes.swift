internal import ORMCore

// The unsaved changes of an object, as a change set has them.
extension Live {
  /// True if the object is neither stored nor to be inserted.
  var isDiscarded: Bool { !isStored && isRemoved }

  /// The changes of the object and of its links.
  func rowChanges() -> [RowChange] {
    let old = baseRow.values
    let new = shape.row(of: current).values
    let names = shape.names
    switch pending {
    case .none: return []
    case .delete:
      let kind: RowChange.Kind = shape.deletedAt == nil ? .deleted : .hidden
      return [RowChange(kind, key: key, names: names, old: old)]
    case .insert:
      let row =
        isHidden
        ? RowChange(.restored, key: key, names: names, old: old, new: new)
        : RowChange(.inserted, key: key, names: names, new: new)
      return [row] + linkChanges(isNew: !isHidden)
    case .update:
      let changed = Set(changedUnits.flatMap { shape.units[$0].positions })
        .sorted().filter { !old[$0].isIdentical(to: new[$0]) }
      let links = linkChanges(isNew: false)
      if changed.isEmpty { return links }
      let row = RowChange(
        .updated, key: key, attributes: changed.map { names[$0] }, names: names, old: old, new: new)
      return [row] + links
    }
  }

  /// The links that the row does not hold.
  private func linkChanges(isNew: Bool) -> [RowChange] {
    shape.units.flatMap { unit -> [RowChange] in
      guard let end = unit.end, unit.positions.isEmpty else { return [] }
      return linkChanges(end, isNew: isNew)
    }
  }

  private func linkChanges<End: RelationshipEnd>(_ end: End, isNew: Bool) -> [RowChange]
  where End.Model == Model {
    let name = end.declaration.name
    func change(_ kind: RowChange.Kind, _ target: GroupKey) -> RowChange {
      RowChange(kind, key: key, relationship: name, target: target.values)
    }
    let now = SessionLinks(end, of: current)
    let before = isNew ? SessionLinks() : SessionLinks(end, of: base)
    if let keys = now.keys {
      let known = before.keys ?? []
      let added = keys.filter { !known.contains($0) }.map { change(.linked, $0) }
      return added + known.filter { !keys.contains($0) }.map { change(.unlinked, $0) }
    }
    return now.steps.map { step in
      switch step {
      case .append(let key, _), .insert(let key, _): change(.linked, key)
      case .remove(let key): change(.unlinked, key)
      }
    }
  }
}
