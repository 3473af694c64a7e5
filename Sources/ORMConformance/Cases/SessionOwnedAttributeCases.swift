internal import FoundationEssentials
internal import ORM
internal import ORMCore
internal import ORMSessions

extension ConformanceCase {
  /// Section 11: managed and derived attributes in sessions.
  static let sessionOwnedAttributes: [ConformanceCase] = [
    ConformanceCase("handles have the managed attributes after a save", "11.9", "11.11", "5.10") {
      context in
      let store = try context.open(Article.self)
      let session = Session(store)
      let article = session.insert(Article(1, "a"))
      let start = Date()
      try session.save()
      try context.expectEqual(article.version, 1)
      try context.expect(article.created.timeIntervalSince(start) > -1, "\(article.created)")
      try context.expectEqual(article.value, try store.find(Article.self, 1))
      let created = article.created
      article.title = "b"
      try context.expectEqual(article.version, 1, "not before the save")
      try session.save()
      try context.expectEqual(article.version, 2)
      try context.expectEqual(article.created, created)
      try context.expectEqual(article.value, try store.find(Article.self, 1))
      // The session's own saves are no conflicts.
      article.title = "c"
      try session.save()
      session.undo()
      try session.save()
      try context.expectEqual([article.version, try store.find(Article.self, 1)?.version], [4, 4])
      try context.expectEqual(article.title, "b")
      try session.delete(article)
      try session.save()
      session.undo()
      try session.save()
      try context.expectEqual(article.version, 1, "inserted again")
      try context.expectEqual(article.value, try store.find(Article.self, 1))
    },
    ConformanceCase("setting managed and derived attributes changes nothing", "11.9") { context in
      let store = try context.open(Article.self)
      try store.insert(Article(1, "a"))
      let session = Session(store)
      let article = try context.unwrap(try session.find(Article.self, 1), "the article")
      let created = article.created
      article.version = 9
      article.created = Date(timeIntervalSinceReferenceDate: 5)
      try context.expectEqual(article.version, 1)
      try context.expectEqual(article.created, created)
      try context.expect(!session.hasChanges && !session.canUndo, "no change")
      try article.update {
        $0.version = 9
        $0.title = "b"
      }
      try context.expectEqual(article.version, 1)
      try context.expectEqual(article.changedAttributes, ["title"])
      try context.expectEqual(Array(article.changedValues.keys), ["title"])
      try session.save()
      try context.expectEqual(try store.find(Article.self, 1)?.version, 2)
      let guilds = try context.open(Schema.guilds)
      try guilds.insert(Guild(1, "g"))
      let other = Session(guilds)
      let guild = try context.unwrap(try other.find(Guild.self, 1), "the guild")
      guild.memberCount = 7
      try context.expect(!other.hasChanges && guild.memberCount == 0, "no change")
    },
    ConformanceCase("versions decide over changes and deletes", "11.12", "5.10") { context in
      let store = try context.open(Article.self)
      try store.insert([Article(1, "a"), Article(2, "b")])
      let session = Session(store)
      let one = try context.unwrap(try session.find(Article.self, 1), "the first")
      let two = try context.unwrap(try session.find(Article.self, 2), "the second")
      one.title = "mine"
      try session.delete(two)
      // The same values again, as another version.
      for rank in [1, nil] { try store.update(Article.all) { $0.rank = rank } }
      let error = try context.expectError(.conflict) { try session.save() }
      try context.expectEqual(error.conflicts.map(\.kind), [.changed, .deletedInSession])
      let version = error.conflicts.first?.attributes.first { $0.name == "version" }
      try context.expectEqual(version?.theirs, .int(3))
      try context.expectEqual(version?.mine, version?.base)
      try context.expectEqual(try store.find(Article.self, 1)?.title, "a")
      session.undo()
      try session.refresh(one)
      try context.expectEqual([one.version, two.version], [3, 3], "both follow again")
      one.title = "mine"
      try session.delete(two)
      try session.save()
      try context.expectEqual(one.version, 4)
      try context.expectEqual(try store.fetch(Article.all).map(\.title), ["mine"])
    },
    ConformanceCase("handles have the derived attributes after a save", "4.4", "11.9", "11.11") {
      context in
      let store = try context.open(Schema.guilds)
      try store.insert(Region(1))
      try store.insert([Guild(1, "one"), Guild(2, "two")])
      let session = Session(store)
      let region = try context.unwrap(try session.find(Region.self, 1), "the region")
      let guild = try context.unwrap(try session.find(Guild.self, 1), "the guild")
      let other = try context.unwrap(try session.find(Guild.self, 2), "the other")
      func expect(
        _ values: [Int?], _ people: Int, _ text: String, line: Int = #line
      ) throws {
        try context.expectEqual(
          [guild.memberCount, guild.points, guild.most, other.memberCount], values, text,
          line: line)
        try context.expectEqual(region.people, people, text, line: line)
      }
      guild.region = .to(region)
      let fellow = session.insert(Fellow(0, 5, guild: .to(guild)))
      try expect([0, 0, nil, 0], 0, "before the save")
      try session.save()
      try expect([1, 5, 5, 0], 1, "after it")
      fellow.points = 7
      try session.save()
      try expect([1, 7, 7, 0], 1, "an edit of another object")
      fellow.guild = .to(other)
      guild.title = "changed"
      try session.save()
      try expect([0, 0, nil, 1], 0, "moved")
      session.undo()
      session.undo()
      try session.save()
      try expect([1, 7, 7, 0], 1, "and back")
      try session.delete(fellow)
      try session.save()
      try expect([0, 0, nil, 0], 0, "hidden")
      session.undo()
      try session.save()
      try expect([1, 7, 7, 0], 1, "restored")
      // Changes of them by others are no conflict.
      guild.title = "mine"
      try store.insert(Fellow(50, 3, guild: .key(1)))
      try session.save()
      try expect([2, 10, 7, 0], 2, "with that of others")
      try context.expectEqual(guild.value, try store.find(Guild.self, 1))
    },
  ]
}
