internal import ORM
internal import ORMCore
internal import ORMSessions

extension ConformanceCase {
  /// Section 11: sessions above one another, and the session of a handle.
  static let sessionChildren: [ConformanceCase] = [
    ConformanceCase("one call saves a child session and all above it", "11.13", "11.11") {
      context in
      let store = try context.open(Snack.self)
      try store.insert([Snack(1, "a"), Snack(2, "b"), Snack(3, "c")])
      let levels = Levels(store)
      try levels.child.find(Snack.self, 2)?.name = "child"
      try levels.session.find(Snack.self, 3)?.name = "session"
      try levels.grandchild.find(Snack.self, 1)?.name = "grandchild"
      let new = levels.grandchild.insert(Snack(4, "new"))
      let notices = Notices(store)
      try context.expect(try levels.grandchild.saveToStore(), "saved")
      store.runtime.transactions.drainNotices()
      try context.expectEqual(notices.count, 1, "one commit")
      try context.expectEqual(
        try store.fetch(Snack.all.sorted(by: .ascending(\.id))).map(\.name),
        ["grandchild", "child", "session", "new"])
      try context.expectEqual(levels.changed, [])
      try context.expect(!new.isInserted, "stored")
      try context.expect(!(try levels.grandchild.saveToStore()), "nothing to save")
      // Of a session without a parent it is a save.
      try levels.session.find(Snack.self, 3)?.stock = 3
      try context.expect(try levels.session.saveToStore(), "saved")
      try context.expectEqual(try store.find(Snack.self, 3)?.stock, 3)
    },
    ConformanceCase("a session above that cannot be saved is named and holds all", "11.13", "11.12")
    {
      context in
      let store = try context.open(Snack.self)
      try store.insert([Snack(1, "a"), Snack(2, "b")])
      let levels = Levels(store)
      let draft = try context.unwrap(try levels.grandchild.find(Snack.self, 1), "the draft")
      let middle = try context.unwrap(try levels.child.find(Snack.self, 1), "its parent")
      let top = try context.unwrap(try levels.session.find(Snack.self, 1), "the topmost")
      // The parent has changed the attribute that the draft changed: the draft keeps its value.
      draft.name = "draft"
      middle.name = "middle"
      var error = try context.expectError(.conflict) { try levels.grandchild.saveToStore() }
      try context.expect(!error.message.contains("above"), error.message)
      try context.expectEqual(levels.changed, ["grandchild", "child"])
      // The session above the parent has: the parent holds the draft's changes.
      levels.grandchild.conflictPolicy = .sessionWins
      top.name = "top"
      error = try context.expectError(.conflict) { try levels.grandchild.saveToStore() }
      try context.expect(error.message.contains("1 level above"), error.message)
      try context.expectEqual(error.conflicts.first?.attributes.first?.theirs, .string("top"))
      try context.expectEqual(levels.changed, ["child", "session"])
      try context.expectEqual(middle.name, "draft")
      // The store has: the topmost holds them all, and a save of its own goes on.
      levels.child.conflictPolicy = .sessionWins
      draft.stock = 2
      try store.patch(Snack.self, 1) { $0.name = "theirs" }
      error = try context.expectError(.conflict) { try levels.grandchild.saveToStore() }
      try context.expect(error.message.contains("2 levels above"), error.message)
      try context.expectEqual(levels.changed, ["session"])
      try context.expectEqual(top.value, Snack(1, "draft", stock: 2))
      try context.expectEqual(try store.find(Snack.self, 1), Snack(1, "theirs"))
      levels.session.conflictPolicy = .sessionWins
      try levels.grandchild.saveToStore()
      try context.expectEqual(try store.find(Snack.self, 1), Snack(1, "draft", stock: 2))
      try context.expectEqual(levels.changed, [])
    },
    ConformanceCase("a handle names its session until that ends", "11.10", "11.13") { context in
      let store = try context.open(Snack.self)
      try store.insert([Snack(1, "a"), Snack(2, "b")])
      let levels = Levels(store)
      let snack = try context.unwrap(try levels.session.find(Snack.self, 1), "the object")
      let draft = try context.unwrap(try levels.child.find(Snack.self, 1), "the draft")
      let new = levels.child.insert(Snack(3, "c"))
      try context.expect(snack.session === levels.session, "its own")
      try context.expect(draft.session === levels.child, "not the parent")
      try context.expect(new.session === levels.child, "before it is saved")
      let gone = try context.unwrap(try levels.child.find(Snack.self, 2), "the other")
      try levels.child.delete(gone)
      try levels.child.saveToStore()
      try context.expect(gone.isDeleted && gone.session === levels.child, "a deleted one too")
      try context.expect(new.session === levels.child, "after it is saved")
      levels.child.reset()
      try context.expect(draft.session == nil && new.session == nil, "it was reset")
      try context.expect(snack.session === levels.session, "its parent was not")
      try context.expectEqual(draft.value, Snack(1, "a"))
      try context.expectError(.sessionEnded) { try draft.update { $0.name = "x" } }
      let again = try context.unwrap(try levels.child.find(Snack.self, 1), "the draft")
      try context.expect(again !== draft && again.session === levels.child, "a new one")
      // A handle does not hold its session.
      func orphan() throws -> Live<Snack>? { try Session(store).find(Snack.self, 1) }
      let orphan = try context.unwrap(try orphan(), "the object")
      try context.expect(orphan.session == nil, "the session is gone")
      try context.expectEqual(orphan.value, Snack(1, "a"))
      try context.expectError(.sessionEnded) { try orphan.update { $0.name = "x" } }
    },
  ]
}

/// A session with a child and a grandchild.
private struct Levels {
  let session: Session
  let child: Session
  let grandchild: Session

  init(_ store: any Store) {
    session = Session(store)
    child = session.child()
    grandchild = child.child()
  }

  /// The names of those that have changes, from below.
  var changed: [String] {
    [("grandchild", grandchild), ("child", child), ("session", session)]
      .filter { $0.1.hasChanges }.map(\.0)
  }
}
