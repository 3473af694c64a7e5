internal import ORMStorage

/// An entity with attributes that may be stored outside of its rows.
struct ExternalTable: Sendable {
  let entity: StoredEntity
  /// The positions of those attributes.
  let columns: [Int]
  /// The number of bytes above which a value is stored outside, by column; nil for other columns.
  let thresholds: [Int?]
  /// The columns of whole rows that may lead to values outside.
  let rows: ExternalOutput

  /// A table of an entity; nil where nothing of it is stored outside.
  init?(_ entity: StoredEntity, largestValue: Int) {
    columns = entity.externalColumns
    guard !columns.isEmpty else { return nil }
    self.entity = entity
    // A value that stays in its row has one byte more there.
    thresholds = entity.columns.map { column in
      column.externalThreshold.map { min($0, largestValue - 1) }
    }
    rows = ExternalOutput(
      sources: entity.columns.map { column in
        column.isExternal ? .init(entity: entity.modelName, attribute: column.attribute) : nil
      }, key: entity.key)
  }
}

/// The columns of a result that may lead to values outside.
struct ExternalOutput: Sendable {
  /// The attribute that a column of the result holds.
  struct Source: Sendable {
    let entity: String
    let attribute: String
  }

  /// The sources by column; nil for a column that never leads outside.
  let sources: [Source?]
  /// The columns that hold the row's key; empty where they are not known.
  let key: [Int]

  subscript(column: Int) -> Source? { column < sources.count ? sources[column] : nil }
}

extension ExternalOutput {
  /// The columns of the result of a query in SQL.
  init(of columns: [StoredColumn?], entity: String) {
    sources = columns.map { column in
      guard let column, column.isExternal else { return nil }
      return Source(entity: entity, attribute: column.attribute)
    }
    key = []
  }
}

extension StoredSchema {
  /// Returns the columns of a request's result that may lead to values outside; nil if none do.
  func externalOutput(
    of shape: FetchShape, _ tables: [String: ExternalTable]
  ) -> ExternalOutput? {
    switch shape.output {
    case .rows: return tables[shape.entity]?.rows
    case .values(let operands):
      let sources = operands.map { source(of: $0, in: shape.entity, tables) }
      return sources.contains { $0 != nil } ? ExternalOutput(sources: sources, key: []) : nil
    case .joined(let step, let attributes):
      let own = attributes.map { source(of: .attribute($0), in: shape.entity, tables) }
      guard tables[step.entity] != nil || own.contains(where: { $0 != nil }),
        let other = self[step.entity]
      else { return nil }
      let sources = tables[step.entity]?.rows.sources ?? other.columns.map { _ in nil }
      return ExternalOutput(sources: sources + own, key: other.key)
    case .aggregates, .groups: return nil
    }
  }

  private func source(
    of operand: Operand, in entity: String, _ tables: [String: ExternalTable]
  ) -> ExternalOutput.Source? {
    switch operand {
    case .path(let path):
      guard let table = tables[entity], let name = path.names.last,
        let column = table.entity.column(ofAttribute: name)
      else { return nil }
      return table.rows[column]
    case .relatedValue(let inner, let rows):
      return rows.steps.last.flatMap { source(of: inner, in: $0.entity, tables) }
    default: return nil
    }
  }
}
