import ORM
import ORMMigrations
import Testing

/// Conditions that a schema keeps, of entities that the program of a plan does not declare.
@Suite struct FormatRenamingTests {
  private static func schema(
    _ points: String, _ score: String, _ members: String, rules: [String],
    templates: [QueryTemplate]
  ) throws -> Schema {
    try Schema(
      entities: [
        EntityDescription(
          name: "Team",
          attributes: [.init("id", .int64), .init(score, .int64), .init("name", .string)],
          key: ["id"],
          relationships: [
            RelationshipDescription(
              members, target: "Player", isToMany: true, inverse: "team",
              storage: .target(["team_id"], position: nil))
          ],
          templates: templates,
          rules: rules.enumerated().map {
            ValidationRule("r\($0.offset)", attributes: [score], format: $0.element, message: "no")
          }),
        EntityDescription(
          name: "Player",
          attributes: [
            .init("id", .int64), .init(points, .int64), .init("team_id", .int64, isOptional: true),
          ], key: ["id"], indexes: [IndexDescription(["team_id"])],
          relationships: [
            RelationshipDescription(
              "team", target: "Team", isToMany: false, inverse: members,
              storage: .own(["team_id"], position: nil))
          ]),
      ])
  }

  @Test("10.5: rules and templates that no program declares follow renames along their paths")
  func follow() throws {
    let old = try Self.schema(
      "points", "score", "players", rules: ["score >= 0 AND name != \"score\"", "name != \"\""],
      templates: [
        QueryTemplate("any", "ANY players.points > $MIN", order: "-score, name[c]"),
        QueryTemplate(
          "count", "SUBQUERY(players, $p, $p.points > $p.team.score).@count > 2 AND score IN {1, 2}"
        ),
        QueryTemplate("sum", "players.@sum.points + score > 3", order: "name"),
        QueryTemplate("of players", "points > 0 AND team.score == 1", target: "Player"),
      ])
    let steps: [MigrationStep] = [
      .renameAttribute("points", to: "goals", in: "Player"),
      .renameRelationship("players", to: "members", in: "Team"),
      .renameAttribute("score", to: "total", in: "Team"), .renameEntity("Team", to: "Club"),
    ]
    let declared = try Schema(
      entities: [EntityDescription(name: "Other", attributes: [.init("id", .int64)], key: ["id"])],
      version: 2)
    let outcome = try MigrationPlan([.version(2, steps)]).outcome(
      from: old.stored, to: declared.stored)
    let club = try #require(outcome.entity(named: "Club"))
    #expect(club.rules.map(\.attributes) == [["total"], ["total"]])
    #expect(club.rules[1].format == "name != \"\"", "as it was written")
    let expected = [
      "total >= 0 AND name != \"score\"", "ANY members.goals > $MIN",
      "SUBQUERY(members, $p, $p.goals > $p.team.total).@count > 2 AND total IN {1, 2}",
      "members.@sum.goals + total > 3", "goals > 0 AND team.total == 1",
    ]
    let found = [club.rules[0].format] + club.templates.compactMap(\.format)
    for ((found, expected), entity) in zip(
      zip(found, expected), ["Club", "Club", "Club", "Club", "Player"])
    {
      let both = try [found, expected].map {
        try DynamicQuery(entity, in: outcome, where: $0).condition
      }
      #expect(both[0] == both[1], "\(found)")
    }
    #expect(club.templates.map(\.order) == ["total descending, name[c]", nil, "name", nil])
  }
}
