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
  /// The records that wait, in order: those in `cells` first, then those in `rows`.
  var rows: [DynamicRow] = []
  private var cells = WaitingCells()
  /// The columns that the cells set; nil where the records that wait must be rows.
  private var columns: [CellColumn]?
  /// The entity, where its records may wait as cells.
  private var stored: StoredEntity?
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
  var isKeyed: Bool { mapping.list == .keyed }
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
      try records.forEachJSON { scanner in
        for path in plan.columns[link.column].sources {
          var inner = scanner
          guard ValueReading.enter(path[...], &inner) else { continue }
          inner.skipSpace()
          if let value = try? plan.columns[link.column].value(&inner) { values.append(value) }
        }
      }
      try lookup?.read(link.found.target, link.found.attribute, values)
    }
  }

  /// Uses the rows of a transaction.
  private func begin(_ transaction: WriteTransaction) {
    guard self.transaction !== transaction else { return }
    self.transaction = transaction
    lookup = TargetLookup(transaction)
    reader.reading.useClock(of: transaction)
    lookup?.treatment = treatment
    setWritten()
    stored = transaction.store.schema.entity(named: entity)
    let isPlain = group == nil && mapping.lookups.isEmpty && whole.parts.count == 1
    if !usesShortReaders || !isPlain || stored?.structMarks.isEmpty == false { stored = nil }
    list = nil
  }

  var description: EntityDescription { whole.description }

  /// Passes the entities that the import still writes to the lookup of targets.
  private func setWritten() {
    guard let lookup, let schema = transaction?.store.schema else { return }
    lookup.written = hasReadAll ? [] : [schema.root(of: entity)]
  }

  func read(_ record: RawRecord, _ transaction: WriteTransaction) throws -> ReadOutcome {
    begin(transaction)
    return try withCells(of: record) { try accept($0, record) } ?? .skipped
  }

  /// Lets the record whose cells were read wait.
  private func accept(_ cells: JSONRow, _ record: RawRecord) throws -> ReadOutcome {
    setList()
    var row: DynamicRow?
    if group != nil || stored == nil { row = try self.row(of: cells) }
    if var whole = row, !mapping.lookups.isEmpty {
      try findTargets(of: &whole)
      row = whole
    }
    if let group, let row {
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
    } else if let key = try row.map({ key(of: $0) }) ?? key(of: cells) {
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
    if try !wait(as: cells) { rows.append(try row ?? self.row(of: cells)) }
    return .accepted
  }

  /// Lets the record that was read last wait as cells; false where it must be a row.
  private func wait(as row: JSONRow) throws -> Bool {
    guard let stored, rows.isEmpty else { return false }
    if cells.isEmpty, columns == nil || list !== columnList {
      columns = cellColumns(of: stored)
      columnList = list
    }
    guard let columns, list === columnList, try cells.append(row, columns) else {
      try turnIntoRows()
      return false
    }
    return true
  }

  /// The list of the attributes that the columns are.
  private var columnList: AttributeList?

  /// The columns that the last record sets, and those of a key that the store gives; nil where rows need
  /// more than the values of a record.
  private func cellColumns(of entity: StoredEntity) -> [CellColumn]? {
    var columns: [CellColumn] = []
    for position in set {
      guard let column = entity.column(ofAttribute: plan.columns[position].name),
        !entity.columns[column].isNormalized
      else { return nil }
      columns.append(CellColumn(column, of: entity, cell: position))
    }
    for key in entity.key where !columns.contains(where: { $0.column == key }) {
      guard entity.keySource == .generated || entity.keySource == .hidden else { return nil }
      columns.append(CellColumn(key, of: entity, cell: nil))
    }
    let isComplete = entity.columns.indices.allSatisfy { column in
      entity.columns[column].computedDefault == nil || entity.columns[column].isInternal
        || columns.contains { $0.column == column }
    }
    return isComplete ? columns.sorted { $0.column < $1.column } : nil
  }

  /// Makes rows of the cells that wait.
  func turnIntoRows() throws {
    guard let columns, let stored, !cells.isEmpty else { return }
    let given = columns.filter { $0.cell != nil }.map(\.column)
    let list = AttributeList(given.map { stored.columns[$0].attribute })
    rows = try cells.withSource(columns) { source in
      try source.rows(of: given, width: stored.columns.count).map { values in
        DynamicRow(entity, list, given.map { values[$0] })
      }
    }
    cells.removeAll()
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
      switch try lookup?.target(of: link.found, value) {
      case .key(let key): for (name, value) in zip(link.names, key) { row[name] = value }
      case .nowhere?: for name in link.names { row[name] = .null }
      case .open?:
        openLinks.insert(link.found.name)
        // Without a key, the row would not be found again.
        if link.found.isRequired || key(of: row) == nil { throw link.found.missing }
      case nil: break
      }
    }
  }

  /// Calls a closure with the cells of a record, valid for the length of the call; nil if it is of another
  /// kind.
  private func withCells<Result>(
    of record: RawRecord, _ body: (JSONRow) throws -> Result
  ) throws -> Result? {
    if let fault = record.fault { throw fault }
    let reading = reader.reading
    reading.faults.removeAll()
    reading.origin = record.origin
    if readFields(record) { return try body(reader.row(JSONScanner(record.bytes))) }
    return try record.withJSON { record in try readJSON(record).map(body) }
  }

  /// Reads a record of CSV by its fields; false where it must be read as JSON.
  private func readFields(_ record: RawRecord) -> Bool {
    guard usesShortReaders, mapping.kind == nil, let csv = record.csv else { return false }
    if fields?.source !== csv { fields = (csv, reader.fieldForm(csv)) }
    guard let form = fields?.form else { return false }
    return reader.readFields(record, form)
  }

  private func readJSON(_ record: RawRecord) throws -> JSONRow? {
    let reading = reader.reading
    reading.origin = record.origin
    var scanner = try reading.scanner(of: record, entity: entity)
    var isAccepted = true
    if let kind = mapping.kind, scanner.next == UInt8(ascii: "{") {
      isAccepted = reader.isOf(kind, scanner, scanner.position)
      if !isAccepted, reading.faults.isEmpty { return nil }
    }
    let isRead = try reader.readCells(&scanner, depth: record.depth, name: record.name)
    try reading.end(&scanner, of: record)
    return isRead && isAccepted ? reader.row(scanner) : nil
  }

  /// Notes the attributes that the record that was read last sets.
  private func setList() {
    var count = 0
    for position in description.attributes.indices {
      let cell = reader.cells[position]
      // A rule may set an attribute that is no member of the record.
      let isSet =
        cell.isGiven
        ? cell.rank != JSONCell.unchanged
        : cell.kind != .null || Self.setsNil(plan.columns[position].onAbsent)
      guard isSet else { continue }
      if count >= set.count || set[count] != position {
        set.removeSubrange(count...)
        set.append(position)
        list = nil
      }
      count += 1
    }
    if count < set.count {
      set.removeSubrange(count...)
      list = nil
    }
    if list == nil { list = AttributeList(set.map { plan.columns[$0].name }) }
  }

  /// The row of the record that was read last, whose attributes are noted.
  private func row(of cells: JSONRow) throws -> DynamicRow {
    let values = try set.map { try cells.value(at: $0) }
    let list = list ?? AttributeList(set.map { plan.columns[$0].name })
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

  /// The key of a record; nil where the store gives it.
  private func key(of cells: JSONRow) throws -> [StoredValue]? {
    let values = try key.map { set.contains($0) ? try cells.value(at: $0) : .null }
    return values.isEmpty || values.contains { $0.isNull } ? nil : values
  }

  func save(_ transaction: WriteTransaction) throws -> SaveCounts {
    if !cells.isEmpty, let columns, let stored {
      let request = PutRequest(entity: stored.name, mode: .upsert, reports: .outcomes)
      return SaveCounts(
        try cells.withSource(columns) { source in
          try transaction.put(
            from: &source, request, columns: columns.map(\.column), entity: stored
          ) { try $0.rows(of: $1, width: stored.columns.count) }
        })
    }
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
    cells.count + rows.count + waiting.count + pendingLinkKeys.count + (lookup?.count ?? 0)
      + seen.countInMemory
  }

  func drop() {
    rows.removeAll(keepingCapacity: true)
    cells.removeAll()
    waiting.removeAll()
    pendingLinkKeys.removeAll()
    lookup?.removeAll()
  }

  func identity(of record: RawRecord, _ transaction: WriteTransaction) throws -> [StoredValue]? {
    try withCells(of: record) { cells in
      setList()
      return try key(of: row(of: cells)) ?? []
    }
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

  /// Throws the faults of a record, and `invalidImport` for text behind it.
  func end(_ scanner: inout JSONScanner, of record: RawRecord) throws {
    if !faults.isEmpty {
      throw faults.error(in: record.bytes, isText: true, record: 0, origin: record.origin)
    }
    scanner.skipSpace()
    guard scanner.isAtEnd else { throw broken("text after the end", scanner) }
  }
}
