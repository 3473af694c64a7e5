import ORM
import ORMMigrations
import Testing

/// The differences of two schemas, the steps between them, and renames as questions.
@Suite struct SchemaDifferenceTests {
  private static func entity(
    _ name: String, _ attributes: [AttributeDescription], unique: String? = nil,
    relationships: [RelationshipDescription] = [], parent: String? = nil
  ) -> EntityDescription {
    EntityDescription(
      name: name,
      attributes: [AttributeDescription("id", .int64)] + attributes, key: ["id"],
      keySource: .program,
      indexes: unique.map { [IndexDescription([.init($0)], isUnique: true)] } ?? [],
      relationships: relationships, parent: parent)
  }

  private static func schema(_ version: Int?, _ entities: EntityDescription...) throws -> Schema {
    try Schema(entities: entities, version: version)
  }

  private static func snacks() throws -> (Schema, Schema) {
    let before = try schema(
      1,
      entity(
        "Snack",
        [
          .init("flavour", .string, isOptional: true), .init("price", .double),
          .init("stock", .int64, isOptional: true), .init("weight", .double, isOptional: true),
        ]), entity("Draft", [.init("text", .string)]))
    let after = try schema(
      2,
      entity(
        "Snack",
        [
          .init("taste", .string, isOptional: true), .init("price", .decimal),
          .init("stock", .int64), .init("grade", .int64),
        ], unique: "stock"), entity("Crate", [.init("size", .int64), .init("height", .int64)]))
    return (before, after)
  }

