import ORMCore
import Testing

@testable import OrderedEngine

/// Counts of related rows that are less or greater than the row around, where an index has them in
/// that order.
@Suite struct BoundedCountTests {
  private static let player = StoredEntity(
    name: "player",
    columns: [
      StoredColumn("id", .int64), StoredColumn("team", .int64, isOptional: true),
      StoredColumn("age", .int64, isOptional: true), StoredColumn("mark", .double),
    ], key: [0], indexes: [StoredIndex("byAge", [.init(1), .init(2)])])

  /// Players 0 to 119 of teams 0 to 2 and of none, of ages 0 to 36 and of none; what they are
  /// marked with lies between the ages.
  private struct Player {
    var team: Int?
    var age: Int?
    var mark: Double

    init(_ number: Int) {
      if number % 4 != 3 { team = number % 4 }
      if number % 10 != 9 { age = number * 7 % 37 }
      mark = Double(number * 11 % 40) - 0.5
    }

    func row(_ number: Int) -> [StoredValue] {
      let numbers: [Int?] = [number, team, age]
      let values = numbers.map { $0.map { StoredValue.int(Int64($0)) } ?? .null }
      return values + [.double(mark)]
    }
  }

  private static let players = (0..<120).map { Player($0) }

  private static func mates(
    _ comparator: ORMCore.Comparator, _ name: String, isAround: Bool = false
  ) -> Operand {
    let rows = RelatedRows([
      .init(entity: "player", scope: 1, links: [.init("team", equals: .init(["team"], scope: 0))])
    ])
    let age = Operand.path(.init(["age"], scope: 1))
    let other = Operand.path(.init([name], scope: 0))
    let bound =
      isAround
      ? Condition.compare(other, comparator.swapped, age, [])
      : Condition.compare(age, comparator, other, [])
    return .relatedAggregate(.count, nil, rows, bound)
  }

  /// The number of players of a player's team whose age compares so.
  private static func count(_ number: Int, _ holds: (Double, Double) -> Bool, _ name: String) -> Int
  {
    let player = players[number]
    guard let team = player.team,
      let bound = name == "age" ? player.age.map(Double.init) : player.mark
    else { return 0 }
    return players.count { $0.team == team && $0.age.map { holds(Double($0), bound) } == true }
  }

  @Test(arguments: TestedMap.allCases)
  func rangesOfAnIndexAreCounted(_ map: TestedMap) throws {
    try map.withStore(StoredSchema(entities: [Self.player])) { store in
      let rows = Self.players.indices.map { Self.players[$0].row($0) }
      try store.put(rows, into: "player")
      let tests: [(ORMCore.Comparator, (Double, Double) -> Bool)] = [
        (.less, { $0 < $1 }), (.lessOrEqual, { $0 <= $1 }), (.greater, { $0 > $1 }),
        (.greaterOrEqual, { $0 >= $1 }),
      ]
      try store.inReader { reader in
        for (comparator, holds) in tests {
          for name in ["age", "mark"] {
            for isAround in [false, true] {
              let request = FetchRequest(
                entity: "player", output: .values([.attribute("id")]),
                condition: .compare(
                  Self.mates(comparator, name, isAround: isAround), .less, .value(.int(3)), []))
              let keys = Self.players.indices.filter { Self.count($0, holds, name) < 3 }
              let expected = keys.map { [StoredValue.int(Int64($0))] }
              let found = try reader.rows(request)
              #expect(found == expected, "\(comparator) \(name)")
              // Each player, and three entries at most.
              let read = try reader.explain(request, analyze: true).rowsRead ?? Int.max
              #expect(read <= 4 * Self.players.count, "\(comparator) \(name)")
            }
          }
        }
        // The number itself, of which nothing is left out.
        let values = try reader.rows(
          FetchRequest(entity: "player", output: .values([Self.mates(.greater, "age")])))
        let counts = Self.players.indices.map { number in
          [StoredValue.int(Int64(Self.count(number, { $0 > $1 }, "age")))]
        }
        #expect(values == counts)
      }
    }
  }
}
