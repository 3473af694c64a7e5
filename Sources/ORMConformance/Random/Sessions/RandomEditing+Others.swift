internal import ORM
internal import ORMCore
internal import ORMSessions

extension RandomEditing {
  /// A commit of another.
  func outside() throws -> String {
    let id = Int64(random.number(1...5))
    let key = random.chance(3) ? (naive.objects.last?.id ?? id) : id
    let old = naive.rows[key]
    switch random.number(0...4) {
    case 0:
      try store.delete(Model.self, id: key)
      naive.rows[key] = nil
      if Model.isSoft, let old { naive.hidden[key] = old }
      if old != nil { naive.object(key)?.notice(nil) }
      return "outside: delete \(key)"
    case 1 where Model.isSoft: return try outsideHidden(key)
    case 1 where random.chance(4):
      try store.deleteAll(Model.self)
      naive.rows = [:]
      try session.refresh()
      for object in naive.objects where object.isStored { object.notice(nil) }
      try session.refresh()
      return "outside: delete all"
    case 2:
      let number = random.number(0...2)
      try Model.change(Query<Model>(), number, store)
      for (id, row) in naive.rows where row.number != number {
        var row = row
        row.number = number
        row.version += Model.isVersioned ? 1 : 0
        row.write = naive.nextWrite()
        naive.rows[id] = row
        naive.object(id)?.notice(row)
      }
      return "outside: number = \(number)"
    default:
      var new = DraftRow(text: random.pick(Self.texts), number: random.number(0...2))
      var model = try store.find(Model.self, key) ?? Model.make(key, "", nil)
      model.draftText = new.text
      model.draftNumber = new.number
      try store.save(model)
      if let old, old.hasSameDraft(as: new) { return "outside: same \(key)" }
      new.version = Model.isVersioned ? (old?.version ?? 0) + 1 : 0
      new.write = naive.nextWrite()
      naive.rows[key] = new
      // A save by key shows a row that was hidden.
      naive.hidden[key] = nil
      naive.object(key)?.notice(new)
      return "outside: \(key) = \(new)"
    }
  }

  /// A commit of another that concerns rows that are hidden.
  private func outsideHidden(_ key: Int64) throws -> String {
    switch random.number(0...3) {
    case 0:
      try store.purge(Model.all)
      naive.hidden = [:]
      return "outside: purge"
    case 1:
      let number = random.number(0...2)
      try Model.change(Query<Model>().includingDeleted(), number, store)
      for (id, row) in naive.rows where row.number != number {
        naive.rows[id]?.number = number
        naive.rows[id].map { naive.object(id)?.notice($0) }
      }
      for (id, row) in naive.hidden where row.number != number {
        naive.hidden[id]?.number = number
        naive.hidden[id].map { naive.object(id)?.noticeHidden($0) }
      }
      return "outside: number of all = \(number)"
    default:
      try Model.where(id: key).restore(in: store)
      if let row = naive.hidden.removeValue(forKey: key) {
        naive.rows[key] = row
        naive.object(key)?.notice(row)
      }
      return "outside: restore \(key)"
    }
  }
}
