import Foundation
import ORM
import ORMMigrations
import StoreModels
import TestSupport
import Testing

/// The stores that released versions wrote, in `Tests/Golden`: clauses 7.3 and 10.1.
@Suite struct GoldenTests {
  private typealias Golden = GoldenStore
  private static let kinds = [FileStore.sqlite, .lmdb, .memory]

  /// Every released version with every kind of its stores.
  private static let stores = ["0.1.0"].flatMap { version in kinds.map { (version, $0) } }

  /// Copies the file of a version: the original is never opened.
  private func copy(_ version: String, _ kind: FileStore, to folder: TestFolder) throws -> String {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent()
    let name =
      switch kind {
      case .sqlite, .checksums: "store.sqlite"
      case .lmdb: "store.lmdb"
      case .memory: "store.image"
      }
    try FileManager.default.copyItem(
      at: tests.appendingPathComponent("Golden/\(version)/\(name)"),
      to: URL(fileURLWithPath: folder.file(name)))
    return folder.file(name)
  }

  private func open(
    _ path: String, _ kind: FileStore, _ schema: Schema, _ plan: MigrationPlan? = nil
  ) throws -> any Store {
    var options = StoreOptions()
    if let plan { options.schemaPolicy = .migrate(plan) }
    return try StoreLocation(kind: kind.kind, path: path).open(schema: schema, options: options)
  }

  @Test("7.3: a store of a released version has the values that were written", arguments: stores)
  func values(_ version: String, _ kind: FileStore) throws {
    let folder = TestFolder(inMemory: true)
    let path = try copy(version, kind, to: folder)
    let store = try open(path, kind, try Golden.schema())
    #expect(store.schema.version == 1)
    let rows = try store.read { try $0.fetch(DynamicQuery("Sample")) }
    #expect(rows == [Golden.middle, Golden.ends])
    for (format, ids) in [
      ("text ==[c] 'STRASSE 日本 😀'", [1]), ("real < 0", [1]), ("ANY tags == 'a'", [1]),
      ("huge > 42", [3]), ("price > 0", [3]),
      ("missing == nil", [3]),
    ] as [(String, [Int64])] {
      let query = try DynamicQuery("Sample", in: store.schema, where: format)
      let found = try store.read { try $0.fetch(query) }
      #expect(found.map { $0["id"] } == ids.map { .int($0) }, "\(format)")
    }
    try expectLinks(store)
    #expect(try store.fetch(Golden.Dog.all) == [Golden.Dog(2, "Rex", tricks: 3)])
    #expect(try store.fetch(Golden.Animal.all).map(\.name) == ["worm", "Rex"])
    #expect(try store.check().isSound)
    // Keys 2 and 4 were given, and are not given again.
    var row = Golden.middle
    row.values["id"] = nil
    row["text"] = .string("new")
    try store.write { [row] in try $0.insert([row]) }
    let keys = try store.read { try $0.fetch(DynamicQuery("Sample")) }.map { $0["id"] }
    #expect(keys == [.int(1), .int(3), .int(5)])
    try store.close()
  }

  private func expectLinks(_ store: any Store) throws {
    let homes = try store.fetch(
      Golden.Home.all.prefetch(\.owner, \.permit).prefetch(\.crates, \.labels, \.artists))
    #expect(homes.map(\.name) == ["mill", "barn"])
    #expect(homes.map(\.owner.id) == [1, 1])
    #expect(homes.map(\.permit.id) == [nil, 7])
    #expect(homes.map(\.crates.ids) == [[3, 1], [2]], "in their order")
    #expect(homes.map { $0.labels.ids?.sorted() } == [["fragile", "heavy"], ["heavy"]])
    #expect(homes.map { $0.artists.ids?.sorted() } == [[1, 2], [2]])
    let owners = try store.fetch(Golden.Owner.all.prefetch(\.homes))
    #expect(owners.map(\.name) == ["Ada", "Ben"])
    #expect(owners.map { $0.homes.ids?.sorted() } == [[1, 2], []])
    let all = try store.read { try $0.fetch(DynamicQuery("Home", deleted: .included)) }
    #expect(all.map { $0["deletedAt"].isNull } == [true, true, false])
    let presences = try store.fetch(Golden.Presence.all)
    #expect(presences.map(\.grade) == [2, nil])
    #expect(presences.map(\.pupil.id) == [1, 2])
    #expect(presences.map(\.course.id) == [5, 5])
    let pupils = try store.fetch(Golden.Workshop.all.prefetch(\.pupils)).first?.pupils.ids
    #expect(pupils?.sorted() == [1, 2])
  }

