internal import FoundationEssentials
internal import ORM
internal import ORMCore
internal import ORMMigrations
internal import ORMObservation

extension PromiseOperation {
  /// Does it to a store; gives how many rows the operation reports.
  func run(in tx: WriteTransaction) throws -> Int {
    switch self {
    case .put(let mode, let drafts):
      let models = drafts.map(\.model)
      switch (mode, models.count) {
      case (.save, 1): try tx.save(models[0])
      case (.save, _): try tx.save(models)
      case (.insert, 1): try tx.insert(models[0])
      case (.insert, _): try tx.insert(models)
      case (.update, 1): try tx.update(models[0])
      case (.update, _): try tx.update(models)
      }
      return 0
    case .merge(let merge, let draft):
      switch merge {
      case .replace:
        let saved = try tx.save(draft.model)
        guard let stored = try tx.first(Exhibit.all.includingDeleted().where { $0.id == draft.id }),
          saved.version == stored.version, saved.touched == stored.touched,
          saved.changed == stored.changed, saved.created == stored.created
        else { throw PromiseFault("what a save gives back is not what is stored") }
      case .skippingNil: try tx.save(draft.model, merge: .skippingNil)
      case .insertOnly: try tx.save(draft.model, merge: .insertOnly)
      case .only: try tx.save(draft.model, merge: .only(\.worth))
      case .onlyWithLink: try tx.save(draft.model, merge: .only(\.worth, \.salon))
      }
      return 0
    case .match(let title, let draft):
      try tx.save(draft.model, matching: \.title == title)
      return 0
    case .patch(let id, let change):
      return try tx.patch(Exhibit.self, id) { change.apply(to: &$0) }
    case .update(let low, let change):
      return try tx.update(Exhibit.all.where { $0.id >= low }) { change.apply(to: &$0) }
    case .show(let low):
      return try tx.update(Exhibit.all.includingDeleted().where { $0.id >= low }) {
        $0.hidden = nil
      }
    case .rows(let drafts, let isWhole):
      try tx.save(drafts.map { row($0, isWhole) })
      return 0
    case .graph(let salon, let elements):
      var salon = salon
      salon.exhibits = ToMany(
        .set(
          elements.map { element in
            switch element {
            case .object(let draft): .object(draft.model)
            case .key(let id): .key(id)
            }
          }))
      try tx.save(salon)
      return 0
    case .insert(let draft, let salon):
      try tx.insert(draft.model, into: Salon(salon, ""), \.exhibits)
      return 0
    case .attach(let ids, let salon): return try tx.attach(ids, to: salon, \Salon.exhibits)
    case .detach(let ids, let salon): return try tx.detach(ids, from: salon, \Salon.exhibits)
    case .delete(let ids, let areSalons):
      return areSalons ? try delete(Salon.self, ids, tx) : try delete(Exhibit.self, ids, tx)
    case .restore(let ids, let areSalons):
      return areSalons
        ? try tx.restore(Salon.all.where { $0.id.isIn(ids) })
        : try tx.restore(Exhibit.all.where { $0.id.isIn(ids) })
    case .purge(let ids, let areSalons):
      return areSalons
        ? try tx.purge(Salon.all.where { $0.id.isIn(ids) })
        : try tx.purge(Exhibit.all.where { $0.id.isIn(ids) })
    }
  }

  /// Returns whether a deletion by these keys deletes every row, those of `PromiseMaker` that have other keys
  /// too.
  func isOfAll(_ ids: [Int64]) -> Bool { ids.count == PromiseMaker.exhibits.count }

  /// Deletes by one key, by several, by a query for many, or all rows.
  private func delete<Model: PrimaryKeyed>(
    _ model: Model.Type, _ ids: [Int64], _ tx: WriteTransaction
  ) throws -> Int where Model.ID == Int64 {
    switch ids.count {
    case 1: return try tx.delete(model, id: ids[0]) ? 1 : 0
    case 2: return try tx.delete(model, ids: ids)
    default:
      if isOfAll(ids) { return try tx.deleteAll(model) }
      let list = Condition.isIn(
        .attribute("id"), list: .value(.array(ids.map { .int($0) })), [])
      return try tx.delete(Query<Model>().where(Filter(list)))
    }
  }

  private func row(_ draft: ExhibitDraft, _ isWhole: Bool) -> DynamicRow {
    let exhibit = draft.exhibit
    var row = DynamicRow("Exhibit", ["id": .int(draft.id), "worth": .int(Int64(exhibit.worth))])
    switch draft.link {
    case .nothing: break
    case .none: row["salon_id"] = .null
    case .salon(let id): row["salon_id"] = .int(id)
    }
    guard isWhole else {
      row["mount"] = .null
      return row
    }
    row["title"] = .string(exhibit.title)
    row["most"] = .int(Int64(exhibit.most))
    row["mount"] = exhibit.mount == nil ? .null : .bool(true)
    row["mount.width"] = exhibit.mount.map { .int(Int64($0.width)) } ?? .null
    row["mount.height"] = exhibit.mount.map { .int(Int64($0.height)) } ?? .null
    row["image"] = exhibit.image.map { .data($0) } ?? .null
    row["touched"] = .int(Int64(exhibit.touched))
    row["version"] = .int(Int64(exhibit.version))
    row["created"] = .date(exhibit.created)
    row["changed"] = .null
    row["hidden"] = exhibit.hidden.map { .date($0) } ?? .null
    return row
  }
}

extension PromiseOperation.Change {
  /// Names it to a patch or an update.
  fileprivate func apply(to changes: inout Changes<Exhibit>) {
    switch self {
    case .worth(let amount): changes[\.worth] += amount
    case .title(let title): changes.title = title
    case .mount(let mount): changes.mount = mount
    case .width(let width): changes.mount.width = width
    case .image(let image): changes.image = image
    case .salon(let id): changes.salon = id.map { .key($0) } ?? nil
    case .version(let version): changes.version = version
    case .hidden(let date): changes.hidden = date
    }
  }
}

/// A difference that a run finds from the expected result.
struct PromiseFault: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}
