internal import Foundation
internal import ORM
internal import ORMCore
internal import ORMMigrations

/// Rows for a schema, made by a seed.
struct MigrationRows {
  private let schema: StoredSchema
  private var random: RandomSource
  /// The keys of the rows that were made, by entity.
  private var keys: [String: [[StoredValue]]] = [:]

  init(schema: StoredSchema, seed: UInt64) {
    self.schema = schema
    random = RandomSource(seed: seed)
  }

  /// Fills a store with rows of every entity, and returns their numbers.
  mutating func fill(
    _ store: any Store, _ count: Int, _ value: (String, String, Int) -> StoredValue?
  ) throws -> [String: Int] {
    var counts: [String: Int] = [:]
    for entity in order().filter({ !$0.isInternal }) {
      let rows = (0..<count).compactMap { row(of: entity, $0, value) }
      counts[entity.modelName] = try store.write { tx in
        var made = 0
        for row in rows {
          do {
            try tx.insert([row])
            made += 1
          } catch is StoreError {
            // The schema refuses it, as a duplicate or by a rule.
          }
        }
        return made
      }
      let found = try store.read { tx in
        try tx.fetch(DynamicQuery(entity.modelName, deleted: .included))
      }
      let names = entity.key.map { entity.columns[$0].attribute }
      for name in [entity.modelName, schema.root(of: entity).modelName] {
        keys[name] = found.map { row in names.map { row[$0] } }
      }
    }
    return counts
  }

  /// The entities, those that required links lead to before those that have them.
  private func order() -> [StoredEntity] {
    var rest = schema.everyEntity
    var done: [StoredEntity] = []
    while !rest.isEmpty {
      let next =
        rest.firstIndex { entity in
          links(of: entity).allSatisfy { link in
            link.target == entity.modelName || done.contains { $0.modelName == link.target }
          }
        } ?? 0
      done.append(rest.remove(at: next))
    }
    return done
  }

  private func links(of entity: StoredEntity) -> [(names: [String], target: String)] {
    entity.relationships.compactMap { relationship in
      guard case .own(let names, position: _) = relationship.storage else { return nil }
      return (names, relationship.target)
    }
  }

  private mutating func row(
    of entity: StoredEntity, _ number: Int, _ given: (String, String, Int) -> StoredValue?
  ) -> DynamicRow? {
    var row = DynamicRow(entity.modelName)
    let links = links(of: entity)
    for link in links {
      let targets = keys[link.target] ?? []
      let isRequired = link.names.contains { name in
        entity.column(ofAttribute: name).map { !entity.columns[$0].isOptional } ?? false
      }
      let isLeft = !isRequired && random.chance(4)
      let key = targets.isEmpty || isLeft ? nil : random.pick(targets)
      for (position, name) in link.names.enumerated() { row[name] = key?[position] ?? .null }
    }
    for (position, column) in entity.columns.enumerated() {
      let name = column.attribute
      if let value = given(entity.modelName, name, number) {
        row[name] = value
        continue
      }
      let isKey = entity.key.contains(position)
      if column.isInternal || column.role != nil || column.derived != nil { continue }
      if isKey, entity.generatesKeys || links.contains(where: { $0.names.contains(name) }) {
        continue
      }
      if links.contains(where: { $0.names.contains(name) }) {
        if !column.isOptional, row[name].isNull { return nil }
        continue
      }
      row[name] =
        isKey
        ? Self.key(column.type, number)
        : column.isOptional && random.chance(4) ? .null : value(column.type)
    }
    return row
  }

  /// A key for the row of a number.
  private static func key(_ type: AttributeType, _ number: Int) -> StoredValue {
    switch type {
    case .string: .string("k\(number)")
    case .uint64: .unsigned(UInt64(number + 1))
    case .uuid:
      .uuid(
        UUID(
          uuid: (
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(truncatingIfNeeded: number >> 16),
            UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)
          )))
    case .double, .float: .double(Double(number))
    case .date: .date(Date(timeIntervalSinceReferenceDate: Double(number)))
    case .data: .data(Data(withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) }))
    case .decimal: .decimal(Decimal(number))
    case .bool: .bool(number.isMultiple(of: 2))
    default: .int(Int64(number + 1))
    }
  }

  /// A value as programs have them: small numbers and short texts, which mappings can map.
  private mutating func value(_ type: AttributeType) -> StoredValue {
    switch type {
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32: .int(Int64(random.number(0...99)))
    case .uint64: .unsigned(UInt64(random.number(0...99)))
    case .double, .float: .double(Double(random.number(-200...200)) / 2)
    case .date: .date(Date(timeIntervalSinceReferenceDate: Double(random.number(0...700_000_000))))
    case .decimal: .decimal(Decimal(random.number(-200...200)))
    case .array(let element): .array((0..<random.number(0...3)).map { _ in value(element) })
    case .string: .string(random.pick(["", "7", "a", "b", "Straße", "é", "long text of words"]))
    default: RandomValue.value(type, &random)
    }
  }
}
