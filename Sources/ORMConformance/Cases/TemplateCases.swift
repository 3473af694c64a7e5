internal import ORM
internal import ORMCore

/// A model with named queries, and a fetched property.
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

/// A model whose fetched property has rows of another entity, which a coordinator may have in another
/// store.
private struct Guest: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var budget: Double
  var kitchen: String
  static let entity = Entity<Guest>("Guest") {
    .key("id", \.id)
      .attribute("budget", \.budget)
      .attribute("kitchen", \.kitchen)
      .fetched(
        "choices", Dish.self,
        "kitchen == $FETCH_SOURCE.kitchen AND price <= $FETCH_SOURCE.budget", sortedBy: "-price")
  }
}

extension ConformanceCase {
  /// Clauses 7.4 and 2.1: queries stored with the schema.
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
    },
    ConformanceCase("a fetched property has rows of another entity", "2.10", "7.4", "12.10") {
      context in
      let store = try context.open(Dish.self, Guest.self)
      try store.save([
        Dish(1, "pie", 4, "north"), Dish(2, "tart", 2, "north"), Dish(3, "ale", 3, "south"),
        Dish(4, "bread", 3, "north"),
      ])
      let guest = try store.save(Guest(id: 1, budget: 3, kitchen: "north"))
      let choices = guest.fetched("choices", Dish.self)
      try context.expectEqual(try store.fetch(choices).map(\.id), [4, 2])
      try store.patch(Dish.self, 1) { $0.price = 1 }
      try context.expectEqual(try store.fetch(choices).map(\.id), [4, 2, 1])
      try context.expectEqual(try store.count(choices.where { $0.name == "tart" }), 1)
      try context.expectError(.invalidCondition, entity: "Guest") {
        try store.fetch(guest.fetched("choices", Guest.self))
      }
    },
  ]
}
