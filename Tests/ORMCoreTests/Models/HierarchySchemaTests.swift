import Foundation
import ORMCore
import Testing

@Suite struct HierarchySchemaTests {
  private static let id = AttributeDescription("id", .int64)
  private static let name = AttributeDescription("name", .string)

  private static func parent(
    _ change: (inout EntityDescription) -> Void = { _ in }
  ) -> EntityDescription {
    var entity = EntityDescription(
      name: "Vehicle", attributes: [id, name], key: ["id"],
      indexes: [IndexDescription(["name"], isUnique: true)])
    change(&entity)
    return entity
  }

  private static func child(
    _ name: String = "Car", of parent: String = "Vehicle",
    _ attributes: AttributeDescription...,
    change: (inout EntityDescription) -> Void = { _ in }
  ) -> EntityDescription {
    var entity = EntityDescription(
      name: name, attributes: [id, Self.name] + attributes, key: ["id"], parent: parent)
    change(&entity)
    return entity
  }

  private static let doors = AttributeDescription("doors", .int64)

  /// The failures of a schema, as entity, attributes and sentence.
  private static func failures(_ entities: EntityDescription...) -> [String] {
    do {
      _ = try Schema(entities: entities)
      return []
    } catch let error as StoreError {
      return error.failures.map {
        "\($0.entity ?? "")\($0.attributes.map { "." + $0 }.joined()): \($0.message)"
      }
    } catch {
      return ["\(error)"]
    }
  }

