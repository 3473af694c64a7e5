internal import ORM

/// Saves records of several kinds, each by the sink of its kind.
final class KindSink: RecordSink {
  private let table: KindTable
  /// The sink of the mapping's own model, and of records whose kind is unknown.
  private let own: any RecordSink
  /// The sinks of the kinds, by their numbers.
  private let kinds: [any RecordSink]
  private let group: WaitingKinds
  /// The sink of the record that was read last.
  private var last: any RecordSink
  /// The sinks of the records that wait, in the order of the records.
  private var waiting: [any RecordSink] = []
  private(set) var settled: [Int]?
  private(set) var deleted: [String: Int] = [:]

  /// Makes a sink.
  ///
  /// - Parameters:
  ///   - table: the kinds by their texts.
  ///   - own: the sink of the mapping's own model.
  ///   - kinds: the sinks of the kinds, by their numbers; all have the group.
  ///   - group: the records that wait in all of them.
  init(_ table: KindTable, _ own: any RecordSink, _ kinds: [any RecordSink], _ group: WaitingKinds)
  {
    self.table = table
    self.own = own
    self.kinds = kinds
    self.group = group
    last = own
  }

  private var sinks: [any RecordSink] { [own] + kinds }

  var entity: String { own.entity }
  var mappingText: String? { own.mappingText }
  var identity: [Int] { own.identity }
  var isKeyed: Bool { own.isKeyed }
  var prunes: Bool { own.prunes }
  var mustSave: Bool { last.mustSave }
  var openLinks: Set<String> { last.openLinks }
  var countInMemory: Int { sinks.reduce(waiting.count) { $0 + $1.countInMemory } }

  var unsettled: StoreError? {
    get { last.unsettled }
    set { last.unsettled = newValue }
  }

  var treatment: ImportMissingTargets? {
    get { own.treatment }
    set { for sink in sinks { sink.treatment = newValue } }
  }

  var hasReadAll: Bool {
    get { own.hasReadAll }
    set { for sink in sinks { sink.hasReadAll = newValue } }
  }

  var form: RecordForm {
    var form = own.form
    (form.kinds, form.table) = (kinds.map(\.form), table)
    return form
  }

  func column(at path: [PathStep]) -> ColumnPlan? { own.column(at: path) }
  func parts(ofStructAt path: [PathStep]) -> [[PathStep]]? { own.parts(ofStructAt: path) }
  func link(at path: [PathStep]) -> LinkField? { own.link(at: path) }

  /// The sink of a record that is JSON.
  private func sink(of record: RawRecord) -> any RecordSink {
    guard record.fault == nil, let kind = table.kind(at: JSONScanner(record.bytes)) else {
      return own
    }
    return kinds[kind]
  }

  func prepare(_ records: ArraySlice<RawRecord>, _ transaction: WriteTransaction) throws {
    var parts: [ObjectIdentifier: [RawRecord]] = [:]
    for record in records {
      let sink = try record.withJSON { ObjectIdentifier(self.sink(of: $0)) }
      parts[sink, default: []].append(record)
    }
    for sink in sinks { try sink.prepare(parts[ObjectIdentifier(sink)]?[...] ?? [], transaction) }
  }

  func read(_ record: RawRecord, _ transaction: WriteTransaction) throws -> ReadOutcome {
    try record.withJSON { record in
      last = sink(of: record)
      let outcome = try last.read(record, transaction)
      if outcome == .accepted { waiting.append(last) }
      return outcome
    }
  }

  func save(_ transaction: WriteTransaction) throws -> SaveCounts {
    (settled, deleted) = (nil, [:])
    var positions: [ObjectIdentifier: [Int]] = [:]
    var used: [any RecordSink] = []
    for (position, sink) in waiting.enumerated() {
      if positions[ObjectIdentifier(sink)] == nil { used.append(sink) }
      positions[ObjectIdentifier(sink), default: []].append(position)
    }
    // A block inside of a block is a savepoint: the records of all kinds are saved, or none.
    let counts =
      try used.count == 1
      ? used[0].save(transaction)
      : transaction.store.write { transaction in
        var counts = SaveCounts()
        for sink in used { counts += try sink.save(transaction) }
        return counts
      }
    for sink in used {
      deleted.merge(sink.deleted, uniquingKeysWith: +)
      guard let own = sink.settled, let all = positions[ObjectIdentifier(sink)] else { continue }
      settled = (settled ?? []) + own.map { all[$0] }
    }
    return counts
  }

  func didSave() throws {
    // Stored rows that a kind has read may have changed.
    for sink in sinks { try sink.didSave() }
    forgetWaiting()
  }

  func drop() {
    for sink in sinks { sink.drop() }
    forgetWaiting()
  }

  private func forgetWaiting() {
    waiting.removeAll(keepingCapacity: true)
    group.removeAll()
  }

  func treatMissingLinks(_ transaction: WriteTransaction) throws -> Bool {
    var isTreated = false
    for sink in sinks where try sink.treatMissingLinks(transaction) { isTreated = true }
    return isTreated
  }

  func leaveOutMissingLinks(_ transaction: WriteTransaction) throws -> Set<String> {
    try sinks.reduce(into: []) { $0.formUnion(try $1.leaveOutMissingLinks(transaction)) }
  }

  func settle(
    _ record: RawRecord, links: Set<String>, _ transaction: WriteTransaction
  ) throws -> Bool {
    drop()
    defer { drop() }
    return try record.withJSON { record in
      last = sink(of: record)
      let isChanged = try last.settle(record, links: links, transaction)
      deleted = last.deleted
      return isChanged
    }
  }

  func identity(of record: RawRecord, _ transaction: WriteTransaction) throws -> [StoredValue]? {
    try record.withJSON { try sink(of: $0).identity(of: $0, transaction) }
  }

  func note(_ identity: [StoredValue]) throws { try own.note(identity) }

  func prune(upTo limit: Double, _ transaction: WriteTransaction) throws -> Int {
    try own.prune(upTo: limit, transaction)
  }
}

extension KindSink {
  /// Makes a sink of rows.
  ///
  /// - Throws: as the sink of rows of one kind.
  convenience init(
    _ options: DynamicImportOptions, _ mapping: DynamicPlan, _ table: KindTable
  ) throws {
    let group = WaitingKinds()
    let seen = SeenKeys()
    let sinks = try mapping.kinds.map { kind in
      var own = options
      // Its keys are noted, and the sink of the mapping's own entity prunes.
      if options.prune != nil { own.prune = DynamicQuery(kind.entity.name) }
      return try RowSink(own, kind, group, seen: seen)
    }
    self.init(table, try RowSink(options, mapping, group, seen: seen), sinks, group)
  }
}

extension SaveCounts {
  /// Counts records whose links through entities above have changed: of those that are unchanged but
  /// for these, as many as are known count as updated.
  mutating func count(_ changed: Int) {
    let isUpdated = min(unchanged, max(0, changed - inserted - updated))
    updated += isUpdated
    unchanged -= isUpdated
  }

  static func += (counts: inout SaveCounts, others: SaveCounts) {
    counts.inserted += others.inserted
    counts.updated += others.updated
    counts.unchanged += others.unchanged
    counts.ignored += others.ignored
  }
}
