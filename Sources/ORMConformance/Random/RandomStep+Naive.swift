internal import ORM
internal import ORMCore
internal import ORMObservation

/// The effects of the steps on the naive model.
extension RandomStep {
  /// Applies the step, whole or not at all; returns the result that the store's operation has.
  func apply(to model: inout NaiveModel) throws -> [[StoredValue]] {
    switch self {
    case .put(let mode, let rows): return [try model.put(rows, mode).counts.list]
    case .save(let save):
      if model.entity.key.isEmpty { return [try model.put(save.rows, .insert).counts.list] }
      return try save.apply(to: &model)
    case .match(let save): return try save.apply(to: &model)
    case .patch(let patch): return [[.int(Int64(try patch.apply(to: &model)))]]
    case .change(let selection, let changes):
      return [[.int(Int64(try model.update(selection.rows(of: model), changes)))]]
    case .delete(let selection):
      let rows = try selection.rows(of: model)
      model.remove(rows.map(model.key))
      return [[.int(Int64(rows.count))]]
    case .deleteKeys(let keys):
      let before = model.rows.count
      model.remove(keys.map { model.stored(key: $0) })
      return [[.int(Int64(before - model.rows.count))]]
    case .deleteAll:
      let count = model.rows.count
      model.removeAll()
      return [[.int(Int64(count))]]
    case .ask(let request): return try request.ask(model)
    case .savepoint, .transaction, .reopen: return []
    }
  }
}

extension NaiveModel {
  /// A key in its stored form.
  func stored(key: [StoredValue]) -> [StoredValue] {
    zip(entity.keyNames, key).map { name, value in
      entity.attributes.contains { $0.name == name && $0.isNormalized }
        ? value.inCanonicalForm : value
    }
  }

  func row(with key: [StoredValue]) -> NaiveRow? { index(of: stored(key: key)).map { rows[$0] } }

  /// Puts rows by a merge policy (clause 5.4).
  mutating func put(
    _ rows: [NaiveRow], _ mode: PutRequest.Mode, _ merge: RandomStep.Merge
  ) throws -> Puts {
    switch merge {
    case .replace: return try put(rows, mode)
    case .skippingNil: return try put(rows, mode, nilKeeps: true)
    case .insertOnly: return try put(rows, .insertMissing)
    case .only(let names):
      let set = Set(names + entity.keyNames)
      return try put(rows.map { $0.filter { set.contains($0.key) } }, mode)
    }
  }
}

extension RandomStep.TypedSave {
  func apply(to model: inout NaiveModel) throws -> [[StoredValue]] {
    let entity = model.entity
    if refusesDuplicates, isBatch || rows.count != 1 {
      for (index, row) in rows.enumerated() {
        let key = model.key(of: row)
        if entity.givesKeys, NaiveOrder.equals(key[0], .int(0)) { continue }
        let isDuplicate = rows[..<index].contains { other in
          zip(key, model.key(of: other)).allSatisfy { NaiveOrder.equals($0, $1) }
        }
        if isDuplicate { throw NaiveFaults(.invalidBatch) }
      }
    }
    let puts = try model.put(rows, mode, merge)
    if isBatch || rows.count != 1 {
      return [puts.counts.list] + (entity.givesKeys ? puts.keys : [])
    }
    let row = puts.keys.first.flatMap { model.row(with: $0) } ?? [:]
    return [row.list(entity.attributes.map(\.name))]
  }
}

extension RandomStep.MatchSave {
  /// Clause 5.2 and 5.3.
  func apply(to model: inout NaiveModel) throws -> [[StoredValue]] {
    var faults = NaiveFaults()
    if isBatch {
      if contain.isEmpty { throw NaiveFaults(.invalidBatch) }
      for name in equal
      where rows.contains(where: { !same($0, rows[0], [name], model.entity) }) {
        throw NaiveFaults(.invalidBatch)
      }
    }
    // Two objects that match alike: the later wins, replacing the earlier.
    var objects: [NaiveRow] = []
    for row in rows {
      if let earlier = objects.firstIndex(where: { same($0, row, contain, model.entity) }) {
        objects[earlier] = row
      } else {
        objects.append(row)
      }
    }
    var updates: [NaiveRow] = []
    var inserts: [NaiveRow] = []
    var ignored = 0
    for object in objects {
      var found = try model.rows(where: .constant(true), order: [], paging: .all)
        .filter { same($0, object, equal + contain, model.entity) }
      if matches == .one, found.count > 1 { faults.add(.ambiguous) }
      if matches == .first { found = Array(found.prefix(1)) }
      for row in found {
        updates.append(object.merging(row.filter { model.entity.keyNames.contains($0.key) }) { $1 })
      }
      guard found.isEmpty else { continue }
      switch onMissing {
      case .ignore: ignored += 1
      case .throw: faults.add(.notFound)
      case .insert: insert(object, among: &inserts, model)
      }
    }
    try faults.check()
    var copy = model
    var counts = try copy.put(updates, .update, merge).counts
    let inserted = try copy.put(inserts, .insert, merge).counts
    model = copy
    counts.inserted += inserted.inserted
    counts.unchanged += inserted.unchanged
    counts.ignored = ignored
    return [counts.list]
  }

  /// Adds a new object; of two with one key the later wins.
  private func insert(_ object: NaiveRow, among inserts: inout [NaiveRow], _ model: NaiveModel) {
    let key = model.key(of: object)
    let isGiven =
      !model.entity.givesKeys || !(key[0].isNull || NaiveOrder.equals(key[0], .int(0)))
    let earlier = inserts.firstIndex { other in
      isGiven && zip(key, model.key(of: other)).allSatisfy { NaiveOrder.equals($0, $1) }
    }
    if let earlier { inserts[earlier] = object } else { inserts.append(object) }
  }

  /// Returns whether two rows agree in some attributes, each in its stored form.
  private func same(
    _ a: NaiveRow, _ b: NaiveRow, _ names: [String], _ entity: EntityDescription
  ) -> Bool {
    names.allSatisfy { name in
      let isNormalized = entity.attributes.contains { $0.name == name && $0.isNormalized }
      let values = [a, b].map {
        isNormalized ? ($0[name] ?? .null).inCanonicalForm : $0[name] ?? .null
      }
      return NaiveOrder.equals(values[0], values[1])
    }
  }
}

extension RandomStep.Patch {
  /// Clause 5.4: with `onMissing: .insert`, a row of the equalities, the changes and defaults.
  func apply(to model: inout NaiveModel) throws -> Int {
    let rows = try model.rows(where: condition, order: [], paging: .all)
    let count = try model.update(rows, changes.mapValues { .value($0) })
    guard count == 0 else { return count }
    switch onMissing {
    case .ignore: return 0
    case .throw: throw NaiveFaults(.notFound)
    case .insert:
      let row = equalities.merging(changes) { $1 }
      let entity = model.entity
      if !entity.givesKeys, entity.keySource == .program,
        entity.key.contains(where: { row[$0] == nil })
      {
        throw NaiveFaults(.missingValue)
      }
      _ = try model.put([row], .insert)
      return 1
    }
  }
}
