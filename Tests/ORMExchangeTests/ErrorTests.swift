import Foundation
import ORMExchange
import Testing

/// Faults of records, by path and position.
@Suite struct ErrorTests {
  private func failure(
    _ text: String, at path: String = "", _ mapping: JSONMapping<Snack> = Snack.json
  ) -> StoreError? {
    storeError { _ = try mapping.decode(text, at: path) }
  }

  @Test func faultsNamePathPositionAndKinds() {
    let mapping = JSONMapping(Snack.self).field(\.price, from: "price.amount")
    let text = """
      {"data": {"items": [
        {"name": "a", "price": {"amount": 1}},
        {"name": "ü", "price": {"amount": "secret"}}
      ]}}
      """
    let error = failure(text, at: "data.items", mapping)
    #expect(error?.code == .invalidImport)
    #expect(error?.entity == "Snack")
    #expect(error?.attributes == ["price"])
    // The second record begins after two lines of 21 and 41 bytes; `ü` is two of them.
    #expect(
      error?.message
        == "data.items[1].price.amount (line 3, column 37, byte 99): "
        + "expected a number that a double holds, found a string")
    #expect(error?.description.contains("secret") == false)
  }

  @Test func allFaultsOfARecordCome() {
    let error = failure(#"[{"name":"a"},{"price":"x","stock":1.5,"tags":[1]}]"#)
    #expect(error?.failures.map(\.attributes) == [["price"], ["stock"], ["tags"], ["name"]])
    #expect(error?.message == "[1] (line 1, column 15, byte 14): the record has 4 faults")
    #expect(
      error?.failures.last?.message
        == "[1].name (line 1, column 15, byte 14): expected a string, found nothing")
  }

  @Test func faultsOfNestedObjectsHaveTheirPaths() {
    let text = #"{"name":"Reds","players":[{"fullName":"a"},{"fullName":3},{}]}"#
    let error = storeError { _ = try JSONMapping(Team.self).decode(text) }
    #expect(
      error?.failures.map { $0.message.prefix { $0 != " " } }
        == ["players[1].fullName", "players[2].fullName"])
    #expect(error?.failures.map(\.entity) == ["Player", "Player"])
  }

  @Test func valuesThatAModelRefusesAreFaults() {
    let error = storeError {
      _ = try JSONMapping(Sample.self).decode(#"[{"id":1,"info":{},"size":"huge"}]"#)
    }
    #expect(error?.code == .invalidImport)
    #expect(error?.attributes == ["size"])
    #expect(error?.message.hasPrefix("[0].size (line 1, column 27, byte 26): ") == true)
    #expect(error?.message.contains("huge") == false)
  }

  @Test func strictMappingsRefuseUnknownAndRepeatedMembers() {
    let strict = JSONMapping(Snack.self, unknown: .refuse).field(\.price, from: "p.a")
    #expect(failure(#"{"name":"a","p":{"a":1}}"#, strict) == nil)
    #expect(failure(#"{"name":"a","x":1}"#, strict)?.message.hasPrefix("x (line 1") == true)
    #expect(failure(#"{"name":"a","p":{"a":1,"b":2}}"#, strict)?.message.hasPrefix("p.b ") == true)
    #expect(failure(#"{"name":"a","name":"b"}"#, strict)?.message.contains("twice") == true)
  }

  private func failure(_ text: String, _ mapping: JSONMapping<Snack>) -> StoreError? {
    failure(text, at: "", mapping)
  }

  @Test func valuesFromProgramsHaveAPathAndNoPosition() {
    let error = storeError { _ = try Snack.json.decode([["name": 1]] as JSONValue) }
    #expect(error?.message == "[0].name: expected a string, found a number")
  }

  @Test func missingAttributesThatAreNotReadNeedADefault() {
    let mapping = JSONMapping(Snack.self).only(\.price)
    #expect(failure(#"{"price":1}"#, mapping)?.message.contains("give it a default") == true)
  }

  @Test func oneRecordIsExpected() {
    #expect(storeError { _ = try Snack.json.decodeOne("[]") }?.code == .invalidImport)
    let two = #"[{"name":"a"},{"name":"b"}]"#
    #expect(storeError { _ = try Snack.json.decodeOne(two) }?.code == .invalidImport)
    #expect(
      failure("3")?.message
        == "the top (line 1, column 1, byte 0): expected an object, found a number")
  }
}
