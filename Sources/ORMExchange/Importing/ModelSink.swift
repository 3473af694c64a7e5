internal import ORM

/// Reads records as models and saves them.
final class ModelSink<Model: Persistable>: RecordSink {
  let options: ImportOptions<Model>
  /// Sets the properties that every record has.
  let setGiven: ((inout Model) throws -> Void)?
  let plan: MappingPlan<Model>
  let reader: ObjectReader<Model>
  /// The columns that identify records.
  let identity: [Int]
  var models: [Model] = []
  /// The attributes and relationships that each model has a value for; used with a match alone.
  var given: [[String]] = []
  var waiting = IdentitySet()
  /// The records that came and were saved, where rows are deleted at the end.
  var seen = SeenKeys()
  var openLinks: Set<String> = []
  var treatment: ImportMissingTargets? {
    didSet {
      reader.reading.lookup?.treatment = treatment
      for links in inherited { links.treatment = treatment }
    }
  }
  var hasReadAll = false { didSet { setWritten() } }
  /// The positions of records that wait whose links were left out.
  var opened: Set<Int> = []
  var settled: [Int]?
  var deleted: [String: Int] = [:]
  var unsettled: StoreError?
  /// The keys of missing targets that links of records keep: attributes and values, by the position
  /// of the record.
  var pendingLinkKeys: [Int: [String: StoredValue]] = [:]
  /// The keys that the store gave to the records that were saved last.
  var savedKeys: [[StoredValue]] = []
  /// The records that wait, beside those of other kinds; nil where all are of one kind.
  var group: WaitingKinds?
  /// The relationships that the records have through the entities above their own.
  var inherited: [any InheritedSink] = [] { didSet { plainKey = nil } }
  /// The position of each attribute among those of the kind for whose records the sink saves
  /// relationships.
  var columnsOfKind: [Int?] = []
  /// The object that was read last for a record of that kind.
  var lastRead: Model?
  private var transaction: WriteTransaction?
  /// The entities whose objects the import saves by its rules.
  private(set) lazy var saved: SavedEntities = {
    var saved = SavedEntities()
    saved.names.insert(Model.entity.written.name)
    addSaved(to: &saved)
    for links in inherited { links.addSaved(to: &saved) }
    return saved
  }()
  /// The keys of the records of the batch, by the byte at which each begins.
  private var keys: [Int: [StoredValue]] = [:]

  var entity: String { plan.entity }
  var isKeyed: Bool { plan.list == .keyed }
  var prunes: Bool { if case .missing = options.prune { true } else { false } }
  /// True if rows are found by the primary key.
  var matchesKey: Bool { options.match.paths.isEmpty }
  /// True if records are merged into their stored rows as they are read.
  let merges: Bool
  /// The model as one with a primary key; nil if it has none.
  let keyedModel: (any PrimaryKeyed.Type)?
  /// The column of the key, an integer, of models that nothing but their attributes makes; nil for
  /// others.
  private var plainKey: Int?
  /// True if the store gives keys.
  let givesKeys: Bool
  /// False if every record is read as one that has anything special, which finds the same; a test
  /// compares both.
  var usesShortReaders = true { didSet { reader.usesShortReadings = usesShortReaders } }
  /// The form of records of CSV that are read by their fields, and the source that it is for.
  private var fields: (source: CSVObjectForm, form: FieldForm?)?

  var mappingText: String? {
    options.mapping.identityText + (options.given == nil ? "" : " given")
  }

  /// Makes a sink.
  ///
  /// - Parameters:
  ///   - options: the options.
  ///   - given: sets the properties that every record has; the closure of the options unless given.
  ///   - shared: the reading of a record whose inherited relationships the sink reads; nil where it
  ///     reads records.
  /// - Throws: `invalidMapping`; `invalidImport` for a match by a property that is no attribute, and for
  ///   a prune without a key.
  init(
    _ options: ImportOptions<Model>, given: ((inout Model) throws -> Void)? = nil,
    shared: JSONReading? = nil
  ) throws {
    self.options = options
    self.setGiven = given ?? options.given
    keyedModel = Model.self as? any PrimaryKeyed.Type
    merges =
      options.match.paths.isEmpty && options.merge == .present && keyedModel != nil && shared == nil
    plan = try options.mapping.plan
    reader = ObjectReader(
      plan, shared ?? JSONReading(plan.targets, isText: true, limits: options.settings.limits))
    reader.readsRecords = true
    reader.mergesRecords = shared == nil
    let description = Model.entity.description
    if options.match.paths.isEmpty {
      identity = description.key.compactMap { description.position(of: $0) }
    } else {
      identity = try options.match.paths.map { path in
        guard let position = Model.entity.position(of: path) else {
          throw StoreError(
            .invalidImport, "a key path of the match is no attribute", entity: description.name)
        }
        return position
      }
    }
    givesKeys = description.keySource != .program
    plainKey =
      keyedModel != nil && options.match.paths.isEmpty && reader.isPlain && setGiven == nil
        && reader.keyColumns.count == 1 && plan.columns[reader.keyColumns[0]].type.kind == .int
      ? reader.keyColumns[0] : nil
    if prunes, keyedModel == nil {
      throw StoreError(
        .invalidImport, "a prune needs a model with a primary key", entity: description.name)
    }
  }

