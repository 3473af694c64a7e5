public import ORM

extension Store {
  /// Exports the models of a query to a file, in its order.
  ///
  /// ```swift
  /// let report = try store.export(Snack.where { $0.price < 3 }, to: .jsonLines("snacks.jsonl"))
  /// ```
  ///
  /// All of them are of one snapshot, and memory does not grow with them. Relationships are written
  /// as the mapping says, nested objects as far as the query prefetches them. The file gets its name
  /// when it is whole and replaces one that is there.
  ///
  /// - Parameters:
  ///   - query: the models.
  ///   - target: the file and its form.
  ///   - mapping: the mapping; the model's own unless given.
  /// - Throws: `invalidMapping`, `cannotOpen`, `full`, `inputOutput`, and as a fetch.
  @discardableResult
  public func export<Model: Persistable>(
    _ query: Query<Model>, to target: ExportTo, mapping: JSONMapping<Model>? = nil
  ) throws -> ExportReport {
    let plan = try (mapping ?? ImportOptions<Model>().mapping).plan
    return try read { try $0.export(query, to: target, plan) }
  }

  /// Exports the models of a query to a file, off the cooperative pool.
  ///
  /// ```swift
  /// let report = try await store.export(Snack.all, to: .csv("snacks.csv"))
  /// ```
  @discardableResult
  public func export<Model: Persistable>(
    _ query: Query<Model>, to target: ExportTo, mapping: JSONMapping<Model>? = nil
  ) async throws -> ExportReport {
    let plan = try (mapping ?? ImportOptions<Model>().mapping).plan
    return try await read { try $0.export(query, to: target, plan) }
  }

  /// Exports the rows of a query to a file, by names.
  ///
  /// ```swift
  /// try store.export(DynamicQuery("Snack"), to: .csv("snacks.csv"))
  /// ```
  ///
  /// - Parameters:
  ///   - query: the rows.
  ///   - target: the file and its form.
  ///   - mapping: the mapping; attributes have their own names unless given.
  @discardableResult
  public func export(
    _ query: DynamicQuery, to target: ExportTo, mapping: DynamicMapping = DynamicMapping()
  ) throws -> ExportReport {
    guard let entity = try Schema(schema)[query.entity] else {
      throw StoreError(
        .unknownEntity, "the store has no entity of this name", entity: query.entity)
    }
    let writing = try DynamicWriting(mapping, of: entity)
    return try read { transaction in
      var writer = try RecordFileWriter(target, writing.tree)
      try transaction.chunks(query, size: 1_000) { rows in
        for row in rows { try writer.write(writing.text(of: row)) }
      }
      return try writer.finish(query.entity)
    }
  }
}

extension ReadTransaction {
  fileprivate func export<Model: Persistable>(
    _ query: Query<Model>, to target: ExportTo, _ plan: MappingPlan<Model>
  ) throws -> ExportReport {
    let isKeyed = if case .keyed = plan.list { true } else { false }
    var writer = try RecordFileWriter(target, plan.writing, isKeyed: isKeyed)
    let writing = JSONWriting(plan.targets)
    try chunks(query, size: 1_000) { models in
      for model in models {
        var text = JSONWriter()
        try plan.write(model, to: &text, writing)
        try writer.write(text.text, name: isKeyed ? plan.memberName(of: model) : nil)
      }
    }
    return try writer.finish(plan.entity)
  }
}

/// The writing of rows by names.
struct DynamicWriting {
  let tree: WriteTree
  private let columns: [ColumnPlan]

  /// Makes the writing of an entity's rows.
  ///
  /// - Throws: `invalidMapping`.
  init(_ mapping: DynamicMapping, of entity: EntityDescription) throws {
    let plan = try mapping.plan(for: entity)
    columns = plan.columns
    var tree = WriteTree.empty
    for (position, column) in columns.enumerated() {
      let isDerived = entity.attributes[position].derived != nil
      let path = column.source ?? (isDerived ? [.name(column.name)] : nil)
      guard let path else { continue }
      guard tree.add(path[...], .column(position)) else {
        throw StoreError(
          .invalidMapping, "\(JSONKeyPath.text(of: path)) is written for something else too",
          entity: entity.name, attributes: [column.name])
      }
    }
    self.tree = tree
  }

  /// A row as a JSON object.
  func text(of row: DynamicRow) throws -> String {
    var writer = JSONWriter()
    try write(tree, row, to: &writer)
    return writer.text
  }

  private func write(_ tree: WriteTree, _ row: DynamicRow, to writer: inout JSONWriter) throws {
    switch tree {
    case .object(let members, presence: _):
      writer.beginObject()
      for (name, value) in members {
        writer.key(name)
        try write(value, row, to: &writer)
      }
      writer.end()
    case .column(let column):
      try columns[column].write(row[columns[column].name], to: &writer)
    case .array(let elements):
      writer.beginArray()
      for element in elements {
        if let element { try write(element, row, to: &writer) } else { writer.literal("null") }
      }
      writer.end()
    case .elements, .link, .text: writer.literal("null")
    }
  }
}
