internal import ORM

/// Reads records as rows of an entity, by names, and saves them.
final class RowSink: RecordSink {
  private let options: DynamicImportOptions
  private let description: EntityDescription
  private let plan: RecordPlan
  private let reader: RecordReader
  private let key: [Int]
  private var rows: [DynamicRow] = []
  private var waiting = IdentitySet()
  private var seen = IdentitySet()

  let entity: String
  var isKeyed: Bool { false }
  var prunes: Bool { options.prune != nil }

  /// Makes a sink.
  ///
  /// - Throws: `unknownEntity`, `invalidMapping`; `unsupported` for a merge that rows do not have.
  init(_ name: String, _ options: DynamicImportOptions, _ schema: StoredSchema) throws {
    guard let description = try Schema(schema)[name] else {
      throw StoreError(
        .unknownEntity, "the store has no entity of this name", entity: name)
    }
    guard options.merge == .present, options.onMissing == .insert else {
      throw StoreError(
        .unsupported, "an import by names has only `.present` and `.insert`", entity: name)
    }
    self.options = options
    self.description = description
    entity = name
    plan = try options.mapping.plan(for: description)
    reader = RecordReader(
      plan, JSONReading(SharedTargets(), isText: true, limits: options.settings.limits))
    reader.setBase(Array(repeating: .null, count: plan.columnCount))
    key = description.key.compactMap { description.position(of: $0) }
  }

  func column(at path: [PathStep]) -> ColumnPlan? { plan.column(at: path) }

  func prepare(_ records: [RawRecord], _ transaction: WriteTransaction) throws {}

  func read(_ record: RawRecord, _ transaction: WriteTransaction) throws -> ReadOutcome {
    let row = try row(of: record)
    if let key = key(of: row) {
      guard waiting.insert(key) else { return .repeated }
      if prunes { seen.insert(key) }
    } else if description.keySource == .program {
      throw StoreError(
        .invalidImport,
        "\(record.origin.place): the record has no key \(description.key.joined(separator: ", "))",
        entity: entity)
    }
    rows.append(row)
    return .kept
  }

  private func row(of record: RawRecord) throws -> DynamicRow {
    if let fault = record.fault { throw fault }
    let reading = reader.reading
    reading.faults.removeAll()
    reading.origin = record.origin
    var scanner = try reading.scanner(of: record, entity: entity)
    let isRead = try reader.readCells(&scanner, depth: record.depth, name: record.name)
    guard isRead else {
      throw reading.faults.error(
        in: record.bytes, isText: true, record: 0, origin: record.origin)
    }
    scanner.skipSpace()
    guard scanner.isAtEnd else { throw reading.broken("text after the end", scanner) }
    let cells = reader.row(scanner)
    var row = DynamicRow(entity)
    for (position, column) in plan.columns.enumerated() {
      let cell = reader.cells[position]
      // A rule may set what is no member of the record.
      let isSet =
        cell.isGiven
        ? cell.rank != JSONCell.kept : cell.kind != .null || column.onAbsent == .setNil
      if isSet { row[column.name] = try cells.value(at: position) }
    }
    return row
  }

  /// The key of a row; nil where the store gives it.
  private func key(of row: DynamicRow) -> [StoredValue]? {
    let values = key.map { row[plan.columns[$0].name] }
    return values.isEmpty || values.contains { $0.isNull } ? nil : values
  }

  func save(_ transaction: WriteTransaction) throws -> SaveCounts {
    let counts = try transaction.save(rows)
    drop()
    return counts
  }

  func drop() {
    rows.removeAll(keepingCapacity: true)
    waiting.removeAll()
  }

  // MARK: - Links

  /// The to-ones whose keys are attributes, with those attributes.
  private var links: [(name: String, target: String, attributes: [String])] {
    description.relationships.compactMap { relationship in
      guard !relationship.isToMany, !relationship.isRequired,
        case .own(let names, position: _)? = relationship.storage
      else { return nil }
      return (relationship.name, relationship.target, names)
    }
  }

  func leaveOutMissingLinks(_ transaction: WriteTransaction) throws -> Set<String> {
    var leftOut: Set<String> = []
    for link in links {
      for index in rows.indices where key(of: rows[index]) != nil {
        let values = link.attributes.map { rows[index][$0] }
        if values.contains(where: \.isNull) { continue }
        if link.target == entity, waiting.contains(values) { continue }
        guard let target = transaction.store.schema.entity(named: link.target) else { continue }
        let parts = zip(target.key, values).map { position, value in
          Condition.compare(
            .attribute(target.columns[position].attribute), .equal, .value(value), [])
        }
        if try transaction.exists(DynamicQuery(link.target, where: .all(parts))) { continue }
        for name in link.attributes { rows[index].values[name] = nil }
        leftOut.insert(link.name)
      }
    }
    return leftOut
  }

  func settle(
    _ record: RawRecord, links names: Set<String>, _ transaction: WriteTransaction
  ) throws -> Bool {
    let row = try row(of: record)
    var update = DynamicRow(entity)
    for link in links where names.contains(link.name) {
      for name in link.attributes { update.values[name] = row.values[name] }
    }
    if update.values.isEmpty { return false }
    for position in key {
      let name = plan.columns[position].name
      update[name] = row[name]
    }
    do {
      return try transaction.update([update]).updated > 0
    } catch let error as StoreError where error.code == .notFound {
      return false
    }
  }

  // MARK: - Pruning

  func note(_ record: RawRecord) throws {
    guard let key = try key(of: row(of: record)) else {
      throw StoreError(
        .pruneRefused,
        "the import goes on in the middle of a source whose records have no keys; import all of it "
          + "in one transaction to prune", entity: entity)
    }
    seen.insert(key)
  }

  func prune(upTo limit: Double, _ transaction: WriteTransaction) throws -> Int {
    guard let query = options.prune else { return 0 }
    guard description.keySource != .hidden else {
      throw StoreError(
        .pruneRefused, "the entity has no primary key, so no row can be told from another",
        entity: entity)
    }
    var missing: [[StoredValue]] = []
    var count = 0
    try transaction.chunks(query, size: 1_000) { rows in
      count += rows.count
      missing += rows.compactMap { key(of: $0) }.filter { !seen.contains($0) }
    }
    if Double(missing.count) > Double(count) * limit {
      throw StoreError.pruneRefused(missing.count, of: count, limit: limit, entity: entity)
    }
    for key in missing {
      let parts = zip(description.key, key).map { name, value in
        Condition.compare(.attribute(name), .equal, .value(value), [])
      }
      try transaction.delete(DynamicQuery(entity, where: .all(parts)))
    }
    return missing.count
  }
}

extension JSONReading {
  /// A scanner at the beginning of a record.
  ///
  /// - Throws: `invalidImport` for bytes that are not UTF-8.
  func scanner(of record: RawRecord, entity: String?) throws -> JSONScanner {
    if let invalid = JSONScanner.firstInvalidByte(of: record.bytes) {
      throw JSONFault(offset: invalid, message: "the text is not UTF-8", entity: entity)
        .error(
          in: UnsafeRawBufferPointer(rebasing: record.bytes[..<invalid]), origin: record.origin)
    }
    var scanner = JSONScanner(record.bytes)
    scanner.skipSpace()
    return scanner
  }
}
