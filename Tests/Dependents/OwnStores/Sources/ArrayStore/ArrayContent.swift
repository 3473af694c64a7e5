import ORMCore

/// Everything an array store holds: a table an entity, by stored name.
struct ArrayContent: Sendable {
  /// The schema of what is held, entities and columns that the program does not declare among them.
  let schema: StoredSchema
  var tables: [String: ArrayTable] = [:]
  /// The parts of a schema that the rows lack since it was not declared before.
  private(set) var fillings: [StoreChange] = []

  /// The former content, brought under a declared schema; empty if there was none.
  init(
    opening held: ArrayContent?, schema declared: StoredSchema,
    policy: StoreOptions.SchemaPolicy
  ) throws {
    if let held {
      let changes = try SchemaComparison.compare(
        stored: held.schema, declared: declared, policy: policy)
      schema = changes.union
      fillings = try changes.derivedFillings(declared)
    } else {
      schema = declared
    }
    var brokenRules: [StoreError] = []
    for entity in schema.entities {
      let order = Self.columns(of: entity, declared: declared[entity.name])
      var table = ArrayTable(
        entity: Self.reordered(entity, order),
        declaredCount: declared[entity.name]?.columns.count ?? entity.columns.count)
      if let old = held?.tables[entity.name] {
        for row in old.rows {
          table.set(
            table.entity.columns.map { column in
              old.entity.column(named: column.name).map { row[$0] } ?? column.defaultValue ?? .null
            })
        }
        table.lastKey = old.lastKey
        brokenRules += table.brokenRules
      }
      tables[entity.name] = table
    }
    if let error = StoreError.rowsBreaking(brokenRules) { throw error }
  }

  func table(_ name: String) throws -> ArrayTable {
    guard let table = tables[name] else {
      throw StoreError(.unknownEntity, "the store holds no entity of this name", entity: name)
    }
    return table
  }

  /// The positions of an entity's columns, the declared ones first and in their order.
  private static func columns(of entity: StoredEntity, declared: StoredEntity?) -> [Int] {
    let first = (declared?.columns ?? []).compactMap { entity.column(named: $0.name) }
    return first + entity.columns.indices.filter { !first.contains($0) }
  }

  private static func reordered(_ entity: StoredEntity, _ order: [Int]) -> StoredEntity {
    func moved(_ column: Int) -> Int { order.firstIndex(of: column) ?? column }
    var copy = entity
    copy.columns = order.map { entity.columns[$0] }
    copy.key = entity.key.map(moved)
    for index in copy.indexes.indices {
      for term in copy.indexes[index].terms.indices {
        copy.indexes[index].terms[term].column = moved(entity.indexes[index].terms[term].column)
      }
    }
    return copy
  }
}
