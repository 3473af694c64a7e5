import Foundation
import ORMExchange
import Testing

/// Filling existing objects, and null, absence and values as three states (clause 12.2).
@Suite struct UpdateTests {
  private let chips = Snack(id: 1, name: "Chips", taste: "salty", price: 2, stock: 5, tags: ["a"])

  @Test func absentKeepsNullClearsAndValuesReplace() throws {
    var snack = chips
    try snack.update(from: #"{"price": 3, "taste": null}"#)
    #expect(snack == Snack(id: 1, name: "Chips", taste: nil, price: 3, stock: 5, tags: ["a"]))
    try snack.update(from: "{}")
    #expect(snack.price == 3)
    try snack.update(from: ["tags": ["b", "c"], "taste": "hot"] as JSONValue)
    #expect(snack.tags == ["b", "c"])
    #expect(snack.taste == "hot")
  }

  @Test func failedUpdatesChangeNothing() throws {
    var snack = chips
    let error = storeError { try snack.update(from: #"{"price": 3, "stock": "x", "name": null}"#) }
    #expect(error?.failures.compactMap(\.attributes.first) == ["stock", "name"])
    #expect(snack == chips)
  }

  @Test func propertiesThatAreNotStoredStay() throws {
    var customer = Customer(
      id: 1, name: "Ann", home: Address(street: "A", city: "B"), work: nil, isSelected: true)
    try customer.update(from: #"{"home": {"city": "C"}, "work": {"street": "D"}}"#)
    #expect(customer.isSelected)
    #expect(customer.home == Address(street: "A", city: "C"))
    #expect(customer.work == Address(street: "D", city: nil))
    try customer.update(from: #"{"work": {"city": "E"}}"#)
    #expect(customer.work == Address(street: "D", city: "E"))
    try customer.update(from: #"{"work": null}"#)
    #expect(customer.work == nil)
    let error = storeError { try customer.update(from: #"{"work": {"city": "E"}}"#) }
    #expect(error?.attributes == ["work.street"])
  }

  @Test func rulesOfAbsenceAndNull() throws {
    let mapping = JSONMapping(Snack.self)
      .field(\.taste, onNull: .keep, onAbsent: .setNil)
      .field(\.price, onNull: .useDefault, onAbsent: .useDefault)
      .field(\.stock, onNull: .refuse, onAbsent: .refuse)
    var snack = chips
    try mapping.update(&snack, from: #"{"stock": 1, "taste": null, "price": null}"#)
    #expect(snack.taste == "salty")
    #expect(snack.price == 0)
    snack.price = 4
    try mapping.update(&snack, from: #"{"stock": 1}"#)
    #expect(snack.taste == nil)
    #expect(snack.price == 0)
    #expect(storeError { try mapping.update(&snack, from: "{}") }?.attributes == ["stock"])
    let refused = storeError { try mapping.update(&snack, from: #"{"stock": null}"#) }
    #expect(refused?.attributes == ["stock"])
  }

  @Test func linksAreThreeStatesToo() throws {
    let mapping = JSONMapping(Player.self)
    var player = Player(id: 1, fullName: "Ann", team: .key(3))
    try mapping.update(&player, from: #"{"fullName": "Bo"}"#)
    #expect(player.team.id == 3)
    try mapping.update(&player, from: #"{"team_id": 4}"#)
    #expect(player.team.id == 4)
    try mapping.update(&player, from: #"{"team": {"name": "Reds"}}"#)
    #expect(player.team.loaded?.name == "Reds")
    try mapping.update(&player, from: #"{"team": null}"#)
    #expect(player.team.isLoaded)
    #expect(player.team.id == nil)
    #expect(player.fullName == "Bo")
  }

  @Test func objectsOfClassesAreChangedThemselves() throws {
    let note = Note(id: 1, text: "a", isRead: false)
    var same = note
    try JSONMapping(Note.self).update(&same, from: #"{"isRead": true}"#)
    #expect(same === note)
    #expect(note.isRead)
    let copy = try Mapper.copy(of: note)
    #expect(copy !== note)
    #expect(copy.text == "a")
  }

  @Test func modelsAreComparedByAttributesAndLinks() throws {
    var other = chips
    #expect(try Mapper.differences(chips, other).isEmpty)
    other.price = 9
    other.tags = []
    #expect(try Mapper.differences(chips, other) == ["price", "tags"])
    let ann = Player(id: 1, fullName: "Ann", team: .key(1))
    let bo = Player(id: 1, fullName: "Ann", team: .key(2))
    #expect(try Mapper.differences(ann, bo) == ["team"])
    var reds = Team(id: 1, name: "Reds")
    reds.players.append(key: 1)
    #expect(try Mapper.differences(reds, reds).isEmpty)
    #expect(try Mapper.differences(reds, Team(id: 1, name: "Reds")) == ["players"])
  }
}

/// A model that is a class.
final class Note: PrimaryKeyed, @unchecked Sendable {
  // Used by one test alone, on its thread: no lock.
  var id: Int64
  var text: String
  var isRead: Bool

  init(id: Int64, text: String, isRead: Bool) {
    (self.id, self.text, self.isRead) = (id, text, isRead)
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    (id, text, isRead) = (try row[0], try row[1], try row[2])
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(text, at: 1)
    try row.write(isRead, at: 2)
  }

  static let entity = Entity<Note>("Note") {
    .key("id", \.id)
      .attribute("text", \.text)
      .attribute("isRead", \.isRead)
  }
}
