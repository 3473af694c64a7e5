internal import ORM

/// Reads records as rows of an entity, by names, and saves them.
final class RowSink: RecordSink {
  let options: DynamicImportOptions
  /// The entity, with the to-ones of those above that records of a kind have as well.
  let whole: DynamicEntity
  private let mapping: DynamicPlan
  let plan: RecordPlan
  private let reader: CellReader
  let key: [Int]
  /// The column of the key, where it is one integer.
  private let integerKey: Int?
  /// False if every record is read as one that has anything special, which finds the same; a test
  /// compares both.
  var usesShortReaders = true { didSet { reader.usesShortReadings = usesShortReaders } }
  /// The form of records of CSV that are read by their fields, and the source that it is for.
  private var fields: (source: CSVObjectForm, form: FieldForm?)?
  /// The attributes that the last record set, and the list that its row shares with others.
  private var set: [Int] = []
  private var list: AttributeList?
  var rows: [DynamicRow] = []
  var waiting = IdentitySet()
  private var seen: SeenKeys
  /// The records that wait, beside those of other kinds; nil where all are of one kind.
  private let group: WaitingKinds?
  private(set) var openLinks: Set<String> = []
  var treatment: ImportMissingTargets? { didSet { lookup?.treatment = treatment } }
  var hasReadAll = false { didSet { setWritten() } }
  let settled: [Int]? = nil
  let mustSave = false
  let deleted: [String: Int] = [:]
  var unsettled: StoreError?
  private var lookup: TargetLookup?
  private var transaction: WriteTransaction?
  /// The rows that keep keys of missing targets, written after the others.
  var pendingLinkKeys: [DynamicRow] = []

  let entity: String
  var isKeyed: Bool { if case .keyed = mapping.list { true } else { false } }
  var prunes: Bool { options.prune != nil }
  var mappingText: String? { try? JSONCoding.encode(options.mapping) }
  var identity: [Int] { key }

  /// Makes a sink of rows that a mapping reads.
  ///
  /// - Parameters:
  ///   - options: the options.
  ///   - mapping: the mapping, worked out.
  ///   - group: the records that wait in the sinks of several kinds.
  ///   - seen: the keys of records that came, which several sinks share.
  /// - Throws: `unsupported` for a merge that rows do not have.
  init(
    _ options: DynamicImportOptions, _ mapping: DynamicPlan, _ group: WaitingKinds? = nil,
    seen: SeenKeys = SeenKeys()
  ) throws {
    guard options.merge == .present, options.onMissing == .insert else {
      throw StoreError(
        .unsupported, "an import by names has only `.present` and `.insert`",
        entity: mapping.entity.name)
    }
    self.options = options
    self.mapping = mapping
    self.group = group
    self.seen = seen
    whole = mapping.entity
    entity = whole.name
    let description = whole.description
    plan = mapping.record
    reader = CellReader(
      plan, JSONReading(SharedTargets(), isText: true, limits: options.settings.limits))
    reader.setBase(Array(repeating: .null, count: plan.columnCount))
    key = description.key.compactMap { description.position(of: $0) }
    integerKey =
      key.count == 1 && description.attributes[key[0]].type.kind == .int
        && mapping.lookups.isEmpty ? key[0] : nil
  }

  func column(at path: [PathStep]) -> ColumnPlan? { plan.column(at: path) }
  func parts(ofStructAt path: [PathStep]) -> [[PathStep]]? { plan.parts(ofStructAt: path) }
  func link(at path: [PathStep]) -> LinkField? { nil }

  func prepare(_ records: ArraySlice<RawRecord>, _ transaction: WriteTransaction) throws {
    begin(transaction)
    for link in mapping.lookups {
      var values: [StoredValue] = []
      for record in records where record.fault == nil {
        try record.withJSON { record in
          // A text that is not JSON is reported when the record is read.
          guard JSONScanner.firstInvalidByte(of: record.bytes) == nil else { return }
          var scanner = JSONScanner(record.bytes)
          scanner.skipSpace()
          for path in plan.columns[link.column].sources {
            var inner = scanner
            guard ValueReading.enter(path[...], &inner) else { continue }
            inner.skipSpace()
            if let value = try? plan.columns[link.column].value(&inner) { values.append(value) }
          }
        }
      }
      try lookup?.read(link.target, link.attribute, values)
    }
  }

  /// Uses the rows of a transaction.
  private func begin(_ transaction: WriteTransaction) {
    guard self.transaction !== transaction else { return }
    self.transaction = transaction
    lookup = TargetLookup(transaction)
    lookup?.treatment = treatment
    setWritten()
  }

