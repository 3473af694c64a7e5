internal import Foundation
internal import ORM

/// One import: it reads records, saves them in batches, and sets the links that wait for the end.
final class ImportRun<Sink: RecordSink> {
  private let store: any Store
  private let source: ImportFrom
  private let file: ImportFile
  private let settings: ImportSettings
  private let sink: Sink
  private var state: ImportState
  private var numbers = ImportNumbers()
  private var rejects: RejectsFile?
  /// True once no more targets can come.
  private var isSettling = false
  /// The most records of one batch.
  static var batch: Int { 1_000 }
  /// The bytes after which a batch is saved early.
  private static var batchSize: Int { 8 << 20 }

  init(
    _ sink: Sink, _ store: any Store, _ source: ImportFrom, _ file: ImportFile,
    _ settings: ImportSettings
  ) {
    self.sink = sink
    self.store = store
    self.source = source
    self.file = file
    self.settings = settings
    state = ImportState(report: ImportReport(entity: sink.entity))
  }

  /// The number of keys, rows and bad records that are in memory, none of which grows with the source.
  var countInMemory: Int { sink.countInMemory + state.report.bad.count }

  /// Runs the import.
  func run() throws -> ImportReport {
    let start = ContinuousClock.now
    defer { sink.drop() }
    switch settings.commit {
    case .atEnd:
      try openRejects(goesOn: false)
      try write { transaction in
        numbers = ImportNumbers()
        try readAll { try process($0, transaction) }
        try finish(transaction)
      }
    case .every(let count):
      try resume()
      try openRejects(goesOn: state.report.resumedAt > 0)
      // A run that was ended before it could return has done everything.
      if state.isDone == true { break }
      if sink.prunes, state.report.read > 0 { try write { try noteSaved($0) } }
      try readAll(batch: max(1, count)) { waiting in
        try write { transaction in
          try process(waiting, transaction)
          try saveCheckpoint(transaction)
        }
      }
      try write { transaction in
        try finish(transaction)
        state.isDone = true
        try saveCheckpoint(transaction)
      }
    }
    try rejects?.close()
    if case .every = settings.commit { try removeCheckpoint() }
    let time = (ContinuousClock.now - start).components
    state.report.duration = Double(time.seconds) + Double(time.attoseconds) / 1e18
    return state.report
  }

  /// Runs a block in a transaction; one that is run again begins with the same state.
  private func write(_ body: (WriteTransaction) throws -> Void) throws {
    let (before, postponed, size) = (state, numbers.postponed, try rejects?.size())
    numbers.mark()
    try store.write { transaction in
      (state, numbers.postponed) = (before, postponed)
      try numbers.takeBack()
      if let size { try rejects?.truncate(to: size) }
      // Records of a run that failed wait no more.
      sink.drop()
      isSettling = false
      sink.hasReadAll = false
      sink.treatment = nil
      try body(transaction)
    }
  }

  private func openRejects(goesOn: Bool) throws {
    guard case .collect(upTo: _, writingTo: let path?) = settings.onBad else { return }
    rejects = try RejectsFile(path, appends: goesOn)
  }

  // MARK: - Batches

  /// Reads the source, and processes its records in batches.
  private func readAll(
    batch size: Int? = nil, _ body: ([RawRecord]) throws -> Void
  ) throws {
    var batch = RecordBatch()
    var number = 0
    var offset = 0
    let first = state.report.read
    func flush() throws {
      try RunningOperation.check()
      try batch.take(body)
      settings.progress?(
        ImportProgress(
          bytes: offset, size: file.size, records: state.report.read, bad: state.report.badCount))
    }
    try source.forEachRecord(of: file, limits: settings.limits, sink.form) {
      offset = $0
    } _: { record in
      number += 1
      guard number > first else { return }
      let (count, bytes) = batch.add(record, number: number)
      let isFull = size == nil && bytes >= Self.batchSize
      if isFull || count >= size ?? Self.batch { try flush() }
    }
    offset = file.size
    try flush()
  }

  /// Reads and saves the records of a batch.
  private func process(_ waiting: [RawRecord], _ transaction: WriteTransaction) throws {
    var position = 0
    while position < waiting.count {
      let end = min(position + Self.batch, waiting.count)
      try sink.prepare(waiting[position..<end], transaction)
      try process(waiting[position..<end], transaction)
      position = end
    }
  }

