internal import ORMCore

extension SessionTable {
  func pendingSave(in session: Session) throws -> (@Sendable () -> any TableRun)? {
    releaseUnchanged()
    var changes: [ObjectSave<Model>] = []
    saving = []
    var check = StopCheck()
    for live in held {
      try check.step()
      if live.editsAfterDelete > 0 { throw live.deleted() }
      let base = shape.copy(live.base)
      switch live.pending {
      case .none: continue
      case .delete:
        changes.append(
          ObjectSave(
            .delete, base: base, baseRow: live.baseRow, value: base, key: live.key))
        saving.append(SavedHandle(live, isDeleted: true))
      case .update:
        if shape.mayChangeKey(live.changedUnits), shape.key(of: live.current) != live.key {
          throw StoreError(
            .invalidValue, "the key of a stored object cannot be changed", entity: entity,
            key: live.key, attributes: shape.key.map { shape.names[$0] })
        }
        let row = shape.row(of: try Mapper.attributeValues(of: live.current))
        changes.append(
          ObjectSave(
            .update, base: base, baseRow: live.baseRow,
            value: session.linked(shape.model(live.current, statingLinksSince: live.base)),
            // Links are named by other keys, which may be in the row.
            row: shape.ends.isEmpty ? row : nil, key: live.key,
            loads: shape.knownChanges(of: live.current, since: live.base)))
        saving.append(SavedHandle(live))
      case .insert:
        _ = try Mapper.attributeValues(of: live.current)
        changes.append(
          ObjectSave(
            live.isHidden
              ? .restore : session.isTemporary(live.key, shape) ? .insertWithoutKey : .insert,
            base: base, baseRow: live.baseRow, value: session.linked(live.current), key: live.key,
            loads: shape.knownChanges(of: live.current, since: live.base)))
        saving.append(SavedHandle(live))
      }
    }
    if changes.isEmpty { return nil }
    return { [shape, changes] in TableSaving(shape, changes) }
  }

  func forgetSave() { saving = [] }

  func take(_ outcome: any Sendable, at number: UInt64) {
    guard let outcome = outcome as? SavedRows<Model>, outcome.rows.count == saving.count else {
      return
    }
    let saving = saving
    self.saving = []
    for (position, saved) in saving.enumerated() where saved.live.session != nil {
      let live = saved.live
      let key = outcome.keys[position]
      if live.key != key { assigned[GroupKey(live.key)] = key }
      let old = live.key
      live.didSave(outcome.rows[position], key: live.key, saved, at: number)
      if old != key { move(live, to: key) }
    }
    releaseUnchanged()
  }

  func resolve(
    _ run: any TableRun, _ policy: ConflictPolicy, _ compared: [String: Set<String>]
  ) throws -> [SessionConflict] {
    guard let run = run as? TableSaving<Model> else { return [] }
    let rows = saving.map { saved -> Model? in
      saved.live.parent.flatMap { $0.isRemoved ? nil : $0.current }
    }
    return try run.resolve(rows, policy, compared)
  }

  func write(_ run: any TableRun, to parent: Session) {
    guard let run = run as? TableSaving<Model> else { return }
    let saving = saving
    self.saving = []
    let deleted = Set(run.deletes)
    for (position, saved) in saving.enumerated() {
      let live = saved.live
      if let model = run.writes[position] {
        if let object = live.parent, parent.revive(object) {
          object.edit(to: model)
        } else {
          live.parent = parent.insert(model)
        }
      } else if deleted.contains(position), let object = live.parent {
        parent.remove(object)
      }
      let object = live.parent
      live.didSave(
        object?.isRemoved == false ? object?.current : nil, key: live.key, saved, at: 0)
      live.didFollow()
    }
    releaseUnchanged()
  }
}
