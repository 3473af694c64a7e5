internal import Foundation
internal import ORM

extension ConformanceCase {
  /// Clause 5.5: keys that are made.
  static let generatedKeys: [ConformanceCase] = [
    ConformanceCase("a generated key is one more than the greatest", "5.5") { context in
      let store = try context.open(Ticket.self)
      try context.expectEqual(try store.save(Ticket("a")).id, 1)
      try context.expectEqual(try store.insert(Ticket("b")).id, 2)
      try context.expectEqual(
        try store.save([Ticket("c"), Ticket("d", id: 10), Ticket("e")]).keys, [3, 10, 11])
      try context.expectEqual(try store.save(Ticket("f", id: 5)).id, 5)
      try context.expectEqual(try store.save(Ticket("g")).id, 12, "explicit keys count")
      try context.expectEqual(try store.save(Ticket("h", id: -7)).id, -7)
      try context.expectEqual(try store.save(Ticket("i")).id, 13)
      try context.expectEqual(
        try store.fetch(Ticket.all).map(\.id), [-7, 1, 2, 3, 5, 10, 11, 12, 13])
    },
    ConformanceCase("keys are not given again after deletes and reopening", "5.5") { context in
      var store = try context.open(Ticket.self)
      try store.save([Ticket("a"), Ticket("b"), Ticket("c")])
      try store.delete(Ticket.self, id: 3)
      try context.expectEqual(try store.save(Ticket("d")).id, 4)
      try store.deleteAll(Ticket.self)
      store = try context.reopen(store, Ticket.self)
      try context.expectEqual(try store.count(Ticket.self), 0)
      try context.expectEqual(try store.save(Ticket("e")).id, 5)
      try store.delete(Ticket.all.where { $0.id > 0 })
      store = try context.reopen(store, Ticket.self)
      store = try context.reopen(store, Ticket.self)
      try context.expectEqual(try store.save(Ticket("f")).id, 6)
      try store.save(Ticket("g", id: 100))
      try store.delete(Ticket.self, id: 100)
      store = try context.reopen(store, Ticket.self)
      try context.expectEqual(try store.save(Ticket("h")).id, 101)
    },
    ConformanceCase("a key of a write that was rolled back may be given again", "5.5") { context in
      let store = try context.open(Ticket.self)
      try store.save(Ticket("a"))
      struct Undo: Error {}
      do {
        try store.write { tx in
          try context.expectEqual(try tx.save(Ticket("b")).id, 2)
          throw Undo()
        }
      } catch is Undo {}
      try store.write { tx in
        do {
          try tx.savepoint { tx in
            try tx.save(Ticket("c", id: 50))
            throw Undo()
          }
        } catch is Undo {}
        try context.expectEqual(try tx.save(Ticket("d")).id, 2)
      }
      try context.expectEqual(try store.fetch(Ticket.all).map(\.id), [1, 2])
    },
    ConformanceCase("0 stands for a key not given yet", "5.5") { context in
      let store = try context.open(Ticket.self)
      try context.expectEqual(try store.insert(Ticket("a", id: 0)).id, 1)
      try context.expectError(.notFound, entity: "Ticket") {
        try store.update(Ticket("b", id: 0))
      }
      try context.expectEqual(
        try store.save([Ticket("c"), Ticket("d")], duplicates: .throw).keys, [2, 3])
      try context.expectEqual(try store.find(Ticket.self, 0), nil)
      try context.expectEqual(try store.count(Ticket.self), 3)
      let plain = try context.open(Snack.self)
      try context.expectEqual(try plain.save(Snack(0, "a")).id, 0, "where keys are the program's")
    },
    ConformanceCase("after the last key: keysExhausted", "5.5") { context in
      let store = try context.open(Ticket.self, Note.self)
      try store.save(Ticket("a", id: .max - 1))
      try context.expectEqual(try store.save(Ticket("b")).id, .max)
      try context.expectError(.keysExhausted, entity: "Ticket") { try store.save(Ticket("c")) }
      try context.expectError(.keysExhausted, entity: "Ticket") {
        try store.insert([Ticket("d", id: 7), Ticket("e")])
      }
      try store.delete(Ticket.self, id: .max)
      try context.expectError(.keysExhausted, entity: "Ticket") { try store.save(Ticket("f")) }
      try context.expectEqual(try store.fetch(Ticket.all).map(\.id), [.max - 1])
      try context.expectEqual(try store.save(Ticket("g", id: 7)).id, 7, "explicit keys still work")
      try store.insert(Note(text: "other entities have keys of their own"))
    },
    ConformanceCase("UUID keys: made where unassigned, unchanged where given", "5.5", "1.6") {
      context in
      let store = try context.open(Token.self, Event.self)
      let token = try store.save(Token(title: "a"))
      try context.expect(token.id != .unassigned, "an id")
      try context.expectEqual(token.id.uuid.6 >> 4, 4, "the version")
      try context.expectEqual(token.id.uuid.8 >> 6, 2, "the variant")
      try context.expectEqual(try store.find(Token.self, token.id), token)
      let given = UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
      try context.expectEqual(try store.save(Token(id: given, title: "b")).id, given)
      let keys = try store.insert((0..<20).map { Event(title: "\($0)") }).keys
      try context.expectEqual(Set(keys).count, 20)
      try context.expectEqual(
        try store.fetch(Event.all).map(\.title), (0..<20).map { "\($0)" },
        "time-ordered keys come in the order of their making")
      for key in keys { try context.expectEqual(key.uuid.6 >> 4, 7, "the version") }
      let event = try store.save(Event(title: "later"))
      try context.expectEqual(try store.fetch(Event.all).last, event)
      try context.expectEqual(try store.save(event), event)
      try context.expectEqual(try store.count(Event.self), 21)
    },
  ]
}
