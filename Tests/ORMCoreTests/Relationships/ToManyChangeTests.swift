import Foundation
import ORMCore
import Testing

/// Changes of a to-many on the value, without a store.
@Suite struct ToManyChangeTests {
  @Test func `5.8: nothing is set at first, and a literal sets`() {
    #expect(ToMany<Player>().ids == nil)
    #expect(ToMany<Player>() == .notLoaded)
    #expect(ToOne<Team>().isLoaded == false)
    let none: ToMany<Player> = []
    #expect(none.ids == [])
    #expect(none != ToMany())
  }

  @Test func `5.8: members of links that were set are changed in the list`() {
    var players: ToMany<Player> = [Player(id: 1, age: 20)]
    players.append(key: 2)
    players.append(contentsOf: [Player(id: 3, age: 30), Player(id: 4, age: 40)])
    players.insert(key: 3, at: 0)
    players.insert(Player(id: 5, age: 50), at: 99)
    players.insert(key: 6, at: -1)
    players.remove(key: 2)
    players.remove(Player(id: 9, age: 1))
    #expect(players.ids == [6, 3, 1, 4, 5])
  }

  @Test func `5.8: changes of links that were not loaded are told apart by their keys`() {
    func changed(_ body: (inout ToMany<Player>) -> Void) -> ToMany<Player> {
      var players = ToMany<Player>()
      body(&players)
      return players
    }
    let one = changed { $0.append(key: 1) }
    #expect(one == changed { $0.append(Player(id: 1, age: 3)) })
    #expect(one.hashValue == changed { $0.append(Player(id: 1, age: 3)) }.hashValue)
    #expect(one != ToMany())
    #expect(one != .keys([1]))
    #expect(one != changed { $0.append(key: 2) })
    #expect(one != changed { $0.remove(key: 1) })
    #expect(one != changed { $0.insert(key: 1, at: 0) })
    #expect(changed { $0.insert(key: 1, at: 0) } != changed { $0.insert(key: 1, at: 1) })
    // A later change of a target replaces an earlier one.
    #expect(
      changed {
        $0.append(key: 1)
        $0.remove(key: 1)
      } == changed { $0.remove(key: 1) })
    #expect(
      changed {
        $0.remove(key: 2)
        $0.insert(key: 2, at: 3)
        $0.insert(key: 2, at: 0)
      } == changed { $0.insert(key: 2, at: 0) })
    #expect("\(one)" == "ToMany(not loaded, changes: 1)")
  }

  @Test func `5.8: changes go round through JSON`() throws {
    func roundTrip(_ players: ToMany<Player>) throws -> ToMany<Player> {
      let data = try JSONEncoder().encode([players])
      return try JSONDecoder().decode([ToMany<Player>].self, from: data)[0]
    }
    var players = ToMany<Player>()
    #expect(try roundTrip(players) == players)
    players.append(key: 4)
    players.insert(key: 7, at: 2)
    players.remove(key: 9)
    players.remove(key: 3)
    players.append(key: 3)
    #expect(try roundTrip(players) == players)
    #expect(try roundTrip([]) == [])
    #expect(try roundTrip(.keys([5, 2])) == .keys([5, 2]))
  }
}
