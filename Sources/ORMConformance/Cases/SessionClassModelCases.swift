internal import FoundationEssentials
internal import ORM
internal import ORMCore
internal import ORMSessions

extension ConformanceCase {
  /// Section 11: sessions over models that are classes.
  static let sessionClassModels: [ConformanceCase] = [
    ConformanceCase(
      "a session edits objects of its own of a class model", "11.9", "11.10", "11.11", "5.14"
    ) { context in
      let store = try context.openStages()
      let session = Session(store)
      let object = Band("Reds")
      let band = session.insert(object)
      try context.expect(band.isInserted && band.id != 0, "a temporary key")
      band.name = "Blues"
      object.name = "changed"
      try context.expectEqual(band.name, "Blues", "the object is not the program's")
      try context.expectEqual([object.id, band.original.id], [0, band.id])
      let value = band.value
      value.name = "in the value"
      band.original.name = "in the original"
      try context.expect(band.value !== value && band.name == "Blues", "each value is an object")
      try context.expectEqual(band.original.name, "Reds", "as it was inserted")
      let musician = session.insert(Musician("a", band: .to(band)))
      let manager = session.insert(Manager("x"))
      try context.expect(manager.id != .unassigned, "a UUID is made at once")
      band.manager = .to(manager)
      try session.save()
      try context.expect(band.id > 0 && !session.hasChanges, "saved")
      try context.expectEqual([object.id, value.id > 0 ? 1 : 0], [0, 0], "copies keep their keys")
      let stored = try context.unwrap(
        try store.find(Band.self, band.id, prefetch: \.musicians, \.manager), "the band")
      try context.expectEqual(stored.name, "Blues")
      try context.expectEqual(stored.musicians.loaded?.map(\.name), ["a"])
      try context.expectEqual(stored.manager.loaded?.name, "x")
      try context.expectEqual(musician.band.id, band.id)
      band.name = "Greens"
      try context.expectEqual(band.changedAttributes, ["name"])
      try context.expectEqual(band.changedValues["name"]?.old, .string("Blues"))
      band.name = "Blues"
      try context.expect(!band.hasChanges && !session.hasChanges, "back at the base")
      try context.expect(!(try session.save()), "nothing to save")
    },
    ConformanceCase(
      "changes of a class model are undone, given up and refreshed", "11.10", "11.12", "11.13",
      "5.14"
    ) { context in
      let store = try context.openStages()
      try store.save(Band("Reds"))
      let session = Session(store)
      session.coalescing = .zero - .seconds(1)
      let band = try context.unwrap(try session.find(Band.self, 1), "the band")
      let shown = band.value
      band.name = "b"
      try band.update { $0.name = "c" }
      try context.expectEqual(shown.name, "Reds", "a value stays as it was")
      session.undo()
      try context.expectEqual(band.name, "b")
      session.undo()
      try context.expect(!band.hasChanges && band.name == "Reds", "as loaded")
      session.redo()
      session.redo()
      try context.expectEqual(band.name, "c")
      try context.expectError(.invalidValue) {
        try band.update {
          $0.name = "half"
          throw StoreError(.invalidValue, "the end")
        }
      }
      try context.expectEqual(band.name, "c", "nothing of it")
      try store.patch(Band.self, 1) { $0.name = "theirs" }
      let conflict = try context.expectError(.conflict) { try session.save() }.conflicts.first
      try context.expectEqual(
        conflict?.attributes,
        [
          ConflictedAttribute(
            name: "name", base: .string("Reds"), mine: .string("c"), theirs: .string("theirs"))
        ])
      try session.refresh(band)
      try context.expectEqual([band.name, band.original.name], ["theirs", "theirs"])
      band.name = "mine"
      session.rollback()
      try context.expectEqual(band.name, "theirs")
      try store.patch(Band.self, 1) { $0.name = "again" }
      try context.expectEqual(band.name, "again", "it follows")
      let child = session.child()
      let draft = try context.unwrap(try child.find(Band.self, 1), "the draft")
      draft.name = "draft"
      try context.expectEqual(band.name, "again", "not yet in the parent")
      try child.save()
      try context.expectEqual(band.name, "draft")
      session.undo()
      try context.expectEqual([band.name, draft.name], ["again", "again"])
      session.redo()
      try session.save()
      try context.expectEqual(try store.find(Band.self, 1)?.name, "draft")
      try session.delete(band)
      try session.save()
      session.undo()
      try session.save()
      try context.expectEqual(try store.find(Band.self, 1)?.name, "draft", "inserted again")
    },
    ConformanceCase("links of a class model are changed in a session", "11.10", "11.11", "5.14") {
      context in
      let store = try context.openStages()
      try store.save(Band("Reds", musicians: [Musician("a"), Musician("b")]))
      try store.save(Musician("c"))
      let session = Session(store)
      session.coalescing = .zero - .seconds(1)
      let bands = try session.fetch(Band.all.prefetch(\.musicians))
      let band = try context.unwrap(bands.first, "the band")
      let first = try context.unwrap(try session.find(Musician.self, 1), "the first")
      let loaded = try context.unwrap(band.musicians.loaded?.first, "an object")
      loaded.name = "elsewhere"
      try context.expect(!session.hasChanges && first.name == "a", "it is no handle")
      let last = try context.unwrap(try session.find(Musician.self, 3), "the last")
      band.musicians.append(last)
      band.musicians.remove(first)
      try context.expectEqual(band.changedAttributes, ["musicians"])
      session.undo()
      band.musicians.remove(first)
      try session.save()
      try context.expectEqual(band.musicians.loaded?.map(\.name).sorted(), ["b", "c"])
      try context.expect(first.band.id == nil && last.band.id == 1, "the other ends")
      try context.expectEqual(try store.find(Musician.self, 1)?.name, "a", "it was not noted")
      let festival = session.insert(Festival("f"))
      festival.bands.append(band)
      try session.save()
      try context.expectEqual(
        try store.fetch(Festival.all.prefetch(\.bands)).first?.bands.ids, [1], "from a struct")
    },
  ]
}

extension ConformanceContext {
  fileprivate func openStages() throws -> any Store {
    try open(Band.self, Musician.self, Manager.self, Festival.self)
  }
}
