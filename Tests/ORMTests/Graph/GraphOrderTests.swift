import ORMStorage
import StoreDoubles
import Testing

@testable import ORMRows

/// Teams whose players and captains are given by keys in rows, and nodes of a tree.
enum GraphSchema {
  static let team = 0
  static let player = 1
  static let node = 2
  /// The slots, in the order of the layout.
  static let captain = 0
  static let playersTeam = 1
  static let parent = 2

  /// A layout in which a player's team is required, and keys are generated unless said otherwise.
  static func layout(keys: StoredEntity.KeySource = .generated) -> LinkLayout {
    func entity(
      _ name: String, _ columns: [StoredColumn], _ relationships: [RelationshipDescription]
    ) -> StoredEntity {
      StoredEntity(
        name: name, columns: [StoredColumn("id", .int64)] + columns, key: [0], keySource: keys,
        relationships: relationships)
    }
    return LinkLayout(
      StoredSchema(entities: [
        entity(
          "Team",
          [
            StoredColumn("captain_id", .int64, isOptional: true), StoredColumn("name", .string),
          ],
          [
            RelationshipDescription(
              "captain", target: "Player", isToMany: false,
              storage: .own(["captain_id"], position: nil)),
            RelationshipDescription(
              "players", target: "Player", isToMany: true, inverse: "team",
              storage: .target(["team_id"], position: nil)),
          ]),
        entity(
          "Player", [StoredColumn("team_id", .int64)],
          [
            RelationshipDescription(
              "team", target: "Team", isToMany: false, inverse: "players", isRequired: true,
              storage: .own(["team_id"], position: nil))
          ]),
        entity(
          "Node", [StoredColumn("parent_id", .int64, isOptional: true)],
          [
            RelationshipDescription(
              "parent", target: "Node", isToMany: false,
              storage: .own(["parent_id"], position: nil))
          ]),
      ]))
  }

  static func graph(
    keys: StoredEntity.KeySource = .generated, _ policy: GraphPolicy.Kind = .replace
  ) -> RowGraph {
    RowGraph(layout: layout(keys: keys), policy: GraphPolicy(policy, root: "Team"), uuids: nil)
  }
}

extension RowGraph {
  /// Adds a new row of an entity.
  func addNew(_ key: Int64 = 0, to number: Int, name: String = "") throws -> Int {
    let values: [StoredValue] =
      number == GraphSchema.team
      ? [.int(key), .null, .string(name)] : [.int(key), .null]
    return try addRoot(values, demand: .new, key: nil, to: table(number))
  }
}

@Suite("The order in which a graph's new rows are inserted")
struct GraphOrderTests {
  /// The levels as lists of a table's number and a node.
  private func levels(_ graph: RowGraph) throws -> [[[Int]]] {
    try GraphOrder(graph).levels.map { level in
      level.flatMap { group in group.nodes.map { [group.table, $0] } }
    }
  }

  @Test("an owner whose key the store gives comes before its referrers")
  func ownersFirst() throws {
    let graph = GraphSchema.graph()
    let players = try (0..<2).map { _ in try graph.addNew(to: GraphSchema.player) }
    let team = try graph.addNew(to: GraphSchema.team)
    try graph.note(
      players, at: .owner(GraphSchema.playersTeam), of: team)
    #expect(
      try levels(graph)
        == [[[GraphSchema.team, team]], players.map { [GraphSchema.player, $0] }])
  }

  @Test("rows whose owners have their keys are inserted together")
  func givenKeys() throws {
    let graph = GraphSchema.graph(keys: .program)
    let player = try graph.addNew(7, to: GraphSchema.player)
    let team = try graph.addNew(3, to: GraphSchema.team)
    try graph.note([team], at: .referrer(GraphSchema.playersTeam), of: player)
    #expect(
      try levels(graph) == [[[GraphSchema.team, team], [GraphSchema.player, player]]])
  }

  @Test("an optional link gives way where new rows lead to each other")
  func optionalCycle() throws {
    let graph = GraphSchema.graph()
    let team = try graph.addNew(to: GraphSchema.team)
    let player = try graph.addNew(to: GraphSchema.player)
    try graph.note([player], at: .referrer(GraphSchema.captain), of: team)
    try graph.note([player], at: .owner(GraphSchema.playersTeam), of: team)
    #expect(
      try levels(graph) == [[[GraphSchema.team, team]], [[GraphSchema.player, player]]])
  }

  @Test("stored rows have no place in the order")
  func storedRows() throws {
    let graph = GraphSchema.graph()
    let team = graph.add(key: [.int(1)], to: graph.table(GraphSchema.team))
    let player = try graph.addNew(to: GraphSchema.player)
    try graph.note([team], at: .referrer(GraphSchema.playersTeam), of: player)
    #expect(try levels(graph) == [[[GraphSchema.player, player]]])
  }

  @Test("every new row is inserted once, after the owner whose key it needs", arguments: 0..<40)
  func random(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let graph = GraphSchema.graph()
    let nodes = try (0..<12).map { _ in try graph.addNew(to: GraphSchema.node) }
    var owners: [Int: Int] = [:]
    for node in nodes where Bool.random(using: &random) {
      let owner = nodes[Int.random(in: 0..<nodes.count, using: &random)]
      owners[node] = owner
      try graph.note([owner], at: .referrer(GraphSchema.parent), of: node)
    }
    let levels = try GraphOrder(graph).levels.map { $0.flatMap(\.nodes) }
    #expect(levels.flatMap(\.self).sorted() == nodes)
    var level: [Int: Int] = [:]
    for (number, nodes) in levels.enumerated() { for node in nodes { level[node] = number } }
    for (node, owner) in owners {
      // A row of a circle may have to come before its owner.
      var reached = owner
      var steps = 0
      while let next = owners[reached], reached != node, steps < nodes.count {
        reached = next
        steps += 1
      }
      let leadsIntoCircle = steps == nodes.count || reached == node
      if !leadsIntoCircle { #expect(level[owner] ?? 0 < level[node] ?? 0) }
    }
  }
}
