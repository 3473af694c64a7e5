internal import ORM
internal import ORMCore
internal import ORMMigrations

/// The schemas of the cases about migrations.
enum MigrationSchemas {
  /// A schema of plants and beds, under names that may be others.
  static func garden(
    plant: String = "Plant", height: String = "height", bed: String = "bed",
    plants: String = "plants", version: Int
  ) throws -> Schema {
    try Schema(
      entities: [
        EntityDescription(
          name: plant,
          attributes: [
            AttributeDescription("id", .int64), AttributeDescription("name", .string),
            AttributeDescription(height, .int64, isOptional: true),
            AttributeDescription("\(bed)_id", .int64, isOptional: true),
          ], key: ["id"], keySource: .generated,
          indexes: [
            IndexDescription(["name"], isUnique: true), IndexDescription([.init(height)]),
            IndexDescription([.init("\(bed)_id")]),
          ],
          relationships: [
            RelationshipDescription(
              bed, target: "Bed", isToMany: false, inverse: plants,
              storage: .own(["\(bed)_id"], position: nil))
          ]),
        EntityDescription(
          name: "Bed",
          attributes: [AttributeDescription("id", .int64), AttributeDescription("name", .string)],
          key: ["id"],
          relationships: [
            RelationshipDescription(
              plants, target: plant, isToMany: true, inverse: bed,
              storage: .target(["\(bed)_id"], position: nil))
          ]),
      ], version: version)
  }

  /// A schema of snacks at a version.
  static func snacks(
    price: Bool = false, cents: Bool = false, version: Int? = nil
  ) throws -> Schema {
    var attributes = [
      AttributeDescription("id", .int64), AttributeDescription("note", .string, isOptional: true),
      AttributeDescription("tag", .string, isOptional: true),
    ]
    if price { attributes.append(AttributeDescription("price", .double)) }
    if cents { attributes.append(AttributeDescription("cents", .int64)) }
    return try Schema(
      entities: [EntityDescription(name: "Snack", attributes: attributes, key: ["id"])],
      version: version)
  }
}

extension ConformanceCase {
  static func row(of entity: String) -> DynamicRow {
    entity == "Plant"
      ? DynamicRow("Plant", ["name": .string("fern"), "height": .null, "bed_id": .null])
      : DynamicRow("Snack", ["id": .int(1), "cents": .int(5)])
  }
}

extension StoreOptions {
  /// The most rows that ``migrating(_:)`` migrates in a transaction; nil for all in one.
  @TaskLocal static var partRows: Int?

  /// Options that migrate by a plan.
  ///
  /// - Parameters:
  ///   - plan: the plan.
  ///   - rows: the number of rows of the store, if there are many.
  static func migrating(_ plan: MigrationPlan, rows: Int = 0) -> StoreOptions {
    var options = StoreOptions()
    options.schemaPolicy = .migrate(plan)
    if let partRows {
      options.migration.mode = .resumable
      options.migration.batchRows = max(partRows, rows / 4)
      options.migration.partDuration = .zero
    }
    return options
  }
}

extension ConformanceCase {
  /// Forms with each location of links that is not a model.
  private static let shapesInParts = relationshipShapes.filter { item in
    ["r one, l many", "r none, l one", "r ordered, l ordered"].contains {
      item.name.hasSuffix(": \($0), plain")
    }
  }

  /// The cases of migrations, each with transactions of two rows.
  static let migrationsInParts: [ConformanceCase] =
    (migrations + migratedValues + refusedMigrations + mergedEntities
    + migrationEnds + aliases + shapesInParts)
    .compactMap { item in
      guard case .sync(let run) = item.body else { return nil }
      return item.variant("in many transactions", proving: "10.9") { context in
        try StoreOptions.$partRows.withValue(2) { try run(context) }
      }
    }
}

extension Store {
  /// Two beds; plants 1 and 2 in bed 7, 4 in none; 3 and 5 were given and are deleted.
  func fillGarden() throws {
    try write { tx in
      try tx.insert([
        DynamicRow("Bed", ["id": .int(7), "name": .string("north")]),
        DynamicRow("Bed", ["id": .int(8), "name": .string("south")]),
      ])
      try tx.insert([
        DynamicRow(
          "Plant", ["name": .string("mint"), "height": .int(30), "bed_id": .int(7)]),
        DynamicRow(
          "Plant", ["name": .string("dill"), "height": .int(20), "bed_id": .int(7)]),
        DynamicRow("Plant", ["name": .string("weed"), "height": .null, "bed_id": .null]),
        DynamicRow("Plant", ["name": .string("sage"), "height": .null, "bed_id": .null]),
        DynamicRow("Plant", ["name": .string("moss"), "height": .null, "bed_id": .null]),
      ])
      for id in [3, 5] as [Int64] {
        try tx.delete(DynamicQuery("Plant", where: attribute("id").compare(.equal, int(id))))
      }
    }
  }

  func sizes() throws -> [StoredValue] {
    try read { try $0.fetch(DynamicQuery("Box")) }.map { $0["size"] }
  }
}
