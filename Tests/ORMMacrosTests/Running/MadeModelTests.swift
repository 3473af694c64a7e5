#if Macros
  import Foundation
  import ORM
  import Testing

  /// Made models on the three stores.
  @Suite struct MadeModelTests {
    @Test(arguments: StoreKind.everywhere)
    func `M2: every attribute comes back, transient ones as they start`(_ kind: StoreKind) throws {
      try kind.withTestStore(Schema(Snack.self)) { store in
        var snack = Snack(name: "Chips", taste: "salty", price: 2.5, batch: 12)
        snack.stock = 9
        snack.hidden = "recipe"
        snack.size = .large
        snack.bought = Date(timeIntervalSinceReferenceDate: 1_000.5)
        snack.tags = ["a", "ä"]
        snack.default = true
        snack.row = .max
        snack.isSelected = true
        #expect(snack.changes == 1)
        let saved = try store.save(snack)
        #expect(saved.id == 1)
        let found = try #require(try store.find(Snack.self, 1))
        var expected = snack
        expected.id = 1
        expected.isSelected = false
        expected.changes = 0
        #expect(found == expected)
        #expect(found.hidden == "recipe")
        #expect(found.places == ["left": 12])
        #expect(found.code == -1)
      }
    }

    @Test(arguments: StoreKind.everywhere)
    func `M2: a model made by its memberwise initializer comes back`(_ kind: StoreKind) throws {
      try kind.withTestStore(Schema(Ticket.self)) { store in
        var ticket = Ticket.of("one", row: 7)
        ticket.price = 2.5
        ticket.grade = .plain
        ticket.places = ["a": 1]
        ticket.default = true
        ticket.bought = Date(timeIntervalSinceReferenceDate: 9)
        ticket.tags = ["x", "ä"]
        let first = try store.save(ticket)
        var second = Ticket.of("two", row: nil)
        second.next = .to(first)
        let saved = try store.save(second)
        let found = try #require(try store.find(Ticket.self, first.id))
        #expect(found.title == "one")
        #expect(found.price == 2.5)
        #expect(found.grade == .plain)
        #expect(found.places == ["a": 1])
        #expect(found.default)
        #expect(found.row == 7)
        #expect(found.bought == ticket.bought)
        #expect(found.tags == ["x", "ä"])
        #expect(found.changes == 0)
        #expect(found.hidden == ["one!", "[1]"])
        let other = try #require(try store.find(Ticket.self, saved.id))
        #expect(other.next.id == first.id)
        #expect(other.price == nil)
        #expect(other.row == nil)
        #expect(other.grade == .gold)
      }
    }

    @Test(arguments: StoreKind.everywhere)
    func `Q2: made models are asked by closure, key path and name`(_ kind: StoreKind) throws {
      try kind.withTestStore(Schema(Snack.self)) { store in
        for (index, name) in ["Chips", "Toast", "Bread"].enumerated() {
          try store.save(
            Snack(name: name, taste: index == 0 ? nil : "plain", price: Double(index), batch: index)
          )
        }
        let byClosure = try store.fetch(Snack.all.where { $0.price >= 1 && $0.batch < 2 })
        #expect(byClosure.map(\.name) == ["Toast"])
        let byPath = try store.fetch(Snack.all.where(\.taste == nil))
        #expect(byPath.map(\.name) == ["Chips"])
        let sorted = try store.fetch(Snack.all.sorted(by: .descending(\.batch)))
        #expect(sorted.map(\.name) == ["Bread", "Toast", "Chips"])
        try store.update(Snack.all.where { $0.name == "Bread" }) { $0.taste = "sour" }
        #expect(try store.find(Snack.self, 3)?.taste == "sour")
        #expect(throws: StoreError.self) {
          try store.insert(Snack(name: "Chips"))
        }
      }
    }

    @Test(arguments: StoreKind.everywhere)
    func `R2, R4: made graphs are saved, prefetched and led back`(_ kind: StoreKind) throws {
      let schema = try Schema(Team.self, Coach.self, Player.self, League.self)
      try kind.withTestStore(schema) { store in
        // The memberwise initialiser is still there.
        let league = League(id: .init(country: "FR", number: 1), prizeMoney: 12.5)
        var team = Team(name: "Reds", coach: .to(Coach(id: "Ada", years: 3)))
        team.players = [Player(id: 7, name: "Bo"), Player(id: 3, name: "Cy")]
        team.leagues = [league]
        let saved = try store.save(team)
        #expect(saved.id != .unassigned)
        let read = try #require(
          try store.first(Team.all.prefetch(\.coach, \.players, \.leagues)))
        #expect(read.name == "Reds")
        #expect(read.coach.loaded?.years == 3)
        #expect(Set(read.players.loaded?.map(\.id) ?? []) == [3, 7])
        #expect(read.leagues.loaded?.map(\.id) == [.init(country: "FR", number: 1)])
        let player = try #require(try store.find(Player.self, 3))
        #expect(player.team.id == saved.id)
        #expect(try store.count(Player.all.where { $0.team.name == "Reds" }) == 2)
        let first = try #require(try store.find(League.self, .init(country: "FR", number: 1)))
        #expect(first.prizeMoney == 12.5)
        #expect(first.firstWinner.id == nil)
        #expect(first.teams.isLoaded == false)
        var won = first
        won.firstWinner = .key("Ada")
        try store.save(won)
        #expect(try store.count(League.all.where { $0.firstWinner.years == 3 }) == 1)
        #expect(try store.load(won, \.teams).map(\.name) == ["Reds"])
        try store.delete(saved)
        #expect(try store.count(Player.self) == 0)
      }
    }

    @Test(arguments: StoreKind.everywhere)
    func `M1: a final class is a model`(_ kind: StoreKind) throws {
      try kind.withTestStore(Schema(Box.self)) { store in
        try store.save(Box("a", label: "first"))
        let box = try #require(try store.find(Box.self, "a"))
        #expect(box.label == "first")
        #expect(box.opened == 0)
      }
    }

    @Test(arguments: StoreKind.everywhere)
    func `M3: keys of several attributes, and none, go round`(_ kind: StoreKind) throws {
      try kind.withTestStore(Schema(Hall.Booking.self, Hall.Stage.self)) { store in
        let seat = Seat("hall", .max)
        try store.save(Hall.Booking(seat, guest: "Eve"))
        try store.save(Hall.Stage(id: 1, first: .key(seat)))
        #expect(try store.find(Hall.Booking.self, seat) == Hall.Booking(seat, guest: "Eve"))
        #expect(try store.find(Hall.Stage.self, 1)?.first.id == seat)
      }
      try kind.withTestStore(Notes.schema) { store in
        let areSame = try [
          Notes.roundTrip("hello", nil, on: store), Notes.roundTrip("world", 4, on: store),
        ]
        #expect(areSame == [true, true])
      }
    }

    @Test(arguments: StoreKind.everywhere)
    func `5.4: an attribute that starts with a literal takes it where nothing is given`(
      _ kind: StoreKind
    ) throws {
      try kind.withTestStore(Schema(Snack.self)) { store in
        try store.write { transaction in
          try transaction.insert([
            DynamicRow(
              "Snack",
              [
                "name": .string("Nuts"), "size": .string("small"), "batch": .int(2),
                "bought": .date(Date(timeIntervalSince1970: 0)), "places": .json("{}"),
              ])
          ])
        }
        let snack = try #require(try store.find(Snack.self, 1))
        #expect(snack.stock == 3)
        #expect(snack.code == -1)
        #expect(snack.hidden == "s")
        #expect(snack.tags == [])
        #expect(snack.box == .large)
        #expect(snack.default == false)
      }
    }
  }
#endif
