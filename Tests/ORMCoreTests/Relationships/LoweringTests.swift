import ORMCore
import Testing

@Suite("Relationships in requests, lowered")
struct LoweringTests {
  private let schema: StoredSchema

  init() throws {
    schema = try Schema(Team.self, Coach.self, Player.self, League.self).stored
  }

  private func lowering(
    _ entity: String, _ options: StoreOptions = StoreOptions()
  ) throws -> RequestLowering {
    RequestLowering(
      entity: try #require(schema.entity(named: entity)), schema: schema, options: options)
  }

  private func request(
    _ entity: String, _ condition: Condition = .constant(true), order: [SortTerm] = [],
    output: FetchShape.Output = .rows, start: QueryCursor? = nil
  ) throws -> FetchRequest {
    try lowering(entity).request(
      output: output, condition: condition, order: order, paging: .all, start: start)
  }

  private func lowered(
    _ entity: String, _ condition: Condition, in other: StoredSchema? = nil
  ) throws -> Condition {
    let schema = other ?? self.schema
    var check = ConditionCheck(
      entity: try #require(schema.entity(named: entity)), schema: schema,
      limits: ConditionLimits())
    return try check.checked(condition)
  }

  private func lowered(_ entity: String, _ operand: Operand) throws -> Operand {
    var check = ConditionCheck(
      entity: try #require(schema.entity(named: entity)), schema: schema,
      limits: ConditionLimits())
    return try check.checked(operand)
  }

  private func path(_ names: String..., scope: Int = 0) -> Operand {
    .path(.init(names, scope: scope))
  }

  private func elements(_ names: String..., of outer: Int = 0, as scope: Int) -> Elements {
    Elements(.init(names, scope: outer), scope: scope)
  }

  private func isOver(_ age: Int64, scope: Int) -> Condition {
    .compare(path("age", scope: scope), .greater, .value(.int(age)), [])
  }

  @Test("2.8: a path through a to-one is a value of the only target; the key is beside the row")
  func toOne() throws {
    #expect(
      try lowered("Player", path("team", "name"))
        == .relatedValue(
          path("name", scope: 1),
          RelatedRows([
            .init(entity: "Team", scope: 1, links: [.init("id", equals: .init(["team_id"]))])
          ])))
    #expect(
      "\(try lowered("Player", path("team", "coach", "name")))"
        == "($s2.name OF Team ON id == team_id JOIN Coach ON team_id == $s1.id)")
    #expect("\(try lowered("Player", path("team")))" == "team_id")
    #expect("\(try lowered("Player", path("team", "id")))" == "team_id")
    #expect("\(try lowered("Player", path("team_id")))" == "team_id")
    #expect(
      "\(try lowered("Team", path("coach", "name")))" == "($s1.name OF Coach ON team_id == id)")
  }

  @Test("2.9: a to-one whose target is always there is compared by the column of its link")
  func lastingLinks() throws {
    func text(_ left: Operand, _ comparator: Comparator, _ right: Operand) throws -> String {
      "\(try lowered("Player", .compare(left, comparator, right, [])))"
    }
    for names in [path("team"), path("team", "id")] {
      #expect(try text(names, .equal, .value(.int(7))) == "team_id == 7")
      #expect(try text(.value(.int(7)), .notEqual, names) == "7 != team_id")
      #expect(try text(names, .equal, .value(.null)) == "team_id == nil")
      #expect(try text(names, .notEqual, .value(.null)) == "team_id != nil")
      #expect(
        "\(try lowered("Player", .isIn(names, list: .value(.array([.int(7), .null])), [])))"
          == "team_id IN {7, nil}")
    }
  }

  @Test("2.9: a comparison of a to-one that rules leave behind asks that the target is there")
  func links() throws {
    var left = schema
    let team = try #require(left.entities.firstIndex { $0.modelName == "Team" })
    let players = try #require(
      left.entities[team].relationships.firstIndex { $0.name == "players" })
    left.entities[team].relationships[players].deleteRule = .noAction
    let isNil = Condition.compare(path("team"), .equal, .value(.null), [])
    let exists = "SUBQUERY(Team ON id == team_id, $s1, TRUEPREDICATE).@count > 0"
    #expect("\(try lowered("Player", isNil, in: left))" == "NOT \(exists)")
    #expect(
      "\(try lowered("Player", .compare(path("team"), .notEqual, .value(.null), []), in: left))"
        == "NOT NOT \(exists)")
    for names in [path("team"), path("team", "id")] {
      #expect(
        "\(try lowered("Player", .compare(names, .equal, .value(.int(7)), []), in: left))"
          == "team_id == 7 AND \(exists)")
      #expect(
        "\(try lowered("Player", .compare(.value(.int(7)), .notEqual, names, []), in: left))"
          == "NOT (team_id == 7 AND \(exists))")
    }
    #expect(
      "\(try lowered("Player", .compare(path("team", "id"), .equal, .value(.null), []), in: left))"
        == "($s1.id OF Team ON id == team_id) == nil")
    #expect(
      "\(try lowered("Player", .compare(path("team", "coach"), .equal, .value(.null), []), in: left))"
        == """
        NOT SUBQUERY(Team ON id == team_id JOIN Coach ON team_id == $s1.id, $s2, \
        TRUEPREDICATE).@count > 0
        """)
  }

  @Test("2.7: some of a to-many are rows that exist; scopes are numbered as they come")
  func some() throws {
    #expect(
      "\(try lowered("Team", .some(elements("players", as: 9), isOver(30, scope: 9))))"
        == "SUBQUERY(Player ON team_id == id, $s1, $s1.age > 30).@count > 0")
    let outer = Condition.some(
      elements("leagues", as: 2),
      .some(
        elements("teams", of: 2, as: 1),
        .compare(path("name", scope: 1), .equal, path("name"), [])))
    #expect(
      "\(try lowered("Team", outer))"
        == """
        SUBQUERY(League_teams ON teams_id == id \
        JOIN League ON country == $s1.League_country AND number == $s1.League_number, $s2, \
        SUBQUERY(League_teams ON League_country == $s2.country AND League_number == $s2.number \
        JOIN Team ON id == $s3.teams_id, $s4, $s4.name == name).@count > 0).@count > 0
        """)
  }

  @Test("2.7: several hops flatten; aggregates are of the elements that satisfy a condition")
  func aggregates() throws {
    #expect(
      "\(try lowered("League", .ofElements(.count, nil, elements("teams", "players", as: 1), isOver(30, scope: 1))))"
        == """
        SUBQUERY(League_teams ON League_country == country AND League_number == number \
        JOIN Team ON id == $s1.teams_id JOIN Player ON team_id == $s2.id, $s3, \
        $s3.age > 30).@count
        """)
    let sum = Operand.ofElements(
      .sum, path("age", scope: 1), elements("players", as: 1), .constant(true))
    #expect(
      "\(try lowered("Team", .compare(sum, .greater, .value(.int(3)), [])))"
        == "SUBQUERY(Player ON team_id == id, $s1, TRUEPREDICATE).@sum($s1.age) > 3")
    #expect(
      "\(try lowered("Player", .ofElements(.maximum, path("age", scope: 4), elements("team", "players", as: 4), .constant(true))))"
        == """
        SUBQUERY(Team ON id == team_id JOIN Player ON team_id == $s1.id, $s2, \
        TRUEPREDICATE).@maximum($s2.age)
        """)
  }

  @Test("orders, outputs and cursors go through relationships; every scope is its own")
  func requests() throws {
    let count = Operand.ofElements(.count, nil, elements("players", as: 1), .constant(true))
    let order = [SortTerm(path("coach", "name")), SortTerm(count, isDescending: true)]
    let request = try request(
      "Team", .some(elements("players", as: 1), isOver(30, scope: 1)), order: order,
      output: .values([count]))
    #expect(
      request.shape.sort.map(\.description) == [
        "($s2.name OF Coach ON team_id == id)",
        "SUBQUERY(Player ON team_id == id, $s3, TRUEPREDICATE).@count descending",
        "id descending",
      ])
    guard case .values(let values) = request.shape.output else {
      Issue.record("no values")
      return
    }
    #expect(
      values.map(\.description) == [
        "SUBQUERY(Player ON team_id == id, $s4, TRUEPREDICATE).@count"
      ])
    let cursor = QueryCursor(
      sort: SortTerm.total(order, entity: try #require(schema.entity(named: "Team"))),
      values: [.string("a"), .int(2), .int(1)])
    _ = try self.request("Team", order: order, start: cursor)
  }

  @Test("7.4: what leads nowhere names entity and relationship")
  func faults() throws {
    func fault(_ entity: String, _ condition: Condition) -> StoreError? {
      #expect(throws: StoreError.self) { try lowered(entity, condition) }
    }
    func equal(_ operand: Operand) -> Condition {
      .compare(operand, .equal, .value(.string("a")), [])
    }
    let toMany = fault("Team", equal(path("players", "age")))
    #expect(toMany?.code == .invalidCondition)
    #expect(toMany?.entity == "Team")
    #expect(toMany?.attributes == ["players"])
    #expect(fault("Team", equal(path("players")))?.code == .invalidCondition)
    let unknown = fault("Player", equal(path("team", "nick")))
    #expect(unknown?.code == .unknownAttribute)
    #expect(unknown?.entity == "Team")
    #expect(unknown?.attributes == ["nick"])
    let hop = fault("Player", equal(path("team", "boss", "name")))
    #expect(hop?.code == .unknownAttribute)
    #expect(hop?.entity == "Team")
    #expect(hop?.attributes == ["boss"])
    #expect(fault("Player", equal(path("age", "name")))?.code == .invalidCondition)
    #expect(fault("Player", equal(path("age", scope: 3)))?.code == .invalidCondition)
    #expect(fault("Player", equal(path("team", "id")))?.code == .invalidCondition)
    #expect(
      fault("Player", .some(elements("team", as: 1), .constant(true)))?.code == .invalidCondition)
    #expect(
      fault("Team", .some(elements("fans", as: 1), .constant(true)))?.code == .unknownAttribute)
    let inner = Condition.some(elements("players", as: 1), isOver(3, scope: 2))
    #expect(fault("Team", inner)?.code == .invalidCondition)
    let twice = Condition.some(
      elements("players", as: 1), .some(elements("players", as: 1), .constant(true)))
    #expect(fault("Team", twice)?.code == .invalidCondition)
  }

  @Test("7.1: hops and inner conditions count for the depth")
  func depth() throws {
    var options = StoreOptions()
    options.conditionLimits.depth = 3
    func fits(_ entity: String, _ condition: Condition) throws -> Bool {
      do {
        _ = try lowering(entity, options).request(
          condition: condition, order: [], paging: .all, start: nil)
        return true
      } catch let error as StoreError where error.code == .tooComplex {
        return false
      }
    }
    func named(_ operand: Operand) -> Condition {
      .compare(operand, .equal, .value(.string("a")), [])
    }
    #expect(try fits("Player", named(path("team", "name"))))
    #expect(try !fits("Player", named(path("team", "coach", "name"))))
    #expect(try fits("Team", .some(elements("players", as: 1), isOver(3, scope: 1))))
    #expect(try !fits("Team", .not(.some(elements("players", as: 1), isOver(3, scope: 1)))))
  }

  @Test("what was lowered is checked again, and stays")
  func again() throws {
    let condition = Condition.some(
      elements("leagues", as: 2),
      .compare(path("number", scope: 2), .greater, path("coach", "name"), []))
    var check = ConditionCheck(
      entity: try #require(schema.entity(named: "Team")), schema: schema,
      limits: ConditionLimits())
    #expect(throws: StoreError.self) { try check.checked(condition) }
    let fitting = Condition.some(
      elements("leagues", as: 2),
      .compare(path("country", scope: 2), .greater, path("coach", "name"), []))
    let once = try lowered("Team", fitting)
    #expect(try lowered("Team", once) == once)
    let rows = RelatedRows([
      .init(entity: "Player", scope: 1, links: [.init("team_id", equals: .init(["id"]))])
    ])
    #expect(throws: StoreError.self) {
      try lowered("Team", .relatedValue(path("age", scope: 1), rows))
    }
  }

  @Test("kinds of what goes through relationships")
  func kinds() throws {
    let team = try #require(schema.entity(named: "Team"))
    let average = Operand.ofElements(
      .average, path("age", scope: 1), elements("players", as: 1), .constant(true))
    #expect(try team.kind(of: average, schema: schema) == .double)
    #expect(try team.kind(of: path("coach", "name"), schema: schema) == .string)
  }
}
