internal import ORMCore

/// The columns that a model reads, for results of queries in SQL.
final class ResultShape<Model: Persistable>: Sendable {
  /// The entity of the model in the store, or in a schema of its own.
  let entity: StoredEntity
  let hasLoadHook = Model.hasLoadHook

  init(in schema: StoredSchema) throws {
    let name = Model.entity.description.name
    if let entity = schema.entity(named: name) {
      self.entity = entity
      return
    }
    guard let entity = try Schema(Model.self).stored.entity(named: name) else {
      throw StoreError(.unknownEntity, "the model has no entity", entity: name)
    }
    self.entity = entity
  }
}

extension StoredEntity {
  /// Returns, by column of a result, that of the entity, and by column of the entity that of the result.
  ///
  /// - Throws: `decoding` for an attribute that no column of the result has the name of.
  func columns(ofResult names: [String]) throws -> (found: [StoredColumn?], positions: [Int]) {
    var found: [StoredColumn?] = names.map { _ in nil }
    var missing: [String] = []
    let positions = columns.enumerated().map { position, column in
      let index = names.firstIndex {
        $0.hasSameScalars(as: column.attribute) || $0.hasSameScalars(as: column.name)
      }
      if let index {
        found[index] = column
        return index
      }
      // A model does not read its hidden key.
      if keySource != .hidden || !key.contains(position) { missing.append(column.attribute) }
      return names.count
    }
    if !missing.isEmpty {
      throw StoreError(
        .decoding,
        "the result has no column of the attribute's name; select it, or name a column so",
        entity: modelName, attributes: missing)
    }
    return (found, positions)
  }
}

/// By column of an entity, that of a result; known before the first row.
final class ResultPositions {
  var columns: [Int] = []
}

/// Collects the rows of a result as models.
struct ResultModels<Model: Persistable>: RowVisitor {
  private(set) var models: [Model] = []
  private let positions: ResultPositions
  private let shape: ResultShape<Model>
  private var links: DecodedLinks<Model>

  init(_ shape: ResultShape<Model>, _ positions: ResultPositions) {
    self.shape = shape
    self.positions = positions
    links = DecodedLinks(of: shape.entity)
  }

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    var model: Model = try withUnsafePointer(to: row) { row in
      try shape.entity.model(
        from: TranslatedRow(row, columns: positions.columns), isHooked: shape.hasLoadHook)
    }
    if links.isNeeded { try links.repair(&model) }
    models.append(model)
    return .next
  }
}
