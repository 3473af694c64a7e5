internal import FoundationEssentials
internal import ORM
internal import ORMCore
internal import ORMSessions

extension ConformanceCase {
  /// Section 11: sessions over rows that a delete hides.
  static let sessionSoftDeletes: [ConformanceCase] = [
    ConformanceCase("a session hides rows, and an undo restores them", "11.11", "11.13", "5.9") {
      context in
      let store = try context.open(Sketch.self)
      try store.save((1...3).map { Sketch($0, "d\($0)", size: 1) })
      let session = Session(store)
      let sketch = try context.unwrap(try session.find(Sketch.self, 1), "the sketch")
      try session.delete(sketch)
      try context.expectEqual(session.changes[Sketch.self].rows.map(\.kind), [.hidden])
      try context.expectEqual(try store.count(Sketch.self), 3, "not yet")
      try session.save()
      try context.expectEqual(try store.fetch(Sketch.all).map(\.id), [2, 3])
      try context.expectEqual(try store.fetch(Sketch.all.onlyDeleted()).map(\.id), [1])
      try context.expect(sketch.isDeleted && !session.hasChanges, "hidden")
      try context.expect(try session.find(Sketch.self, 1) == nil, "not found")
      session.undo()
      try context.expect(!sketch.isDeleted && session.hasChanges, "to be restored")
      try context.expectEqual(session.changes[Sketch.self].rows.map(\.kind), [.restored])
      try session.save()
      try context.expectEqual(try store.find(Sketch.self, 1), Sketch(1, "d1", size: 1))
      try context.expect(sketch.deletedAt == nil && !session.hasChanges, "restored")
      session.redo()
      try session.save()
      try context.expectEqual(try store.count(Sketch.self), 2, "hidden again")
      session.undo()
      sketch.title = "new"
      try session.save()
      try context.expectEqual(try store.find(Sketch.self, 1), Sketch(1, "new", size: 1))
      // A row that was purged meanwhile is inserted.
      try session.delete(sketch)
      try session.save()
      try store.purge(Sketch.all)
      session.undo()
      try session.save()
      try context.expectEqual(try store.find(Sketch.self, 1)?.title, "new")
      // One that was restored meanwhile is left as it is.
      try session.delete(sketch)
      try session.save()
      try store.restore(Sketch.where { $0.id == 1 })
      try store.patch(Sketch.self, 1) { $0.size = 7 }
      session.undo()
      try session.save()
      try context.expectEqual(try store.find(Sketch.self, 1), Sketch(1, "new", size: 7))
      try context.expectEqual(sketch.size, 7)
      // Another object never replaces a hidden one.
      try session.delete(sketch)
      try session.save()
      let other = session.insert(Sketch(1, "other"))
      try context.expectError(.duplicate, entity: "Sketch") { try session.save() }
      try session.delete(other)
      try context.expect(!session.hasChanges, "given up")
    },
    ConformanceCase("a query that asks for hidden rows gives deleted handles", "11.10", "5.9") {
      context in
      let store = try context.open(Sketch.self)
      try store.save((1...3).map { Sketch($0, "d\($0)", size: 1) })
      try store.delete(Sketch.self, id: 3)
      let session = Session(store)
      let own = try context.unwrap(try session.find(Sketch.self, 1), "the sketch")
      try session.delete(own)
      let every = Sketch.all.includingDeleted()
      try context.expectEqual(try session.fetch(every).map(\.id), [2, 3], "before the save")
      try session.save()
      let all = try session.fetch(every)
      try context.expectEqual(all.map(\.id), [1, 2, 3])
      try context.expectEqual(all.map(\.isDeleted), [true, false, true])
      try context.expectEqual(all.map { $0.deletedAt != nil }, [true, false, true])
      try context.expect(all[0] === own, "one handle a key")
      try context.expectEqual(try session.fetch(Sketch.all).map(\.id), [2])
      try context.expectError(.deletedObject, entity: "Sketch", key: [.int(3)]) {
        try all[2].update { $0.title = "x" }
      }
      try context.expectError(.deletedObject) { try session.refresh(all[2]) }
      try session.delete(all[2])
      try context.expect(!session.hasChanges, "deleted already")
      // An update of the hidden row leaves it hidden.
      try store.update(every) { $0.size = 9 }
      try context.expectEqual(all.map(\.size), [9, 9, 9])
      try context.expectEqual(all.map(\.isDeleted), [true, false, true])
      session.undo()
      try session.save()
      try context.expectEqual(try store.find(Sketch.self, 1), Sketch(1, "d1", size: 9))
      try context.expectEqual(own.size, 9)
      try store.restore(Sketch.where { $0.id == 3 })
      try context.expect(!all[2].isDeleted && all[2].deletedAt == nil, "restored by others")
      all[2].title = "x"
      try session.save()
      try context.expectEqual(try store.find(Sketch.self, 3)?.title, "x")
    },
    ConformanceCase("rows that others hide and restore", "11.10", "11.12", "11.13", "5.9") {
      context in
      let store = try context.open(Sketch.self)
      try store.save((1...2).map { Sketch($0, "d\($0)") })
      let session = Session(store)
      let one = try context.unwrap(try session.find(Sketch.self, 1), "the first")
      let two = try context.unwrap(try session.find(Sketch.self, 2), "the second")
      two.title = "mine"
      try store.delete(Sketch.all)
      try context.expect(one.isDeleted && !two.isDeleted && two.isStale, "followed")
      let conflict = try context.expectError(.conflict) { try session.save() }.conflicts.first
      try context.expectEqual(conflict?.kind, .deletedInStore)
      try store.restore(Sketch.all)
      try context.expect(!one.isDeleted && one.title == "d1", "there again")
      try session.save()
      try context.expectEqual(try store.find(Sketch.self, 2)?.title, "mine")
      two.title = "late"
      try store.delete(Sketch.self, id: 2)
      session.conflictPolicy = .storeWins
      try session.save()
      try context.expect(two.isDeleted && !session.hasChanges, "the store wins")
      try context.expectEqual(try store.fetch(Sketch.all.onlyDeleted()).map(\.title), ["mine"])
      try session.delete(one)
      try store.delete(Sketch.self, id: 1)
      session.undo()
      try context.expect(one.isDeleted && !session.hasChanges, "others deleted it")
    },
    ConformanceCase(
      "an undo restores what the delete hid with the object", "11.11", "11.13", "5.7", "5.9"
    ) { context in
      let store = try context.open(
        Schema(
          Venture.self, Chore.self, Stage.self, Jotting.self, Sticker.self, Leader.self,
          Patron.self, Deed.self))
      try store.insert(Venture(1, "v"))
      try store.insert([Chore(1, venture: .key(1)), Chore(2, venture: .key(1))])
      try store.insert(Stage(1, chore: .key(1)))
      try store.delete(Chore.self, id: 2)
      let session = Session(store)
      let chore = try context.unwrap(try session.find(Chore.self, 1), "the chore")
      let stage = try context.unwrap(try session.find(Stage.self, 1), "the stage")
      let venture = try context.unwrap(try session.find(Venture.self, 1), "the venture")
      try session.delete(venture)
      try context.expect(!chore.isDeleted && !stage.isDeleted, "before the save")
      try session.save()
      try context.expect(chore.isDeleted && stage.isDeleted, "hidden by the rule")
      try context.expectEqual(try store.count(Chore.all.onlyDeleted()), 2)
      session.undo()
      try session.save()
      try context.expect(
        !venture.isDeleted && !chore.isDeleted && !stage.isDeleted, "restored together")
      try context.expectEqual(
        try store.fetch(Chore.all.onlyDeleted()).map(\.id), [2], "hidden at another time")
      // Of rows that the session deleted one by one, those come first that others require.
      try session.delete(chore)
      try session.delete(venture)
      try session.save()
      session.undo()
      session.undo()
      chore.effort = 5
      try session.save()
      try context.expectEqual(try store.fetch(Chore.all).map(\.effort), [5])
      try context.expectEqual(try store.count(Venture.self), 1)
      try context.expect(!stage.isDeleted && !session.hasChanges, "as before")
      try session.delete(venture)
      try session.save()
      try session.delete(venture)
      session.undo()
      let missing = session.insert(Chore(3, venture: .to(venture)))
      try session.save()
      try context.expectEqual(try store.fetch(Chore.all).map(\.id), [1, 3], "restored first")
      try context.expect(!missing.isInserted, "saved")
    },
    ConformanceCase(
      "a subentity is hidden and restored by a session", "11.10", "11.13", "5.9", "5.11"
    ) { context in
      let store = try context.open(Schema.vessels)
      try store.insert([Harbour(1)])
      try store.insert(Ferry(2, "ant", seats: 100))
      try store.insert(Trip(1, 7, ferry: .key(2)))
      try store.attach([2], to: 1, \Harbour.vessels)
      let session = Session(store)
      let ferry = try context.unwrap(try session.find(Ferry.self, 2), "the ferry")
      let vessel = try context.unwrap(try session.find(Vessel.self, 2), "as a vessel")
      let harbour = try context.unwrap(try session.find(Harbour.self, 1), "the harbour")
      let trip = try context.unwrap(try session.find(Trip.self, 1), "the trip")
      try context.expectEqual([harbour.vesselCount, ferry.fares], [1, 7])
      for isRoot in [false, true] {
        if isRoot { try session.delete(vessel) } else { try session.delete(ferry) }
        try session.save()
        try context.expect(ferry.isDeleted && vessel.isDeleted && trip.isDeleted, "hidden")
        try context.expectEqual(harbour.vesselCount, 0)
        try context.expectEqual(try store.count(Ferry.all.onlyDeleted()), 1)
        session.undo()
        if isRoot { vessel.name = "bee" } else { ferry.seats = 50 }
        try session.save()
        try context.expect(!ferry.isDeleted && !vessel.isDeleted && !trip.isDeleted, "restored")
        try context.expectEqual([harbour.vesselCount, ferry.fares, ferry.seats], [1, 7, 50])
        let name = isRoot ? "bee" : "ant"
        try context.expectEqual([ferry.name, vessel.name], [name, name])
      }
      let stored = try context.unwrap(try store.find(Ferry.self, 2), "the row")
      try context.expectEqual(stored.seats, 50, "it is still a ferry")
      try context.expect(try store.check().isSound, "sound")
    },
    ConformanceCase("a child session deletes and undoes", "11.13", "5.9") { context in
      let store = try context.open(Sketch.self, Snack.self)
      try store.save(Sketch(1, "d"))
      try store.save(Snack(1, "s"))
      let session = Session(store)
      let child = session.child()
      let sketch = try context.unwrap(try child.find(Sketch.self, 1), "the sketch")
      let snack = try context.unwrap(try child.find(Snack.self, 1), "the snack")
      try child.group(nil) {
        try child.delete(sketch)
        try child.delete(snack)
      }
      try child.save()
      try context.expectEqual(try session.fetch(Sketch.all).count, 0, "in the parent")
      child.undo()
      sketch.title = "e"
      snack.name = "t"
      try child.save()
      try context.expectEqual(try session.find(Sketch.self, 1)?.title, "e")
      try context.expectEqual(try session.find(Snack.self, 1)?.name, "t")
      try session.save()
      try context.expectEqual(try store.fetch(Sketch.all).map(\.title), ["e"])
      try context.expectEqual(try store.fetch(Snack.all).map(\.name), ["t"])
    },
  ]
}
