import ORM
import TextImport

/// Writes the records of a file into an entity, in one transaction.
struct RowImporter {
  let entity: EntityDescription
  /// How many rows are written at once: enough to spread a statement's cost over many rows.
  private static let batch = 5_000

  /// - Throws: `invalidImport` naming line, column and attribute; what the store throws. Then
  ///   nothing was written.
  func run(_ source: ImportSource, into store: any Store) throws -> SaveCounts {
    var progress = ProgressBar(title: entity.name)
    return try store.write { transaction in
      var counts = SaveCounts()
      var rows: [DynamicRow] = []
      func flush() throws {
        let part = try transaction.save(rows)
        counts.inserted += part.inserted
        counts.updated += part.updated
        counts.unchanged += part.unchanged
        rows.removeAll(keepingCapacity: true)
      }
      var seen = 0
      try source.forEach { record in
        rows.append(try row(of: record, in: source))
        seen += 1
        if rows.count == Self.batch {
          try flush()
          progress.show(count: seen)
        }
      }
      try flush()
      progress.finish()
      return counts
    }
  }

  private func row(of record: ImportSource.Record, in source: ImportSource) throws -> DynamicRow {
    var row = DynamicRow(entity.name)
    for (index, (name, field)) in record.fields.enumerated() {
      guard let position = entity.position(of: name) else {
        throw StoreError(
          .unknownAttribute, "the entity has no attribute of this name", entity: entity.name,
          attributes: [name])
      }
      let attribute = entity.attributes[position]
      let value: StoredValue?
      switch field {
      case .text(let text):
        value = text.isEmpty ? .null : TextValue.value(of: text, as: attribute.type)
      case .value(let found): value = TextValue.value(of: found, as: attribute.type)
      }
      guard let value else {
        throw source.fault(
          "field \(index + 1) is no \(attribute.type) for \(entity.name).\(name)", record.line,
          column: index + 1)
      }
      row[name] = value
    }
    for attribute in entity.attributes where row.values[attribute.name] == nil {
      row[attribute.name] = attribute.isOptional ? .null : row[attribute.name]
    }
    return row
  }
}