  private func process(_ records: ArraySlice<RawRecord>, _ transaction: WriteTransaction) throws {
    // The positions of the records that wait to be saved.
    var pending: [Int] = []
    pending.reserveCapacity(records.count)
    for position in records.indices {
      state.report.read += 1
      do {
        var outcome = try read(records[position], transaction)
        if outcome == .repeated {
          try save(&pending, of: records, transaction)
          outcome = try read(records[position], transaction)
        }
        if outcome == .accepted { pending.append(position) } else { state.report.skipped += 1 }
      } catch let error as StoreError where error.isOfRecord {
        // Records before it may be bad too, and are reported first.
        let mayBePart = error.code == .invalidImport && !pending.isEmpty
        try save(&pending, of: records, transaction)
        if mayBePart {
          try readAgain(position, of: records, &pending, transaction)
        } else {
          try handle(error, records[position])
        }
      }
      if sink.mustSave { try save(&pending, of: records, transaction) }
    }
    try save(&pending, of: records, transaction)
  }

  /// Reads a record that may be a part of a row that waited to be saved, and lacks the rest.
  private func readAgain(
    _ position: Int, of records: ArraySlice<RawRecord>, _ pending: inout [Int],
    _ transaction: WriteTransaction
  ) throws {
    do {
      if try read(records[position], transaction) == .accepted {
        pending.append(position)
      } else {
        state.report.skipped += 1
      }
    } catch let error as StoreError where error.isOfRecord {
      try handle(error, records[position])
    }
  }

  /// Reads a record, and notes its links to targets that are not stored yet.
  private func read(_ record: RawRecord, _ transaction: WriteTransaction) throws -> ReadOutcome {
    let outcome = try sink.read(record, transaction)
    if outcome == .accepted, !sink.openLinks.isEmpty {
      state.deferLinks(sink.openLinks, of: record.number)
    }
    return outcome
  }

  /// Notes the records that came, which an earlier run has saved.
  private func noteSaved(_ transaction: WriteTransaction) throws {
    try forEachRecord(first: 1) { record in
      guard record.number <= state.report.read else { return }
      // A record that was left out keeps no row from the prune.
      guard let identity = try sink.identity(of: record, transaction) else { return }
      try note(identity)
    }
  }

  private func note(_ identity: [StoredValue]) throws {
    guard !identity.isEmpty else {
      throw StoreError(
        .pruneRefused,
        "the import goes on in the middle of a source whose records have no keys; import all of it "
          + "in one transaction to prune", entity: sink.entity)
    }
    try sink.note(identity)
  }

  /// Saves the records that wait; one by one if together they cannot be.
  private func save(
    _ pending: inout [Int], of records: ArraySlice<RawRecord>, _ transaction: WriteTransaction
  ) throws {
    if pending.isEmpty { return sink.drop() }
    defer { pending.removeAll(keepingCapacity: true) }
    do {
      return try saveWaiting(pending.map { records[$0].number }, transaction)
    } catch let error as StoreError where error.isOfRecord {
      sink.drop()
      guard pending.count > 1 else { return try handle(error, records[pending[0]]) }
    }
    for position in pending {
      let record = records[position]
      do {
        // A merged value may be one that another record of the batch had.
        guard try read(record, transaction) == .accepted else { continue }
        try saveWaiting([record.number], transaction)
      } catch let error as StoreError where error.isOfRecord {
        sink.drop()
        try handle(error, record)
      }
    }
  }

  private func saveWaiting(_ numbers: [Int], _ transaction: WriteTransaction) throws {
    do {
      try saveRecords(numbers, transaction)
    } catch let error as StoreError where error.code == .missingTarget {
      let names = try sink.leaveOutMissingLinks(transaction)
      if names.isEmpty { return try saveTreated(numbers, error, transaction) }
      do {
        try saveRecords(numbers, transaction)
      } catch let error as StoreError where error.code == .missingTarget {
        try saveTreated(numbers, error, transaction)
      }
      state.deferLinks(names, of: numbers[0])
    }
  }

  /// Saves records whose links without a target are treated.
  private func saveTreated(
    _ numbers: [Int], _ error: StoreError, _ transaction: WriteTransaction
  ) throws {
    var error = error
    if try sink.treatMissingLinks(transaction) {
      do {
        return try saveRecords(numbers, transaction)
      } catch let other as StoreError where other.code == .missingTarget {
        error = other
      }
    }
    guard let treatment = sink.treatment, treatment != .fail, isNested(error) else { throw error }
    throw StoreError(
      .invalidMapping,
      "a nested object leads by a key to a target that does not exist, and only links of the records "
        + "themselves are treated; import the nested objects on their own",
      entity: error.entity, attributes: error.attributes)
  }

