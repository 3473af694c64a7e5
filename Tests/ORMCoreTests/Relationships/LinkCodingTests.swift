import FoundationEssentials
import ORMCore
import Testing

@Suite("Links in JSON")
struct LinkCodingTests {
  private func text(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private func read<Value: Decodable>(_ text: String) throws -> Value {
    try JSONDecoder().decode(Value.self, from: Data(text.utf8))
  }

  @Test("5.8: a link is its key, a composite key an object; what is not loaded is left out")
  func keys() throws {
    let coach = try #require(UUID(uuidString: "5B6B1A1E-0000-4000-8000-000000000001"))
    var team = Team(id: 7, name: "Reds", coach: .key(coach), players: .keys([3, 5]))
    team.leagues = .keys([League.ID(country: "NO", number: 2)])
    let whole =
      #"{"coach":"5B6B1A1E-0000-4000-8000-000000000001","id":7,"#
      + #""leagues":[{"country":"NO","number":2}],"name":"Reds","players":[3,5]}"#
    #expect(try text(team) == whole)
    let copy: Team = try read(whole)
    #expect(copy == team)
    let bare = Team(id: 7, name: "Reds")
    #expect(try text(bare) == #"{"id":7,"name":"Reds"}"#)
    let read: Team = try read(#"{"id":7,"name":"Reds"}"#)
    #expect("\(read.coach) \(read.players)" == "ToOne(not loaded) ToMany(not loaded)")
    let none: Team = try self.read(#"{"coach":null,"id":7,"name":"Reds","players":null}"#)
    #expect("\(none.coach) \(none.players)" == "ToOne(none) ToMany(not loaded)")
    #expect(try text(none) == #"{"coach":null,"id":7,"name":"Reds"}"#)
  }

  @Test("5.8: changes of links that are not loaded go round")
  func changes() throws {
    var team = Team(id: 7, name: "Reds")
    team.players.append(key: 9)
    team.players.remove(key: 4)
    let json =
      #"{"id":7,"name":"Reds","players":{"changes":[{"remove":4},{"append":9}]}}"#
    #expect(try text(team) == json)
    let copy: Team = try read(json)
    #expect(copy == team)
  }

  @Test("a key of another kind is refused")
  func faults() {
    #expect(throws: DecodingError.self) {
      let _: Team = try read(#"{"id":7,"name":"Reds","players":["x"]}"#)
    }
    #expect(throws: DecodingError.self) {
      let _: Team = try read(#"{"id":7,"leagues":[{"country":"NO"}],"name":"Reds"}"#)
    }
  }
}