  var description: EntityDescription { whole.description }

  /// Passes the entities that the import still writes to the lookup of targets.
  private func setWritten() {
    guard let lookup, let schema = transaction?.store.schema else { return }
    lookup.written = hasReadAll ? [] : [schema.root(of: entity)]
  }

  func read(_ record: RawRecord, _ transaction: WriteTransaction) throws -> ReadOutcome {
    begin(transaction)
    guard var row = try row(of: record) else { return .skipped }
    if !mapping.lookups.isEmpty { try findTargets(of: &row) }
    if let group {
      let key = key(of: row)
      if key == nil, !whole.split(row).others.isEmpty {
        throw StoreError(
          .invalidImport,
          "\(record.location): the record has no key, by which the links of the entities above are set",
          entity: entity)
      }
      guard group.admits(key, of: self) else { return .repeated }
    }
    if let integerKey, case let cell = reader.cells[integerKey], cell.isGiven,
      cell.kind == .integer
    {
      let key = Int64(bitPattern: cell.bits)
      guard waiting.insert(key) else { return .repeated }
    } else if let key = key(of: row) {
      guard waiting.insert(key) else { return .repeated }
    } else if description.keySource == .program {
      throw StoreError(
        .invalidImport,
        "\(record.location): the record has no key \(description.key.joined(separator: ", "))",
        entity: entity)
    } else if prunes {
      throw StoreError(
        .pruneRefused,
        "\(record.location): the record has no key, so the prune would delete its new row",
        entity: entity)
    }
    rows.append(row)
    return .accepted
  }

  /// Sets the to-ones of the record that are found by an attribute.
  private func findTargets(of row: inout DynamicRow) throws {
    openLinks.removeAll()
    for link in mapping.lookups {
      let cell = reader.cells[link.column]
      guard cell.isGiven, cell.rank != JSONCell.unchanged else { continue }
      let value = found[link.column] ?? .null
      if value.isNull {
        for name in link.names { row[name] = .null }
        continue
      }
      var key = try lookup?.key(link.target, link.attribute, value)
      if key == nil {
        switch treatment {
        case nil:
          openLinks.insert(link.relationship)
          // Without a key, the row would not be found again.
          if link.isRequired || self.key(of: row) == nil { throw missing(link) }
          continue
        case .clear where !link.isRequired: key = link.names.map { _ in .null }
        case .create: key = try lookup?.create(link.target, link.attribute, value)
        case .keepKey:
          throw StoreError(
            .invalidMapping, "a link that is found by an attribute has no key to keep",
            entity: entity, attributes: [link.relationship])
        case .clear, .fail: throw missing(link)
        }
      }
      for (name, value) in zip(link.names, key ?? []) { row[name] = value }
    }
  }

  private func missing(_ link: DynamicPlan.Lookup) -> StoreError {
    StoreError(
      .missingTarget, "its target, a \(link.target), does not exist; save that first",
      entity: entity, attributes: [link.relationship])
  }

  /// Reads a record as a row; nil if it is of another kind.
  private func row(of record: RawRecord) throws -> DynamicRow? {
    if let fault = record.fault { throw fault }
    let reading = reader.reading
    reading.faults.removeAll()
    reading.origin = record.origin
    if readFields(record) { return try row(of: reader.row(JSONScanner(record.bytes))) }
    return try record.withJSON { try row(ofJSON: $0) }
  }

  /// Reads a record of CSV by its fields; false where it must be read as JSON.
  private func readFields(_ record: RawRecord) -> Bool {
    guard usesShortReaders, mapping.kind == nil, let csv = record.csv else { return false }
    if fields?.source !== csv { fields = (csv, reader.fieldForm(csv)) }
    guard let form = fields?.form else { return false }
    return reader.readFields(record, form)
  }

  private func row(ofJSON record: RawRecord) throws -> DynamicRow? {
    let reading = reader.reading
    reading.origin = record.origin
    var scanner = try reading.scanner(of: record, entity: entity)
    var isAccepted = true
    if let kind = mapping.kind, scanner.next == UInt8(ascii: "{") {
      isAccepted = reader.isOf(kind, scanner, scanner.position)
      if !isAccepted, reading.faults.isEmpty { return nil }
    }
    let isRead = try reader.readCells(&scanner, depth: record.depth, name: record.name)
    guard isRead, isAccepted else {
      throw reading.faults.error(
        in: record.bytes, isText: true, record: 0, origin: record.origin)
    }
    scanner.skipSpace()
    guard scanner.isAtEnd else { throw reading.broken("text after the end", scanner) }
    return try row(of: reader.row(scanner))
  }

