package import ORM
package import ORMMigrations

/// The members of clubs: a schema of version 1 and one of version 3, the plan between, and the rows
/// of both, computed for each key alone.
package enum Membership {
  /// The greatest key that is given to a person; it is deleted, as is every seventh.
  package static let count: Int64 = 350
  private static let clubs: Int64 = 5

  private static func isDeleted(_ id: Int64) -> Bool { id % 7 == 0 }
  private static func isAddressed(_ id: Int64) -> Bool { id % 3 != 0 }
  private static func club(_ id: Int64) -> StoredValue {
    id % 4 == 0 ? .null : .int(id % clubs + 1)
  }
  private static var people: [Int64] { (1...count).filter { !isDeleted($0) } }

  // MARK: Schemas

  private static let club = EntityDescription(
    name: "Club",
    attributes: [AttributeDescription("id", .int64), AttributeDescription("name", .string)],
    key: ["id"])

  /// The schema of version 1.
  package static func oldSchema() throws -> Schema {
    try Schema(
      entities: [
        EntityDescription(
          name: "Person",
          attributes: [
            AttributeDescription("id", .int64), AttributeDescription("nick", .string),
            AttributeDescription("height", .string), AttributeDescription("points", .int64),
            AttributeDescription("note", .string),
            AttributeDescription("street", .string, isOptional: true),
            AttributeDescription("city", .string, isOptional: true),
            AttributeDescription("club_id", .int64, isOptional: true),
          ], key: ["id"], keySource: .generated,
          indexes: [
            IndexDescription(["nick"], isUnique: true), IndexDescription(["height"]),
            IndexDescription(["points"]), IndexDescription(["club_id"]),
          ],
          relationships: [
            RelationshipDescription(
              "club", target: "Club", isToMany: false,
              storage: .own(["club_id"], position: nil))
          ]),
        club,
        EntityDescription(
          name: "Scrap",
          attributes: [AttributeDescription("id", .int64), AttributeDescription("text", .string)],
          key: ["id"]),
      ], version: 1)
  }

  /// The schema of version 3.
  package static func newSchema() throws -> Schema {
    try Schema(
      entities: [
        EntityDescription(
          name: "Person",
          attributes: [
            AttributeDescription("id", .int64), AttributeDescription("name", .string),
            AttributeDescription("height", .double), AttributeDescription("note", .string),
            AttributeDescription("size", .int64, defaultValue: .value(.int(0))),
            AttributeDescription("address_id", .int64, isOptional: true),
          ], key: ["id"], keySource: .generated,
          indexes: [
            IndexDescription(["name"], isUnique: true), IndexDescription(["height"]),
            IndexDescription(["size"]), IndexDescription(["address_id"]),
          ],
          relationships: [
            RelationshipDescription(
              "address", target: "Address", isToMany: false,
              storage: .own(["address_id"], position: nil)),
            RelationshipDescription(
              "clubs", target: "Club", isToMany: true, isShared: true,
              storage: .join(
                entity: "Person_clubs", own: ["Person_id"], target: ["Club_id"], position: nil)),
          ]),
        club,
        EntityDescription(
          name: "Address",
          attributes: [
            AttributeDescription("id", .int64),
            AttributeDescription("street", .string, isOptional: true),
            AttributeDescription("city", .string, isOptional: true),
          ], key: ["id"], keySource: .generated),
      ], version: 3)
  }

  /// The plan from version 1 to version 3; run twice, it would give other rows.
  package static let plan = MigrationPlan([
    .version(
      2,
      [
        .renameAttribute("nick", to: "name", in: "Person"),
        .addAttribute("size", .int64, in: "Person", default: .int(0)),
        .set("size", in: "Person", to: "size + points * 2"),
        .rows(of: "Person", named: "emphasis", revision: 1) { row in
          if case .string(let note) = row["note"] { row["note"] = .string(note + "!") }
        },
      ]),
    .version(
      3,
      [
        .set("size", in: "Person", to: "size + 1"),
        .changeType(of: "height", to: .double, in: "Person"),
        .split("Person", into: "Address", moving: ["street", "city"], link: "address"),
        .dropEntity("Scrap"), .dropAttributes(["points"], in: "Person"),
        .renameRelationship("club", to: "clubs", in: "Person"),
        .moveLinks(of: "clubs", in: "Person"),
      ]),
  ])

  // MARK: Rows

  private static func note(_ id: Int64) -> String { String(repeating: "x", count: Int(id % 200)) }

  private static var clubRows: [DynamicRow] {
    (1...clubs).map { DynamicRow("Club", ["id": .int($0), "name": .string("club \($0)")]) }
  }

  /// The rows of version 1, by entity.
  package static var oldRows: [String: [DynamicRow]] {
    [
      "Person": people.map { id in
        DynamicRow(
          "Person",
          [
            "id": .int(id), "nick": .string("n\(id)"), "height": .string("\(id).5"),
            "points": .int(id), "note": .string(note(id)),
            "street": isAddressed(id) ? .string("street \(id)") : .null,
            "city": isAddressed(id) ? .string("city \(id % 10)") : .null, "club_id": club(id),
          ])
      },
      "Club": clubRows,
      "Scrap": (1...50).map {
        DynamicRow("Scrap", ["id": .int($0), "text": .string("scrap \($0)")])
      },
    ]
  }

  /// The rows of version 3, by entity.
  package static var newRows: [String: [DynamicRow]] {
    let addressed = people.filter(isAddressed)
    let addresses = Dictionary(
      uniqueKeysWithValues: zip(addressed, (1...Int64(addressed.count)).map(StoredValue.int)))
    return [
      "Person": people.map { id in
        DynamicRow(
          "Person",
          [
            "id": .int(id), "name": .string("n\(id)"), "height": .double(Double(id) + 0.5),
            "note": .string(note(id) + "!"), "size": .int(2 * id + 1),
            "address_id": addresses[id] ?? .null,
          ])
      },
      "Club": clubRows,
      "Address": addressed.enumerated().map { number, id in
        DynamicRow(
          "Address",
          [
            "id": .int(Int64(number) + 1), "street": .string("street \(id)"),
            "city": .string("city \(id % 10)"),
          ])
      },
      "Person_clubs": people.filter { !club($0).isNull }.map { id in
        DynamicRow("Person_clubs", ["Person_id": .int(id), "Club_id": club(id)])
      },
    ]
  }

  /// Makes a closed store of version 1.
  package static func fill(_ location: StoreLocation) throws {
    let store = try location.open(schema: oldSchema())
    let rows = oldRows
    try store.write { tx in
      for entity in ["Club", "Scrap"] { try tx.insert(rows[entity] ?? []) }
      let kept = Dictionary(
        (rows["Person"] ?? []).map { ($0["id"], $0) }, uniquingKeysWith: { first, _ in first })
      try tx.insert(
        (1...count).map { id in
          var row =
            kept[.int(id)]
            ?? DynamicRow(
              "Person",
              [
                "nick": .string("d\(id)"), "height": .string(""), "points": .int(0),
                "note": .string(""),
              ])
          row.values["id"] = nil
          return row
        })
      try tx.delete(
        DynamicQuery(
          "Person",
          where: .isIn(
            .attribute("id"),
            list: .value(.array((1...count).filter(isDeleted).map(StoredValue.int))), [])))
    }
    try (store as? any ImageStore)?.save(to: location.path)
    try store.close()
  }

  /// Returns the options of a program of version 3.
  ///
  /// - Parameter mode: the mode of the migration; parts of `resumable` are of 50 rows.
  package static func options(_ mode: MigrationOptions.Mode = .atomic) -> StoreOptions {
    var options = StoreOptions()
    options.schemaPolicy = .migrate(plan)
    options.migration.mode = mode
    options.migration.batchRows = 50
    options.migration.partDuration = .zero
    return options
  }

  /// Returns the difference between the rows of a store and those expected; nil if there is none.
  package static func difference(
    _ store: any Store, _ expected: [String: [DynamicRow]]
  ) throws -> String? {
    let entities = store.schema.entities.map(\.modelName)
    if Set(entities) != Set(expected.keys) { return "the entities are \(entities)" }
    for (entity, rows) in expected {
      let found = try store.read { try $0.fetch(DynamicQuery(entity)) }
      if found.count != rows.count { return "\(found.count) rows of \(entity)" }
      if let pair = zip(found, rows).first(where: { $0.values != $1.values }) {
        return "\(pair.0) instead of \(pair.1)"
      }
    }
    return nil
  }
}
