import ORMCore

/// Snacks with every form of index, and shops under text keys.
enum SnackSchema {
  /// The columns are id, name, taste, price, tags.
  static let snack = StoredEntity(
    name: "snack", modelName: "Snack",
    columns: [
      StoredColumn("id", .int64), StoredColumn("name", .string),
      StoredColumn("taste", .string, isOptional: true), StoredColumn("price", .int64),
      StoredColumn("tags", .array(.string), isOptional: true),
    ],
    key: [0], keySource: .generated,
    indexes: [
      StoredIndex("byName", [.init(1, form: .caseFolded)]),
      StoredIndex("byTaste", [.init(2)], isUnique: true),
      StoredIndex("byTags", [.init(4, form: .elements)]),
      StoredIndex("byPrice", [.init(3, isDescending: true)]),
    ])

  /// The columns are code, city, street.
  static let shop = StoredEntity(
    name: "shop", modelName: "Shop",
    columns: [
      StoredColumn("code", .string), StoredColumn("city", .string),
      StoredColumn("street", .string, isOptional: true),
    ],
    key: [0], indexes: [StoredIndex("byStreet", [.init(2), .init(1)])])

  static let first = StoredSchema(entities: [snack, shop], version: 1)

  static let rows: [[StoredValue]] = [
    [
      .int(1), .string("Äpfel und anderes Obst"), .string("sweet"), .int(125),
      .array([.string("fruit"), .string("red")]),
    ],
    [.int(2), .string("chips"), .null, .int(350), .null],
    [
      .int(3), .string("CHIPS, sehr lange gebraten"), .string("salty"), .int(80),
      .array([.string("crisp")]),
    ],
  ]
  static let shops: [[StoredValue]] = [
    [.string("b, long enough for an overflow key"), .string("Bonn"), .null],
    [.string("b, long enough for another one of them"), .string("Ulm"), .string("Weg")],
  ]

  /// Fills a new store; the greatest key that a snack ever had is 10, and its row was deleted.
  static func fill(_ store: any Store) throws {
    try store.put(rows + [[.int(10), .string("x"), .null, .int(0), .null]], into: "snack")
    try store.inWriter {
      _ = try $0.apply(
        .delete(FetchRequest(entity: "snack", condition: attribute("id", .equal, .int(10)))))
    }
    try store.put(shops, into: "shop")
  }

  /// A predicate over the folded name.
  static func named(_ name: String) -> Condition {
    .compare(.attribute("name"), .equal, .value(.string(name)), [.caseInsensitive])
  }
}
