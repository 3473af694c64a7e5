internal import FoundationEssentials
internal import ORM
internal import ORMCore

extension ConformanceCase {
  /// Clauses 5.1 and 5.4: timestamps and versions that the operations keep.
  static let managed: [ConformanceCase] = [
    ConformanceCase("timestamps of insert and change are set by the operations", "5.1", "5.10") {
      context in
      let store = try context.open(Article.self)
      let start = Date()
      let saved = try store.save(Article(1, "a"))
      try context.expect(
        saved.created >= start && saved.created <= Date(), "the insert's timestamp")
      try context.expectEqual(saved.changed, saved.created)
      try context.expectEqual(try store.find(Article.self, 1), saved)
      // Unchanged rows do not move.
      try context.expectEqual(try store.save([saved]).unchanged, 1)
      try context.expectEqual(try store.update(Article.all) { $0.title = "a" }, 1)
      try context.expectEqual(try store.find(Article.self, 1), saved)
      var copy = saved
      copy.title = "b"
      copy.created = .distantPast
      let updated = try store.update(copy)
      try context.expectEqual(updated.created, saved.created, "what the object says is not asked")
      try context.expect(try context.unwrap(updated.changed, "changed") >= saved.created, "moved")
      try context.expectEqual(updated.version, saved.version + 1)
      let before = Date()
      try store.update(Article.all) { $0.rank = 3 }
      let set = try context.unwrap(store.find(Article.self, 1), "the article")
      try context.expect(try context.unwrap(set.changed, "changed") >= before, "set-based")
      try context.expectEqual(set.created, saved.created)
    },
    ConformanceCase("a stale save is a conflict with both versions", "5.1", "5.10") { context in
      let store = try context.open(Article.self)
      let first = try store.save(Article(1, "a"))
      try context.expectEqual(first.version, 1)
      var mine = first
      var theirs = first
      theirs.title = "theirs"
      theirs = try store.save(theirs)
      try context.expectEqual(theirs.version, 2)
      mine.title = "mine"
      for save: (any Store) throws -> Void in [
        { _ = try $0.save(mine) }, { _ = try $0.update(mine) }, { _ = try $0.save([mine]) },
        { _ = try $0.save(mine, merge: .skippingNil) },
      ] {
        try context.expectError(
          .conflict, entity: "Article", attributes: ["version"], key: [.int(1)],
          values: [.int(1), .int(2)]
        ) { try save(store) }
      }
      try context.expectEqual(try store.fetch(Article.all), [theirs])
      // A save that does not name the version raises it without a check.
      try store.save(mine, merge: .only(\.title))
      try store.patch(Article.self, 1) { $0.rank = 1 }
      try store.update(Article.all) { $0[\.rank] += 1 as Int? }
      try store.update(Article.all) { $0.rank = 2 }
      let last = try context.unwrap(store.find(Article.self, 1), "the article")
      try context.expectEqual([last.version, last.rank ?? 0], [5, 2])
      try context.expectEqual(last.title, "mine")
    },
    ConformanceCase(
      "two objects of a batch with one key count as one change after the other", "5.3", "5.10"
    ) { context in
      let store = try context.open(Article.self)
      let stored = try store.save(Article(1, "a"))
      var b = stored
      b.title = "b"
      var c = stored
      c.title = "c"
      try store.save([b, c])
      let last = try context.unwrap(store.find(Article.self, 1), "the article")
      try context.expectEqual(last.title, "c")
      try context.expectEqual(last.version, 3)
    },
  ]
}
