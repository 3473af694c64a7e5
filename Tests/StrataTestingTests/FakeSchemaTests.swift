import MemoryBackend
import ORM
import ORMCore
import StrataTesting
import TestSupport
import Testing

@testable import ORMConformance

/// Fakes for the schemas of the conformance suite, and for random ones.
@Suite struct FakeSchemaTests {
  /// A schema by its name.
  struct Named: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable () throws -> Schema
  }

  static let schemas = [
    Named(testDescription: "derived attributes") { try .guilds },
    Named(testDescription: "keys of links") {
      try Schema(
        Performer.self, Production.self, Casting.self, Rehearsal.self, Biography.self)
    },
    Named(testDescription: "a hierarchy") {
      try Schema(Vehicle.self, Car.self, SportsCar.self, Truck.self)
    },
    Named(testDescription: "counts and soft deletes") { try Schema(Cabinet.self, Trinket.self) },
    Named(testDescription: "structs") { try Schema(Consignment.self) },
    Named(testDescription: "rules of every kind") { try Schema(Room.self, Freight.self) },
    Named(testDescription: "links of every kind") {
      try Schema(Team.self, Coach.self, Player.self, League.self)
    },
  ]

  @Test("13.7 the rows of a fake are sound, and decode", arguments: schemas)
  func soundRows(_ named: Named) throws {
    let schema = try named.make()
    for seed in UInt64(0)..<10 {
      let names = schema.stored.everyEntity.filter { !$0.isInternal && !$0.isBookkeeping }
      let counts = Dictionary(uniqueKeysWithValues: names.map { ($0.modelName, 12) })
      let store = MemoryStore(schema: schema)
      // Entities that are not named get as many rows as the numbers of their owners ask for.
      let usable: [String: Int] =
        switch named.testDescription {
        case "counts and soft deletes": ["Cabinet": 12]
        case "links of every kind": ["Team": 12]
        default: counts
        }
      try Fake(schema, seed: seed).fill(store, FakeCounts(usable))
      let report = try store.check()
      #expect(report.isSound, "seed \(seed): \(report.faults)")
      let total = try store.read { tx in
        try names.reduce(0) { try $0 + tx.count(DynamicQuery($1.modelName)) }
      }
      #expect(total >= 12)
    }
  }

  @Test("13.7 links of every form are sound", arguments: LinkForm.all)
  func linkForms(_ form: LinkForm) throws {
    let schema = try form.models.schema()
    for seed in UInt64(0)..<5 {
      let names = schema.stored.entities.filter { !$0.isInternal && !$0.isBookkeeping }
      let counts = Dictionary(uniqueKeysWithValues: names.map { ($0.modelName, 9) })
      let store = try Fake(schema, seed: seed).store(FakeCounts(counts))
      let report = try store.check()
      #expect(report.isSound, "seed \(seed): \(report.faults)")
    }
  }

  @Test("13.7 a thousand random schemas are filled, and no rule is broken")
  func randomSchemas() throws {
    var random = SeededGenerator.printed("randomSchemas")
    for _ in 0..<1_000 {
      let schema = try Schema(entities: [Self.entity(&random)])
      let store = MemoryStore(schema: schema)
      try Fake(schema, seed: random.next()).fill(store, FakeCounts(["Thing": 15]))
      // A save by the operations checks every rule.
      let rows = try store.read { try $0.fetch(DynamicQuery("Thing")) }
      #expect(rows.count == 15)
      let again = MemoryStore(schema: schema)
      try again.write { try $0.insert(rows) }
    }
  }

  /// An entity of random attributes, rules and unique rules that some rows keep.
  private static func entity(_ random: inout SeededGenerator) -> EntityDescription {
    let types: [AttributeType] = [
      .bool, .int8, .int32, .int64, .uint16, .uint64, .double, .float, .string, .data, .date, .uuid,
      .decimal, .array(.int64), .array(.string),
    ]
    var entity = EntityDescription(
      name: "Thing", attributes: [AttributeDescription("id", .int64)], key: ["id"])
    for number in 0..<Int.random(in: 1...6, using: &random) {
      let name = "a\(number)"
      let type = types.randomElement(using: &random) ?? .string
      entity.attributes.append(
        AttributeDescription(name, type, isOptional: random.chance(3)))
      let low = Int.random(in: 0...20, using: &random)
      func rule(_ format: String) {
        let whole =
          entity.attributes.last?.isOptional == true ? "\(name) == nil OR (\(format))" : format
        entity.rules.append(
          ValidationRule("rule\(number)", attributes: [name], format: whole, message: "must hold"))
      }
      switch type.kind {
      case .int, .unsigned, .double, .decimal:
        if random.chance(2) { rule("\(name) >= \(low) AND \(name) < \(low + 30)") }
      case .string:
        if random.chance(3) {
          rule("\(name) MATCHES '[a-f]{\(low + 2)}-\\\\d+'")
        } else if random.chance(2) {
          rule("length(\(name)) BETWEEN {\(low + 3), \(low + 9)}")
        }
      case .array: if random.chance(2) { rule("\(name).@count <= \(low / 4)") }
      default: break
      }
      if type.isScalar, type.kind != .bool, random.chance(4) {
        entity.indexes.append(IndexDescription([.init(name)], isUnique: true))
      }
    }
    return entity
  }
}
