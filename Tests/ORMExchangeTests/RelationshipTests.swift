import Foundation
import MemoryBackend
import ORMExchange
import SQLiteBackend
import TestSupport
import Testing

/// Relationships in JSON: objects, keys and counts.
@Suite struct RelationshipTests {
  private let folder = TestFolder(inMemory: true)

  private func stores() throws -> [any Store] {
    let schema = try Schema(Team.self, Player.self)
    return [
      MemoryStore(schema: schema),
      try SQLiteStore(path: folder.file("teams.sqlite"), schema: schema),
    ]
  }

  @Test func nestedObjectsBecomeRowsAndLinks() throws {
    let text = """
      [{"name":"Reds","players":[{"fullName":"Ann"},{"fullName":"Bo"}]},
       {"name":"Blues","players":[]}]
      """
    for store in try stores() {
      let teams = try JSONMapping(Team.self).decode(text)
      try store.save(teams)
      let names = try store.fetch(Player.all.sorted(by: \.fullName)).map(\.fullName)
      #expect(names == ["Ann", "Bo"])
      let reds = try store.fetch(Team.where { $0.name == "Reds" }.prefetch(\.players))
      #expect(reds.first?.players.loaded?.map(\.fullName).sorted() == ["Ann", "Bo"])
      let mapping = JSONMapping(Team.self).nested(
        \.players, with: JSONMapping(Player.self).only(\.fullName))
      #expect(
        try mapping.encode(reds)
          == #"[{"id":1,"name":"Reds","players":[{"fullName":"Ann"},{"fullName":"Bo"}]}]"#)
    }
  }

  @Test func toOnesAreObjectsOrKeys() throws {
    for store in try stores() {
      let blues = try store.save(Team(name: "Blues"))
      let players = try JSONMapping(Player.self).decode(
        """
        [{"fullName":"Ann","team":{"name":"Reds"}},{"fullName":"Bo","team_id":\(blues.id)},
         {"fullName":"Cy","team":\(blues.id)},{"fullName":"Di","team":null},{"fullName":"Ed"}]
        """)
      try store.save(players)
      let stored = try store.fetch(Player.all.sorted(by: \.fullName).prefetch(\.team))
      #expect(stored.map { $0.team.loaded?.name } == ["Reds", "Blues", "Blues", nil, nil])
    }
    let player = Player(fullName: "Ann", team: .key(7))
    #expect(
      try JSONMapping(Player.self).encode(player) == #"{"id":0,"fullName":"Ann","team_id":7}"#)
    #expect(
      try JSONMapping(Player.self).encode(Player(fullName: "Bo")) == #"{"id":0,"fullName":"Bo"}"#)
  }

  @Test func absentLinksLeaveWhatIsStored() throws {
    for store in try stores() {
      let ann = try store.save(Player(fullName: "Ann", team: .to(Team(name: "Reds"))))
      let mapping = JSONMapping(Player.self)
      try store.save(mapping.decode("[{\"id\":\(ann.id),\"fullName\":\"Anna\"}]"))
      #expect(try store.find(Player.self, ann.id)?.team.id == 1)
      try store.save(mapping.decode("[{\"id\":\(ann.id),\"fullName\":\"Anna\",\"team\":null}]"))
      #expect(try store.find(Player.self, ann.id)?.team.id == nil)
    }
  }

  @Test func unlistedMembersStayOnRequest() throws {
    let keep = JSONMapping(Team.self).nested(\.players, missing: .keep)
    for store in try stores() {
      let team = try store.save(Team(name: "Reds", players: [Player(fullName: "Ann")]))
      let text = "[{\"id\":\(team.id),\"name\":\"Reds\",\"players\":[{\"fullName\":\"Bo\"}]}]"
      try store.save(keep.decode(text))
      #expect(try store.count(Player.where { $0.team.id == team.id }) == 2)
      try store.save(JSONMapping(Team.self).decode(text.replacing("Bo", with: "Cy")))
      #expect(try store.count(Player.where { $0.team.id == team.id }) == 1)
      #expect(try store.count(Player.all) == 3)
    }
  }

