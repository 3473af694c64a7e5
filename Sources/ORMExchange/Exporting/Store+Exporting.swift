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
    let plan = try (mapping ?? ImportOptions<Model>().mapping).knowingKinds(of: self).plan
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
    let plan = try (mapping ?? ImportOptions<Model>().mapping).knowingKinds(of: self).plan
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
    let plan = try DynamicPlan(mapping, of: query.entity, in: schema, .writing)
    return try read { transaction in
      if target.isStandardOutput { transaction.hasGivenRows = true }
      var writer = try RecordFileWriter(
        target, plan.writing, plan.record, isKeyed: plan.list == .keyed,
        others: plan.kinds.map { ($0.writing, $0.record) })
      let kinds = plan.table == nil ? nil : DynamicKindExport(plan, transaction)
      try transaction.chunks(query, size: 1_000) { rows in
        if let kinds { return try kinds.write(rows, to: &writer) }
        for row in rows { try plan.write(row, to: &writer) }
      }
      return try writer.finish(query.entity)
    }
  }
}

extension ReadTransaction {
  fileprivate func export<Model: Persistable>(
    _ query: Query<Model>, to target: ExportTo, _ plan: MappingPlan<Model>
  ) throws -> ExportReport {
    // Standard output cannot be written again, so the read is not repeated after contention.
    if target.isStandardOutput { hasGivenRows = true }
    if let kinds = plan.kinds, let report = try export(query, kinds: kinds, to: target, plan) {
      return report
    }
    let isKeyed = plan.list == .keyed
    var writer = try RecordFileWriter(
      target, plan.writing, plan.record, isKeyed: isKeyed)
    let writing = JSONWriting(plan.targets)
    try chunks(query, size: 1_000) { models in
      for index in models.indices {
        try plan.write(
          models[index], to: &writer, writing,
          name: isKeyed ? plan.memberName(of: models[index]) : nil)
      }
    }
    return try writer.finish(plan.entity)
  }
}

extension ReadTransaction {
  /// Exports rows of several kinds; nil for a model without a primary key, which has no kinds.
  private func export<Model: Persistable>(
    _ query: Query<Model>, kinds: KindPlans<Model>, to target: ExportTo,
    _ plan: MappingPlan<Model>
  ) throws -> ExportReport? {
    func export<Root: PrimaryKeyed>(_ model: Root.Type) throws -> ExportReport? {
      guard let query = query as? Query<Root>, let kinds = kinds as? KindPlans<Root>,
        let plan = plan as? MappingPlan<Root>
      else { return nil }
      return try KindExport(plan, kinds, self).export(query, to: target)
    }
    return try (Model.self as? any PrimaryKeyed.Type).flatMap { try export($0) }
  }
}

extension DynamicPlan {
  /// Writes a row as a record of a file.
  ///
  /// - Parameters:
  ///   - row: the row.
  ///   - file: the file.
  ///   - isOneOfSeveral: whether the fields of the file are those of several kinds.
  func write(
    _ row: DynamicRow, to file: inout RecordFileWriter, isOneOfSeveral: Bool = false
  ) throws {
    let values = record.columns.map { row[$0.name] }
    if file.hasFields, !isOneOfSeveral {
      return try file.writeFields(
        record, values, NoLinkWriting(), writesNulls: writesNulls)
    }
    try file.write(name: list == .keyed ? memberName(of: row) : nil) { writer in
      try record.write(
        writing, values, NoLinkWriting(), writesNulls: writesNulls, to: &writer)
    }
  }

  /// The name of the member that a row is in a keyed list.
  func memberName(of row: DynamicRow) -> String? {
    record.keyColumn.map { row[record.columns[$0].name].memberName }
  }
}
