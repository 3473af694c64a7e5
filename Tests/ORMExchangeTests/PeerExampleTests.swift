import Foundation
import ORMExchange
import Testing

/// The features that users of other mappers know, each as a case: the mapping of ours, JSON, and what
/// comes of it.
@Suite struct PeerExampleTests {
  private struct Case: Sendable, CustomTestStringConvertible {
    let feature: String
    let mapping: JSONMapping<Snack>
    let text: String
    /// The models, as JSON of the standard mapping.
    let models: [Snack]

    init(_ feature: String, _ mapping: JSONMapping<Snack>, _ text: String, _ models: [Snack]) {
      (self.feature, self.mapping, self.text, self.models) = (feature, mapping, text, models)
    }

    var testDescription: String { feature }
  }

  private static let plain = JSONMapping(Snack.self)

  private static let cases: [Case] = [
    Case(
      "YYModel: a custom property mapper with a key path",
      plain.field(\.name, from: "n").field(\.stock, from: "ext.count"),
      #"{"n":"Chips","ext":{"count":3}}"#, [Snack(name: "Chips", stock: 3)]),
    Case(
      "YYModel: several keys for one property",
      plain.field(\.id, from: "id", "ID", "snack_id"),
      #"[{"name":"a","ID":1},{"name":"b","snack_id":2},{"name":"c","id":3,"ID":4}]"#,
      [Snack(id: 1, name: "a"), Snack(id: 2, name: "b"), Snack(id: 3, name: "c")]),
    Case(
      "YYModel: a black list", plain.leaveOut(\.price, \.stock),
      #"{"name":"a","price":"junk","stock":{}}"#, [Snack(name: "a")]),
    Case(
      "YYModel: a white list", plain.only(\.name, \.price),
      #"{"name":"a","price":2,"stock":"junk"}"#, [Snack(name: "a", price: 2)]),
    Case(
      "YYModel: numbers and texts converted on request",
      plain.field(\.name, as: .textOrScalar).field(\.stock, as: .number())
        .field(\.isVegan, as: .boolean()),
      #"{"name":7,"stock":"12","isVegan":"yes"}"#, [Snack(name: "7", stock: 12, isVegan: true)]),
    Case(
      "YYModel: a transformation before, and a check after",
      plain.before { json in
        json["name"] = json["name"].isNull ? "none" : json["name"]
        return .keep
      }.after { snack, _ in snack.stock < 0 ? .skip : .keep },
      #"[{"stock":1},{"name":"b","stock":-1}]"#, [Snack(name: "none", stock: 1)]),
    Case(
      "Mantle: a key path to a nested member, and a date transformer",
      plain.field(\.name, from: "user.login").field(\.added, as: .date(.iso8601)),
      #"{"user":{"login":"ann"},"added":"2001-01-01T00:00:00Z"}"#,
      [Snack(name: "ann", added: Date(timeIntervalSinceReferenceDate: 0))]),
    Case(
      "Mantle: a mapping of words to values",
      plain.field(\.taste, as: .cases(["open": "salty", "closed": "sweet"])),
      #"{"name":"a","taste":"closed"}"#, [Snack(name: "a", taste: "sweet")]),
    Case(
      "Mantle: null is nil, and a missing member keeps the default", plain,
      #"{"name":"a","taste":null}"#, [Snack(name: "a", taste: nil, price: 0)]),
    Case(
      "ObjectMapper: nested keys, keys with dots, elements of arrays",
      plain.field(\.name, from: "distance.text").field(\.stock, from: #"com\.example\.count"#)
        .field(\.price, from: "prices[0].value"),
      #"{"distance":{"text":"far"},"com.example.count":2,"prices":[{"value":1.5}]}"#,
      [Snack(name: "far", price: 1.5, stock: 2)]),
    Case(
      "ObjectMapper: dates as seconds since 1970",
      plain.field(\.added, as: .date(.seconds)),
      #"{"name":"a","added":978307200}"#,
      [Snack(name: "a", added: Date(timeIntervalSinceReferenceDate: 0))]),
    Case(
      "ObjectMapper: a transform of one's own",
      plain.field(
        \.stock,
        as: .custom("dozens", read: { $0.integer.map { Int($0) * 12 } }, write: { _ in 0 })),
      #"{"name":"a","stock":2}"#, [Snack(name: "a", stock: 24)]),
    Case(
      "MagicalRecord: an attribute by several names, with a date format",
      plain.field(\.name, from: "title", "info.name")
        .field(\.added, as: .date(.pattern("yyyy/MM/dd"))),
      #"{"info":{"name":"a"},"added":"2001/01/02"}"#,
      [Snack(name: "a", added: Date(timeIntervalSinceReferenceDate: 86_400))]),
    Case(
      "MagicalRecord: records that should not be imported",
      plain.before { json in json["hidden"] == true ? .skip : .keep },
      #"[{"name":"a","hidden":true},{"name":"b"}]"#, [Snack(name: "b")]),
  ]

  @Test(arguments: cases) private func featureOfAnotherMapper(_ example: Case) throws {
    #expect(try example.mapping.decode(example.text) == example.models)
  }

  @Test func modelsOfContainersHaveMappingsOfTheirOwn() throws {
    // YYModel's classes of containers and Mantle's array transformers: ours are in the types.
    let player = JSONMapping(Player.self).field(\.fullName, from: "n")
    let mapping = JSONMapping(Team.self).nested(\.players, from: "squad.list", with: player)
    let team = try mapping.decodeOne(#"{"name":"Reds","squad":{"list":[{"n":"Ann"},{"n":"Bo"}]}}"#)
    #expect(team.players.loaded?.map(\.fullName) == ["Ann", "Bo"])
  }

  @Test func flatMembersFillNestedParts() throws {
    // Asked for in ibireme/YYModel#26 and #171.
    let mapping = JSONMapping(Customer.self)
      .field(\.home.street, from: "street").field(\.home.city, from: "city")
    let customer = try mapping.decodeOne(#"{"name":"Ann","street":"A","city":"B"}"#)
    #expect(customer.home == Address(street: "A", city: "B"))
    let json = try mapping.json(of: customer)
    #expect(json["street"] == "A")
    #expect(json["home"].isNull)
  }

  @Test func keysOfLinksUseTheMappingToo() throws {
    // MagicalRecord's linkedByAttribute, for keys: records that name each other.
    let mapping = JSONMapping(Folder.self).key(\.parent, from: "up.id")
    let folders = try mapping.decode(#"[{"id":1,"name":"a"},{"id":2,"name":"b","up":{"id":1}}]"#)
    #expect(folders.map(\.parent.id) == [nil, 1])
    #expect(folders[0].parent.isLoaded == false)
  }
}