  /// Returns whether a link without a target is one of a nested object: of the links of the records
  /// themselves, those that are required stay as they are, and no others.
  private func isNested(_ error: StoreError) -> Bool {
    let schema = store.schema
    guard let entity = error.entity, let name = error.attributes.first else { return false }
    guard schema.root(of: entity) == schema.root(of: sink.entity) else { return true }
    return schema.entity(named: sink.entity)?.relationship(named: name)?.isRequired != true
  }

  private func saveRecords(_ numbers: [Int], _ transaction: WriteTransaction) throws {
    transaction.relatedCounts = [:]
    state.report.add(try sink.save(transaction))
    state.report.add(related: transaction.relatedCounts ?? [:])
    state.report.add(deleted: sink.deleted)
    try sink.didSave()
    for position in sink.settled ?? [] { try self.numbers.inserted.insert(numbers[position]) }
  }

  /// Handles a record that cannot be saved: one whose target may still come waits.
  private func handle(_ error: StoreError, _ record: RawRecord) throws {
    guard error.code == .missingTarget, !isSettling else { return try refuse(record, error) }
    try numbers.postponed.insert(record.number)
    // Saves of other records may change the values by which its links are found, so they are set again.
    state.deferLinks(sink.openLinks, of: record.number)
  }

  /// Counts, reports or throws a bad record.
  private func refuse(_ record: RawRecord, _ error: StoreError) throws {
    let origin = record.origin
    var error = error
    if error.code != .invalidImport {
      let path = origin.path
      let location = path.isEmpty ? "\(origin.location)" : "\(path) (\(origin.location))"
      error.message = "\(location): \(error.message)"
      if error.code == .missingValue, let name = error.attributes.first {
        try record.withJSON { error.message += JSONFault.hint(for: name, JSONScanner($0.bytes)) }
      }
    }
    guard case .collect(let most, writingTo: _) = settings.onBad else { throw error }
    state.report.badCount += 1
    try numbers.bad.insert(record.number)
    guard state.report.badCount <= most else {
      throw StoreError(
        .importStopped, "more than \(most) records are bad; the first of them are in `failures`",
        entity: sink.entity, failures: state.report.bad.prefix(100).map(\.error))
    }
    let bad = BadRecord(
      number: record.number, location: origin.location, path: origin.path, error: error)
    if state.report.bad.count < ImportReport.listed { state.report.bad.append(bad) }
    if let rejects { try record.withJSON { try rejects.write(bad, $0.bytes) } }
  }

  // MARK: - The end

  private func finish(_ transaction: WriteTransaction) throws {
    if state.firstDeferred < Int.max { try settle(transaction) }
    guard sink.prunes else { return }
    if state.report.badCount > 0, !settings.prunesDespiteBadRecords {
      throw StoreError(
        .pruneRefused,
        "\(state.report.badCount) records are bad, and their rows would be deleted; repair them, or "
          + "set `prunesDespiteBadRecords`", entity: sink.entity)
    }
    state.report.deleted += try sink.prune(upTo: settings.pruneLimit, transaction)
  }

  /// Reads the source again from the first record with links to later ones, and sets the links.
  private func settle(_ transaction: WriteTransaction) throws {
    sink.hasReadAll = true
    // Records that wait whole may wait for one another.
    while !numbers.postponed.isEmpty {
      let before = numbers.postponed
      numbers.postponed = RecordNumbers()
      try savePostponed(before, transaction)
      state.report.deferred += before.count - numbers.postponed.count
      if numbers.postponed.count == before.count { endWaiting() }
    }
    endWaiting()
    if state.links.isEmpty { return }
    try forEachRecord(first: state.firstDeferred) { record in
      if settings.merge == .insertOnly, try !numbers.inserted.contains(record.number) { return }
      do {
        transaction.relatedCounts = [:]
        let isSet = try undoing(transaction) {
          try sink.settle(record, links: state.links, $0)
        }
        if isSet { state.report.deferred += 1 }
        // Unchanged rows were counted with their records.
        state.report.add(related: transaction.relatedCounts ?? [:], unchanged: false)
        state.report.add(deleted: sink.deleted)
        if let error = sink.unsettled { try refuse(record, error) }
      } catch let error as StoreError where error.isOfRecord {
        try refuse(record, error)
      }
    }
  }

  /// Treats links without a target from now on, since no more targets come.
  private func endWaiting() {
    isSettling = true
    sink.treatment = settings.missingTargets
  }

  /// Calls a closure whose changes are undone if it throws, where it may create targets.
  private func undoing<Result>(
    _ transaction: WriteTransaction, _ body: (WriteTransaction) throws -> Result
  ) throws -> Result {
    guard sink.treatment == .create else { return try body(transaction) }
    return try store.write { try body($0) }
  }

