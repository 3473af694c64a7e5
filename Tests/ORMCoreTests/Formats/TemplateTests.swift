import Foundation
import ORMCore
import Testing

private struct Kitchen: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: String
  var dishes: ToMany<Dish> = ToMany()
  static let entity = Entity<Kitchen>("Kitchen") {
    .key("id", \.id)
      .relationship("dishes", \.dishes, inverse: \Dish.kitchen)
      .fetched("bargains", Dish.self, "kitchen == $FETCH_SOURCE AND price < 2")
  }
}

private struct Dish: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var name: String
  var price: Double
  var kitchen: ToOne<Kitchen> = ToOne()
  static let entity = Entity<Dish>("Dish") {
    .key("id", \.id)
      .attribute("name", \.name)
      .attribute("price", \.price)
      .relationship("kitchen", \.kitchen)
      .template(
        "cheap", "price < $LIMIT AND name BEGINSWITH[c] $START", sortedBy: "-price, name[c]",
        limit: 2
      )
      .template("all", "TRUEPREDICATE")
      .fetched(
        "rivals", Dish.self,
        "kitchen != $FETCH_SOURCE.kitchen AND price < $FETCH_SOURCE.price", sortedBy: "price")
  }
}

@Suite("Query templates")
struct TemplateTests {
  @Test("a template is asked with values for its variables")
  func asking() throws {
    let query = Dish.all.template("cheap", ["LIMIT": 3, "START": "a"])
    #expect(
      "\(query)"
        == """
        Dish where price < 3.0 AND name BEGINSWITH[c] "a" sorted by price descending, name[c] limit 2
        """)
    #expect(Dish.all.template("all") == Dish.all)
    #expect(
      Dish.all.where { $0.id > 5 }.template("cheap", ["LIMIT": 3, "START": "a"]).filter
        == Dish.all.where { $0.id > 5 && $0.price < 3 && $0.name.beginsWith("a", .caseInsensitive) }
        .filter)
    // A variable that was given no value goes on waiting.
    #expect(Dish.all.template("cheap", ["LIMIT": 3]).filter.variables == ["START"])
  }

  @Test("7.4: what does not fit is thrown at first use")
  func faults() throws {
    func message(_ query: Query<Dish>) -> String {
      query.filter.condition.firstError.map { "\($0.code): \($0.message)" } ?? "no error"
    }
    #expect(message(Dish.all.template("cheep")).contains("no template cheep; did you mean cheap?"))
    #expect(message(Dish.all.template("rivals")).contains("no template rivals"))
    #expect(
      message(Dish.all.template("cheap", ["LIMT": 3])).contains(
        "no variable $LIMT; did you mean LIMIT?"))
    #expect(message(Dish.all.template("cheap", ["LIMIT": "x"])).contains("cannot be compared"))
    let dish = Dish(id: 1, name: "a", price: 2)
    #expect(message(dish.fetched("cheap", Dish.self)).contains("no fetched property cheap"))
    #expect(
      dish.fetched("rivals", Kitchen.self).filter.condition.firstError?.message
        .contains("fetches Dish") == true)
  }

  @Test("a fetched property takes its values from the object")
  func fetched() {
    let dish = Dish(id: 1, name: "a", price: 2.5, kitchen: .key("north"))
    #expect(
      "\(dish.fetched("rivals", Dish.self))"
        == "Dish where kitchen != \"north\" AND price < 2.5 sorted by price")
    #expect(
      "\(Kitchen(id: "north").fetched("bargains", Dish.self))"
        == "Dish where kitchen == \"north\" AND price < 2.0")
    let homeless = Dish(id: 1, name: "a", price: 2.5)
    #expect(
      "\(homeless.fetched("rivals", Dish.self))"
        == "Dish where kitchen != nil AND price < 2.5 sorted by price")
  }

  @Test("templates are checked when the schema is built, and stored in it")
  func schema() throws {
    let schema = try Schema(Dish.self, Kitchen.self)
    let stored = try #require(schema.stored.entity(named: "Dish"))
    #expect(stored.templates.map(\.name) == ["cheap", "all", "rivals"])
    #expect(stored.templates.map(\.target) == [nil, nil, "Dish"])
    let copy = try JSONDecoder().decode(Schema.self, from: JSONEncoder().encode(schema))
    #expect(copy == schema)
    func failures(_ template: QueryTemplate) -> [String] {
      var dish = schema.entities[0]
      dish.templates.append(template)
      do {
        _ = try Schema(entities: [dish, schema.entities[1]])
        return []
      } catch {
        return (error as? StoreError)?.failures.map(\.message) ?? ["\(error)"]
      }
    }
    #expect(failures(QueryTemplate("x", "price > $X")).isEmpty)
    #expect(
      failures(QueryTemplate("x", "prize > $X")).first?.contains("did you mean price?") == true)
    #expect(
      failures(QueryTemplate("x", order: "price, nme")).first?.contains("did you mean name?")
        == true)
    #expect(failures(QueryTemplate("cheap")) == ["two templates are named cheap"])
    #expect(failures(QueryTemplate("x", limit: -1)).first?.contains("limit is negative") == true)
    #expect(
      failures(QueryTemplate("x", "id == $FETCH_SOURCE.prise", target: "Dish")).first?
        .contains("Dish has no attribute or relationship prise; did you mean price?") == true)
    #expect(
      failures(QueryTemplate("x", "id == $FETCH_SOURCE.name", target: "Dish")).first?
        .contains("cannot be compared") == true)
    #expect(failures(QueryTemplate("x", target: "Dsh")).first?.contains("no entity Dsh") == true)
  }
}
