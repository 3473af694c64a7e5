import ORMExchange
import Testing

/// Closures around reading and writing, and kinds of records.
@Suite struct HookTests {
  @Test func recordsAreSkippedAndChangedBefore() throws {
    let mapping = JSONMapping(Snack.self).before { json in
      if json["name"] == "" { return .skip }
      json["price"] = json["price"].isNull ? 1 : json["price"]
      return .keep
    }
    let snacks = try mapping.decode(#"[{"name":""},{"name":"a"},{"name":"b","price":2}]"#)
    #expect(snacks == [Snack(name: "a", price: 1), Snack(name: "b", price: 2)])
  }

  @Test func modelsAreCompletedAfter() throws {
    let mapping = JSONMapping(Snack.self).after { snack, json in
      snack.stock = json["shelves"].elements?.count ?? 0
      return snack.stock == 0 ? .skip : .keep
    }
    let snacks = try mapping.decode(#"[{"name":"a","shelves":[1,2]},{"name":"b"}]"#)
    #expect(snacks == [Snack(name: "a", stock: 2)])
  }

  @Test func failuresOfHooksAreFaults() {
    struct Broken: Error {}
    let failing = JSONMapping(Snack.self).after { _, _ in .fail("too old") }
    let error = storeError { _ = try failing.decode(#"[{"name":"a"}]"#) }
    #expect(error?.message == "[0] (line 1, column 2, byte 1): too old")
    let throwing = JSONMapping(Snack.self).before { _ in throw Broken() }
    #expect(
      storeError { _ = try throwing.decode(#"[{"name":"a"}]"#) }?.message.contains("Broken") == true
    )
  }

  @Test func faultsOfChangedRecordsNameTheRecord() {
    let mapping = JSONMapping(Snack.self).before { json in
      json["price"] = "x"
      return .keep
    }
    let error = storeError { _ = try mapping.decode(#"[{"name":"a"}]"#) }
    #expect(error?.message.hasPrefix("[0].price (line 1, column 2, byte 1): expected") == true)
  }

  @Test func hooksRunForNestedObjects() throws {
    let player = JSONMapping(Player.self)
      .before { json in json["fullName"] == "" ? .skip : .keep }
      .after { player, _ in
        player.fullName = player.fullName.uppercased()
        return .keep
      }
    let mapping = JSONMapping(Team.self).nested(\.players, with: player)
    let team = try mapping.decodeOne(
      #"{"name":"Reds","players":[{"fullName":"Ann"},{"fullName":""},{"fullName":"Bo"}]}"#)
    #expect(team.players.loaded?.map(\.fullName) == ["ANN", "BO"])
  }

  @Test func writtenJSONIsChanged() throws {
    let mapping = JSONMapping(Snack.self).only(\.name).afterWriting { json, snack in
      json["label"] = .string("\(snack.name)!")
    }
    #expect(try mapping.encode([Snack(name: "a")]) == #"[{"name":"a","label":"a!"}]"#)
  }

  @Test func kindsOfRecords() throws {
    let text = #"[{"type":"hot","name":"a"},{"type":"cold","name":"b"},{"name":"c"}]"#
    let hot = JSONMapping(Snack.self).only(\.name)
    #expect(try hot.kind(in: "type", "hot", otherwise: .skip).decode(text).map(\.name) == ["a"])
    #expect(try hot.kind(in: "type", "hot", otherwise: .keep).decode(text).count == 3)
    let error = storeError { _ = try hot.kind(in: "type", "hot", "warm").decode(text) }
    #expect(error?.message.contains("expected the kind hot or warm") == true)
    #expect(
      try hot.kind(in: "type", "hot").encode(Snack(name: "a")) == #"{"name":"a","type":"hot"}"#)
  }
}