  @Test func keysAndCounts() throws {
    let mapping = JSONMapping(Team.self, names: .snakeCase)
      .keys(\.players, from: "player_ids", as: .number()).count(\.players, as: "player_count")
    let team = try mapping.decodeOne(#"{"name":"Reds","player_ids":[3,"5"],"player_count":2}"#)
    #expect(team.players.ids == [3, 5])
    #expect(
      try mapping.encode(team) == #"{"id":0,"name":"Reds","player_ids":[3,5],"player_count":2}"#)
    let counted = try JSONMapping(Team.self).decodeOne(#"{"name":"Reds","players":12}"#)
    #expect(counted.players.ids == nil)
    let paths = JSONMapping(Team.self).keys(\.players, from: "squad[*].id", when: .reading)
    #expect(
      try paths.decodeOne(#"{"name":"x","squad":[{"id":1},{},{"id":2}]}"#).players.ids == [1, 2])
  }

  @Test func linkedObjectsNeedOnlyTheirKeys() throws {
    let mapping = JSONMapping(Player.self).nested(\.team, from: "club", as: .link)
    let player = try mapping.decodeOne(#"{"fullName":"Ann","club":{"id":4,"colour":"red"}}"#)
    #expect(player.team.id == 4)
    #expect(!player.team.isLoaded)
    let error = storeError { _ = try mapping.decodeOne(#"{"fullName":"Ann","club":{"x":4}}"#) }
    #expect(error?.message.contains("the object has no key of Team") == true)
  }

  @Test func listsOfTargetsHaveTheFormOfTheirMapping() throws {
    let one = JSONMapping(Team.self)
      .nested(\.players, with: JSONMapping(Player.self).oneOrMany())
    let team = try one.decodeOne(#"{"name":"Reds","players":{"fullName":"Ann"}}"#)
    #expect(team.players.loaded?.map(\.fullName) == ["Ann"])
    let keyed = JSONMapping(Team.self)
      .nested(\.players, with: JSONMapping(Player.self).keyed(\.fullName))
    let text = #"{"id":0,"name":"Reds","players":{"Ann":{"id":1},"Bo":{"id":2}}}"#
    let other = try keyed.decodeOne(text)
    #expect(other.players.loaded?.map(\.fullName) == ["Ann", "Bo"])
    #expect(try keyed.encode(other) == text)
    #expect(
      storeError {
        _ = try JSONMapping(Team.self).decodeOne(#"{"name":"x","players":{"fullName":"a"}}"#)
      }?.code == .invalidImport)
  }

  @Test func recursiveModelsNestAsDeepAsTheText() throws {
    let text = """
      {"id":1,"name":"a","children":[{"id":2,"name":"b","children":[{"id":3,"name":"c"}]}]}
      """
    let folder = try JSONMapping(Folder.self).decodeOne(text)
    #expect(folder.children.loaded?.first?.children.loaded?.first?.name == "c")
    let mapping = JSONMapping(Folder.self).leaveOut(\.parent)
    let whole = JSONMapping(Folder.self).leaveOut(\.parent)
      .nested(\.children, with: mapping.nested(\.children, with: mapping))
    #expect(try whole.encode(folder) == text)
  }

  @Test func cyclesEndAsKeys() throws {
    let schema = try Schema(Team.self, Player.self)
    let store = MemoryStore(schema: schema)
    try store.save(Team(name: "Reds", players: [Player(fullName: "Ann")]))
    let teams = try store.fetch(Team.all.prefetch(\.players) { $0.prefetch(\.team) })
    let player = JSONMapping(Player.self).nested(\.team)
    let mapping = JSONMapping(Team.self).nested(\.players, with: player)
    #expect(
      try mapping.encode(teams)
        == #"[{"id":1,"name":"Reds","players":[{"id":1,"fullName":"Ann","team":1}]}]"#)
  }

  @Test func coderOfFoundationWritesKeysAsPlainValues() throws {
    let team = Team(id: 1, name: "Reds", players: .keys([3, 5]))
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let data = try encoder.encode(team)
    #expect(String(decoding: data, as: UTF8.self) == #"{"id":1,"name":"Reds","players":[3,5]}"#)
    let mapped = try JSONMapping(Team.self).keys(\.players).encode(team)
    #expect(try JSONDecoder().decode(Team.self, from: Data(mapped.utf8)) == team)
    #expect(try JSONMapping(Team.self).decode(data) == [team])
  }
}
