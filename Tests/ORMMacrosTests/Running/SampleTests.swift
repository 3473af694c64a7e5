#if Macros
  internal import Foundation
  internal import ORM
  internal import Testing

  /// The models of a small program do what the guides say of them.
  @Suite struct SampleTests {
    @Test func `M2: a model by the macro is the model by hand`() throws {
      #expect(
        try Schema(Sample.Snack.self).stored == Schema(SampleByHand.Snack.self).stored)
    }

    @Test(arguments: StoreKind.everywhere)
    func `M2: what a small program does with its models works`(_ kind: StoreKind) throws {
      let schema = try Schema(
        Sample.Snack.self, Sample.Enrolment.self, Sample.Stall.self, Sample.Team.self,
        Sample.Coach.self, Sample.Player.self, Sample.League.self)
      try kind.withTestStore(schema) { store in
        let chips = try store.save(Sample.Snack(name: "Chips", price: 2.5))
        let cheap = try store.fetch(
          Sample.Snack.all.where { $0.price < 3 && $0.name.beginsWith("C") })
        #expect(cheap.map(\.id) == [chips.id])
        var team = Sample.Team(name: "Reds")
        team.players = [Sample.Player(name: "Bo"), Sample.Player(name: "Cy", age: 31)]
        let saved = try store.save(team)
        #expect(saved.playerCount == 2)
        let found = try store.fetch(
          Sample.Team.all.where { t in t.players.any { $0.age > 30 } && t.playerCount > 1 })
        #expect(found.map(\.name) == ["Reds"])
        try expectFailure(.validationFailed, "Stall") {
          try store.save(Sample.Stall(name: "fruit", opens: 9, closes: 9))
        }
        #expect(try store.save(Sample.Stall(name: "fruit")).version == 1)
      }
    }
  }
#endif