  @Test("subentities are folded into their root: columns of their own, views and the kind")
  func folding() throws {
    let schema = try Schema(
      entities: [
        Self.child("SportsCar", of: "Car", Self.doors, AttributeDescription("topSpeed", .double)) {
          $0.indexes = [IndexDescription(["name"], isUnique: true), IndexDescription(["topSpeed"])]
        },
        Self.parent(),
        Self.child("Truck", of: "Vehicle", AttributeDescription("doors", .string)),
        Self.child("Car", of: "Vehicle", Self.doors) {
          $0.indexes = [IndexDescription(["doors", "name"], isUnique: true)]
        },
      ], naming: .snakeCase)
    let root = try #require(schema.stored.entities.first)
    #expect(schema.stored.entities.count == 1)
    #expect(
      root.columns.map(\.name) == [
        "id", "name", "truck.doors", "car.doors", "sports_car.top_speed", "vehicle.kind",
      ])
    #expect(
      root.columns.map(\.attribute) == [
        "id", "name", "Truck$doors", "Car$doors", "SportsCar$topSpeed", "Vehicle$kind",
      ])
    #expect(root.columns.map(\.isOptional) == [false, false, true, true, true, true])
    #expect(root.modelColumnCount == 2)
    #expect(
      root.indexes == [
        StoredIndex("vehicle.name$unique", [.init(1)], isUnique: true),
        StoredIndex("car.doors.name$unique", [.init(3), .init(1)], isUnique: true),
        StoredIndex("sports_car.top_speed", [.init(4)]),
        StoredIndex("vehicle.vehicle.kind", [.init(5)]),
      ])
    #expect(root.subentities.map(\.modelName) == ["Truck", "Car", "SportsCar"])
    let sports = try #require(schema.stored.entity(named: "SportsCar"))
    #expect(sports.parent == "Car")
    #expect(
      sports.columns.map(\.name) == ["id", "name", "car.doors", "sports_car.top_speed"])
    #expect(sports.columns.map(\.isOptional) == [false, false, false, false])
    #expect(root.kinds(of: try #require(schema.stored["car"])) == ["car", "sports_car"])
    let data = try JSONEncoder().encode(schema.stored)
    #expect(try JSONDecoder().decode(StoredSchema.self, from: data) == schema.stored)
    #expect(try Schema(schema.stored).stored == schema.stored)
    let copy = try JSONDecoder().decode(Schema.self, from: JSONEncoder().encode(schema))
    #expect(copy == schema)
  }

  @Test("a stored schema without subentities is written as it was before there were any")
  func oldForm() throws {
    let schema = try Schema(entities: [Self.parent()])
    let text = String(decoding: try JSONEncoder().encode(schema.stored), as: UTF8.self)
    #expect(!text.contains("subentities") && !text.contains("parent"))
  }

  @Test("each broken rule is named with the subentity and the attribute")
  func rules() {
    typealias T = HierarchySchemaTests
    #expect(T.failures(T.parent(), T.child("Car", of: "Vehicle", T.doors)) == [])
    #expect(T.failures(T.child()) == ["Car: its parent Vehicle is not in the schema"])
    #expect(
      T.failures(T.child("A", of: "B"), T.child("B", of: "A")) == [
        "A: it is a subentity of itself", "B: it is a subentity of itself",
      ])
    #expect(T.failures(T.child("A", of: "A")) == ["A: it is a subentity of itself"])
    #expect(
      T.failures(T.parent { $0.key = [] }, T.child { $0.key = [] }) == [
        "Vehicle: an entity with subentities needs a key"
      ])
    #expect(
      T.failures(T.parent(), T.child { $0.key = ["name"] }) == [
        "Car.name: its primary key must be the one of its parent Vehicle"
      ])
    #expect(
      T.failures(T.parent(), T.child { $0.keySource = .generated }) == [
        "Car.id: its primary key must be the one of its parent Vehicle"
      ])
    #expect(
      T.failures(T.parent(), T.child { $0.attributes.removeLast() }) == [
        "Car.name: it lacks an attribute of its parent Vehicle"
      ])
    #expect(
      T.failures(T.parent(), T.child { $0.attributes[1].type = .data }) == [
        "Car.name: its type differs from its parent Vehicle"
      ])
    #expect(
      T.failures(T.parent(), T.child { $0.attributes[1].isOptional = true }) == [
        "Car.name: its optionality differs from its parent Vehicle"
      ])
    #expect(
      T.failures(T.parent(), T.child { $0.attributes[1].isNormalized = true }) == [
        "Car.name: its normalization differs from its parent Vehicle"
      ])
    #expect(
      T.failures(
        T.parent(), T.child { $0.attributes[1].defaultValue = .value(.string("x")) }) == [
          "Car.name: its default differs from its parent Vehicle"
        ])
  }

  @Test("a unique rule of a subentity needs an attribute of its own that others have nil in")
  func uniqueRules() {
    typealias T = HierarchySchemaTests
    let plain = T.parent { $0.indexes = [] }
    let unique = IndexDescription(["name"], isUnique: true)
    #expect(
      T.failures(plain, T.child { $0.indexes = [unique] }) == [
        "Car.name: a unique rule on attributes of the parent must be declared in Vehicle"
      ])
    #expect(T.failures(T.parent(), T.child { $0.indexes = [unique] }) == [])
    let both = IndexDescription(["doors", "name"], isUnique: true)
    #expect(T.failures(plain, T.child("Car", of: "Vehicle", T.doors) { $0.indexes = [both] }) == [])
    var counted = T.doors
    counted.defaultValue = .value(.int(4))
    #expect(
      T.failures(plain, T.child("Car", of: "Vehicle", counted) { $0.indexes = [both] }) == [
        "Car.doors: a unique rule of a subentity needs at least one own attribute without a default"
      ])
  }

  @Test("relationships of an entity with subentities are its own, and not required")
  func relationships() {
    typealias T = HierarchySchemaTests
    func owner(required: Bool) -> RelationshipDescription {
      RelationshipDescription(
        "owner", target: "Person", isToMany: false, targetDeleteRule: .cascade,
        isRequired: required, storage: .own(["owner_id"], position: nil))
    }
    func holding(_ required: Bool) -> EntityDescription {
      T.parent {
        $0.relationships = [owner(required: required)]
        $0.attributes.append(AttributeDescription("owner_id", .int64, isOptional: !required))
      }
    }
    let person = EntityDescription(name: "Person", attributes: [T.id], key: ["id"])
    #expect(T.failures(holding(false), T.child(), person) == [])
    #expect(
      T.failures(holding(true), T.child(), person) == [
        "Vehicle.owner: it cannot be required: objects of subentities are inserted without it"
      ])
    let again = T.child {
      $0.relationships = [owner(required: false)]
      $0.attributes.append(AttributeDescription("owner_id", .int64, isOptional: true))
    }
    #expect(
      T.failures(holding(false), again, person) == [
        "Car.owner_id: it belongs to Vehicle and must not be declared again; use it through that",
        "Car.owner: it is a relationship of Vehicle and must not be declared again; use it "
          + "through that",
      ])
  }

  @Test("a schema is drawn with its subentities, their own attributes and a line to the parent")
  func drawing() throws {
    let schema = try Schema(
      entities: [
        Self.parent(), EntityDescription(name: "Owner", attributes: [Self.id], key: ["id"]),
        Self.child("Car", of: "Vehicle", Self.doors) {
          $0.indexes = [IndexDescription(["doors", "name"])]
        },
        Self.child("Sports", of: "Car", Self.doors, AttributeDescription("topSpeed", .double)) {
          $0.indexes = [IndexDescription(["topSpeed"])]
        },
        Self.child("Sledge", of: "Vehicle"),
      ], naming: .snakeCase
    ).stored
    #expect(
      schema.description == """
        Vehicle (vehicle)
          id: int64 key
          name: string
          unique: name

        Car: Vehicle (car)
          doors: int64
          index: doors, name

        Sports: Car (sports)
          topSpeed: double as top_speed
          index: topSpeed

        Sledge: Vehicle (sledge)

        Owner (owner)
          id: int64 key
        """)
    #expect(
      schema.mermaid == """
        erDiagram
          Vehicle {
            int64 id PK
            string name UK
          }
          Car {
            int64 doors
          }
          Sports {
            double topSpeed
          }
          Sledge
          Owner {
            int64 id PK
          }
          Vehicle ||--o| Car : "is a"
          Car ||--o| Sports : "is a"
          Vehicle ||--o| Sledge : "is a"
        """)
    #expect(
      schema.dot == #"""
        digraph schema {
          node [shape=record];
          e0 [label="{Vehicle|id: int64 (key)\lname: string\l}"];
          e1 [label="{Car|doors: int64\l}"];
          e2 [label="{Sports|topSpeed: double\l}"];
          e3 [label="{Sledge|}"];
          e4 [label="{Owner|id: int64 (key)\l}"];
          e1 -> e0 [arrowhead=empty];
          e2 -> e1 [arrowhead=empty];
          e3 -> e0 [arrowhead=empty];
        }
        """#)
  }
}
