internal import ORM
internal import ORMCore
internal import ORMSessions

extension RandomEditing {
  func compare() throws {
    try RandomDifference.check("has changes", session.hasChanges, naive.hasChanges)
    try RandomDifference.check("can undo", session.canUndo, !naive.done.isEmpty)
    try RandomDifference.check("can redo", session.canRedo, !naive.undone.isEmpty)
    for object in naive.objects {
      let live = try handle(object)
      let name = "object \(object.id)"
      try RandomDifference.check("\(name) is deleted", live.isDeleted, object.isRemoved)
      try RandomDifference.check(
        "\(name) is to be written", live.hasChanges, object.pending != .none)
      try RandomDifference.check("\(name) is inserted", live.isInserted, object.pending == .insert)
      let isStale = object.newer != nil && object.pending != .none
      try RandomDifference.check("\(name) is stale", live.isStale, isStale)
      let value = live.value.draft
      if object.isRemoved {
        try RandomDifference.check(name, value.text, object.now.text)
      } else if object.pending == .none {
        try RandomDifference.check(name, value, object.now)
      } else {
        try RandomDifference.check(name, value.hasSameDraft(as: object.now), true)
      }
      if object.pending == .update {
        var names: [String] = []
        if object.base.text != object.now.text { names.append("text") }
        if object.base.number != object.now.number { names.append("number") }
        try RandomDifference.check("\(name) changes", live.changedAttributes.count, names.count)
      }
    }
    var kinds: [String] = []
    for object in naive.objects.sorted(by: { $0.id < $1.id }) {
      switch object.pending {
      case .none: continue
      case .insert: kinds.append("\(object.id) \(object.isHidden ? "restored" : "inserted")")
      case .update: kinds.append("\(object.id) updated")
      case .delete: kinds.append("\(object.id) \(Model.isSoft ? "hidden" : "deleted")")
      }
    }
    let changes = try session.changes[Model.self].rows.map { "\(try $0.id) \($0.kind.rawValue)" }
    try RandomDifference.check("the changes", changes, kinds)
    try RandomDifference.check("the store", drafts(Query<Model>()), naive.rows)
    if !Model.isSoft { return }
    try RandomDifference.check(
      "the hidden rows", drafts(Query<Model>().onlyDeleted()), naive.hidden)
  }

  private func drafts(_ query: Query<Model>) throws -> [Int64: DraftRow] {
    Dictionary(uniqueKeysWithValues: try store.fetch(query).map { ($0.id, $0.draft) })
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
