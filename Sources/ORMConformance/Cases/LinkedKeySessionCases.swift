internal import FoundationEssentials
internal import ORM
internal import ORMCore
internal import ORMSessions

extension ConformanceCase {
  /// Clause 5.15 in sessions: rows whose key is made of to-ones.
  static let linkedKeySessions: [ConformanceCase] = [
    ConformanceCase(
      "a key of to-ones gets the keys that a session's save gives", "5.15", "11.10", "11.11",
      "11.13"
    ) { context in
      let store = try context.openTheatre()
      let session = Session(store)
      let key = Casting.ID(1, .init("Bonn", 2024))
      let casting = try context.unwrap(try session.find(Casting.self, key), "by key")
      casting.fee = 99
      try context.expectEqual(casting.changedAttributes, ["fee"])
      let lea = session.insert(Performer(0, "Lea"))
      let kiel = session.insert(Production("Kiel", 2025))
      let role = session.insert(Casting(.to(lea), .to(kiel), fee: 1))
      let rehearsal = session.insert(Rehearsal(1, hours: 2, casting: .to(role)))
      let biography = session.insert(Biography("born", performer: .to(lea)))
      try context.expectEqual(role.id, .init(lea.id, .init("Kiel", 2025)), "a temporary part")
      try context.expect(try session.find(Casting.self, role.id) === role, "found by it")
      try session.save()
      try context.expectEqual(
        [lea.id, role.id.performer, rehearsal.casting.id?.performer], [4, 4, 4])
      let new = Casting.ID(4, .init("Kiel", 2025))
      try context.expectEqual(role.id, new)
      try context.expectEqual(rehearsal.id, .init(casting: new, number: 1))
      try context.expectEqual(biography.id, .init(4))
      try context.expectEqual(try store.find(Casting.self, new)?.fee, 1)
      try context.expectEqual(
        try store.find(Rehearsal.self, .init(casting: new, number: 1))?.hours, 2)
      try context.expectEqual(try store.find(Biography.self, .init(4))?.text, "born")
      try context.expectEqual(try store.find(Casting.self, key)?.fee, 99)
      try context.expect(try session.find(Casting.self, new) === role, "found by its key")
      role.fee = 2
      rehearsal.hours = 3
      try session.save()
      try context.expectEqual(try store.find(Casting.self, new)?.fee, 2)
      // Deletes reach the rows with the key too; an undo restores the deleted rows.
      try session.delete(lea)
      try session.save()
      try context.expect(
        role.isDeleted && rehearsal.isDeleted && biography.isDeleted && !kiel.isDeleted,
        "with its rows")
      session.undo()
      try session.save()
      try context.expectEqual(try store.find(Performer.self, 4)?.name, "Lea")
      try context.expectEqual(try store.count(Casting.all.where { $0.performer.id == 4 }), 0)
      try context.expect(try store.check().isSound, "sound")
    },
    ConformanceCase(
      "deletes and inserts of keys of to-ones are undone", "5.15", "11.11", "11.13"
    ) { context in
      let store = try context.openTheatre()
      let session = Session(store)
      let ann = session.insert(Performer(0, "Ann"))
      let role = session.insert(Casting(.to(ann), .key(.init("Ulm", 2023)), fee: 5))
      try session.save()
      let key = role.id
      try session.delete(role)
      try session.save()
      session.undo()
      try session.save()
      try context.expectEqual(try store.find(Casting.self, key)?.fee, 5, "there again")
      while session.undo() {}
      try context.expect(ann.isDeleted && role.isDeleted, "the inserts are undone")
      try session.save()
      try context.expectEqual(try store.count(Casting.all), 4)
      session.redo()
      session.redo()
      role.fee = 6
      try session.save()
      try context.expectEqual(try store.find(Casting.self, key)?.fee, 6)
      try context.expectEqual(ann.id, key.performer)
      let child = session.child()
      let lea = child.insert(Performer(0, "Lea"))
      let part = child.insert(Casting(.to(lea), .key(.init("Ulm", 2023)), fee: 7))
      try child.save()
      let own = try context.unwrap(try session.find(Casting.self, part.id), "in the parent")
      try session.save()
      try context.expectEqual(own.id.performer, 5)
      try context.expectEqual([part.id, own.id], [own.id, .init(lea.id, .init("Ulm", 2023))])
      part.fee = 8
      try child.save()
      try session.save()
      try context.expectEqual(try store.find(Casting.self, part.id)?.fee, 8)
    },
    ConformanceCase("the key of a row of to-ones stays in a session", "5.15", "11.10", "11.12") {
      context in
      let store = try context.openTheatre()
      let session = Session(store)
      let key = Casting.ID(1, .init("Bonn", 2024))
      let casting = try context.unwrap(try session.find(Casting.self, key), "the casting")
      casting.performer = .key(3)
      let error = try context.expectError(.invalidValue, entity: "Casting") { try session.save() }
      try context.expectEqual(error.attributes.first, "performer_id")
      session.undo()
      try context.expect(!session.hasChanges && casting.id == key, "as it was")
      session.insert(Casting(ToOne(), .key(.init("Bonn", 2023))))
      try context.expectError(.missingValue, entity: "Casting", attributes: ["performer"]) {
        try session.save()
      }
      session.rollback()
      // Another owner makes another row.
      let moved = session.insert(Casting(3, "Bonn", 2024, fee: 12))
      try session.delete(casting)
      try session.save()
      try context.expectEqual(moved.id, .init(3, .init("Bonn", 2024)))
      try context.expectEqual(
        try store.fetch(Casting.all.where { $0.fee == 12 }).map(\.id.performer), [3])
      moved.fee = 1
      try store.patch(Casting.self, moved.id) { $0.fee = 2 }
      let conflict = try context.expectError(.conflict) { try session.save() }.conflicts.first
      try context.expectEqual(conflict?.key, [.int(3), .string("Bonn"), .int(2024)])
      try context.expectEqual(conflict?.attributes.map(\.name), ["fee"])
      try store.delete(Production.self, id: .init("Bonn", 2024))
      let gone = try context.expectError(.conflict) { try session.save() }.conflicts.first
      try context.expectEqual(gone?.kind, .deletedInStore)
      session.rollback()
      // A link through rows whose key is both ends.
      let bo = try context.unwrap(try session.find(Performer.self, 2), "Bo")
      bo.productions.append(key: .init("Bonn", 2023))
      bo.productions.remove(key: .init("Ulm", 2023))
      try session.save()
      try context.expectEqual(try store.fetch(Casting.all).map(\.id.performer), [1, 2])
      try context.expectEqual(
        try store.find(Performer.self, 2, prefetch: \.productions)?.productions.ids,
        [.init("Bonn", 2023)])
    },
    ConformanceCase(
      "a class model whose key is to-ones in a session", "5.9", "5.14", "5.15", "11.11", "11.13"
    ) { context in
      let store = try context.openGarage()
      let session = Session(store)
      let stint = try context.unwrap(try session.find(Stint.self, .init(1, 2)), "the stint")
      stint.note = "n"
      let bo = session.insert(Chauffeur("Bo"))
      let car = session.insert(Car(7, "new"))
      let other = session.insert(Stint(.to(bo), .to(car), hours: 4))
      try session.save()
      try context.expectEqual(other.id, .init(2, 7))
      try context.expectEqual(try store.find(Stint.self, .init(2, 7))?.hours, 4)
      try context.expectEqual(try store.find(Stint.self, .init(1, 2))?.note, "n")
      try session.delete(stint)
      try session.save()
      try context.expectEqual(try store.fetch(Stint.all.onlyDeleted()).map(\.note), ["n"])
      session.undo()
      stint.hours = 6
      try session.save()
      try context.expectEqual(try store.find(Stint.self, .init(1, 2))?.hours, 6, "restored")
      try session.delete(car)
      try session.save()
      try context.expect(other.isDeleted && !stint.isDeleted, "with its car")
      try context.expectEqual(try store.count(Stint.all.includingDeleted()), 1)
    },
  ]
}
