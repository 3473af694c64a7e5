internal import FoundationEssentials
internal import ORM
internal import ORMCore
internal import ORMSessions

/// A clock that moves when it is set.
private final class HandClock {
  var time = ContinuousClock.now
}

/// A text with a property that is not stored.
private struct Headline: Persistable, PrimaryKeyed, Codable, Equatable {
  var id: Int64
  var title: String
  var isSelected = false

  static let entity = Entity<Headline>("Headline") {
    .key("id", \.id)
      .attribute("title", \.title)
  }

  private enum CodingKeys: CodingKey { case id, title }

  init(_ id: Int64, _ title: String) {
    self.id = id
    self.title = title
  }
}

extension ConformanceCase {
  /// Section 11: undo, redo and children of sessions.
  static let sessionUndo: [ConformanceCase] = [
    ConformanceCase("each kind of change is undone and made again", "11.13") { context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      try store.insert([Team(1, "a"), Team(2, "b")])
      try store.insert(Player(1, "Ann", team: .key(1)))
      let session = Session(store)
      session.coalescing = .zero - .seconds(1)
      let team = try context.unwrap(try session.find(Team.self, 1), "the team")
      let ann = try context.unwrap(try session.find(Player.self, 1), "Ann")
      let other = try context.unwrap(try session.find(Team.self, 2), "the other team")
      try context.expect(!session.undo() && !session.canUndo, "nothing before the beginning")
      try context.expect(!session.redo() && !session.canRedo, "nothing to redo")
      team.name = "x"
      ann.team = .to(other)
      let new = session.insert(Player(2, "Bo"))
      new.age = 7
      team.players.append(new)
      try session.delete(other)
      try ann.update {
        $0.name = "An"
        $0.age = 8
      }
      let after = session.changes.entities
      var levels = 0
      while session.undo() { levels += 1 }
      try context.expectEqual(levels, 7)
      try context.expect(!session.hasChanges, "all is undone")
      try context.expect(new.isDeleted && !other.isDeleted, "as before")
      try context.expectEqual(team.name, "a")
      try context.expectEqual(ann.value, Player(1, "Ann", team: .key(1)))
      while session.redo() {}
      try context.expectEqual(session.changes.entities, after)
      try context.expect(!new.isDeleted && new.age == 7, "the same handle")
      try context.expect(try session.find(Player.self, 2) === new, "found again")
      session.undo()
      session.undo()
      try session.save()
      try context.expectEqual(try store.find(Player.self, 2)?.team.id, 1)
      try context.expectEqual(try store.find(Player.self, 1)?.team.id, 2)
    },
    ConformanceCase(
      "a property that is not stored is no change, and no level of undo", "11.9", "11.13"
    ) { context in
      let store = try context.open(Headline.self)
      try store.insert(Headline(1, "a"))
      let session = Session(store)
      session.coalescing = .zero - .seconds(1)
      let draft = try context.unwrap(try session.find(Headline.self, 1), "the draft")
      draft.isSelected = true
      try context.expect(draft.isSelected && draft.value.isSelected, "set")
      try context.expect(!draft.hasChanges && !session.hasChanges, "no change")
      try context.expectEqual(draft.changedAttributes, [])
      try context.expect(!session.canUndo, "no level")
      try context.expect(!(try session.save()), "nothing to save")
      try context.expect(draft.isSelected, "a save that writes nothing leaves it")
      // An undo shows it as it was at the change, and so does a redo.
      draft.title = "b"
      try context.expect(draft.isSelected, "an edit leaves it")
      draft.isSelected = false
      try context.expect(session.undo(), "a level")
      try context.expectEqual(draft.title, "a")
      try context.expect(draft.isSelected && !session.canUndo, "as at the change")
      try context.expect(session.redo(), "a level")
      try context.expectEqual(draft.title, "b")
      try context.expect(draft.isSelected, "as after the change")
      // A row that is taken has its initial value: of a save, a refresh, a rollback.
      try context.expect(try session.save(), "the title")
      try context.expectEqual(draft.value, Headline(1, "b"))
      try store.update(Headline.all) { $0.title = "c" }
      draft.isSelected = true
      try session.refresh(draft)
      try context.expectEqual(draft.value, Headline(1, "c"))
      draft.isSelected = true
      draft.title = "d"
      session.rollback()
      try context.expectEqual(draft.value, Headline(1, "c"))
      let new = session.insert(Headline(2, "n"))
      new.isSelected = true
      try context.expect(new.isSelected && new.isInserted, "of an inserted object")
      try session.save()
      try context.expectEqual(new.value, Headline(2, "n"))
      try context.expectEqual(
        try store.fetch(Headline.all.sorted(by: .ascending(\.id))),
        [Headline(1, "c"), Headline(2, "n")])
    },
    ConformanceCase("undo after a save makes changes to be saved", "11.13") { context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      try store.insert(Team(1, "a"))
      let session = Session(store)
      session.coalescing = .zero - .seconds(1)
      let team = try context.unwrap(try session.find(Team.self, 1), "the team")
      team.name = "b"
      let new = session.insert(Team(0, "new"))
      let bo = session.insert(Player(1, "Bo", team: .to(new)))
      try session.save()
      let key = new.id
      try session.delete(bo)
      try session.save()
      try context.expectEqual(try store.count(Player.self), 0)
      session.undo()
      try context.expect(bo.isInserted && session.hasChanges, "to be inserted again")
      try session.save()
      try context.expectEqual(try store.find(Player.self, 1)?.team.id, key)
      session.undo()
      session.undo()
      try context.expect(new.isDeleted && bo.isDeleted, "the inserts are undone")
      session.undo()
      try context.expectEqual(team.name, "a")
      try context.expectEqual(team.changedAttributes, ["name"])
      try session.save()
      try context.expectEqual(try store.fetch(Team.all), [Team(1, "a")])
      try context.expectEqual(try store.count(Player.self), 0)
      session.redo()
      session.redo()
      session.redo()
      try session.save()
      try context.expectEqual(try store.find(Team.self, key)?.name, "new")
      try context.expectEqual(try store.find(Player.self, 1)?.team.id, key)
    },
    ConformanceCase("links that were saved are undone and made again", "11.9", "11.13") { context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      try store.insert([Team(1, "a"), Team(2, "b")])
      try store.insert((1...3).map { Player($0, "p\($0)", team: .key($0 == 3 ? 2 : 1)) })
      try store.save(League("at", 1, teams: .keys([1])))
      let session = Session(store)
      session.coalescing = .zero - .seconds(1)
      let team = try context.unwrap(try session.find(Team.self, 1), "the team")
      let loaded = try context.unwrap(
        try session.fetch(Team.all.where { $0.id == 2 }.prefetch(\.players)).first, "the other")
      let player = try context.unwrap(try session.find(Player.self, 1), "the player")
      let league = try context.unwrap(
        try session.fetch(League.all.prefetch(\.teams)).first, "the league")
      func expect(_ teams: [Int64?], _ leagueTeams: [Int64], line: Int = #line) throws {
        try session.save()
        try context.expect(!session.hasChanges, "saved", line: line)
        try context.expectEqual(
          try store.fetch(Player.all).map(\.team.id), teams, line: line)
        try context.expectEqual(
          try store.fetch(League.all.prefetch(\.teams)).first?.teams.ids, leagueTeams, line: line)
      }
      // A to-one, a to-many that is not loaded, one that is, and an ordered one.
      player.team = .key(2)
      try expect([2, 1, 2], [1])
      team.players.append(key: 3)
      team.players.remove(key: 2)
      try expect([2, nil, 1], [1])
      try session.refresh(loaded)
      loaded.players.append(key: 2)
      try expect([2, 2, 1], [1])
      league.teams.insert(key: 2, at: 0)
      try expect([2, 2, 1], [2, 1])
      session.undo()
      try context.expect(league.hasChanges, "to be saved")
      try expect([2, 2, 1], [1])
      session.undo()
      try expect([2, nil, 1], [1])
      session.undo()
      try context.expectEqual(team.changedAttributes, ["players"])
      session.undo()
      try expect([2, 1, nil], [1])
      session.undo()
      try expect([1, 1, nil], [1])
      while session.redo() {}
      try expect([2, 2, 1], [2, 1])
    },
    ConformanceCase("an undo leaves what others committed", "11.13") { context in
      let store = try context.open(Article.self)
      try store.insert(Article(1, "a", rank: 1))
      let session = Session(store)
      let article = try context.unwrap(try session.find(Article.self, 1), "the article")
      article.title = "b"
      try session.save()
      try store.update(Article.all) { $0.rank = 5 }
      session.undo()
      try context.expectEqual(article.title, "a")
      try context.expectEqual(article.rank, 5)
      try session.save()
      let stored = try context.unwrap(try store.find(Article.self, 1), "the row")
      try context.expectEqual(stored.title, "a")
      try context.expectEqual(stored.rank, 5)
      try context.expectEqual(stored.version, 4)
    },
    ConformanceCase("groups are undone as one", "11.13") { context in
      let store = try context.open(Snack.self)
      try store.insert([Snack(1, "a"), Snack(2, "b")])
      let session = Session(store)
      let snacks = try session.fetch(Snack.all.sorted(by: .ascending(\.id)))
      try session.group("Rename") {
        snacks[0].name = "x"
        session.group("inner") { snacks[1].name = "y" }
        try session.delete(snacks[1])
        try context.expect(!session.undo() && !session.redo(), "not inside of a group")
      }
      session.group("nothing") {}
      try context.expectEqual(session.undoName, "Rename")
      try context.expect(session.redoName == nil, "nothing to redo")
      session.undo()
      try context.expect(!session.hasChanges && !session.canUndo, "one level")
      try context.expectEqual(session.redoName, "Rename")
      session.redo()
      try context.expect(snacks[1].isDeleted && snacks[0].name == "x", "made again")
      session.undo()
      snacks[0].stock = 1
      try context.expect(!session.canRedo, "a new change ends what was undone")
      try context.expectError(.invalidValue) {
        try session.group("Broken") {
          snacks[0].price = 4
          throw StoreError(.invalidValue, "the end")
        }
      }
      try context.expectEqual(session.undoName, "Broken")
      session.undo()
      try context.expectEqual(snacks[0].changedAttributes, ["stock"])
    },
    ConformanceCase("changes of one attribute join for a time", "11.13") { context in
      let store = try context.open(Snack.self)
      try store.insert([Snack(1, "a"), Snack(2, "a")])
      let session = Session(store)
      let clock = HandClock()
      session.now = { clock.time }
      let snacks = try session.fetch(Snack.all.sorted(by: .ascending(\.id)))
      for name in ["b", "bl", "blu"] {
        snacks[0].name = name
        clock.time += .milliseconds(400)
      }
      clock.time += .milliseconds(200)
      snacks[0].name = "blue"
      session.undo()
      try context.expectEqual(snacks[0].name, "blu", "too late to join")
      session.undo()
      try context.expectEqual(snacks[0].name, "a", "three joined")
      session.redo()
      try context.expectEqual(snacks[0].name, "blu")
      snacks[0].name = "x"
      snacks[1].name = "x"
      snacks[0].name = "y"
      snacks[0].stock = 1
      session.undo()
      session.undo()
      try context.expectEqual(snacks[0].name, "x", "of one attribute of one object")
      session.undo()
      session.undo()
      session.undo()
      try context.expect(!session.hasChanges && !session.canUndo, "four and one")
      session.coalescing = .seconds(10)
      snacks[0].name = "p"
      clock.time += .seconds(9)
      snacks[0].name = "q"
      try session.save()
      snacks[0].name = "r"
      session.undo()
      try context.expectEqual(snacks[0].name, "q", "a save ends a level")
      for number in 0..<150 { session.group(nil) { snacks[1].stock = number } }
      var levels = 0
      while session.undo() { levels += 1 }
      try context.expectEqual(levels, 100)
      try context.expectEqual(snacks[1].stock, 49)
    },
    ConformanceCase("a child saves into its parent as one level", "11.10", "11.13") { context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      try store.insert([Team(1, "a"), Team(2, "b")])
      let session = Session(store)
      let team = try context.unwrap(try session.find(Team.self, 1), "the team")
      let fresh = session.insert(Team(0, "fresh"))
      team.name = "parent"
      let child = session.child()
      try context.expect(child.parent === session, "its parent")
      let draft = try context.unwrap(try child.find(Team.self, 1), "the team")
      try context.expectEqual(draft.name, "parent", "with unsaved changes")
      try context.expect(!draft.hasChanges, "which are not the child's")
      let own = try context.unwrap(try child.find(Team.self, fresh.id), "the new team")
      try context.expect(own !== fresh, "handles of its own")
      draft.name = "child"
      let ann = child.insert(Player(1, "Ann", team: .to(own)))
      let league = child.insert(League("at", 1))
      league.teams.append(own)
      let last = try context.unwrap(try child.find(Team.self, 2), "the last")
      try child.delete(last)
      try context.expect(child.hasChanges, "changed")
      try context.expectEqual(team.name, "parent", "not yet in the parent")
      try context.expect(try child.save(), "saved")
      try context.expect(!child.hasChanges, "saved")
      try context.expectEqual(team.name, "child")
      try context.expectEqual(try session.fetch(Team.all).count, 1)
      try context.expectEqual(try store.count(Player.self), 0, "not in the store")
      session.undo()
      try context.expectEqual(team.name, "parent")
      try context.expect(try session.find(Player.self, 1) == nil, "all in one level")
      try context.expectEqual(draft.name, "parent", "the child follows")
      try context.expect(ann.isDeleted && !last.isDeleted, "the child follows")
      session.redo()
      try context.expect(!ann.isDeleted && last.isDeleted, "the child follows")
      try session.save()
      try context.expectEqual(try store.find(Player.self, 1)?.team.id, fresh.id)
      try context.expectEqual(
        try store.fetch(Team.all.sorted(by: .ascending(\.id))).map(\.name), ["child", "fresh"])
      let stored = try store.fetch(League.all.prefetch(\.teams)).first
      try context.expectEqual(stored?.teams.ids, [fresh.id])
      try context.expectEqual(own.id, fresh.id, "keys come down")
      draft.name = "again"
      try child.save()
      try session.save()
      try context.expectEqual(try store.find(Team.self, 1)?.name, "again")
    },
    ConformanceCase("a child conflicts with changes of its parent", "11.12") { context in
      let store = try context.open(Snack.self)
      try store.insert([Snack(1, "a"), Snack(2, "b")])
      let session = Session(store)
      let child = session.child()
      let mine = try context.unwrap(try child.find(Snack.self, 1), "the object")
      let theirs = try context.unwrap(try session.find(Snack.self, 1), "the object")
      mine.name = "child"
      theirs.stock = 3
      try child.save()
      try context.expectEqual(theirs.value, Snack(1, "child", stock: 3))
      mine.name = "more"
      theirs.name = "parent"
      try context.expect(mine.isStale, "stale")
      let error = try context.expectError(.conflict) { try child.save() }
      try context.expectEqual(error.conflicts.first?.attributes.first?.theirs, .string("parent"))
      child.conflictPolicy = .sessionWins
      try child.save()
      try context.expectEqual(theirs.name, "more")
      mine.name = "last"
      try session.delete(theirs)
      try context.expectError(.conflict) { try child.save() }
      child.rollback()
      try context.expect(mine.isDeleted, "deleted in the parent")
      let grandchild = child.child()
      let other = try context.unwrap(try grandchild.find(Snack.self, 2), "the other")
      other.name = "deep"
      try grandchild.save()
      try child.save()
      try session.save()
      try context.expectEqual(try store.fetch(Snack.all), [Snack(2, "deep")])
    },
  ]
}
