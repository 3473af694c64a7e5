import Foundation
import ORM
import ORMMigrations
import TestSupport
import Testing

/// Plans against schemas in files, as unit tests of a program use them.
@Suite struct FrozenSchemaTests {
  private let folder = TestFolder()

  private func schema(
    _ version: Int, _ attributes: AttributeDescription...
  ) throws -> Schema {
    let entity = EntityDescription(
      name: "Snack", attributes: [.init("id", .int64)] + attributes, key: ["id"])
    return try Schema(entities: [entity], version: version)
  }

  private func freeze(_ schema: Schema) throws -> String {
    let path = "\(folder.path)/v.json"
    try Data(JSONCoding.encode(schema.stored).utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test("10.3: a plan leads from a frozen schema to the declared one, or does not")
  func leads() throws {
    let path = try freeze(schema(1, .init("price", .double), .init("note", .string)))
    let declared = try schema(
      2, .init("price", .decimal), .init("taste", .string, isOptional: true))
    let change = MigrationStep.changeType(of: "price", to: .decimal, in: "Snack")
    let drop = MigrationStep.dropAttributes(["note"], in: "Snack")
    #expect(try MigrationPlan([.version(2, [change, drop])]).leads(from: path, to: declared))
    #expect(try !MigrationPlan([.version(2, [drop])]).leads(from: path, to: declared))
    #expect(try !MigrationPlan([.version(2, [change])]).leads(from: path, to: declared))
    #expect(try !MigrationPlan([]).leads(from: path, to: declared))
  }

  @Test("Files that are no schemas, steps that cannot be, and newer schemas are errors")
  func errors() throws {
    let path = try freeze(schema(3, .init("price", .double)))
    let missing = "\(folder.path)/missing.json"
    let other = "\(folder.path)/other.json"
    try Data("{\"entities\":7}".utf8).write(to: URL(fileURLWithPath: other))
    func code(_ plan: MigrationPlan, _ path: String, _ version: Int) throws -> StoreError.Code? {
      let declared = try schema(version, .init("price", .double))
      do { _ = try plan.leads(from: path, to: declared) } catch let error as StoreError {
        return error.code
      }
      return nil
    }
    let plan = MigrationPlan([.version(4, [.dropEntity("Crate")])])
    #expect(try code(plan, path, 3) == nil)
    #expect(try code(plan, path, 4) == .invalidPlan)
    #expect(try code(plan, path, 2) == .schemaTooNew)
    #expect(try code(plan, missing, 4) == .cannotOpen)
    #expect(try code(plan, other, 4) == .decoding)
    // Positions of columns that are not there.
    let indexed = try Schema(
      entities: [
        EntityDescription(
          name: "Snack", attributes: [.init("id", .int64), .init("price", .double)], key: ["id"],
          indexes: [IndexDescription(["price"])])
      ], version: 3)
    let text = try JSONCoding.encode(indexed.stored)
    for (part, wrong) in [
      ("\"key\":[0]", "\"key\":[2]"), ("\"key\":[0]", "\"key\":[-1]"),
      ("\"key\":[0]", "\"key\":[]"), ("\"column\":1", "\"column\":9"),
    ] {
      #expect(text.contains(part))
      try Data(text.replacing(part, with: wrong).utf8).write(to: URL(fileURLWithPath: other))
      #expect(try code(plan, other, 4) == .decoding, "\(wrong)")
    }
  }
}
