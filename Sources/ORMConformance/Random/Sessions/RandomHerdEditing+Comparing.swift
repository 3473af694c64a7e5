internal import ORM
internal import ORMCore
internal import ORMSessions

extension RandomHerdEditing {
  func compare() throws {
    try RandomDifference.check("has changes", session.hasChanges, naive.hasChanges)
    try RandomDifference.check("can undo", session.canUndo, !naive.done.isEmpty)
    try RandomDifference.check("can redo", session.canRedo, !naive.undone.isEmpty)
    for object in naive.objects {
      let live = try handle(object)
      let name = name(object)
      try RandomDifference.check("\(name) is deleted", live.isDeleted, object.isRemoved)
      try RandomDifference.check(
        "\(name) is to be written", live.hasChanges, object.pending != .none)
      try RandomDifference.check("\(name) is inserted", live.isInserted, object.pending == .insert)
      let isStale = object.newer != nil && object.pending != .none
      try RandomDifference.check("\(name) is stale", live.isStale, isStale)
      try RandomDifference.check(name, live.draft, object.now)
    }
    try compareRows()
  }

  private func compareRows() throws {
    var stored = NaiveHerd()
    for row in try store.fetch(Beast.all) { stored.insert("Beast", row.id, row.draft) }
    func add(_ entity: String, _ id: Int64, _ draft: DraftRow) {
      let den = stored.animals[id]?.den
      stored.insert(entity, id, draft)
      stored.animals[id]?.den = den
    }
    for row in try store.fetch(Lion.all) { add("Lion", row.id, row.draft) }
    for row in try store.fetch(Cub.all) { add("Cub", row.id, row.draft) }
    for row in try store.fetch(Den.all) { stored.insert("Den", row.id, row.draft) }
    for row in try store.fetch(BeastTag.all) { stored.insert("BeastTag", row.id, row.draft) }
    try RandomDifference.check("the store", stored, naive.herd)
  }

  /// Undoes everything, and makes it again.
  func undoAll() throws {
    while session.undo() {
      try RandomDifference.check("undo all", naive.undo(), true)
      try compare()
    }
    try RandomDifference.check("undo past the beginning", naive.undo(), false)
    while session.redo() {
      try RandomDifference.check("redo all", naive.redo(), true)
      try compare()
    }
    try RandomDifference.check("redo past the end", naive.redo(), false)
  }
}
