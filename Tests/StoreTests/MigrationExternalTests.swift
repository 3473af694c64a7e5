import Foundation
import ORM
import ORMMigrations
import StoreModels
import TestSupport
import Testing

/// Attributes that are stored outside of rows, in steps: clauses 10.4 and 10.7.
@Suite struct MigrationExternalTests {
  private let folder = TestFolder()

  private func schema(_ film: String, key: String, _ version: Int) throws -> Schema {
    try Schema(
      entities: [
        EntityDescription(
          name: "Reel",
          attributes: [
            AttributeDescription("id", .int64), AttributeDescription("code", .string),
            AttributeDescription(film, .data, isOptional: true, externalThreshold: 64),
          ], key: [key])
      ], version: version)
  }

  /// Data of 5 to 320 bytes, of which those above 64 lie outside; two are the same.
  private func film(_ number: Int) -> Data {
    Data(repeating: UInt8(number % 7), count: 5 * (number % 7 + 1) * (number % 9 + 1))
  }

  private func fill(_ location: StoreLocation) throws {
    let store = try location.open(schema: schema("film", key: "id", 1))
    try store.write { tx in
      try tx.insert(
        (1...60).map { number in
          DynamicRow(
            "Reel",
            [
              "id": .int(Int64(number)), "code": .string("c\(number)"),
              "film": number == 9 ? .null : .data(film(number)),
            ])
        })
    }
    try store.close()
  }

  @Test(
    "10.7: contents outside of rows follow renames, written rows and keys",
    arguments: FileStore.inPlace, [MigrationOptions.Mode.atomic, .resumable])
  func contents(_ kind: FileStore, _ mode: MigrationOptions.Mode) throws {
    let location = StoreLocation(
      kind: kind.kind, path: folder.file("app.\(kind.kind.fileExtension)"))
    try fill(location)
    let plan = MigrationPlan([
      .version(
        2,
        [
          .renameAttribute("film", to: "reel", in: "Reel"),
          .rows(of: "Reel", named: "codes", revision: 1) { row in
            if case .int(let id) = row["id"] { row["code"] = .string("d\(100 + id)") }
          },
          .changeKey(of: "Reel", to: ["code"]),
        ])
    ])
    var options = StoreOptions()
    options.schemaPolicy = .migrate(plan)
    options.migration.mode = mode
    options.migration.batchRows = 7
    options.migration.partDuration = .zero
    let store = try location.open(schema: schema("reel", key: "code", 2), options: options)
    let rows = try store.read { try $0.fetch(DynamicQuery("Reel")) }
    #expect(rows.map { $0["code"] } == (1...60).map { .string("d\(100 + $0)") })
    #expect(
      rows.map { $0["reel"] } == (1...60).map { $0 == 9 ? .null : .data(film($0)) })
    let report = try store.check()
    #expect(report.isSound, "\(report.faults)")
    #expect(report.unusedContents == 0 && report.overcountedContents == 0)
    _ = try store.write { try $0.deleteAll(entity: "Reel") }
    try store.sweepExternalData()
    let empty = try store.check()
    #expect(empty.isSound && empty.unusedContents == 0, "\(empty)")
    try store.close()
  }

  @Test("10.4: steps do not write contents outside of rows", arguments: FileStore.inPlace)
  func refusals(_ kind: FileStore) throws {
    let location = StoreLocation(
      kind: kind.kind, path: folder.file("app.\(kind.kind.fileExtension)"))
    try fill(location)
    let steps: [MigrationStep] = [
      .set("film", in: "Reel", to: "nil"), .changeType(of: "film", to: .string, in: "Reel"),
      .fill("film", in: "Reel", named: "films", revision: 1) { $0.map { _ in .null } },
      .split("Reel", into: "Film", moving: ["film"], link: "reel"),
      .merge(["Reel", "Reel"], into: "Film"),
      .rows(of: "Reel", named: "films", revision: 1) { $0["film"] = .data(Data([1])) },
    ]
    for step in steps {
      var options = StoreOptions()
      options.schemaPolicy = .migrate(MigrationPlan([.version(2, [step])]))
      let error = #expect(throws: StoreError.self, "\(step)") {
        try location.open(schema: schema("film", key: "id", 2), options: options)
      }
      #expect(error?.code == .invalidPlan, "\(step)")
    }
    let store = try location.open(schema: schema("film", key: "id", 1))
    #expect(try store.check().isSound)
    try store.close()
  }
}
