internal import FoundationEssentials
internal import ORM
internal import ORMCore
internal import ORMObservation
internal import ORMSessions
internal import Observation

/// Counts how often a reading is woken.
private struct WakeUps {
  private let count = Shared(0)
  var value: Int { count.value }

  init(_ read: () -> Void) {
    withObservationTracking(read) { [count] in count.change { $0 += 1 } }
  }
}

extension ConformanceCase {
  /// Section 11: the wake-ups of observers of handles.
  static let sessionObservation: [ConformanceCase] = [
    ConformanceCase("an edit wakes those who read the attribute, once", "11.10", "11.13") {
      context in
      let store = try context.open(Snack.self)
      try store.insert(Snack(1, "a", price: 1, stock: 1))
      let session = Session(store)
      session.coalescing = .zero - .seconds(1)
      let snack = try context.unwrap(try session.find(Snack.self, 1), "the object")
      func expect(
        _ text: String, name: Int = 1, stock: Int = 0, line: Int = #line, _ body: () throws -> Void
      ) throws {
        let names = WakeUps { _ = snack.name }
        let both = WakeUps { _ = (snack.name, snack.name, snack.price) }
        let stocks = WakeUps { _ = snack.stock }
        let whole = WakeUps { _ = snack.value }
        try body()
        try context.expectEqual(
          [names.value, both.value, stocks.value, whole.value],
          [name, name, stock, max(name, stock)], text, line: line)
      }
      try expect("an edit") { snack.name = "b" }
      try expect("two edits") {
        snack.name = "c"
        snack.name = "d"
      }
      try expect("several attributes", stock: 1) {
        try snack.update {
          $0.name = "e"
          $0.stock = 2
        }
      }
      try expect("another attribute", name: 0, stock: 1) { snack.stock = 3 }
      try expect("an undo of another attribute", name: 0, stock: 1) { session.undo() }
      try expect("an undo", stock: 1) { session.undo() }
      try expect("the next") { session.undo() }
      try expect("a redo") { session.redo() }
      try expect("giving up") { session.rollback() }
      snack.name = "x"
      try expect("a refresh") { try session.refresh(snack) }
      let child = session.child()
      let draft = try context.unwrap(try child.find(Snack.self, 1), "the draft")
      draft.name = "y"
      try expect("the save of a child") { try child.save() }
      let saved = WakeUps { _ = (snack.name, snack.stock) }
      try session.save()
      try context.expectEqual(saved.value, 0, "a save leaves the values as they are")
    },
    ConformanceCase("commits of others wake those who read what they changed", "11.10", "11.12") {
      context in
      let store = try context.open(Snack.self)
      try store.insert([Snack(1, "a", stock: 1), Snack(2, "a")])
      let session = Session(store)
      let snack = try context.unwrap(try session.find(Snack.self, 1), "the object")
      let names = WakeUps { _ = snack.name }
      let stocks = WakeUps { _ = snack.stock }
      try store.patch(Snack.self, 1) { $0.name = "theirs" }
      try context.expectEqual(names.value, 0, "the session is not used")
      _ = session.hasChanges
      try context.expectEqual([names.value, stocks.value], [1, 0], "now it is")
      let prices = WakeUps { _ = snack.price }
      let again = WakeUps { _ = snack.name }
      try store.patch(Snack.self, 1) { $0.name = "more" }
      try session.refresh()
      try context.expectEqual([again.value, prices.value], [1, 0], "a refresh")
      // Of a changed object the base stays, and a merge brings the attribute.
      snack.price = 9
      let merged = WakeUps { _ = snack.name }
      let mine = WakeUps { _ = snack.price }
      let stale = WakeUps { _ = snack.isStale }
      try store.patch(Snack.self, 1) { $0.name = "last" }
      try context.expect(snack.isStale, "stale")
      try context.expectEqual([merged.value, stale.value], [0, 1], "it is stale")
      session.conflictPolicy = .merge()
      try session.save()
      try context.expectEqual(try store.find(Snack.self, 1)?.name, "last")
      try context.expectEqual([merged.value, mine.value], [1, 0], "the save merged them")
    },
    ConformanceCase("each kind of attribute is observed by itself", "11.10") { context in
      let store = try context.open(Schema.guilds)
      try store.insert(Region(1))
      try store.insert([Guild(1, "one"), Guild(2, "two")])
      let session = Session(store)
      let guild = try context.unwrap(try session.find(Guild.self, 1), "the guild")
      let title = WakeUps { _ = guild.title }
      let points = WakeUps { _ = guild.points }
      let region = WakeUps { _ = guild.region }
      let badges = WakeUps { _ = guild.badges }
      let key = WakeUps { _ = guild.id }
      func expect(_ counts: [Int], _ text: String, line: Int = #line) throws {
        try context.expectEqual(
          [title.value, points.value, region.value, badges.value, key.value], counts, text,
          line: line)
      }
      guild.memberCount = 5
      try expect([0, 0, 0, 0, 0], "a derived attribute cannot be set")
      guild.region = .key(1)
      try expect([0, 0, 1, 0, 0], "a to-one")
      guild.badges.append(Medal(1, "m", 2))
      try expect([0, 0, 1, 1, 0], "a to-many")
      session.insert(Fellow(0, 5, guild: .to(guild)))
      try session.save()
      _ = session.hasChanges
      try expect([0, 1, 1, 1, 0], "a derived attribute, by the save")
      guild.title = "x"
      try expect([1, 1, 1, 1, 0], "a title")
      let new = session.insert(Fellow(0, 1))
      let newKey = WakeUps { _ = new.id }
      try session.save()
      try context.expectEqual(newKey.value, 1, "a key that comes with the save")
      let people = try context.open(Customer.self, Article.self)
      try people.insert(Customer(1, "c", home: PostalAddress("s", "t")))
      try people.insert(Article(1, "a"))
      let other = Session(people)
      let customer = try context.unwrap(try other.find(Customer.self, 1), "the customer")
      let home = WakeUps { _ = customer.home }
      let work = WakeUps { _ = customer.work }
      customer.name = "d"
      try context.expectEqual([home.value, work.value], [0, 0])
      customer.home.city = "u"
      try context.expectEqual([home.value, work.value], [1, 0], "an embedded struct")
      customer.work = PostalAddress("v", "w")
      try context.expectEqual([home.value, work.value], [1, 1], "one that may be nil")
      let article = try context.unwrap(try other.find(Article.self, 1), "the article")
      let version = WakeUps { _ = article.version }
      let created = WakeUps { _ = article.created }
      article.title = "b"
      try context.expectEqual(version.value, 0, "not before the save")
      try other.save()
      try context.expectEqual([version.value, created.value], [1, 0], "a managed attribute")
    },
    ConformanceCase("the state of a handle is observed by itself", "11.10", "11.13") { context in
      let store = try context.open(Snack.self)
      try store.insert(Snack(1, "a"))
      let session = Session(store)
      let snack = try context.unwrap(try session.find(Snack.self, 1), "the object")
      let deleted = WakeUps { _ = snack.isDeleted }
      let changed = WakeUps { _ = snack.hasChanges }
      snack.name = "b"
      try context.expectEqual([deleted.value, changed.value], [0, 1], "an edit")
      let name = WakeUps { _ = snack.name }
      try session.delete(snack)
      try context.expectEqual([deleted.value, name.value], [1, 0], "a delete")
      let back = WakeUps { _ = snack.isDeleted }
      session.undo()
      try context.expectEqual(back.value, 1, "an undo")
      let new = session.insert(Snack(2, "n"))
      let inserted = WakeUps { _ = new.isInserted }
      new.name = "m"
      try context.expectEqual(inserted.value, 0, "an edit")
      try session.save()
      try context.expectEqual(inserted.value, 1, "a save")
      let gone = WakeUps { _ = snack.isDeleted }
      try store.delete(Snack.self, id: 1)
      try session.refresh()
      try context.expectEqual(gone.value, 1, "a delete by others")
    },
  ]
}