  /// Adds the entities whose objects the links of records save.
  func addSaved(to saved: inout SavedEntities) {
    for link in plan.links { link.addSaved(to: &saved, plan.targets) }
  }

  func column(at path: [PathStep]) -> ColumnPlan? { plan.record.column(at: path) }
  func parts(ofStructAt path: [PathStep]) -> [[PathStep]]? {
    plan.record.parts(ofStructAt: path)
  }

  func link(at path: [PathStep]) -> LinkField? {
    plan.links.lazy.compactMap { $0.field(at: path) }.first
      ?? inherited.lazy.compactMap { $0.link(at: path) }.first
  }

  func prepare(_ records: ArraySlice<RawRecord>, _ transaction: WriteTransaction) throws {
    begin(transaction)
    keys.removeAll(keepingCapacity: true)
    if plan.before.isEmpty, plan.links.contains(where: \.findsByAttribute) {
      try findTargets(of: records)
    }
    guard let stored = reader.reading.stored, plan.before.isEmpty, let model = keyedModel else {
      return
    }
    // The closure goes with the batch, whose bytes it reads.
    stored.readAhead = { [unowned self, unowned stored] in
      try readRows(of: records, as: model, into: stored)
    }
  }

  /// Reads the stored rows of the records of a batch.
  private func readRows<Keyed: PrimaryKeyed>(
    of records: ArraySlice<RawRecord>, as model: Keyed.Type, into stored: StoredRows
  ) throws {
    for record in records where record.fault == nil {
      keys[record.location.byte] = try record.withJSON { record in
        var scanner = JSONScanner(record.bytes)
        scanner.skipSpace()
        return reader.keyValues(scanner, name: record.name)
      }
    }
    if !keys.isEmpty { try stored.read(model, keys: Array(keys.values)) }
  }

  /// Finds the targets of records that are found by an attribute, with one request for each.
  private func findTargets(of records: ArraySlice<RawRecord>) throws {
    var values = TargetValues()
    try records.forEachJSON { scanner in
      for link in plan.links where link.findsByAttribute {
        link.addValues(scanner, to: &values, plan.targets)
      }
    }
    for (column, values) in values.all {
      try reader.reading.lookup?.read(column.entity, column.attribute, values)
    }
  }

  /// Uses the rows of a transaction.
  private func begin(_ transaction: WriteTransaction) {
    guard self.transaction !== transaction else { return }
    self.transaction = transaction
    reader.reading.stored = merges ? StoredRows(transaction) : nil
    reader.reading.lookup = TargetLookup(transaction)
    reader.reading.useClock(of: transaction)
    reader.reading.lookup?.treatment = treatment
    reader.reading.newTargets = saved.hasMissing ? NewTargets(transaction) : nil
    let deletes = saved.deletesUnlisted && options.merge != .insertOnly
    reader.reading.unlisted = deletes ? UnlistedMembers(transaction) : nil
    reader.reading.nestedKinds =
      saved.hasKinds ? NestedKinds(options.settings, matchesKey: matchesKey) : nil
    setWritten()
  }

  /// Passes the entities that the import still writes to the lookup of targets.
  private func setWritten() {
    guard let lookup = reader.reading.lookup, let schema = transaction?.store.schema else { return }
    let names = saved.names.union(group?.saved ?? [])
    lookup.written = hasReadAll ? [] : Set(names.map { schema.root(of: $0) })
  }

  func read(_ record: RawRecord, _ transaction: WriteTransaction) throws -> ReadOutcome {
    begin(transaction)
    guard let plainKey, usesShortReaders else { return try record.withJSON { try readGeneral($0) } }
    return try readPlain(record, key: plainKey)
  }

  /// Reads a record of CSV by its fields; false where it must be read as JSON.
  private func readFields(_ record: RawRecord) -> Bool {
    guard let csv = record.csv else { return false }
    if fields?.source !== csv {
      var form = reader.fieldForm(csv)
      // Attributes that the fields lack are merged.
      if merges, form?.covers(plan.columns.count) == false { form = nil }
      fields = (csv, form)
    }
    guard let form = fields?.form else { return false }
    return reader.readFields(record, form, to: &models)
  }

