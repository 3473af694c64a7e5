internal import ORM
internal import ORMSessions

/// A session over a herd as its clauses describe it: several handles of a row, and delete rules.
final class NaiveHerdSession: NaiveEditing {
  /// The committed rows.
  private(set) var herd = NaiveHerd()

  func object(_ entity: String, _ id: Int64) -> NaiveObject? {
    objects.first { $0.entity == entity && $0.id == id }
  }

  func find(_ entity: String, _ id: Int64) -> NaiveObject? {
    if let known = object(entity, id) {
      if known.pending != .insert { known.notice(herd.row(entity, id)) }
      return known.isRemoved ? nil : known
    }
    guard let row = herd.row(entity, id) else { return nil }
    let new = NaiveObject(id, row, isStored: true, of: entity)
    objects.append(new)
    return new
  }

  func insert(_ entity: String, _ id: Int64, _ row: DraftRow) -> NaiveObject {
    let new = NaiveObject(id, row, isStored: false, of: entity)
    objects.append(new)
    add([.presence(new, isRemoved: false)])
    return new
  }

  /// Takes in a commit of others.
  func commit(_ new: NaiveHerd) { commit(new, saving: []) }

  private func commit(_ new: NaiveHerd, saving: [NaiveObject]) {
    let old = herd
    herd = new
    for object in saving { object.didSave(new.row(object.entity, object.id), isSoft: false) }
    for object in objects where !saving.contains(where: { $0 === object }) {
      let row = new.row(object.entity, object.id)
      if row != old.row(object.entity, object.id) { object.notice(row) }
    }
  }

  // MARK: - Saving

  enum Outcome: Equatable {
    case saved, nothing
    /// One of several faults that the save has.
    case refused(Set<StoreError.Code>)
    /// The order of the writes decides.
    case unclear
  }

  /// The changes of one row by one handle.
  private struct Write {
    let object: NaiveObject
    var text: String?
    var number: Int??
  }

  private struct Plan {
    var inserts: [NaiveObject] = []
    var updates: [Write] = []
    var deletes: Set<NaiveHerd.RowName> = []
  }

  /// Saves, or returns the outcome that a save would have.
  ///
  /// - Parameters:
  ///   - sessionWins: True for that policy, false for the one that throws.
  ///   - isTrial: True to change nothing.
  func save(sessionWins: Bool, isTrial: Bool) -> Outcome {
    if objects.contains(where: { $0.lateEdits > 0 }) { return .refused([.deletedObject]) }
    let pending = objects.filter { $0.pending != .none }
    if pending.isEmpty { return .nothing }
    guard let plan = plan(pending, sessionWins: sessionWins) else { return .refused([.conflict]) }
    var new = herd
    var faults = run(plan, on: &new)
    if faults.contains(.duplicate), !plan.deletes.isEmpty {
      // The deletes come first then.
      new = herd
      let others = faults.subtracting([.duplicate])
      guard others.isEmpty, isClear(plan) else { return .unclear }
      faults = new.delete(plan.deletes) ? [] : [.denied]
      if faults.isEmpty { faults = write(plan, on: &new) }
    }
    if !faults.isEmpty { return .refused(faults) }
    if isTrial { return .saved }
    commit(new, saving: pending)
    endJoining()
    return .saved
  }

  /// Returns whether no row is both written and deleted.
  private func isClear(_ plan: Plan) -> Bool {
    var new = herd
    guard new.delete(plan.deletes) else { return true }
    return plan.updates.allSatisfy { new.has($0.object.entity, $0.object.id) }
  }

  private func run(_ plan: Plan, on herd: inout NaiveHerd) -> Set<StoreError.Code> {
    let faults = write(plan, on: &herd)
    if !faults.isEmpty { return faults }
    return herd.delete(plan.deletes) ? [] : [.denied]
  }

  private func write(_ plan: Plan, on herd: inout NaiveHerd) -> Set<StoreError.Code> {
    var faults: Set<StoreError.Code> = []
    for object in plan.inserts {
      if herd.has(object.entity, object.id) { faults.insert(.duplicate) }
      herd.insert(object.entity, object.id, object.now)
    }
    var names: [Int64: String] = [:]
    for write in plan.updates {
      let (entity, id) = (write.object.entity, write.object.id)
      if NaiveHerd.animals.contains(entity), let text = write.text {
        if let other = names[id], other != text { faults.insert(.conflictingLinks) }
        names[id] = text
      }
      herd.update(entity, id, text: write.text, number: write.number)
    }
    for object in plan.inserts where !herd.hasTarget(object.entity, object.now.number) {
      faults.insert(.missingTarget)
    }
    for write in plan.updates {
      guard let number = write.number else { continue }
      if !herd.hasTarget(write.object.entity, number) { faults.insert(.missingTarget) }
    }
    return faults
  }

  /// Compares the objects with their rows.
  ///
  /// - Returns: the writes; nil for a conflict.
  private func plan(_ pending: [NaiveObject], sessionWins: Bool) -> Plan? {
    var plan = Plan()
    for object in pending {
      let theirs = herd.row(object.entity, object.id)
      switch object.pending {
      case .none: continue
      case .insert: plan.inserts.append(object)
      case .delete:
        guard let theirs else { continue }
        if !sessionWins, !theirs.hasSameDraft(as: object.base) { return nil }
        plan.deletes.insert(NaiveHerd.RowName(entity: object.entity, id: object.id))
      case .update:
        guard let theirs else { return nil }
        let (base, mine) = (object.base, object.now)
        var write = Write(object: object)
        if mine.text != base.text, mine.text != theirs.text {
          if !sessionWins, theirs.text != base.text { return nil }
          write.text = mine.text
        }
        if mine.number != base.number, mine.number != theirs.number {
          if !sessionWins, theirs.number != base.number { return nil }
          write.number = .some(mine.number)
        }
        plan.updates.append(write)
      }
    }
    return plan
  }
}
