import Foundation
import ORMCore
import Testing

@Suite struct SchemaTests {
  @Test("an entity reads the same with semicolons, on lines and on one line")
  func forms() {
    let semicolons = Entity<Snack>("Snack") {
      .key("id", \.id, .generated); .attribute("name", \.name, .indexed); .index("name", "id")
    }
    let lines = Entity<Snack>("Snack") {
      .key("id", \.id, .generated)
        .attribute("name", \.name, .indexed)
        .index("name", "id")
    }
    #expect(semicolons.description == lines.description)
    #expect(lines.description.key == ["id"])
    #expect(lines.description.keySource == .generated)
    #expect(
      lines.description.indexes == [IndexDescription(["name"]), IndexDescription(["name", "id"])])
    #expect(lines.name(of: \Snack.name) == "name")
    #expect(lines.name(of: \Snack.isSelected) == nil)
  }

  @Test("a schema is lowered to the columns, keys and indexes that stores know")
  func lowering() throws {
    let schema = try Schema(Snack.self, naming: .snakeCase)
    let expected = StoredSchema(entities: [
      StoredEntity(
        name: "snack", modelName: "Snack",
        columns: [
          StoredColumn("id", .int64), StoredColumn("name", .string),
          StoredColumn("taste", .string, isOptional: true),
          StoredColumn("price", .double, defaultValue: .double(0)),
          StoredColumn("amount", .int64, isOptional: true),
          StoredColumn("is_hot", .bool, attribute: "isHot"),
          StoredColumn("tags", .array(.string)),
        ], key: [0], keySource: .generated,
        indexes: [
          StoredIndex("snack.name", [.init(1)]),
          StoredIndex("snack.name$folded", [.init(1, form: .caseFolded)]),
          StoredIndex("snack.tags$elements", [.init(6, form: .elements)]),
          StoredIndex("snack.taste.price$desc", [.init(2), .init(3, isDescending: true)]),
        ])
    ])
    #expect(schema.stored == expected)
    #expect(try Schema(schema.stored).stored == schema.stored)
    let copy = try JSONDecoder().decode(Schema.self, from: JSONEncoder().encode(schema))
    #expect(copy == schema)
    #expect(schema.stored.mermaid.contains("int64 id PK"))
    #expect(schema.stored.dot.contains("id: int64 (key)"))
    #expect(schema.stored.description.hasPrefix("Snack (snack)\n  id: int64 key, generated"))
  }

  @Test(
    "names in snake case",
    arguments: [
      ("utcOffset", "utc_offset"), ("URLPath", "url_path"), ("id", "id"), ("a1B", "a1_b"),
      ("ABC", "abc"), ("already_so", "already_so"), ("iataCode", "iata_code"),
    ])
  func snakeCase(name: String, expected: String) throws {
    let entity = EntityDescription(name: "E", attributes: [AttributeDescription(name, .int64)])
    let stored = try Schema(entities: [entity], naming: .snakeCase).stored
    #expect(stored.entities[0].columns[0].name == expected)
  }

  static func with(
    _ change: (inout EntityDescription) -> Void
  ) -> [EntityDescription] {
    var entity = EntityDescription(
      name: "E",
      attributes: [
        AttributeDescription("id", .int64), AttributeDescription("name", .string),
        AttributeDescription("list", .array(.int64)),
      ], key: ["id"])
    change(&entity)
    return [entity]
  }

  @Test("every broken rule of a schema is named with its entity and attribute")
  func brokenRules() throws {
    let rules: [(String, (inout EntityDescription) -> Void)] = [
      ("E", { $0.storedName = "" }),
      ("a.b", { $0.name = "a.b" }),
      ("E", { $0.storedName = "sqlite_x" }),
      ("E.na\"me", { $0.attributes[1].name = "na\"me" }),
      ("E.name", { $0.attributes[1].storedName = "ID" }),
      ("E.id", { $0.attributes[1].name = "id" }),
      ("E.name", { $0.attributes[1].storedName = "_KEY" }),
      ("E.list", { $0.attributes[2].type = .array(.array(.int64)) }),
      ("E.id", { $0.attributes[0].isNormalized = true }),
      ("E.name", { $0.attributes[1].defaultValue = .now }),
      ("E.name", { $0.attributes[1].defaultValue = .uuid }),
      ("E.name", { $0.attributes[1].defaultValue = .value(.int(1)) }),
      ("E.name", { $0.attributes[1].defaultValue = .value(.null) }),
      ("E.nope", { $0.key = ["id", "nope"] }),
      ("E.id", { $0.attributes[0].isOptional = true }),
      ("E.list", { $0.key = ["list"] }),
      ("E", { $0.key = ["id", "id"] }),
      (
        "E.name",
        {
          $0.key = ["name"]; $0.keySource = .generated
        }
      ),
      ("E.id", { $0.keySource = .uuidV7 }),
      ("E.id", { $0.keySource = .hidden }),
      ("E", { $0.indexes = [IndexDescription([])] }),
      ("E.nope", { $0.indexes = [IndexDescription(["nope"])] }),
      ("E.name", { $0.indexes = [IndexDescription(["name", "name"])] }),
      ("E.list", { $0.indexes = [IndexDescription(["list"])] }),
      ("E.id", { $0.indexes = [IndexDescription([.caseInsensitive("id")])] }),
      ("E.name", { $0.indexes = [IndexDescription([.init("name", form: .elements)])] }),
      ("E.list", { $0.indexes = [IndexDescription([.init("list", form: .elements), "name"])] }),
      ("E.name", { $0.indexes = [IndexDescription(["name"]), IndexDescription(["name"])] }),
    ]
    for (place, change) in rules {
      let error = #expect(throws: StoreError.self) {
        try Schema(entities: Self.with(change))
      }
      let places = error?.failures.map {
        ([$0.entity].compactMap(\.self) + $0.attributes).joined(separator: ".")
      }
      #expect(places?.contains(place) == true, "\(place): \(places ?? [])")
      #expect(error?.code == .invalidSchema)
    }
    let several = #expect(throws: StoreError.self) {
      try Schema(
        entities: Self.with {
          $0.attributes[1].defaultValue = .now
          $0.indexes = [IndexDescription(["nope"]), IndexDescription(["list"])]
        })
    }
    #expect(several?.failures.count == 3)
    let clash = #expect(throws: StoreError.self) {
      try Schema(
        entities: Self.with { _ in }
          + Self.with {
            $0.name = "F"; $0.storedName = "e"
          })
    }
    #expect(clash?.failures.first?.message.contains("F and E") == true)
  }

  @Test("what is doubtful is listed")
  func warnings() throws {
    let schema = try Schema(
      entities: Self.with {
        $0.attributes[1].isOptional = true
        $0.attributes[1].defaultValue = .value(.string("x"))
        $0.indexes = [
          IndexDescription(["name"]), IndexDescription(["name", "id"]), IndexDescription(["id"]),
        ]
      })
    #expect(schema.warnings.count == 3)
  }

  @Test("an entity without a key gets a hidden one, also when described by hand")
  func hiddenKey() throws {
    let entity = EntityDescription(name: "Log", attributes: [AttributeDescription("text", .string)])
    let stored = try Schema(entities: [entity]).stored.entities[0]
    #expect(stored.keySource == .hidden)
    #expect(stored.key == [1])
    #expect(stored.columns[1].name == "_key")
    var grown = stored
    grown.columns.append(StoredColumn("more", .string, isOptional: true))
    let described = try Schema(StoredSchema(entities: [grown])).entities[0]
    #expect(described.attributes.map(\.name) == ["text", "more"])
  }

  @Test("defaults that are another for each row survive the stored schema")
  func computedDefaults() throws {
    let entity = EntityDescription(
      name: "E",
      attributes: [
        AttributeDescription("at", .date, defaultValue: .now),
        AttributeDescription("tag", .uuid, defaultValue: .uuid),
      ])
    let schema = try Schema(entities: [entity])
    #expect(schema.stored.entities[0].columns.map(\.computedDefault) == [.now, .uuid, nil])
    #expect(try Schema(schema.stored).stored == schema.stored)
  }

  @Test("schemas are joined; a clash is refused")
  func joining() throws {
    let snacks = try Schema(Snack.self)
    let both = try Schema(joining: snacks, try Schema(Enrolment.self), snacks)
    #expect(both.entities.map(\.name) == ["Snack", "Enrolment"])
    let other = try Schema(entities: [
      EntityDescription(name: "Snack", attributes: [AttributeDescription("x", .int64)])
    ])
    #expect(throws: StoreError.self) { try Schema(joining: snacks, other) }
  }

  @Test("an entity has 1,600 columns at most, parts, keys of links and folded texts among them")
  func width() throws {
    func schema(_ count: Int, folded: Bool = false) throws -> Schema {
      let attributes = (0..<count).map { AttributeDescription("a\($0)", .string) }
      return try Schema(entities: [
        EntityDescription(
          name: "Wide", attributes: attributes, key: ["a0"],
          indexes: folded ? [IndexDescription([.caseInsensitive("a1")])] : [])
      ])
    }
    #expect(try schema(1600).stored.entities[0].width == 1600)
    #expect(try schema(1599, folded: true).stored.entities[0].width == 1600)
    for (count, folded) in [(1601, false), (1600, true), (5000, false)] {
      let error = #expect(throws: StoreError.self) { try schema(count, folded: folded) }
      #expect(error?.code == .invalidSchema)
      #expect(error?.failures.map(\.entity) == ["Wide"])
    }
    // A hidden key is a column too.
    let keyless = EntityDescription(
      name: "Wide", attributes: (0..<1600).map { AttributeDescription("a\($0)", .string) })
    #expect(throws: StoreError.self) { try Schema(entities: [keyless]) }
  }

  @Test("a schema's version is stored, joined and checked")
  func version() throws {
    #expect(try Schema(Snack.self).version == nil)
    let second = try Schema(Snack.self, version: 2)
    #expect(second.stored.version == 2)
    #expect(try Schema(second.stored).version == 2)
    let read = try JSONDecoder().decode(Schema.self, from: JSONEncoder().encode(second))
    #expect(read == second)
    #expect(try Schema(joining: second, Schema(Enrolment.self, version: 1)).version == 2)
    #expect(try Schema(joining: second, version: 5).version == 5)
    #expect(fault { _ = try Schema(Snack.self, version: 0) } == "invalidSchema ")
  }

  @Test("a composite key whose parts are declared in another order is refused")
  func keyOrder() throws {
    struct Swapped: Persistable, PrimaryKeyed, Codable {
      struct ID: CompositeKey {
        var a: Int
        var b: Int
      }
      var id: ID
      static let entity = Entity<Swapped>("Swapped") {
        .key("b", \.id.b); .key("a", \.id.a)
      }
    }
    #expect(fault { _ = try Schema(Swapped.self) } == "invalidSchema ")
    _ = try Schema(Enrolment.self)
  }
}
