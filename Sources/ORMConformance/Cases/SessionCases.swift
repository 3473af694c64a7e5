internal import FoundationEssentials
internal import ORM
internal import ORMCore
internal import ORMObservation
internal import ORMSessions

extension ConformanceCase {
  /// Section 11: sessions and their handles.
  static let sessions: [ConformanceCase] = [
    ConformanceCase("a session notes changes of its objects and saves them", "11.9", "11.10") {
      context in
      let store = try context.open(Snack.self)
      try store.insert([Snack(1, "a", price: 1), Snack(2, "b", price: 2)])
      let session = Session(store)
      let snack = try context.unwrap(try session.find(Snack.self, 1), "the object")
      try context.expect(try session.find(Snack.self, 1) === snack, "one handle a key")
      try context.expect(
        try session.fetch(Snack.all.sorted(by: .ascending(\.id))).first === snack,
        "of every reading")
      try context.expect(!session.hasChanges && !snack.hasChanges, "nothing is changed")
      snack.name = "c"
      snack.stock = 3
      try context.expectEqual(snack.changedAttributes, ["name", "stock"])
      try context.expectEqual(snack.original.name, "a")
      try context.expectEqual(snack.changedValues["name"]?.old, .string("a"))
      try context.expectEqual(snack.changedValues["name"]?.new, .string("c"))
      try context.expectEqual(snack.changedValues.count, 2)
      try context.expect(session.hasChanges, "changed")
      let change = try context.unwrap(session.changes[Snack.self].rows.first, "a change")
      try context.expectEqual(change.kind, .updated)
      try context.expectEqual(change.row.attributes, ["name", "stock"])
      try context.expectEqual(try change.old(), Snack(1, "a", price: 1))
      try context.expectEqual(try change.new(), Snack(1, "c", price: 1, stock: 3))
      try context.expectEqual(try store.find(Snack.self, 1)?.name, "a", "not yet in the store")
      snack.stock = nil
      try context.expectEqual(snack.changedAttributes, ["name"], "set back to the base it is none")
      try context.expect(try session.save(), "saved")
      try context.expectEqual(try store.find(Snack.self, 1), Snack(1, "c", price: 1))
      try context.expect(!session.hasChanges && !snack.hasChanges, "saved")
      try context.expectEqual(snack.original.name, "c")
    },
    ConformanceCase("a save without changes commits nothing", "11.9") { context in
      let store = try context.open(Snack.self)
      try store.insert(Snack(1, "a"))
      let session = Session(store)
      let snack = try context.unwrap(try session.find(Snack.self, 1), "the object")
      let notices = Notices(store)
      try context.expect(!(try session.save()), "nothing to save")
      snack.name = "b"
      snack.name = "a"
      try context.expect(!session.hasChanges, "back at the base")
      try context.expect(!(try session.save()), "nothing to save")
      let new = session.insert(Snack(2))
      try context.expect(session.hasChanges && new.isInserted, "inserted")
      try session.delete(new)
      try context.expect(!session.hasChanges && new.isDeleted, "inserted and deleted")
      try context.expect(!(try session.save()), "nothing to save")
      store.runtime.transactions.drainNotices()
      try context.expectEqual(notices.count, 0)
      snack.name = "b"
      try session.save()
      store.runtime.transactions.drainNotices()
      try context.expectEqual(notices.count, 1, "one commit")
    },
    ConformanceCase("objects are inserted and deleted with the save", "11.9", "11.11") { context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      let old = try store.save(Team(0, "Old"))
      let session = Session(store)
      let team = session.insert(Team(0, "Reds"))
      let coach = session.insert(Coach("Cy"))
      try context.expect(team.isInserted && team.id != 0, "a temporary key")
      try context.expect(coach.id != .unassigned, "a UUID is made at once")
      try context.expectEqual(try session.find(Team.self, team.id).map { $0 === team }, true)
      let gone = try context.unwrap(try session.find(Team.self, old.id), "the old one")
      try session.delete(gone)
      try session.delete(gone)
      try context.expect(gone.isDeleted, "deleted")
      try context.expect(try session.find(Team.self, old.id) == nil, "not found any more")
      try context.expectEqual(try session.fetch(Team.all).count, 0)
      try context.expectEqual(gone.name, "Old", "its values can be read")
      let kinds = session.changes[Team.self].rows.map(\.kind)
      try context.expectEqual(kinds, [.inserted, .deleted])
      try context.expectEqual(try store.count(Team.self), 1)
      try session.save()
      try context.expectEqual(try store.fetch(Team.all).map(\.name), ["Reds"])
      try context.expectEqual(try store.find(Coach.self, coach.id)?.name, "Cy")
      try context.expect(team.id > 0, "the key came with the save")
      try context.expectEqual(try store.find(Team.self, team.id)?.name, "Reds")
      try context.expect(try session.find(Team.self, team.id) === team, "the same handle")
      try context.expect(!team.isInserted && !session.hasChanges && gone.isDeleted, "saved")
      team.name = "Blues"
      try session.save()
      try context.expectEqual(try store.find(Team.self, team.id)?.name, "Blues")
    },
    ConformanceCase("links lead to objects that get their keys by the save", "11.11") { context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      try store.insert(Player(1, "Ann"))
      let session = Session(store)
      let team = session.insert(Team(0, "Reds"))
      let league = session.insert(League("at", 1))
      let bo = session.insert(Player(2, "Bo"))
      let ann = try context.unwrap(try session.find(Player.self, 1), "Ann")
      team.players.append(bo)
      ann.team = .to(team)
      league.teams.append(team)
      let coach = session.insert(Coach("Cy"))
      team.coach = .to(coach)
      try session.save()
      try context.expect(team.id > 0, "a key of the store")
      try context.expectEqual(ann.team.id, team.id)
      let stored = try context.unwrap(
        try store.find(Team.self, team.id, prefetch: \.players, \.coach, \.leagues), "the team")
      try context.expectEqual(stored.players.ids?.sorted(), [1, 2])
      try context.expectEqual(stored.coach.id, coach.id)
      try context.expectEqual(stored.leagues.ids, [league.id])
      try context.expect(!session.hasChanges, "all is saved")
      // A delta of links that are not loaded.
      let other = session.insert(Player(3, "Cid"))
      team.players.append(other)
      team.players.remove(ann)
      try context.expectEqual(team.changedAttributes, ["players"])
      let links = session.changes[entity: "Team"]?.rows.map(\.kind)
      try context.expectEqual(links, [.unlinked, .linked])
      try session.save()
      let players = try store.fetch(Player.all.where { $0.team.id == team.id }).map(\.id)
      try context.expectEqual(players, [2, 3])
      try session.refresh(ann)
      try context.expect(ann.team.id == nil, "Ann left")
    },
    ConformanceCase("links that were loaded are changed and come back loaded", "11.10") { context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      let stored = try store.save(
        Team(0, "Reds", players: ToMany([Player(1, "Ann"), Player(2, "Bo")])))
      let session = Session(store)
      let teams = try session.fetch(Team.all.prefetch(\.players))
      let team = try context.unwrap(teams.first, "the team")
      try context.expectEqual(team.players.ids?.sorted(), [1, 2])
      team.players.remove(key: 1)
      try context.expect(team.hasChanges, "changed")
      team.players.append(key: 1)
      try context.expect(!team.hasChanges, "as it was: the order is none")
      team.players = .keys([2])
      try session.save()
      try context.expectEqual(team.players.loaded?.map(\.id), [2])
      try context.expectEqual(try store.count(Player.all.where { $0.team.id == stored.id }), 1)
      let cid = Player(3, "Cid", team: .to(team.value))
      session.insert(cid)
      try session.save()
      try context.expectEqual(try store.count(Player.all.where { $0.team.id == stored.id }), 2)
    },
    ConformanceCase("an error of a save changes neither side", "11.11") { context in
      let store = try context.open(Room.self, Freight.self)
      try store.insert(Room(1, "a", seats: 1))
      let session = Session(store)
      let room = try context.unwrap(try session.find(Room.self, 1), "the room")
      room.seats = 0
      room.closes = 5
      session.insert(Room(2, "b", seats: 200))
      session.insert(Freight(1, weight: 3))
      let error = try context.expectError(.validationFailed) { try session.save() }
      let entities = error.failures.compactMap(\.entity).sorted()
      try context.expectEqual(entities, ["Freight", "Room", "Room", "Room"], "of all objects")
      try context.expectEqual(error.failures.filter { $0.attributes == ["seats"] }.count, 2)
      try context.expectEqual(room.changedAttributes, ["seats", "closes"], "nothing is lost")
      try context.expectEqual(try store.count(Room.self), 1)
      try context.expectEqual(try store.find(Room.self, 1)?.seats, 1)
      session.rollback()
      try context.expect(!session.hasChanges, "given up")
      try context.expectEqual(room.seats, 1)
      room.seats = 2
      try session.save()
      try context.expectEqual(try store.find(Room.self, 1)?.seats, 2)
      session.insert(Room(1, "c", seats: 9))
      try context.expectError(.duplicate) { try session.save() }
      try context.expect(session.hasChanges, "still to be saved")
    },
    ConformanceCase("values pass from one object to another in one save", "11.11") { context in
      let store = try context.open(Room.self)
      try store.insert([Room(1, "a", seats: 1), Room(2, "b", seats: 2)])
      let session = Session(store)
      let one = try context.unwrap(try session.find(Room.self, 1), "1")
      let two = try context.unwrap(try session.find(Room.self, 2), "2")
      (one.seats, two.seats) = (2, 1)
      try session.save()
      try context.expectEqual(
        try store.fetch(Room.all.sorted(by: .ascending(\.id))).map(\.seats), [2, 1])
      try session.delete(one)
      let new = session.insert(Room(3, "c", seats: 2))
      try session.save()
      try context.expectEqual(try store.find(Room.self, 3)?.seats, 2, "of a deleted object")
      try session.delete(new)
      let again = session.insert(Room(3, "d", seats: 3))
      try context.expect(try session.find(Room.self, 3) === again, "the new one has the key")
      try session.save()
      try context.expectEqual(try store.find(Room.self, 3)?.name, "d")
      try context.expect(new.isDeleted && !again.isDeleted, "two handles, one object")
    },
    ConformanceCase("unchanged objects follow the store", "11.10") { context in
      let store = try context.open(Snack.self)
      try store.insert((1...3).map { Snack($0, "a", stock: 1) })
      let session = Session(store)
      let snacks = try session.fetch(Snack.all.sorted(by: .ascending(\.id)))
      snacks[1].name = "mine"
      try store.update(Snack.all) { $0.stock = 2 }
      try store.delete(Snack.self, id: 3)
      try context.expectEqual(snacks[0].stock, 2, "unchanged: as stored")
      try context.expectEqual(snacks[1].stock, 1, "changed: as loaded")
      try context.expect(snacks[1].isStale && !snacks[0].isStale, "stale")
      try context.expect(snacks[2].isDeleted, "gone")
      try context.expectEqual(snacks[1].changedAttributes, ["name"])
      snacks[1].name = "a"
      try session.refresh()
      try context.expectEqual(snacks[1].stock, 2, "unchanged again")
      try store.insert(Snack(3, "again"))
      try context.expectEqual(snacks[2].name, "again")
      try context.expect(!snacks[2].isDeleted, "there again")
      try store.deleteAll(Snack.self)
      try context.expect(try session.find(Snack.self, 9) == nil, "a reading")
      try context.expect(snacks.allSatisfy(\.isDeleted), "all are gone")
    },
    ConformanceCase("misuse has an error and loses nothing", "11.10", "11.11") { context in
      let store = try context.open(Snack.self)
      try store.insert([Snack(1, "a"), Snack(2, "b")])
      let session = Session(store)
      let snack = try context.unwrap(try session.find(Snack.self, 1), "the object")
      try session.delete(snack)
      try context.expectError(.deletedObject, entity: "Snack", key: [.int(1)]) {
        try snack.update { $0.name = "x" }
      }
      snack.name = "late"
      try context.expectError(.deletedObject, entity: "Snack", key: [.int(1)]) {
        try session.save()
      }
      session.undo()
      try session.save()
      try context.expectEqual(try store.count(Snack.self), 1)
      try context.expectError(.deletedObject) { try session.refresh(snack) }
      let other = try context.unwrap(try session.find(Snack.self, 2), "another")
      try other.update { $0.id = 5 }
      try context.expectError(.invalidValue, attributes: ["id"]) { try session.save() }
      session.rollback()
      other.price = .nan
      try context.expectError(.invalidValue) { try session.save() }
      session.undo()
      try context.expect(!session.hasChanges, "undone")
      let stranger = Session(store)
      try context.expectError(.sessionEnded) { try stranger.delete(other) }
      session.reset()
      try context.expectError(.sessionEnded) { try other.update { $0.name = "x" } }
      other.name = "x"
      try context.expect(!session.hasChanges, "let go")
      try context.expectError(.sessionEnded) { try session.refresh(other) }
      let last = try context.unwrap(try session.find(Snack.self, 2), "a new handle")
      try context.expect(last !== other && last.name == "b", "a new one")
      last.name = "c"
      try context.expectError(.reentrancy) { try store.write { _ in try session.save() } }
      try context.expect(last.hasChanges, "still to be saved")
      try store.close()
      try context.expectError(.closed) { try session.save() }
      try context.expectError(.closed) { try session.find(Snack.self, 2) }
      try context.expectEqual(last.changedAttributes, ["name"])
    },
    ConformanceCase("a session holds the objects alone that are changed", "11.10") { context in
      let store = try context.open(Snack.self)
      try store.insert((1...20).map { Snack($0, "a") })
      weak var first: Live<Snack>?
      weak var second: Live<Snack>?
      weak var ended: Session?
      do {
        let session = Session(store)
        ended = session
        do {
          let snacks = try session.fetch(Snack.all.sorted(by: .ascending(\.id)))
          first = snacks[0]
          second = snacks[1]
          snacks[1].name = "b"
        }
        try context.expect(first == nil, "an unchanged one is let go")
        try context.expect(second != nil, "a changed one is held")
        session.rollback()
        try context.expect(second == nil, "no longer changed")
        let new = session.insert(Snack(30))
        new.name = "c"
        second = new
        let child = session.child()
        try child.find(Snack.self, 1)?.name = "d"
        try child.save()
      }
      try context.expect(ended == nil, "the session is freed with its changes")
      try context.expect(second == nil, "and its handles")
      try context.expect(!store.runtime.transactions.recordsChanges, "no observer asks for changes")
    },
    ConformanceCase("the first object of a query is one that the session has", "11.10") { context in
      let store = try context.open(Snack.self)
      try store.insert([Snack(1, "c"), Snack(2, "b"), Snack(3, "a"), Snack(4, "b")])
      let session = Session(store)
      let byName = Snack.all.sorted(by: .ascending(\.name), .ascending(\.id))
      let first = try context.unwrap(try session.first(byName), "the first")
      try context.expectEqual(first.id, 3)
      try context.expect(try session.find(Snack.self, 3) === first, "one handle a key")
      // The store answers, without unsaved changes.
      first.name = "z"
      try context.expect(try session.first(byName) === first, "as stored")
      session.insert(Snack(9, ""))
      try context.expect(try session.first(byName) === first, "not what is inserted")
      // The next object replaces a deleted one within the page of the query.
      try session.delete(first)
      try context.expectEqual(try session.first(byName)?.id, 2)
      try context.expectEqual(try session.first(byName.limit(2))?.id, 2)
      try context.expect(try session.first(byName.limit(1)) == nil, "the page has no other")
      try context.expectEqual(try session.first(byName.offset(2).limit(1))?.id, 4)
      try context.expect(try session.first(byName.where { $0.name == "q" }) == nil, "none")
      try context.expectError(.unknownAttribute) {
        try session.first(Snack.all.where(Filter(attribute("nope").compare(.equal, int(1)))))
      }
    },
    ConformanceCase(async: "a session is used with await", "11.9", "11.11") { context in
      let store = try context.open(Snack.self)
      try await store.insert(Snack(1, "a"))
      let session = Session(store)
      let snack = try context.unwrap(try await session.find(Snack.self, 1), "the object")
      snack.name = "b"
      session.insert(Snack(2, "c"))
      try context.expect(try await session.save(), "saved")
      let fetched = try await session.fetch(Snack.all.sorted(by: .ascending(\.id)))
      try context.expectEqual(fetched.map(\.name), ["b", "c"])
      try context.expect(fetched[0] === snack && !session.hasChanges, "saved")
      try context.expect(!(try await session.save()), "nothing to save")
      snack.name = "d"
      let task = Task { try await store.update(Snack.all) { $0.name = "theirs" } }
      _ = try await task.value
      try await context.expectErrorAsync(.conflict) { try await session.save() }
      try context.expectEqual(snack.name, "d")
    },
  ]
}
