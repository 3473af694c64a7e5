import Foundation
import ORMCore
import Testing

@Suite struct ManagedRoleTests {
  private struct Paper: Persistable, Codable {
    var title: String
    var madeAt: Date
    var changedAt: Date?
    var edition: Int
    var deletedAt: Date?
    static let entity = Entity<Paper>("Paper") {
      .attribute("title", \.title)
        .attribute("madeAt", \.madeAt, .createdAt)
        .attribute("changedAt", \.changedAt, .updatedAt, .indexed)
        .attribute("edition", \.edition, .version)
        .attribute("deletedAt", \.deletedAt, .softDelete)
    }
  }

  @Test("roles are stored in the schema, and a schema that was stored without them is read")
  func coding() throws {
    let schema = try Schema(Paper.self)
    let roles = schema.stored.entities[0].columns.map(\.role)
    #expect(roles == [nil, .createdAt, .updatedAt, .version, .deletedAt, nil])
    let text = try JSONEncoder().encode(schema.stored)
    #expect(try JSONDecoder().decode(StoredSchema.self, from: text) == schema.stored)
    #expect(try Schema(schema.stored).stored == schema.stored)
    let plain = try JSONEncoder().encode(StoredColumn("a", .date, isOptional: true))
    #expect(!String(decoding: plain, as: UTF8.self).contains("role"))
    #expect(try JSONDecoder().decode(StoredColumn.self, from: plain).role == nil)
  }

  @Test("a role is of the right type, stands once, and is neither a key nor has a default")
  func rules() {
    func failures(_ attributes: AttributeDescription..., key: [String] = ["id"]) -> [String] {
      let all = [AttributeDescription("id", .int64)] + attributes
      do {
        _ = try Schema(entities: [EntityDescription(name: "E", attributes: all, key: key)])
        return []
      } catch {
        return (error as? StoreError)?.failures.flatMap(\.attributes) ?? ["?"]
      }
    }
    func date(_ name: String, _ role: ManagedRole, isOptional: Bool = true) -> AttributeDescription
    {
      AttributeDescription(name, .date, isOptional: isOptional, role: role)
    }
    #expect(failures(date("a", .deletedAt), date("b", .updatedAt)) == [])
    #expect(failures(date("a", .deletedAt), date("b", .deletedAt)) == ["b"])
    #expect(failures(date("a", .deletedAt, isOptional: false)) == ["a"])
    #expect(failures(AttributeDescription("a", .bool, isOptional: true, role: .deletedAt)) == ["a"])
    #expect(failures(AttributeDescription("a", .string, role: .createdAt)) == ["a"])
    #expect(failures(AttributeDescription("a", .int32, role: .version)) == ["a"])
    #expect(failures(AttributeDescription("a", .int64, isOptional: true, role: .version)) == ["a"])
    #expect(
      failures(
        AttributeDescription("a", .date, isOptional: true, defaultValue: .now, role: .updatedAt))
        == ["a"])
    #expect(
      failures(date("a", .createdAt, isOptional: false), key: ["id", "a"]) == ["a"])
  }

  @Test("a change of the role alone is no difference")
  func comparison() throws {
    let declared = try Schema(Paper.self).stored
    var stored = declared
    for column in stored.entities[0].columns.indices {
      stored.entities[0].columns[column].role = nil
    }
    let changes = try SchemaComparison.compare(stored: stored, declared: declared, policy: .strict)
    #expect(changes.union == declared)
    #expect(changes.addedColumns.isEmpty && changes.addedIndexes.isEmpty)
  }
}
