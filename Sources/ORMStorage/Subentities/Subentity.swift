internal import ORMValues

/// A subentity as the root of its hierarchy holds it.
package final class Subentity: Sendable {
  /// The subentity, with the columns that its model sees.
  package let entity: StoredEntity
  /// The entity whose rows are its rows.
  package let root: StoredEntity
  /// The root's column for each of its own.
  package let columns: [Int]
  /// The root's column that holds the kind of a row, and its attribute.
  package let kindColumn: Int
  package let kindAttribute: String
  /// The kinds of its rows: its own, and those of its subentities.
  package let kinds: [String]
  /// Its attributes by their names, as the root calls them.
  package let attributes: [String: String]
  private let ownAttributes: [String: String]

  /// A subentity of a root.
  ///
  /// - Throws: `corrupt` where the root lacks a column, which no checked schema does.
  package init(_ entity: StoredEntity, of root: StoredEntity) throws {
    let columns = entity.columns.compactMap { root.column(named: $0.name) }
    guard columns.count == entity.columns.count, let kind = root.column(named: root.kindName) else {
      throw StoreError(
        .corrupt, "the store's schema does not say where the attributes of a subentity are",
        entity: entity.modelName)
    }
    self.entity = entity
    self.root = root
    self.columns = columns
    kindColumn = kind
    kindAttribute = root.columns[kind].attribute
    kinds = root.kinds(of: entity)
    let names = zip(entity.columns, columns).map { ($0.attribute, root.columns[$1].attribute) }
    attributes = Dictionary(names, uniquingKeysWith: { first, _ in first })
    ownAttributes = Dictionary(
      names.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns an engine's error about the root with the names of the subentity; any other error as
  /// it is.
  package func named(_ error: any Error) -> any Error {
    guard var error = error as? StoreError, error.entity == root.modelName else { return error }
    error.entity = entity.modelName
    error.attributes = error.attributes.map { ownAttributes[$0] ?? $0 }
    return error
  }

  /// Returns the condition that a row of the root belongs to the subentity.
  package func condition(scope: Int, kinds: Operand) -> Condition {
    let kind = Operand.path(.init([kindAttribute], scope: scope))
    if case .parameterList = kinds { return .isIn(kind, list: kinds, []) }
    return .compare(kind, .equal, kinds, [])
  }
}

/// The subentities of a schema by their stored names.
package struct SubentityTable: Sendable {
  private let byName: [String: Subentity]

  /// The subentities of a schema; nil where it has none.
  package init?(_ schema: StoredSchema) throws {
    guard schema.hasSubentities else { return nil }
    var byName: [String: Subentity] = [:]
    for root in schema.entities {
      for entity in root.subentities { byName[entity.name] = try Subentity(entity, of: root) }
    }
    self.byName = byName
  }

  /// The subentity with this stored name; nil for an entity that has rows of its own.
  package subscript(name: String) -> Subentity? { byName[name] }

  /// A statement of SQL with the roots instead of their subentities.
  package func translated(_ statement: SQLRequest) -> SQLRequest {
    let byModel = Dictionary(
      byName.values.map { ($0.entity.modelName, $0) }, uniquingKeysWith: { first, _ in first })
    return statement.mapping { part in
      switch part {
      case .entity(let name):
        return .entity(byModel[name]?.root.modelName ?? name)
      case .attribute(let name, let entity):
        guard let own = byModel[entity] else { return part }
        return .attribute(own.attributes[name] ?? name, entity: own.root.modelName)
      case .words, .value, .list: return part
      }
    }
  }
}
