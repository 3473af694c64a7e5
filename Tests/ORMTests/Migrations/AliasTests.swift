import ORM
import ORMMigrations
import Testing

/// Renames that keep the old name for programs of the version before, without data.
@Suite struct AliasTests {
  private func schema(_ version: Int, _ attributes: String...) throws -> StoredSchema {
    let entity = EntityDescription(
      name: "Snack", attributes: [.init("id", .int64)] + attributes.map { .init($0, .double) },
      key: ["id"])
    return try Schema(entities: [entity], version: version).stored
  }

  private let rename = MigrationStep.renameAttribute(
    "price", to: "cost", in: "Snack", alias: true)

  @Test("10.10: the check admits programs of the version before, until the next version")
  func rolling() throws {
    let plan = MigrationPlan([
      .version(2, [rename]), .version(3, [.set("cost", in: "Snack", to: "cost * 2")]),
    ])
    var check = try plan.checkRolling(from: try schema(1, "price"), to: try schema(2, "cost"))
    #expect(check.programs.map(\.access) == [.writing])
    #expect(check.programs.map(\.reasons) == [[]])
    check = try plan.checkRolling(from: try schema(1, "price"), to: try schema(3, "cost"))
    #expect(check.programs.map(\.access) == [.none, .writing])
    #expect(
      check.programs.map(\.reasons) == [["version 3: the aliases of version 2 end"], []])
    // Also where the version after the plan's has no steps.
    check = try plan.checkRolling(from: try schema(1, "price"), to: try schema(4, "cost"))
    #expect(check.programs.map(\.access) == [.none, .writing, .writing])
    // A second rename without an alias.
    let other = MigrationPlan([
      .version(2, [rename, .renameAttribute("size", to: "weight", in: "Snack")])
    ])
    check = try other.checkRolling(
      from: try schema(1, "price", "size"), to: try schema(2, "cost", "weight"))
    #expect(check.programs.map(\.access) == [.none])
    #expect(
      check.programs.map(\.reasons)
        == [["version 2, step 2 (rename Snack.size to weight): neither reads nor writes"]])
    // A limit of the plan still counts.
    let narrow = MigrationPlan([.version(2, compatible: .reading(since: 1), [rename])])
    check = try narrow.checkRolling(from: try schema(1, "price"), to: try schema(2, "cost"))
    #expect(check.programs.map(\.access) == [.reading])
  }

  @Test("10.5: a schema keeps the names before, and says so")
  func kept() throws {
    let plan = MigrationPlan([
      .version(2, [rename, .renameEntity("Snack", to: "Treat", alias: true)])
    ])
    let declared = try Schema(
      entities: [
        EntityDescription(
          name: "Treat", attributes: [.init("id", .int64), .init("cost", .double)], key: ["id"])
      ], version: 2
    ).stored
    let kept = try plan.outcome(from: try schema(1, "price"), to: declared)
    #expect(
      kept.aliases == [
        SchemaAlias(name: "price", of: "cost", in: "Treat", version: 2),
        SchemaAlias(name: "Snack", in: "Treat", version: 2),
      ])
    #expect(
      kept.description.hasSuffix(
        "\n\nalias: Treat.cost was price before version 2\nalias: Treat was Snack before version 2")
    )
  }

  @Test("plans with aliases are written as JSON and as Swift, and those without as before")
  func text() throws {
    let plan = MigrationPlan([
      .version(
        2,
        [
          rename, .renameEntity("Snack", to: "Treat", alias: true),
          .renameRelationship("maker", to: "brand", in: "Treat", alias: true),
          .renameAttribute("size", to: "weight", in: "Treat"),
        ])
    ])
    let json = try JSONCoding.encode(plan)
    let read = try JSONCoding.decode(MigrationPlan.self, from: json)
    #expect(try JSONCoding.encode(read) == json)
    #expect(json.ranges(of: "\"alias\":true").count == 3)
    #expect(
      read.versions[0].steps.map(\.description) == [
        "rename Snack.price to cost, with an alias", "rename Snack to Treat, with an alias",
        "rename Treat.maker to brand, with an alias", "rename Treat.size to weight",
      ])
    let difference = try SchemaDifference(
      from: try schema(1, "price"), to: try schema(2, "cost"), after: [rename])
    #expect(
      difference.swiftPlan.contains(
        ".renameAttribute(\"price\", to: \"cost\", in: \"Snack\", alias: true),"))
    #expect(difference.changes.isEmpty)
  }

  @Test("10.11: a rename with an alias is undone by a rename")
  func inverse() throws {
    let back = try MigrationPlan([.version(2, [rename])]).inverse(from: 2, to: 1)
    #expect(back.versions.flatMap(\.steps).map(\.description) == ["rename Snack.cost to price"])
  }
}
