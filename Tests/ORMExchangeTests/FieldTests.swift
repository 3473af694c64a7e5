import Foundation
import ORMExchange
import Testing

/// Members of flat objects: names, paths, lists of names, and what is left out (clause 12.1).
@Suite struct FieldTests {
  @Test func standardMappingReadsAndWritesEveryAttributeByItsName() throws {
    let text = """
      {"id":7,"name":"Chips","taste":null,"price":2.5,"stock":3,"isVegan":true,\
      "tags":["a","b"],"added":"2024-05-01T10:30:00Z"}
      """
    let snack = try Snack.json.decodeOne(text)
    let expected = Snack(
      id: 7, name: "Chips", taste: nil, price: 2.5, stock: 3, isVegan: true, tags: ["a", "b"],
      added: Date(timeIntervalSince1970: 1_714_559_400))
    #expect(snack == expected)
    #expect(try Snack.json.encode(snack) == text)
  }

  @Test func absentMembersHaveDefaults() throws {
    let snack = try Snack.json.decodeOne(#"{"name": "Chips"}"#)
    #expect(snack == Snack(name: "Chips"))
  }

  @Test func namesFollowAStrategy() throws {
    let mapping = JSONMapping(Snack.self, names: .snakeCase).only(\.isVegan, \.name)
    #expect(try mapping.decodeOne(#"{"is_vegan": true, "name": "x"}"#).isVegan)
    #expect(
      try mapping.encode(Snack(name: "x", isVegan: true)) == #"{"name":"x","is_vegan":true}"#)
  }

  @Test func firstSourceWithAValueCounts() throws {
    let mapping = JSONMapping(Snack.self).only(\.name).field(
      \.name, from: "title", "info.name", "n")
    #expect(try mapping.decodeOne(#"{"n": "c", "title": "a", "info": {"name": "b"}}"#).name == "a")
    #expect(try mapping.decodeOne(#"{"n": "c", "info": {"name": "b"}}"#).name == "b")
    #expect(try mapping.decodeOne(#"{"n": "c", "title": null}"#).name == "c")
    #expect(try mapping.encode(Snack(name: "x")) == #"{"title":"x"}"#)
  }

  @Test func pathsLeadIntoObjectsAndArrays() throws {
    let mapping = JSONMapping(Snack.self)
      .only(\.name, \.price, \.stock)
      .field(\.name, from: "info.names[1].text")
      .field(\.price, from: "info.price.amount")
      .field(\.stock, from: #"a\.b"#)
    let text = #"{"info":{"names":[null,{"text":"Chips"}],"price":{"amount":2.5}},"a.b":4}"#
    let snack = try mapping.decodeOne(text)
    #expect(snack == Snack(name: "Chips", price: 2.5, stock: 4))
    #expect(try mapping.encode(snack) == text)
  }

  @Test func oneValueOutOfEachElement() throws {
    let mapping = JSONMapping(Snack.self).only(\.name, \.tags).field(\.tags, from: "labels[*].name")
    let text = #"{"name":"x","labels":[{"name":"a"},{"name":"b"}]}"#
    #expect(try mapping.decodeOne(text).tags == ["a", "b"])
    #expect(try mapping.encode(Snack(name: "x", tags: ["a", "b"])) == text)
    #expect(try mapping.decodeOne(#"{"name":"x","labels":[{"id":1},{"name":"b"}]}"#).tags == ["b"])
  }

  @Test func listsOfPropertiesHoldADirection() throws {
    let mapping = JSONMapping(Snack.self)
      .leaveOut(\.stock, when: .reading).only(\.name, \.stock, when: .writing)
    let snack = try mapping.decodeOne(#"{"name": "x", "stock": 9, "price": 2}"#)
    #expect(snack == Snack(name: "x", price: 2))
    #expect(try mapping.encode(Snack(name: "x", price: 2, stock: 9)) == #"{"name":"x","stock":9}"#)
  }

  @Test func nullsCanBeLeftOut() throws {
    let mapping = JSONMapping(Customer.self).leavingOutNulls()
    let customer = Customer(name: "Ann", home: Address(street: "A", city: nil), work: nil)
    #expect(try mapping.encode(customer) == #"{"id":0,"name":"Ann","home":{"street":"A"}}"#)
  }

  @Test func lastOfSeveralMembersWithOneNameCounts() throws {
    #expect(try Snack.json.decodeOne(#"{"name":"a","name":"b"}"#).name == "b")
    let mapping = JSONMapping(Snack.self).field(\.price, from: "p.a").field(\.stock, from: "p.b")
    let snack = try mapping.decodeOne(#"{"name":"x","p":{"a":1,"b":2},"p":{"b":3}}"#)
    #expect(snack.price == 0)
    #expect(snack.stock == 3)
  }

  @Test func namesAndTextsAreReadWithTheirEscapes() throws {
    let snack = try Snack.json.decodeOne(#"{"n\u0061me":"\u00e9\ud83d\ude00\n\"\\","taste":"ü"}"#)
    #expect(snack.name == "é😀\n\"\\")
    #expect(snack.taste == "ü")
  }

  @Test func embeddedStructsAreObjects() throws {
    let text = """
      {"id":1,"name":"Ann","home":{"street":"A","city":"B"},"work":{"street":"C","city":null}}
      """
    let customer = try Customer.json.decodeOne(text)
    #expect(customer.home == Address(street: "A", city: "B"))
    #expect(customer.work == Address(street: "C", city: nil))
    #expect(try Customer.json.encode(customer) == text)
    let other = try Customer.json.decodeOne(#"{"name":"B","home":{"street":"A"},"work":null}"#)
    #expect(other.work == nil)
    let absent = try Customer.json.decodeOne(#"{"name":"B","home":{"street":"A"}}"#)
    #expect(absent.work == nil)
  }

  @Test func flatMembersFillEmbeddedStructs() throws {
    let mapping = JSONMapping(Customer.self)
      .field(\.home.city, from: "city").field(\.work!.street, from: "office")
      .field(\.home, from: "address")
    let customer = try mapping.decodeOne(
      #"{"name":"Ann","city":"B","office":"C","address":{"street":"A"}}"#)
    #expect(customer.home == Address(street: "A", city: "B"))
    #expect(customer.work == Address(street: "C", city: nil))
    #expect(try mapping.decodeOne(#"{"name":"x","address":{"street":"A"}}"#).work == nil)
  }

  @Test func listsComeAsOneObjectOrByName() throws {
    #expect(try Snack.json.decode(#"{"name":"a"}"#).map(\.name) == ["a"])
    #expect(try Snack.json.decode("[]").isEmpty)
    let keyed = JSONMapping(Snack.self).only(\.name, \.stock).keyed(\.name)
    let text = #"{"a":{"stock":1},"b":{"stock":2}}"#
    let snacks = try keyed.decode(text)
    #expect(snacks == [Snack(name: "a", stock: 1), Snack(name: "b", stock: 2)])
    #expect(try keyed.encode(snacks) == text)
  }

  @Test func modelsMayLieAnywhereInAText() throws {
    let text = #"{"meta":{"n":2},"data":{"items":[{"name":"a"},{"name":"b"}]},"more":[1]}"#
    #expect(try Snack.json.decode(text, at: "data.items").map(\.name) == ["a", "b"])
    #expect(try Snack.json.decode(text, at: "data.items[*]").map(\.name) == ["a", "b"])
    #expect(try Snack.json.decodeOne(text, at: "data.items[1]").name == "b")
    let nested = #"[{"s":[{"name":"a"}]},{"s":[{"name":"b"},{"name":"c"}]}]"#
    #expect(try Snack.json.decode(nested, at: "[*].s").map(\.name) == ["a", "b", "c"])
    #expect(storeError { _ = try Snack.json.decode(text, at: "data.x") }?.code == .invalidImport)
    let twice = #"{"data":[{"name":"a"}],"data":[{"name":"b"}]}"#
    #expect(storeError { _ = try Snack.json.decode(twice, at: "data") }?.code == .invalidImport)
  }

  @Test func dataAndValuesAreReadLikeTexts() throws {
    let text = #"[{"name":"é"}]"#
    #expect(try Snack.json.decode(Data(text.utf8)).map(\.name) == ["é"])
    #expect(try Snack.json.decode(Data([0xEF, 0xBB, 0xBF] + Array(text.utf8))).count == 1)
    let json: JSONValue = [["name": "é", "price": 1.5]]
    #expect(try Snack.json.decode(json) == [Snack(name: "é", price: 1.5)])
    #expect(try Snack.json.json(of: Snack(name: "é"))["name"] == "é")
  }
}
