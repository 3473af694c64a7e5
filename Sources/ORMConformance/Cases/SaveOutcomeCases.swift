internal import Dispatch
internal import FoundationEssentials
internal import ORM

extension ConformanceCase {
  /// Clauses 5.1 and 5.4: the outcome of one object's save, and the merge policy of a store.
  static let saveOutcomes: [ConformanceCase] = [
    ConformanceCase("one save reports inserted, updated or unchanged", "5.1") { context in
      let store = try context.open(Snack.self, Ticket.self, Token.self)
      let first = try store.save(Snack(1, "a", price: 0.0), as: ReportedSave.self)
      try context.expectEqual(first.outcome, .inserted)
      try context.expectEqual(first.model, Snack(1, "a", price: 0.0))
      try context.expectEqual(
        try store.save(Snack(1, "a", price: 0.0), as: ReportedSave.self).outcome, .unchanged)
      try context.expectEqual(
        try store.save(Snack(1, "a", price: -0.0), as: ReportedSave.self).outcome, .updated)
      let ticket = try store.save(Ticket("t"), as: ReportedSave.self)
      try context.expectEqual(ticket.outcome, .inserted)
      try context.expectEqual(ticket.model, Ticket("t", id: 1), "with its key")
      try context.expectEqual(
        try store.save(ticket.model, as: ReportedSave.self).outcome, .unchanged)
      let token = try store.save(Token(title: "x"), as: ReportedSave.self)
      try context.expectEqual(token.outcome, .inserted)
      try context.expectEqual(try store.find(Token.self, token.model.id), token.model)
      try store.write { tx in
        try tx.save(Snack(2, "b"))
        try context.expectEqual(
          try tx.save(Snack(2, "b"), as: ReportedSave.self).outcome, .unchanged)
        try context.expectEqual(try tx.save(Snack(2, "c"), as: ReportedSave.self).outcome, .updated)
      }
    },
    ConformanceCase("the outcome follows the merge policy", "5.1", "5.4") { context in
      let store = try context.open(Snack.self)
      try store.save(Snack(1, "a", taste: "sweet", price: 2))
      let skipped = try store.save(
        Snack(1, "a", price: 2), merge: .skippingNil, as: ReportedSave.self)
      try context.expectEqual(skipped.outcome, .unchanged)
      try context.expectEqual(skipped.model.taste, "sweet", "the model as stored")
      let left = try store.save(Snack(1, "z"), merge: .insertOnly, as: ReportedSave.self)
      try context.expectEqual(left.outcome, .unchanged)
      try context.expectEqual(left.model.name, "a")
      let named = try store.save(
        Snack(1, "z", price: 9), merge: .only(\.name), as: ReportedSave.self)
      try context.expectEqual(named.outcome, .updated)
      try context.expectEqual(named.model, Snack(1, "z", taste: "sweet", price: 2))
    },
    ConformanceCase("the outcome of a graph is that of the object itself", "5.1", "5.8") {
      context in
      let store = try context.openLinked()
      var player = Player(50, "new")
      let saved = try store.save(Team(40, "Greens", players: [player]), as: ReportedSave.self)
      try context.expectEqual(saved.outcome, .inserted)
      try context.expectEqual(saved.model.players.loaded?.map(\.id), [50])
      player.age = 99
      let again = try store.save(Team(40, "Greens", players: [player]), as: ReportedSave.self)
      try context.expectEqual(again.outcome, .unchanged, "the team's own row")
      try context.expectEqual(try store.find(Player.self, 50)?.age, 99)
      let renamed = try store.save(Team(40, "Limes", players: .notLoaded), as: ReportedSave.self)
      try context.expectEqual(renamed.outcome, .updated)
      let band = try context.open(Band.self, Musician.self, Manager.self, Festival.self)
      let musician = Musician("a")
      try context.expectEqual(try band.save(musician, as: ReportedSave.self).outcome, .inserted)
      try context.expectEqual(musician.id, 1, "an object of a class model is given its key")
      try context.expectEqual(try band.save(musician, as: ReportedSave.self).outcome, .unchanged)
    },
    ConformanceCase(async: "outcomes off the calling thread", "5.1") {
      context in
      let store = try await offThePool { try context.open(Snack.self) }
      try context.expectEqual(
        try await store.save(Snack(1, "a"), as: ReportedSave.self).outcome, .inserted)
      let saved = try await completed {
        store.write(
          on: .global(), { try $0.save(Snack(1, "b"), as: ReportedSave.self) }, completion: $0)
      }
      try context.expectEqual(saved.outcome, .updated)
      try context.expectEqual(
        try await store.save(Snack(1, "b"), as: ReportedSave.self).outcome, .unchanged)
    },
    ConformanceCase("a store's merge policy is that of every save that names none", "5.4") {
      context in
      var options = StoreOptions()
      options.merge = .skippingNil
      let store = try context.open(Schema(models: [Snack.self]), options: options)
      let full = Snack(1, "a", taste: "sweet", price: 2, stock: 3)
      func stored() throws -> Snack? { try store.find(Snack.self, 1) }
      try store.save(full)
      try context.expectEqual(try store.save(Snack(1, "b")).taste, "sweet")
      try context.expectEqual(try store.save([Snack(1, "b")]).unchanged, 1)
      try store.save(Snack(1, "b", stock: 4), matching: Filter(.constant(true)))
      try store.save(Snack(1, "b", price: 5), matchingOn: \.name)
      try store.save(
        [Snack(1, "b", stock: 6)], matching: BatchMatch(contain: [\Snack.name]))
      try context.expectEqual(
        try stored(), Snack(1, "b", taste: "sweet", price: 5, stock: 6), "nil keeps what is stored")
      try store.write { tx in
        try tx.save(Snack(1, "c"))
        try tx.save(Snack(1, "c"))
        try context.expectEqual(try tx.find(Snack.self, 1)?.taste, "sweet")
      }
      try context.expectEqual(
        try store.save(Snack(1, "c"), as: ReportedSave.self).outcome, .unchanged)
      try store.save(Snack(1, "d"), merge: .replace)
      try context.expectEqual(try stored(), Snack(1, "d"), "a policy that is named counts")
      try store.save(full)
      try store.update(Snack(1, "e"))
      try context.expectEqual(try stored(), Snack(1, "e"), "an update is no save")
    },
    ConformanceCase("a store's merge policy goes for graphs", "5.4", "5.8") { context in
      var options = StoreOptions()
      options.merge = .skippingNil
      let store = try context.open(Schema(models: [Book.self, Chapter.self]), options: options)
      try store.save(Book("b", subtitle: "s", chapters: [Chapter("1"), Chapter("2")]))
      try store.save(Book("B", id: 1, chapters: [Chapter("I", id: 1), Chapter("II", id: 2)]))
      try context.expectEqual(try store.find(Book.self, 1)?.subtitle, "s")
      try context.expectEqual(try store.chapters(), ["I", "II"])
      try store.save(Chapter("2", id: 2, book: .to(Book("C", id: 1))))
      let book = try context.unwrap(store.find(Book.self, 1), "the book")
      try context.expectEqual([book.title, book.subtitle], ["C", "s"], "a target")
      let chapter = try store.insert(
        Chapter("3", book: .to(Book("D", id: 1))), into: book, \.chapters)
      try context.expectEqual(chapter.book.id, 1)
      try context.expectEqual(try store.find(Book.self, 1)?.subtitle, "s", "of one inserted")
      try context.expectEqual(try store.chapters(), ["I", "2", "3"])
    },
    ConformanceCase("a store that inserts only leaves alone what exists", "5.4") { context in
      var options = StoreOptions()
      options.merge = .insertOnly
      let store = try context.open(Schema(models: [Snack.self]), options: options)
      try store.save(Snack(1, "a"))
      try store.save(Snack(1, "b"))
      let result = try store.save([Snack(1, "c"), Snack(2, "d")])
      try context.expectEqual(result.counts, SaveCounts(inserted: 1, unchanged: 1))
      try context.expectEqual(try store.fetch(Snack.all).map(\.name), ["a", "d"])
    },
  ]
}
