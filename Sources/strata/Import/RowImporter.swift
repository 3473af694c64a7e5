import ORM
import TextImport

/// Writes the records of a file into an entity, in one transaction.
struct RowImporter {
  let entity: EntityDescription
  /// The number of rows that are written at once: enough to spread a statement's cost over many
  /// rows.
  private static let batch = 5_000

  /// Attributes that a record does not name keep what is stored.
  ///
  /// - Throws: `invalidImport` naming line, column and attribute; what the store throws. Then
  ///   nothing was written.
  func run(_ source: ImportSource, into store: any Store) throws -> SaveCounts {
    var progress = ProgressBar(title: entity.name, total: source.size)
    defer { progress.finish() }
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
      try source.forEach { record in
        let row = try row(of: record, in: source)
        // One batch writes the same attributes in every row.
        if let last = rows.last,
          rows.count == Self.batch || last.values.count != row.values.count
            || last.values.keys != row.values.keys
        {
          try flush()
        }
        rows.append(row)
        progress.show(count: record.offset)
      }
      try flush()
      return counts
    }
  }

  private func row(of record: ImportSource.Record, in source: ImportSource) throws -> DynamicRow {
    var row = DynamicRow(entity.name)
    for ((name, field), place) in zip(record.fields, record.places) {
      guard let position = entity.position(of: name) else {
        throw source.fault("\(entity.name) has no attribute \(name)", place)
      }
      let attribute = entity.attributes[position]
      guard let value = TextValue.value(of: field, as: attribute.type) else {
        throw source.fault(
          "the value of \(entity.name).\(name) does not read as \(attribute.type)", place)
      }
      if value.isNull, !attribute.isOptional {
        // Not named, it takes its default, or the key that the store gives.
        let isGiven = entity.key.contains(name) && entity.keySource != .program
        guard isGiven || attribute.defaultValue != nil else {
          throw source.fault(
            "\(entity.name).\(name) is required, and the record has no value for it", place)
        }
        continue
      }
      row[name] = value
    }
    for name in entity.key where row[name].isNull && entity.keySource == .program {
      throw source.fault(
        "the record has no key \(name)", record.places.first ?? ImportPlace(line: 1, column: 1))
    }
    return row
  }
}
