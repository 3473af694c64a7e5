import FoundationEssentials
import ORMCore

/// Everything an array store holds: a table an entity, by stored name.
struct ArrayContent: Sendable {
  /// The schema of what is held, entities and columns that the program does not declare among them.
  let schema: StoredSchema
  /// The same with the attributes' names of the program.
  let seen: StoredSchema
  var tables: [String: ArrayTable] = [:]
  /// The unique rules that rows break.
  private(set) var brokenRules: [(index: StoredIndex, entity: StoredEntity)] = []

  /// No rows.
  init(empty schema: StoredSchema) {
    self.schema = schema
    seen = schema
    for entity in schema.entities {
      tables[entity.name] = ArrayTable(entity: entity, declaredCount: entity.columns.count)
    }
  }

  /// The former content after changes of its schema, to be seen by a declared schema that follows its
  /// aliases.
  ///
  /// - Parameter now: the value of columns that are added with the time of an insert.
  init(
    _ held: ArrayContent, _ changes: SchemaChanges, declared: StoredSchema, now: Date
  ) throws {
    schema = changes.union
    seen = schema.naming(attributesAs: declared)
    var check = StopCheck()
    for entity in seen.entities {
      let order = Self.columns(of: entity, declared: declared[entity.name])
      var table = ArrayTable(
        entity: Self.reordered(entity, order),
        declaredCount: declared[entity.name]?.columns.count ?? entity.columns.count)
      if let old = changes.nameBefore(ofEntity: entity.name).flatMap({ held.tables[$0] }) {
        let sources = table.entity.columns.map { column in
          changes.nameBefore(ofColumn: column.name, in: entity.name)
            .flatMap { old.entity.column(named: $0) }
        }
        for row in old.rows {
          try check.step()
          table.set(
            zip(table.entity.columns, sources).map { column, source in
              source.map { row[$0] } ?? column.filling(at: now)
            })
        }
        table.lastKey = old.lastKey
        brokenRules += table.brokenRules.map { ($0, table.entity) }
      }
      tables[entity.name] = table
    }
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