  @Test("10.1: a store of a released version is migrated by a plan", arguments: stores)
  func migrated(_ version: String, _ kind: FileStore) throws {
    let folder = TestFolder(inMemory: true)
    let path = try copy(version, kind, to: folder)
    let plan = MigrationPlan([
      .version(
        2,
        [
          .renameEntity("Sample", to: "Probe"),
          .renameAttribute("real", to: "level", in: "Probe"),
          .changeType(of: "tiny", to: .string, in: "Probe", by: .text),
          .makeRequired("missing", in: "Probe", default: .string("none")),
          .set("medium", in: "Probe", to: "short + 1"),
          .dropAttributes(["huge"], in: "Probe"),
          .split("Probe", into: "Note", moving: ["extra", "bytes"], link: "note"),
        ]),
      .version(
        3,
        [
          .renameRelationship("owner", to: "keeper", in: "Home"),
          .changeKey(of: "Crate", to: ["content"]), .dropEntity("Presence"),
          .rows(of: "Dog", named: "another trick", revision: 1) { row in
            if case .int(let tricks) = row["tricks"] { row["tricks"] = .int(tricks + 1) }
          },
        ]),
    ])
    var store = try open(path, kind, try migratedSchema(), plan)
    let probes = try store.read { try $0.fetch(DynamicQuery("Probe")) }
    #expect(probes.map { $0["tiny"] } == [.string("-7"), .string("-128")])
    #expect(probes.map { $0["level"] } == [.double(-1234.5), .double(.greatestFiniteMagnitude)])
    #expect(probes.map { $0["missing"] } == [.string("here"), .string("none")])
    #expect(probes.map { $0["medium"] } == [.int(301), .int(32_768)])
    #expect(probes.map { $0["note_id"] } == [.int(1), .int(2)])
    for name in ["flag", "short", "long", "byte", "word", "quad", "single", "text", "date"] {
      #expect(probes.map { $0[name] } == [Golden.middle[name], Golden.ends[name]], "\(name)")
    }
    for name in ["code", "price", "tags"] {
      #expect(probes.map { $0[name] } == [Golden.middle[name], Golden.ends[name]], "\(name)")
    }
    let notes = try store.read { try $0.fetch(DynamicQuery("Note")) }
    for name in ["extra", "bytes"] {
      #expect(notes.map { $0[name] } == [Golden.middle[name], Golden.ends[name]], "\(name)")
    }
    let homes = try DynamicQuery("Home", in: store.schema, where: "keeper.name == 'Ada'")
    #expect(try store.read { try $0.fetch(homes) }.map { $0["id"] } == [.int(1), .int(2)])
    for (home, contents) in [(1, ["books", "tools"]), (2, ["plates"])] as [(Int64, [String])] {
      for content in contents {
        let query = try DynamicQuery(
          "Home", in: store.schema, where: "ANY crates.content == '\(content)'")
        #expect(
          try store.read { try $0.fetch(query) }.map { $0["id"] } == [.int(home)], "\(content)")
      }
    }
    let tricks = try store.read { try $0.fetch(DynamicQuery("Dog")) }.map { $0["tricks"] }
    #expect(tricks == [.int(4)])
    #expect(try store.check().isSound)
    if let image = store as? any ImageStore { try image.write(to: path) }
    try store.close()
    store = try open(path, kind, try migratedSchema(), plan)
    let again = try store.read { try $0.fetch(DynamicQuery("Probe")) }
    #expect(again == probes, "once only")
    try store.close()
  }

  /// The schema of version 3.
  private func migratedSchema() throws -> Schema {
    var entities = try Golden.schema().entities.filter { $0.name != "Presence" }
    for index in entities.indices {
      switch entities[index].name {
      case "Sample":
        entities[index].name = "Probe"
        entities[index].attributes.removeAll { ["extra", "bytes", "huge"].contains($0.name) }
        for position in entities[index].attributes.indices {
          switch entities[index].attributes[position].name {
          case "real": entities[index].attributes[position].name = "level"
          case "tiny": entities[index].attributes[position].type = .string
          case "missing": entities[index].attributes[position].isOptional = false
          default: break
          }
        }
        entities[index].attributes.append(
          AttributeDescription("note_id", .int64, isOptional: true))
        entities[index].indexes = [
          IndexDescription(["text"], isUnique: true), IndexDescription(["level"]),
          IndexDescription(["note_id"]),
        ]
        entities[index].relationships = [
          RelationshipDescription(
            "note", target: "Note", isToMany: false, storage: .own(["note_id"], position: nil))
        ]
      case "Home":
        for position in entities[index].relationships.indices {
          switch entities[index].relationships[position].name {
          case "owner":
            entities[index].relationships[position].name = "keeper"
          case "crates":
            entities[index].relationships[position].targetDeleteRule = .nullify
          default: break
          }
        }
      case "Owner": entities[index].relationships[0].inverse = "keeper"
      case "Crate": entities[index].key = ["content"]
      case "Trainee", "Workshop": entities[index].relationships = []
      default: break
      }
    }
    let note = EntityDescription(
      name: "Note",
      attributes: [
        AttributeDescription("id", .int64), AttributeDescription("extra", .json),
        AttributeDescription("bytes", .data),
      ], key: ["id"], keySource: .generated)
    return try Schema(entities: entities + [note], version: 3)
  }
}