  /// Saves records that waited whole, and again later records with their keys, which count.
  private func savePostponed(
    _ postponed: RecordNumbers, _ transaction: WriteTransaction
  ) throws {
    var saved = SeenKeys()
    try forEachRecord(first: postponed.first ?? 0) { record in
      let isPostponed = try postponed.contains(record.number)
      guard isPostponed || !saved.isEmpty else { return }
      var identity = try? sink.identity(of: record, transaction)
      if identity?.isEmpty == true { identity = nil }
      guard try isPostponed || identity.map({ try saved.contains($0) }) == true else { return }
      let report = state.report
      sink.drop()
      do {
        try undoing(transaction) { transaction in
          guard try read(record, transaction) == .accepted else { return }
          try saveWaiting([record.number], transaction)
        }
        if let identity { try saved.insert(identity) }
        // A record that is saved again was counted before.
        if !isPostponed { state.report = report }
      } catch let error as StoreError where error.isOfRecord {
        sink.drop()
        try handle(error, record)
      }
    }
  }

  /// Calls a closure with the records of the source again, from one on.
  private func forEachRecord(first: Int, _ body: (RawRecord) throws -> Void) throws {
    var number = 0
    var check = StopCheck()
    try source.forEachRecord(of: file, limits: settings.limits, sink.form) { record in
      number += 1
      try check.step()
      guard number >= first, try !numbers.bad.contains(number) else { return }
      var record = record
      record.number = number
      try body(record)
    }
  }

  // MARK: - Checkpoints

  /// The name of the checkpoint; nil where the store keeps none.
  private var checkpointName: String? {
    guard store.schema.entity(named: ImportCheckpoint.entity.description.name) != nil,
      let name = file.name
    else { return nil }
    return "\(sink.entity) \(name)"
  }

  private func saveCheckpoint(_ transaction: WriteTransaction) throws {
    guard let name = checkpointName else { return }
    if state.fingerprint.isEmpty {
      state.fingerprint = try file.fingerprint()
      (state.form, state.mapping) = (optionsDigest, mappingDigest)
    }
    let text = try JSONCoding.encode(state)
    try transaction.save(ImportCheckpoint(id: name, state: text))
    try numbers.save(name, transaction)
  }

  /// A digest of the options that decide which rows the records become.
  private var optionsDigest: String {
    ImportState.digest(
      "\(source.format) \(settings.merge) \(settings.onMissing) \(settings.missingTargets) "
        + "\(sink.identity)" + (settings.revision == 0 ? "" : " \(settings.revision)"))
  }

  private var mappingDigest: String? { sink.mappingText.map(ImportState.digest) }

  /// Removes the state of an import that is done.
  ///
  /// Without it, the same source is another import. So if that would store records without keys twice, the
  /// state goes by a write that is pending when the import returns.
  private func removeCheckpoint() throws {
    guard let name = checkpointName else { return }
    let records = state.report.read
    let keySource = store.schema.entity(named: sink.entity)?.keySource ?? .program
    // In a block, it goes with the records or not at all.
    if keySource == .program || store.runtime.transactions.currentBlock() != nil {
      try store.write { try ImportState.removeDone(name, records: records, $0) }
    } else {
      ImportEnding.write(to: store) { try ImportState.removeDone(name, records: records, $0) }
    }
  }

  /// Continues where an earlier run ended, or removes its state.
  private func resume() throws {
    guard let name = checkpointName, let stored = try store.find(ImportCheckpoint.self, name) else {
      return
    }
    let earlier = try JSONCoding.decode(ImportState.self, from: stored.state)
    let isSameSource = try earlier.fingerprint == file.fingerprint()
    let isSame = zip([earlier.form, earlier.mapping], [optionsDigest, mappingDigest]).allSatisfy {
      $0 == nil || $1 == nil || $0 == $1
    }
    // Another text has no file to identify it, and is an import of its own.
    let isOther = file.path == nil && !isSameSource
    // Another import than one that is done begins anew.
    let isOver = earlier.isDone == true && !(isSame && isSameSource)
    guard settings.resumes, !isOther, !isOver else {
      return try store.write { try ImportState.remove(name, records: earlier.report.read, $0) }
    }
    guard isSameSource, isSame else {
      let change =
        isSameSource
        ? "had another mapping, match, path, merge or revision" : "the source has changed since"
      throw StoreError(
        .sourceChanged,
        "an import of this source was interrupted, and \(change); set `resumes` to false to begin "
          + "again", entity: sink.entity)
    }
    try numbers.read(name, records: earlier.report.read, store)
    state = earlier
    state.report.resumedAt = state.report.read
  }
}