  /// The row of the record that was read last.
  private func row(of cells: JSONRow) throws -> DynamicRow {
    var values: [StoredValue] = []
    values.reserveCapacity(description.attributes.count)
    for position in description.attributes.indices {
      let cell = reader.cells[position]
      // A rule may set an attribute that is no member of the record.
      let isSet =
        cell.isGiven
        ? cell.rank != JSONCell.unchanged
        : cell.kind != .null || Self.setsNil(plan.columns[position].onAbsent)
      guard isSet else { continue }
      if values.count >= set.count || set[values.count] != position {
        set.removeSubrange(values.count...)
        set.append(position)
        list = nil
      }
      values.append(try cells.value(at: position))
    }
    if values.count < set.count {
      set.removeSubrange(values.count...)
      list = nil
    }
    let list = list ?? AttributeList(set.map { plan.columns[$0].name })
    self.list = list
    if !mapping.lookups.isEmpty {
      found.removeAll(keepingCapacity: true)
      for link in mapping.lookups { found[link.column] = try cells.value(at: link.column) }
    }
    return DynamicRow(entity, list, values)
  }

  /// Returns whether nil, without a member, is a value of the row, and not the lack of one.
  private static func setsNil(_ onAbsent: JSONAbsence) -> Bool {
    onAbsent == .setNil || onAbsent == .useDefault
  }

  /// The values of the record that was read last by which targets are found.
  private var found: [Int: StoredValue] = [:]

  /// The key of a row; nil where the store gives it.
  func key(of row: DynamicRow) -> [StoredValue]? {
    let values = key.map { row[plan.columns[$0].name] }
    return values.isEmpty || values.contains { $0.isNull } ? nil : values
  }

  func save(_ transaction: WriteTransaction) throws -> SaveCounts {
    if whole.parts.count > 1 { return try transaction.store.write { try saveParts($0) } }
    let counts = try transaction.save(rows)
    for row in pendingLinkKeys { _ = try transaction.updateKeepingKeys([row]) }
    return counts
  }

  /// Saves rows, and then the links that they have through the entities above.
  private func saveParts(_ transaction: WriteTransaction) throws -> SaveCounts {
    let split = rows.map { whole.split($0) }
    var counts = try transaction.save(split.map(\.own))
    let changed = try updateLinks(split.flatMap(\.others), transaction)
    for row in pendingLinkKeys { _ = try transaction.updateKeepingKeys([row]) }
    counts.count(changed)
    return counts
  }

  /// Updates the rows of each entity together.
  func updateLinks(_ rows: [DynamicRow], _ transaction: WriteTransaction) throws -> Int {
    try Dictionary(grouping: rows, by: \.entity).sorted { $0.key < $1.key }
      .reduce(0) { max($0, try transaction.update($1.value).updated) }
  }

  func didSave() throws {
    if prunes { try waiting.forEach { try seen.insert($0) } }
    drop()
  }

  var countInMemory: Int {
    rows.count + waiting.count + pendingLinkKeys.count + (lookup?.count ?? 0) + seen.countInMemory
  }

  func drop() {
    rows.removeAll(keepingCapacity: true)
    waiting.removeAll()
    pendingLinkKeys.removeAll()
    lookup?.removeAll()
  }

  func identity(of record: RawRecord, _ transaction: WriteTransaction) throws -> [StoredValue]? {
    try row(of: record).map { key(of: $0) ?? [] }
  }

  func note(_ identity: [StoredValue]) throws { try seen.insert(identity) }

  func prune(upTo limit: Double, _ transaction: WriteTransaction) throws -> Int {
    guard let query = options.prune else { return 0 }
    guard description.keySource != .hidden else {
      throw StoreError(
        .pruneRefused, "the entity has no primary key, so no row can be told from another",
        entity: entity)
    }
    guard let stored = transaction.store.schema.entity(named: entity) else { return 0 }
    var pruning = Pruning(entity)
    try transaction.scan(query, size: 1_000) { rows in
      for row in rows {
        guard let key = key(of: row) else { continue }
        try pruning.note(
          stored.key.map { row[stored.columns[$0].attribute] }, came: seen.contains(key))
      }
    }
    return try pruning.delete(upTo: limit, transaction) { keys in
      _ = try transaction.delete(keys: keys, entity: stored)
    }
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