  @Test("10.3: differences, steps and questions for a person")
  func text() throws {
    let (before, after) = try Self.snacks()
    let difference = SchemaDifference(from: before.stored, to: after.stored)
    #expect(
      "\(difference)" == """
        version: 1 → 2

        Snack
          - flavour: string?
          - weight: double?
          + taste: string?
          + grade: int64
          ~ price: double → decimal
          ~ stock: optional → required
          + unique: stock (rows that agree in stock stop the opening; see removeDuplicates)
        + Crate
        - Draft

        steps:
          drop weight of Snack (its values are lost)
          add Snack.grade, int64 (the default for rows that are there is a guess)
          make Snack.price decimal (values that do not fit stop the migration, unless by: or \
        onFailure: says more)
          make Snack.stock required (rows where it is nil stop the migration, unless default: is set)
          drop Draft (its rows are lost)

        questions:
          Was Snack.flavour renamed to taste (14 % alike)?
          if not: drop flavour of Snack (its values are lost)
        """)
    #expect("\(SchemaDifference(from: after.stored, to: after.stored))" == "no differences")
  }

  @Test("10.3: the plan in Swift, which leads to the schema")
  func swift() throws {
    let (before, after) = try Self.snacks()
    let difference = SchemaDifference(from: before.stored, to: after.stored)
    #expect(
      difference.swiftPlan == """
        let plan = MigrationPlan([
          .version(2, [
            // Was Snack.flavour renamed to taste (14 % alike)? Then:
            // .renameAttribute("flavour", to: "taste", in: "Snack"),
            // If Snack.flavour is not renamed:
            // (its values are lost)
            // .dropAttributes(["flavour"], in: "Snack"),
            // Check Snack.weight: its values are lost.
            .dropAttributes(["weight"], in: "Snack"),
            // Check Snack.grade: the default for rows that are there is a guess.
            .addAttribute("grade", .int64, in: "Snack", default: .int(0)),
            // Check Snack.price: values that do not fit stop the migration, unless by: or \
        onFailure: says more.
            .changeType(of: "price", to: .decimal, in: "Snack"),
            // Check Snack.stock: rows where it is nil stop the migration, unless default: is set.
            .makeRequired("stock", in: "Snack"),
            // Snack, unique stock: rows that agree in stock stop the opening; see removeDuplicates.
            // Check Draft: its rows are lost.
            .dropEntity("Draft"),
          ])
        ])
        """)
    let pasted = MigrationPlan([
      .version(
        2,
        [
          .dropAttributes(["weight"], in: "Snack"),
          .addAttribute("grade", .int64, in: "Snack", default: .int(0)),
          .changeType(of: "price", to: .decimal, in: "Snack"),
          .makeRequired("stock", in: "Snack"),
          .dropEntity("Draft"),
        ])
    ])
    let made = MigrationPlan([.version(2, difference.steps)])
    #expect(try JSONCoding.encode(made) == JSONCoding.encode(pasted))
    let outcome = try made.outcome(from: before.stored, to: after.stored)
    #expect(outcome.entities.map(\.name) == ["Snack"])
    #expect(
      outcome["Snack"]?.columns.map(\.name) == ["id", "flavour", "price", "stock", "grade"])
  }

  @Test("10.3: an answer becomes a step, and nothing is asked again")
  func answer() throws {
    let (before, after) = try Self.snacks()
    let difference = try SchemaDifference(
      from: before.stored, to: after.stored,
      after: [.renameAttribute("flavour", to: "taste", in: "Snack")])
    #expect(difference.questions.isEmpty)
    #expect(difference.steps.first?.description == "rename Snack.flavour to taste")
    #expect(difference.steps.count == 6)
    let plan = MigrationPlan([.version(2, difference.steps)])
    let outcome = try plan.outcome(from: before.stored, to: after.stored)
    #expect(outcome["Snack"]?.columns.map(\.name) == ["id", "taste", "price", "stock", "grade"])
    #expect {
      try SchemaDifference(
        from: before.stored, to: after.stored, after: [.renameEntity("Cake", to: "Snack")])
    } throws: {
      ($0 as? StoreError)?.code == .invalidPlan
    }
  }

  @Test("Candidates are of one type and ranked by likeness; case and underscores do not count")
  func candidates() throws {
    let before = try Self.schema(
      nil, Self.entity("T", [.init("first_name", .string), .init("n", .int64)]))
    let after = try Self.schema(
      nil,
      Self.entity(
        "T",
        [
          .init("name", .string), .init("firstName", .string, isOptional: true),
          .init("m", .double),
        ]
      ))
    let difference = SchemaDifference(from: before.stored, to: after.stored)
    #expect(difference.questions.map(\.name) == ["first_name"])
    let candidates = try #require(difference.questions.first?.candidates)
    #expect(candidates.map(\.name) == ["firstName", "name"])
    // "firstname" and "name": five letters of nine are to be removed.
    #expect(candidates.map { Int($0.likeness * 1000) } == [1000, 444])
    // A required attribute that may be the renamed one waits for the answer, another does not.
    #expect(
      difference.steps.map(\.description) == ["drop n of T", "add T.m, double"])
  }

  @Test(
    "An entity that shares most attributes with a new one may be renamed, and links to it follow")
  func entities() throws {
    func schema(_ name: String, _ more: [AttributeDescription]) throws -> Schema {
      let team = RelationshipDescription(
        "snack", target: name, isToMany: false, storage: .own(["snack_id"], position: nil))
      return try Self.schema(
        nil,
        Self.entity(
          name, [.init("name", .string), .init("price", .double), .init("stock", .int64)] + more),
        Self.entity(
          "Order", [.init("snack_id", .int64, isOptional: true)], relationships: [team]))
    }
    let before = try schema("Snack", [])
    let after = try schema("Treat", [.init("taste", .string, isOptional: true)])
    let difference = SchemaDifference(from: before.stored, to: after.stored)
    // Eight of nine attributes, and no letter of the names: (8 / 9 + 0) / 2.
    #expect(
      "\(difference)" == """
        + Treat
        Order
          ~ snack: to one Snack? → to one Treat?
        - Snack

        questions:
          Was Snack renamed to Treat (44 % alike)?
          if not: drop Order.snack (its links are lost)
          if not: drop Snack (its rows are lost)
        """)
    let answered = try SchemaDifference(
      from: before.stored, to: after.stored, after: [.renameEntity("Snack", to: "Treat")])
    #expect(answered.changes.map(\.name) == ["taste"])
    #expect(answered.steps.map(\.description) == ["rename Snack to Treat"])
  }

  @Test("Relationships: a rename is asked about once, moved links and lost ones are steps")
  func relationships() throws {
    func schema(_ name: String, _ players: RelationshipDescription.Storage) throws -> Schema {
      let key = "\(name)_id"
      return try Self.schema(
        nil,
        Self.entity(
          "Team", [],
          relationships: [
            .init(
              "players", target: "Player", isToMany: true, inverse: name,
              storage: .target([key], position: nil)),
            .init(
              "fans", target: "Player", isToMany: true, isShared: players != Self.fans,
              storage: players),
          ]),
        Self.entity(
          "Player", [.init(key, .int64, isOptional: true)],
          relationships: [
            .init(
              name, target: "Team", isToMany: false, inverse: "players",
              storage: .own([key], position: nil))
          ]))
    }
    let before = try schema("team", Self.fans)
    let after = try schema(
      "club",
      .join(entity: "Team_fans", own: ["Team_id"], target: ["Player_id"], position: nil))
    let difference = SchemaDifference(from: before.stored, to: after.stored)
    #expect(
      "\(difference)" == """
        Team
          ~ players: inverse team → club
          ~ fans: one referrer → shared
        Player
          - team: to one Team?
          + club: to one Team?

        steps:
          move the links of Team.fans

        questions:
          Was Player.team renamed to club (0 % alike)?
          if not: drop Player.team (its links are lost)
        """)
    let answered = try SchemaDifference(
      from: before.stored, to: after.stored,
      after: [.renameRelationship("team", to: "club", in: "Player")])
    #expect(
      answered.steps.map(\.description) == [
        "rename Player.team to club", "move the links of Team.fans",
      ])
  }

  private static let fans = RelationshipDescription.Storage.target(["Team_fans_id"], position: nil)

  @Test("10.8: another key is a step before the former one is dropped")
  func keys() throws {
    let before = try Self.schema(nil, Self.entity("Airport", [.init("code", .string)]))
    let after = try Schema(entities: [
      EntityDescription(name: "Airport", attributes: [.init("code", .string)], key: ["code"])
    ])
    let difference = SchemaDifference(from: before.stored, to: after.stored)
    #expect(
      "\(difference)" == """
        Airport
          ~ key id → code
          - id: int64

        steps:
          make code the key of Airport (rows without a value, or with the same as another, stop the \
        migration)
          drop id of Airport (its values are lost)
        """)
    let declared = try Schema(entities: after.entities, version: 1)
    let plan = MigrationPlan([.version(1, difference.steps)])
    let outcome = try plan.outcome(from: before.stored, to: declared.stored)
    #expect(outcome["Airport"]?.columns.map(\.name) == ["code"])
  }

  @Test("Subentities list their own attributes; keys and hierarchies have no step")
  func unsupported() throws {
    let before = try Self.schema(
      1, Self.entity("Vehicle", [.init("wheels", .int64)]),
      Self.entity(
        "Car", [.init("wheels", .int64), .init("doors", .int64)], parent: "Vehicle"),
      Self.entity("Bus", [.init("wheels", .int64)], parent: "Vehicle"))
    var vehicle = Self.entity("Vehicle", [.init("wheels", .int64)])
    var car = Self.entity(
      "Car", [.init("wheels", .int64), .init("doors", .int32)], parent: "Vehicle")
    vehicle.attributes[0].type = .int32
    car.attributes[0].type = .int32
    let after = try Self.schema(2, vehicle, car)
    #expect(
      "\(SchemaDifference(from: before.stored, to: after.stored))" == """
        version: 1 → 2

        Vehicle
          ~ id: int64 → int32
        Car
          ~ doors: int64 → int32
        - Bus

        steps:
          make Car.doors int32 (values that do not fit stop the migration, unless by: or \
        onFailure: says more)

        without a step:
          Vehicle.id: no step changes a primary key
          Bus: no step drops a part of a hierarchy
        """)
  }
}