  /// Reads a record of any form.
  @inline(never)
  private func readGeneral(_ record: RawRecord) throws -> ReadOutcome {
    var outcome = ReadOutcome.skipped
    // A record that does not wait deletes nothing.
    defer {
      if outcome != .accepted {
        reader.reading.unlisted?.begin()
        reader.reading.nestedKinds?.begin()
      }
    }
    outcome = try readModel(record)
    return outcome
  }

  private func readModel(_ record: RawRecord) throws -> ReadOutcome {
    openLinks.removeAll()
    reader.givenKey = keys[record.location.byte]
    defer { reader.givenKey = nil }
    guard var model = try mergedModel(of: record) else { return .skipped }
    if reader.reading.newTargets?.mustSave == true { return .repeated }
    for link in reader.modelLinks where link.isOpen {
      openLinks.insert(link.name)
      // Without a key, the row would not be found again.
      if link.isRequired || (matchesKey && key(of: model) == nil) { throw link.missing }
    }
    for links in inherited {
      openLinks.formUnion(links.openLinks)
      // Without a key, the row would not be found again.
      if let missing = links.missing, matchesKey, key(of: model) == nil { throw missing }
    }
    try setGiven?(&model)
    // The rows that a list lacks depend on earlier records, and later records depend on their deletion.
    if try lacksMembers(model), !models.isEmpty || group?.isEmpty == false { return .repeated }
    if reader.reading.nestedKinds?.isEmpty == false, !models.isEmpty || group?.isEmpty == false {
      return .repeated
    }
    let key = try identity(of: model)
    let hasObjects = reader.reading.hasObjects
    if let group,
      !group.admits(key, of: self, hasObjects: hasObjects, isAlone: !inherited.isEmpty)
    {
      return .repeated
    }
    if let key, !waiting.insert(key) { return .repeated }
    if !matchesKey { given.append(try givenNames(model)) }
    if !openLinks.isEmpty { opened.insert(models.count) }
    models.append(model)
    for links in inherited { links.keep() }
    if let newTargets = reader.reading.newTargets { try keepTargets(of: model, in: newTargets) }
    return .accepted
  }

  var mustSave: Bool {
    let reading = reader.reading
    let waitsAlone = reading.unlisted?.isEmpty == false || reading.nestedKinds?.isEmpty == false
    return waitsAlone && !models.isEmpty
  }

  /// Returns whether lists of a record lack stored members that are to be deleted.
  private func lacksMembers(_ model: Model) throws -> Bool {
    guard let unlisted = reader.reading.unlisted, let transaction else { return false }
    if let key = try storedKey(of: model, transaction) {
      try reader.noteUnlisted(of: model, key: key, in: unlisted)
      for links in inherited { try links.noteUnlisted(key: key, in: unlisted) }
    }
    return !unlisted.isEmpty
  }

  /// Counts the record and its nested objects among those that wait.
  private func keepTargets(of model: Model, in newTargets: NewTargets) throws {
    func note<Keyed: PrimaryKeyed>(_ model: Keyed) throws {
      guard !model.id.isUnassigned(for: Keyed.self) else { return }
      try newTargets.note(Keyed.self, model.id)
    }
    if let keyed = model as? any PrimaryKeyed { try note(keyed) }
    newTargets.keep()
  }

  /// Reads a record that is its attributes alone.
  private func readPlain(_ record: RawRecord, key column: Int) throws -> ReadOutcome {
    let count = models.count
    do {
      if !readFields(record) {
        _ = try record.withJSON { record in
          try reading(record) {
            try reader.read(&$0, depth: record.depth, name: record.name, to: &models)
          }
        }
      }
    } catch {
      models.removeSubrange(count...)
      throw error
    }
    var isNew = true
    let cell = reader.cells[column]
    if let group {
      let key = try identity(of: models[count])
      isNew = group.admits(key, of: self)
      if isNew, let key { waiting.insert(key) }
    } else if cell.kind == .integer {
      let key = Int64(bitPattern: cell.bits)
      if key == 0, givesKeys { return .accepted }
      isNew = waiting.insert(key)
    } else {
      guard let key = try identity(of: models[count]) else { return .accepted }
      isNew = waiting.insert(key)
    }
    if !isNew { models.removeLast() }
    return isNew ? .accepted : .repeated
  }

