#if Macros
  internal import Foundation
  internal import ORM
  internal import Testing

  protocol Labelled: Persistable { var label: String { get } }

  extension Labelled {
    static var labels: EntityPart<Self> {
      .attribute("label", \.label, .indexed, .length(...9), .default("none"))
    }
    static var sharedAttributes: EntityPart<Self> { labels }
  }

  @Persistable
  struct Flask: Hashable, Labelled {
    @PrimaryKey var id: Int
    var label: String
  }

  @Persistable
  struct Letter: Hashable, Identified, Stamped, Labelled {
    @PrimaryKey var id = UUID.unassigned
    var createdAt = Date.distantPast
    var changedAt = Date.distantPast
    var label: String

    static var sharedAttributes: EntityPart<Letter> { .joined(identifier, stamps, labels) }
  }

  /// Made models that share attributes through protocols.
  @Suite struct SharedModelTests {
    @Test func `M9: what a protocol says of an attribute is taken by made models`() throws {
      let schema = try Schema(Flask.self, Letter.self)
      for entity in schema.entities {
        let label = try #require(entity.attributes.first { $0.name == "label" })
        #expect(label.defaultValue == .value(.string("none")))
        #expect(entity.indexes.map(\.terms) == [[.init("label")]])
        #expect(entity.rules.map(\.name) == ["length"])
      }
      #expect(schema["Letter"]?.keySource == .uuidV7)
      #expect(schema["Letter"]?.attributes.map(\.role) == [nil, .createdAt, .updatedAt, nil])
    }

    @Test(arguments: StoreKind.everywhere)
    func `M9: shared keys, timestamps and rules are kept`(_ kind: StoreKind) throws {
      try kind.withTestStore(Schema(Flask.self, Letter.self)) { store in
        let start = Date()
        let letter = try store.save(Letter(label: "a"))
        #expect(letter.id != .unassigned)
        #expect(letter.createdAt >= start)
        #expect(letter.changedAt == letter.createdAt)
        func labels<Model: Labelled>(_ model: Model.Type) throws -> [String] {
          try store.fetch(Model.all.where { $0.label != "b" }).map(\.label)
        }
        try store.save([Flask(id: 1, label: "b"), Flask(id: 2, label: "c")])
        #expect(try labels(Flask.self) + labels(Letter.self) == ["c", "a"])
        try expectFailure(.validationFailed, "Flask") {
          try store.save(Flask(id: 3, label: "much too long"))
        }
      }
    }
  }
#endif
