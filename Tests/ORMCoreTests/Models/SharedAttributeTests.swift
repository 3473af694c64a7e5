import Foundation
import ORMCore
import Testing

private protocol Priced: Persistable {
  var price: Double { get }
}

extension Priced {
  static var pricing: EntityPart<Self> {
    .attribute("price", \.price, .indexed, .default(2)).index("price", "name")
  }
  static var sharedAttributes: EntityPart<Self> { pricing }
}

private struct Cake: Priced, Codable {
  var name: String
  var price: Double
  static let entity = Entity<Cake>("Cake") {
    .attribute("name", \.name).attribute("price", \.price, .indexed(.descending))
  }
}

private struct Bread: Priced, Codable {
  var name: String
  var price: Double
  static let entity = Entity<Bread>("Bread") {
    .attribute("price", \.price, .default(5), .indexed).attribute("name", \.name)
  }
}

private struct Stone: Priced, Codable {
  var price: Double
  var weight: Float
  static let entity = Entity<Stone>("Stone") {
    .attribute("weight", \.weight)
  }
}

private struct Paper: Identified, Stamped, Codable {
  var id = UUID.unassigned
  var createdAt = Date.distantPast
  var changedAt = Date.distantPast
  static let entity = Entity<Paper>("Paper") {
    .key("id", \.id).attribute("createdAt", \.createdAt).attribute("changedAt", \.changedAt)
  }
}

private struct Tagged: Identified, Priced, Codable {
  var id = UUID.unassigned
  var name: String
  var price: Double
  static var sharedAttributes: EntityPart<Tagged> { .joined(identifier, pricing) }
  static let entity = Entity<Tagged>("Tagged") {
    .key("id", \.id).attribute("name", \.name).attribute("price", \.price)
  }
}

@Suite struct SharedAttributeTests {
  @Test("what a protocol says of attributes is said once; what an entity says itself stands")
  func merged() throws {
    let cake = Cake.entity.description
    #expect(cake.attributes.map(\.name) == ["name", "price"])
    #expect(cake.attributes[1].defaultValue == .value(.double(2)))
    #expect(
      cake.indexes == [
        IndexDescription([.descending("price")]), IndexDescription(["price"]),
        IndexDescription(["price", "name"]),
      ])
    #expect(Bread.entity.description.attributes[0].defaultValue == .value(.double(5)))
    #expect(
      Bread.entity.description.indexes
        == [IndexDescription(["price"]), IndexDescription(["price", "name"])])
    #expect(try Schema(Cake.self, Bread.self).stored.entities.count == 2)
  }

  @Test("generic code over the protocol finds the attribute, and so does the model's own")
  func keyPaths() throws {
    func cheap<Model: Priced>(_ model: Model.Type) -> Condition {
      Model.all.where { $0.price < 3 }.filter.condition
    }
    #expect(cheap(Cake.self) == Cake.all.where { $0.price < 3 }.filter.condition)
    #expect(cheap(Bread.self) == Bread.all.where { $0.price < 3 }.filter.condition)
    #expect(cheap(Bread.self).firstError == nil)
  }

  @Test("a shared attribute that is not declared is refused when the schema is built")
  func undeclared() throws {
    let error = try #require(throws: StoreError.self) { try Schema(Stone.self) }
    #expect(
      error.failures.contains {
        $0.entity == "Stone" && $0.attributes == ["price"]
          && $0.message
            == "the protocol shares an attribute that the model's entity does not declare"
      })
  }

  @Test("ready-made: a UUID of version 7, and the timestamps that the operations keep")
  func ready() throws {
    let paper = Paper.entity.description
    #expect(paper.keySource == .uuidV7)
    #expect(paper.attributes.map(\.role) == [nil, .createdAt, .updatedAt])
    #expect(Tagged.entity.description.keySource == .uuidV7)
    #expect(Tagged.entity.description.indexes.count == 2)
    _ = try Schema(Paper.self, Tagged.self)
  }
}