  /// Reads a record as a model, merged into its stored row; nil if a hook leaves it out.
  func mergedModel(of record: RawRecord) throws -> Model? {
    guard let model = try model(of: record) else { return nil }
    guard merges, reader.keyColumns.isEmpty, let key = key(of: model) else { return model }
    // Links are parts of the key: it is known once the record was read.
    reader.givenKey = key
    defer { reader.givenKey = nil }
    return try self.model(of: record) ?? model
  }

  /// Reads a record as a model; nil if a hook leaves it out.
  ///
  /// - Throws: `invalidImport` with the faults of the record.
  func model(of record: RawRecord) throws -> Model? {
    try reading(record) { scanner in
      let start = scanner
      let model = try reader.read(&scanner, depth: record.depth, name: record.name)
      guard let model, !inherited.isEmpty else {
        for links in inherited { try links.addFaults(start, record) }
        return model
      }
      let values = try BufferedRow(encoding: model).values
      for links in inherited
      where try !links.read(start, depth: record.depth, name: record.name, values) { return nil }
      return model
    }
  }

  /// Calls a closure that reads a record.
  private func reading<Result>(
    _ record: RawRecord, _ read: (inout JSONScanner) throws -> Result
  ) throws -> Result {
    if let fault = record.fault { throw fault }
    let reading = reader.reading
    reading.faults.removeAll()
    reading.origin = record.origin
    reading.missing = nil
    reading.newTargets?.begin()
    reading.unlisted?.begin()
    reading.nestedKinds?.begin()
    reading.hasObjects = false
    var scanner = try reading.scanner(of: record, entity: entity)
    let result = try read(&scanner)
    try reading.end(&scanner, of: record)
    if let missing = reading.missing, !reading.passesOverTargets { throw missing }
    return result
  }

  /// The values that identify the record; nil for a model whose key the store will give.
  func identity(of model: Model) throws -> [StoredValue]? {
    if matchesKey { return key(of: model) }
    let values = try BufferedRow(encoding: model).values
    return identity.map { values[$0] }
  }

  /// The key of a model; nil for one that the store will give.
  func key(of model: Model) -> [StoredValue]? {
    func key<Keyed: PrimaryKeyed>(_ type: Keyed.Type) -> [StoredValue]? {
      guard let model = model as? Keyed, !model.id.isUnassigned(for: Keyed.self) else { return nil }
      return try? model.id.keyValues()
    }
    return keyedModel.flatMap { key($0) }
  }

  /// The names of the attributes and relationships that the record has, or that a hook has set.
  private func givenNames(_ model: Model) throws -> [String] {
    let values = try BufferedRow(encoding: model).values
    let row = reader.row(JSONScanner(UnsafeRawBufferPointer(start: nil, count: 0)))
    var names: [String] = []
    for (position, column) in plan.columns.enumerated() {
      let cell = reader.cells[position]
      let isText = cell.kind == .text || cell.kind == .escapedText
      // A text lies in the record, which has it then.
      let isSame = isText || (try? row.value(at: position)) == values[position]
      if cell.isGiven || (!isSame && cell.kind != .now && cell.kind != .uuid) {
        names.append(column.name)
      }
    }
    return names + setLinks(of: model)
  }

  /// The names of the relationships that a record has, or a hook has set.
  func setLinks(of model: Model) -> [String] {
    Model.entity.relationships.filter { Self.isSet($0, model) }.map(\.declaration.name)
  }

  static func isSet<End: RelationshipEnd<Model>>(_ end: End, _ model: Model) -> Bool {
    end.change(of: model) != nil || end.steps(of: model) != nil
  }

  var countInMemory: Int {
    let known =
      (reader.reading.stored?.count ?? 0) + (reader.reading.lookup?.count ?? 0)
      + (reader.reading.newTargets?.count ?? 0)
    return models.count + waiting.count + pendingLinkKeys.count + keys.count + known
      + seen.countInMemory
  }

  func drop() {
    dropRecords()
    lastRead = nil
    for links in inherited { links.drop() }
    reader.reading.stored?.removeAll()
    reader.reading.lookup?.removeAll()
    reader.reading.newTargets?.removeAll()
    reader.reading.unlisted?.begin()
    reader.reading.nestedKinds?.begin()
  }

  /// Forgets the records that wait, and nothing that readers share.
  func dropRecords() {
    models.removeAll(keepingCapacity: true)
    given.removeAll(keepingCapacity: true)
    waiting.removeAll()
    if !savedKeys.isEmpty { savedKeys.removeAll() }
    if !opened.isEmpty { opened.removeAll() }
    if !pendingLinkKeys.isEmpty { pendingLinkKeys.removeAll() }
  }
}
