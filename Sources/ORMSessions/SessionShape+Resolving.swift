internal import ORMCore

/// The result of comparing a changed object with its row.
enum SessionResolution<Model> {
  /// Nothing is left to do: the row, or its absence, remains.
  case nothing
  /// The row becomes this; the links stay as they are stored, unless they are said to change.
  case write(Model, changesLinks: Bool)
  case delete
  case conflict(SessionConflict)
}

extension SessionShape {
  /// Compares an object that the session changed or deleted with its row.
  ///
  /// - Parameters:
  ///   - theirs: the row; nil if it was deleted.
  ///   - compared: the names of attributes that are compared even if the session left them alone.
  func resolve(
    _ change: ObjectSave<Model>, theirs: Model?, _ policy: ConflictPolicy, compared: Set<String>
  ) throws -> SessionResolution<Model> {
    let base = (model: change.base, row: change.baseRow)
    let mine =
      change.kind == .delete
      ? nil : (model: change.value, row: change.row ?? row(of: change.value))
    guard let theirs else {
      guard let mine else { return .nothing }
      if case .storeWins = policy.kind { return .nothing }
      let changed = difference(base.model, base.row, mine.model, mine.row)
      return .conflict(
        conflict(
          .deletedInStore, base.model, positions(of: changed), base.row.values, mine.row.values, nil
        ))
    }
    let (baseRow, theirRow) = (base.row.values, row(of: theirs).values)
    let changedThere = Set(
      baseRow.indices.filter { !baseRow[$0].isIdentical(to: theirRow[$0]) })
    guard let mine else {
      let isChanged =
        version.map { changedThere.contains($0) } ?? !changedThere.subtracting(owned).isEmpty
      if !isChanged { return .delete }
      switch policy.kind {
      case .storeWins: return .nothing
      case .sessionWins: return .delete
      case .throw, .merge:
        return .conflict(
          conflict(.deletedInSession, base.model, changedThere.sorted(), baseRow, nil, theirRow))
      }
    }
    let changed = difference(base.model, base.row, mine.model, mine.row)
    if changedThere.isEmpty {
      // No policy has anything to decide.
      return changed.isEmpty
        ? .nothing
        : .write(
          model(mine.model, takingLinksOf: theirs, but: changed),
          changesLinks: includesLinks(changed))
    }
    return try merge(
      base: (base.model, baseRow), mine: (mine.model, mine.row.values), theirs: (theirs, theirRow),
      changed, changedThere, policy, compared)
  }

  private func merge(
    base: (model: Model, row: [StoredValue]), mine: (model: Model, row: [StoredValue]),
    theirs: (model: Model, row: [StoredValue]), _ changed: [Int], _ changedThere: Set<Int>,
    _ policy: ConflictPolicy, _ compared: Set<String>
  ) throws -> SessionResolution<Model> {
    /// The changed units that have another value in the row.
    let both = changed.filter { number in
      units[number].positions.contains {
        changedThere.contains($0) && !mine.row[$0].isIdentical(to: theirs.row[$0])
      }
    }
    var taken = changed
    switch policy.kind {
    case .throw:
      var positions = Set(self.positions(of: both))
      if let version {
        if changedThere.contains(version) {
          positions.formUnion(self.positions(of: changed))
          positions.formUnion(changedThere)
        } else {
          positions = []
        }
      }
      for unit in units where compared.contains(unit.name) {
        positions.formUnion(unit.positions.filter { changedThere.contains($0) })
      }
      if !positions.isEmpty {
        return .conflict(
          conflict(.changed, base.model, positions.sorted(), base.row, mine.row, theirs.row))
      }
    case .storeWins: taken.removeAll { both.contains($0) }
    case .sessionWins: break
    case .merge(let choose):
      if both.isEmpty { break }
      let conflict = conflict(
        .changed, base.model, positions(of: both), base.row, mine.row, theirs.row)
      guard let choose else { return .conflict(conflict) }
      var values: [Int: StoredValue] = [:]
      var known = 0
      for number in both {
        var isMine = false
        for position in units[number].positions {
          let attribute = conflict.attributes[known]
          known += 1
          switch try choose(conflict, attribute) {
          case .mine: isMine = true
          case .theirs: values[position] = attribute.theirs
          case .base: values[position] = attribute.base
          case .value(let value): values[position] = value
          case .refuse: return .conflict(conflict)
          }
        }
        if !isMine, units[number].end != nil || units[number].positions.count == 1 {
          taken.removeAll { $0 == number }
        }
      }
      let merged = try model(
        model(theirs.model, taking: taken, from: mine.model),
        setting: values.filter { position, _ in
          !units.contains { $0.end != nil && $0.positions.contains(position) }
        })
      return resolution(theirs.model, merged)
    }
    let merged = try model(theirs.model, taking: taken, from: mine.model)
    return resolution(theirs.model, merged)
  }

  private func resolution(_ theirs: Model, _ merged: Model) -> SessionResolution<Model> {
    let differing = difference(theirs, merged)
    return differing.isEmpty
      ? .nothing : .write(merged, changesLinks: includesLinks(differing))
  }

  private func includesLinks(_ numbers: [Int]) -> Bool {
    numbers.contains { units[$0].end != nil }
  }

  private func positions(of numbers: [Int]) -> [Int] { numbers.flatMap { units[$0].positions } }

  private func conflict(
    _ kind: SessionConflict.Kind, _ base: Model, _ positions: [Int], _ baseRow: [StoredValue],
    _ mine: [StoredValue]?, _ theirs: [StoredValue]?
  ) -> SessionConflict {
    // The store writes those that it manages for either side, so that they say nothing of the change.
    // The version stays: it decides.
    let written = positions.filter { !owned.contains($0) || $0 == version }
    return SessionConflict(
      entity: entity, key: key(of: base), kind: kind,
      attributes: (written.isEmpty ? positions : written).map { position in
        ConflictedAttribute(
          name: names[position], base: baseRow[position], mine: mine?[position] ?? .null,
          theirs: theirs?[position] ?? .null)
      })
  }
}
