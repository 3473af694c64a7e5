internal import ORMStorage

/// The net changes of a log's rows.
extension RowLog {
  /// True if each entry is the net change of its row, in the order of the keys.
  ///
  /// The rows are then those of one entity of the program alone.
  ///
  /// The changes of such a log are made when they are first read.
  var isNet: Bool {
    if isEverything || entity.entity.isInternal || entity.views.count != 1 || !isSorted {
      return false
    }
    if level < .attributes { return true }
    return entries.allSatisfy { entry in
      guard let old = old(entry), let new = new(entry) else { return true }
      return !zip(old, new).allSatisfy { $0.isIdentical(to: $1) }
    }
  }

  /// Calls the body with each net change at a level, and the entity of the program that it is of.
  ///
  /// - Parameter level: the log's, or one below it.
  func forEachChange(
    at level: ChangeLevel, _ body: (_ entity: String, _ change: RowChange) -> Void
  ) {
    forEachRow { first, last, _ in
      // A first update below level `attributes` has no image before it, and a delete always has.
      let before = old(first) ?? old(last)
      switch (first.kind == .inserted, last.kind == .deleted) {
      case (true, true): return
      case (true, false):
        if let new = new(last) { report(.inserted, nil, new, self.level(ofNew: last), level, body) }
      case (false, true):
        if let before { report(.deleted, before, nil, self.level, level, body) }
      case (false, false):
        if let new = new(last) { reportUpdate(before, new, level, body) }
      }
    }
  }

  private func reportUpdate(
    _ old: ArraySlice<StoredValue>?, _ new: ArraySlice<StoredValue>, _ asked: ChangeLevel,
    _ body: (String, RowChange) -> Void
  ) {
    // Keys too: zeros of both signs are one key, and a put can change the sign.
    let changed = new.indices.filter { position in
      guard let old else { return false }
      return !old[old.startIndex + position - new.startIndex].isIdentical(to: new[position])
    }
    if level >= .attributes {
      if changed.isEmpty { return }
    } else if changed.isEmpty,
      unchangedKeys.contains(GroupKey(Array(new.prefix(entity.entity.key.count))))
    {
      return
    }
    if let old, let before = entity.view(of: old, at: level),
      let after = entity.view(of: new, at: level), before.entity != after.entity
    {
      report(.deleted, old, nil, level, asked, body)
      report(.inserted, nil, new, level, asked, body)
      return
    }
    var kind = RowChange.Kind.updated
    if let old, let position = entity.hiddenPosition(at: level) {
      let was = old[old.startIndex + position].isNull
      let isNow = new[new.startIndex + position].isNull
      if was != isNow { kind = isNow ? .restored : .hidden }
    }
    report(
      kind, old, new, level, asked, changed: Set(changed.map { $0 - new.startIndex }), body)
  }

  /// Reports a change.
  ///
  /// - Parameters:
  ///   - form: the level of which the images have the form.
  ///   - asked: the level at which changes are asked for.
  ///   - changed: the positions in the images of the values that an update changed.
  private func report(
    _ kind: RowChange.Kind, _ old: ArraySlice<StoredValue>?, _ new: ArraySlice<StoredValue>?,
    _ form: ChangeLevel, _ asked: ChangeLevel, changed: Set<Int> = [],
    _ body: (String, RowChange) -> Void
  ) {
    // The key as the row had it first: zeros of both signs are one key.
    guard let image = old ?? new else { return }
    if entity.entity.isInternal { return reportLinks(kind, image, body) }
    guard let view = entity.view(of: image, at: form) else { return }
    let isWhole = asked == .values
    func row(_ image: ArraySlice<StoredValue>?) -> [StoredValue]? {
      guard let image, isWhole else { return nil }
      return view.positions.map { image[image.startIndex + $0] }
    }
    let attributes =
      asked >= .attributes && !changed.isEmpty
      ? zip(view.names, view.positions).filter { changed.contains($1) }.map(\.0) : []
    body(
      view.entity,
      RowChange(
        kind, key: Array(image.prefix(view.keyCount)), attributes: attributes,
        names: isWhole ? view.names : [], old: row(old), new: row(new)))
  }

  /// Reports the change of a row between two objects to the relationships of both.
  private func reportLinks(
    _ kind: RowChange.Kind, _ image: ArraySlice<StoredValue>, _ body: (String, RowChange) -> Void
  ) {
    for link in entity.links {
      let change: RowChange.Kind
      switch kind {
      case .inserted: change = .linked
      case .deleted: change = .unlinked
      default:
        guard link.isOrdered else { continue }
        change = .moved
      }
      body(
        link.owner,
        RowChange(
          change, key: link.here.map { image[image.startIndex + $0] },
          relationship: link.relationship, target: link.there.map { image[image.startIndex + $0] }))
    }
  }
}
