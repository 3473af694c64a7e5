internal import ORM
internal import ORMCore

/// A model with queries kept under names, and a fetched property.
struct Dish: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var name: String
  var price: Double?
  var kitchen: String
  static let entity = Entity<Dish>("Dish") {
    .key("id", \.id)
      .attribute("name", \.name)
      .attribute("price", \.price, .indexed)
      .attribute("kitchen", \.kitchen)
      .template(
        "cheap", "price < $LIMIT AND name BEGINSWITH[c] $START", sortedBy: "-price, name[c]",
        limit: 2
      )
      .fetched(
        "rivals", Dish.self,
        "kitchen != $FETCH_SOURCE.kitchen AND price < $FETCH_SOURCE.price", sortedBy: "price")
  }

  init(_ id: Int64, _ name: String, _ price: Double?, _ kitchen: String) {
    self.id = id
    self.name = name
    self.price = price
    self.kitchen = kitchen
  }
}

extension ConformanceCase {
  /// Clauses 7.4 and 2.1: queries kept with the schema.
  static let templates: [ConformanceCase] = [
    ConformanceCase(
      "templates are asked by name, with the model and without it", "2.1", "7.4", "2.10"
    ) {
      context in
      let schema = try Schema(Dish.self)
      let store = try context.open(schema)
      let dishes = [
        Dish(1, "Apple pie", 4, "north"), Dish(2, "apple tart", 2, "south"),
        Dish(3, "Ale", 2, "north"), Dish(4, "Bread", 1, "south"), Dish(5, "air", nil, "south"),
        Dish(6, "Ananas", 1, "west"),
      ]
      try store.save(dishes)
      // By price from the greatest, then by name: Ale before apple tart.
      let cheap = Dish.all.template("cheap", ["LIMIT": 3, "START": "a"])
      try context.expectEqual(try store.fetch(cheap).map(\.id), [3, 2])
      try context.expectEqual(
        try store.fetch(dishes[0].fetched("rivals", Dish.self)).map(\.id), [4, 6, 2])
      try context.expectEqual(
        try store.fetch(dishes[4].fetched("rivals", Dish.self)).map(\.id), [], "no price")
      try context.expectError(.invalidCondition, entity: "Dish") {
        try store.fetch(Dish.all.template("cheap", ["LIMIT": 3]))
      }
      try context.expectError(.invalidCondition, entity: "Dish") {
        try store.fetch(Dish.all.template("dear"))
      }
      // The store has them too.
      let again = try context.reopen(store, schema)
      let query = try DynamicQuery(
        template: "cheap", of: "Dish", in: again.schema,
        ["LIMIT": .double(3), "START": .string("a")])
      let found = try again.read { try $0.fetch(query) }
      try context.expectEqual(found.map { $0["id"] }, [.int(3), .int(2)])
    }
  ]
}
