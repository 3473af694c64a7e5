import Foundation
import ORMStorage
import Testing

@testable import ORMRows

@Suite("The rows and links of a graph")
struct RowGraphTests {
  private func code(_ body: () throws -> Void) -> StoreError.Code? {
    do { try body() } catch let error as StoreError { return error.code } catch {}
    return nil
  }

  @Test("of two rows with one key the later counts, and a new one must be alone")
  func twoRoots() throws {
    let graph = GraphSchema.graph(keys: .program)
    let table = graph.table(GraphSchema.team)
    func add(_ name: String, _ demand: GraphNode.Demand) throws -> Int {
      try graph.addRoot(
        [.int(1), .null, .string(name)], demand: demand, key: nil, to: table)
    }
    #expect(try add("Reds", .none) == add("Blues", .none))
    #expect(table.nodes.map(\.values) == [[.int(1), .null, .string("Blues")]])
    #expect(code { _ = try add("Greens", .new) } == .duplicate)
  }

  @Test("an object that is reached twice must be the same")
  func reachedTwice() throws {
    let graph = GraphSchema.graph(keys: .program)
    let table = graph.table(GraphSchema.team)
    let named = graph.add(key: [.int(1)], to: table)
    #expect(!table.nodes[named].isWhole)
    let reds: [StoredValue] = [.int(1), .null, .string("Reds")]
    #expect(try graph.addLinked(reds, to: table) == named)
    // The key of a captain is a link, which is no attribute.
    #expect(try graph.addLinked([.int(1), .int(5), .string("Reds")], to: table) == named)
    #expect(
      code { _ = try graph.addLinked([.int(1), .null, .string("Blues")], to: table) }
        == .conflictingLinks)
  }

  @Test("a referrer has one owner, and an owner one list")
  func conflicts() throws {
    let graph = GraphSchema.graph()
    let teams = try (0..<2).map { _ in try graph.addNew(to: GraphSchema.team) }
    let players = try (0..<2).map { _ in try graph.addNew(to: GraphSchema.player) }
    let end = LinkEnd.owner(GraphSchema.playersTeam)
    try graph.note([players[0], players[0]], at: end, of: teams[0])
    #expect(graph.slots[GraphSchema.playersTeam]?.sets == [teams[0]: [players[0]]])
    #expect(code { try graph.note([players[1]], at: end, of: teams[0]) } == .conflictingLinks)
    #expect(code { try graph.note([players[0]], at: end, of: teams[1]) } == .conflictingLinks)
    #expect(code { try graph.link(players[0], to: teams[1], at: end) } == .conflictingLinks)
  }

  @Test("a to-one that was set to nil frees its row, unless nil keeps the stored value")
  func freed() throws {
    for (policy, isFreed) in [(GraphPolicy.Kind.replace, true), (.skippingNil, false)] {
      let graph = GraphSchema.graph(policy)
      let node = try graph.addNew(to: GraphSchema.node)
      try graph.note([], at: .referrer(GraphSchema.parent), of: node)
      let claim = graph.slots[GraphSchema.parent]?.claim(on: node)
      #expect(claim.map { $0 == nil } == (isFreed ? true : nil))
    }
  }

  @Test("a policy of names writes the columns of its attributes and of its to-ones")
  func columns() {
    let entity = GraphSchema.layout().entities[GraphSchema.team]
    let player = GraphSchema.layout().entities[GraphSchema.player]
    let policy = GraphPolicy(.only(["captain", "players"]), root: "Team")
    #expect(policy.updatedColumns(of: entity) == [1])
    #expect(policy.insertedColumns(of: entity) == [1])
    #expect(policy.updatedColumns(of: player) == [])
    #expect(policy.insertedColumns(of: player) == nil)
    #expect(policy.follows("players", of: "Team") && !policy.follows("coach", of: "Team"))
    #expect(GraphPolicy(.insertOnly, root: "Team").updatedColumns(of: entity) == [])
    #expect(GraphPolicy(.skippingNil, root: "Team").updatedColumns(of: entity) == nil)
  }
}

@Suite("The rows that a delete concerns")
struct DeletionSetTests {
  private func set() -> DeletionSet {
    let entity = StoredEntity(
      name: "Pair",
      columns: [
        StoredColumn("a", .int64), StoredColumn("text", .string), StoredColumn("b", .int64),
        StoredColumn("gone", .date, isOptional: true, role: .deletedAt),
      ], key: [2, 0])
    return DeletionSet(EntityRules(entity))
  }

  @Test("a row is there once, with the worst action on it")
  func actions() {
    var set = set()
    #expect(set.columns == [2, 0, 3])
    let first: [StoredValue] = [.int(1), .int(2), .null]
    let second: [StoredValue] = [.int(1), .int(3), .null]
    let areNews = [
      set.insert(first, .hidden), set.insert(first, .hidden), set.insert(second, .deleted),
      set.insert(second, .hidden), set.insert(first, .deleted),
    ]
    #expect(areNews == [true, false, true, false, true])
    #expect(set.all == [first, second])
    #expect(set.rows(.hidden).isEmpty && set.rows(.deleted) == [first, second])
    #expect(set.keys(.deleted).map(\.keys) == [[[.int(1), .int(2)], [.int(1), .int(3)]]])
  }

  @Test("a key is known with an action, or with one that is worse")
  func known() {
    var set = set()
    _ = set.insert([.int(1), .int(2), .null], .hidden)
    #expect(set.contains([.int(1), .int(2)]))
    #expect(!set.contains([.int(1), .int(2)], .deleted))
    #expect(!set.contains([.int(2), .int(1)]))
  }

  @Test("the values of columns that were read, and the time at which a row was hidden")
  func values() {
    let set = set()
    let row: [StoredValue] = [.int(1), .int(2), .date(.distantPast)]
    #expect(set.values([0, 2], of: row) == [.int(2), .int(1)])
    #expect(set.timestamp(of: row) == .date(.distantPast))
    #expect(set.timestamp(of: [.int(1), .int(2), .null]) == nil)
  }
}
