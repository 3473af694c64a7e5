import Foundation
import MemoryBackend
import ORM
import ORMCoordinator
import SQLiteBackend
import StoreModels
import TestSupport
import Testing

/// Files and texts of a schema that are canonically equal, and have different scalars (clause 2.3).
@Suite struct CanonicalTextTests {
  private let folder = TestFolder()
  private let spellings = ["\u{E9}", "e\u{301}"]

  @Test(
    "2.3: rules, templates and defaults in another spelling replace the stored ones",
    arguments: FileStore.inPlace)
  func schemas(_ kind: FileStore) throws {
    let location = StoreLocation(
      kind: kind.kind, path: folder.file("schema.\(kind.kind.fileExtension)"))
    for text in spellings + spellings {
      let schema = try Schema(
        entities: [
          EntityDescription(
            name: "Thing",
            attributes: [
              AttributeDescription("id", .int64), AttributeDescription("name", .string),
            ],
            key: ["id"], templates: [QueryTemplate("named", "name == '\(text)'")],
            rules: [
              ValidationRule(
                "spelling", attributes: ["name"], format: "name != '\(text)'", message: text)
            ])
        ])
      try location.open(schema: schema).close()
      // As the file has it.
      let store = try location.open()
      let entity = try #require(store.schema.entity(named: "Thing"))
      let texts = [
        entity.rules[0].format, entity.rules[0].message, entity.templates[0].format ?? "",
      ]
      for (stored, expected) in zip(texts, ["name != '\(text)'", text, "name == '\(text)'"]) {
        #expect(Array(stored.unicodeScalars) == Array(expected.unicodeScalars))
      }
      try store.close()
    }
  }

  // File systems of Apple's take both spellings for one name.
  #if !canImport(Darwin)
    private func paths(_ kind: FileStore) -> [String] {
      spellings.map { folder.file("\($0).\(kind.kind.fileExtension)") }
    }

    @Test(
      "6.9: files with two spellings of a name are two stores of one process",
      arguments: FileStore.allCases)
    func files(_ kind: FileStore) throws {
      let paths = paths(kind)
      for (number, path) in paths.enumerated() {
        _ = try kind.makeSamples(Int64(number + 2), at: path)
      }
      let stores = try paths.map { try kind.open($0) }
      #expect(try stores.map { try $0.count(Entry.self) } == [2, 3])
      for store in stores { try store.close() }
    }

    @Test("12.10: members of a coordinator may have two spellings of a name")
    func members() throws {
      for kind in FileStore.inPlace {
        let paths = paths(kind)
        let store = try StoreCoordinator(
          StoreModels.schema(),
          configurations: [
            .configuration(
              "main", Journal.self, at: StoreLocation(kind: kind.kind, path: paths[0])),
            .configuration("bulk", Entry.self, at: StoreLocation(kind: kind.kind, path: paths[1])),
            .configuration("cache", Counter.self, at: .memory),
          ])
        _ = try Numbered.next(in: store)
        try store.close()
        #expect(
          try paths.map { try FileManager.default.attributesOfItem(atPath: $0).isEmpty } == [
            false, false,
          ])
      }
    }

    @Test("10.14: a copy of a store in another spelling is not removed as one of its own")
    func copies() throws {
      var options = StoreOptions()
      options.schemaPolicy = .migrate(Membership.plan)
      options.migration.backup = .always(keep: 1)
      for path in paths(.sqlite) {
        let location = StoreLocation(kind: .sqlite, path: path)
        try Membership.fill(location)
        try location.open(schema: Membership.newSchema(), options: options).close()
      }
      #expect(
        try folder.names().filter { $0.utf8.elementsEqual("\u{E9}.before-3.sqlite".utf8) }.count
          == 1)
      #expect(
        try folder.names().filter { $0.utf8.elementsEqual("e\u{301}.before-3.sqlite".utf8) }.count
          == 1)
    }
  #endif
}
