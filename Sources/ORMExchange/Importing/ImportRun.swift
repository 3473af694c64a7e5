internal import Foundation
internal import ORM

/// One import: reads records, saves them in batches, and settles what waits for the end.
final class ImportRun<Sink: RecordSink> {
  private let store: any Store
  private let source: ImportFrom
  private let file: ImportFile
  private let settings: ImportSettings
  private let sink: Sink
  private let isCancelled: () -> Bool
  var state: ImportState
  private var rejects: RejectsFile?
  /// True once no more targets can come.
  private var isSettling = false
  /// The most records of one batch.
  static var batch: Int { 1_000 }
  /// The bytes after which a batch is saved early.
  private static var batchSize: Int { 8 << 20 }

  init(
    _ sink: Sink, _ store: any Store, _ source: ImportFrom, _ file: ImportFile,
    _ settings: ImportSettings, isCancelled: @escaping () -> Bool = { false }
  ) {
    self.sink = sink
    self.store = store
    self.source = source
    self.file = file
    self.settings = settings
    self.isCancelled = isCancelled
    state = ImportState(report: ImportReport(entity: sink.entity))
  }

  private var form: RecordForm {
    RecordForm(entity: sink.entity, isKeyed: sink.isKeyed) { [sink] in sink.column(at: $0) }
  }

  /// A record that waits to be read.
  struct Waiting {
    var record: RawRecord
    /// Its bytes among those of the batch.
    let range: Range<Int>
    /// Its number, from 1.
    let number: Int
  }

  /// Runs the import.
  func run() throws -> ImportReport {
    let start = ContinuousClock.now
    defer { sink.drop() }
    switch settings.commit {
    case .atEnd:
      try openRejects(goesOn: false)
      try store.write { transaction in
        try readAll { try process($0, $1, transaction) }
        try finish(transaction)
      }
    case .every(let count):
      try resume()
      try openRejects(goesOn: state.report.resumedAt > 0)
      try readAll(batch: max(1, count)) { waiting, bytes in
        try store.write { transaction in
          try process(waiting, bytes, transaction)
          try saveCheckpoint(transaction)
        }
      }
      try store.write { transaction in
        try finish(transaction)
        try removeCheckpoint(transaction)
      }
    }
    try rejects?.close()
    let time = (ContinuousClock.now - start).components
    state.report.duration = Double(time.seconds) + Double(time.attoseconds) / 1e18
    return state.report
  }

  private func openRejects(goesOn: Bool) throws {
    guard case .collect(upTo: _, writingTo: let path?) = settings.onBad else { return }
    rejects = try RejectsFile(path, appends: goesOn)
  }

  // MARK: - Batches

  /// Reads the source, and hands on its records in batches.
  private func readAll(
    batch size: Int? = nil, _ body: ([Waiting], UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var bytes: [UInt8] = []
    var waiting: [Waiting] = []
    var number = 0
    var offset = 0
    let first = state.report.read
    func flush() throws {
      if isCancelled() { throw CancellationError() }
      try bytes.withUnsafeBytes { try body(waiting, $0) }
      waiting.removeAll(keepingCapacity: true)
      bytes.removeAll(keepingCapacity: true)
      settings.progress?(
        ImportProgress(
          bytes: offset, size: file.size, records: state.report.read, bad: state.report.badCount))
    }
    try source.forEachRecord(of: file, limits: settings.limits, form) {
      offset = $0
    } _: { record in
      number += 1
      guard number > first else {
        if sink.prunes, !state.bad.contains(number) { try sink.note(record) }
        return
      }
      let start = bytes.count
      bytes.append(contentsOf: record.bytes)
      waiting.append(Waiting(record: record, range: start..<bytes.count, number: number))
      let isFull = size == nil && bytes.count >= Self.batchSize
      if isFull || waiting.count >= size ?? Self.batch { try flush() }
    }
    offset = file.size
    try flush()
  }

  /// Reads and saves the records of a batch.
  private func process(
    _ waiting: [Waiting], _ bytes: UnsafeRawBufferPointer, _ transaction: WriteTransaction
  ) throws {
    var position = 0
    while position < waiting.count {
      let end = min(position + Self.batch, waiting.count)
      let records = waiting[position..<end].map { waiting in
        var waiting = waiting
        waiting.record.bytes = UnsafeRawBufferPointer(rebasing: bytes[waiting.range])
        return waiting
      }
      try sink.prepare(records.map(\.record), transaction)
      try process(records, transaction)
      position = end
    }
  }

  private func process(_ records: [Waiting], _ transaction: WriteTransaction) throws {
    var pending: [Waiting] = []
    for record in records {
      state.report.read += 1
      do {
        var outcome = try sink.read(record.record, transaction)
        if outcome == .repeated {
          try save(&pending, transaction)
          outcome = try sink.read(record.record, transaction)
        }
        if outcome == .kept { pending.append(record) } else { state.report.skipped += 1 }
      } catch let error as StoreError where error.isOfRecord {
        // Records before it may be bad too, and are reported first.
        try save(&pending, transaction)
        try refuse(record, error)
      }
    }
    try save(&pending, transaction)
  }

  /// Saves the records that wait; one by one if together they cannot be.
  private func save(_ pending: inout [Waiting], _ transaction: WriteTransaction) throws {
    if pending.isEmpty { return sink.drop() }
    defer { pending.removeAll() }
    do {
      return try saveWaiting(pending[0].number, transaction)
    } catch let error as StoreError where error.isOfRecord {
      sink.drop()
      guard pending.count > 1 else { return try handle(error, pending[0]) }
    }
    for record in pending {
      do {
        // What was merged may be what another record of the batch had.
        guard try sink.read(record.record, transaction) == .kept else { continue }
        try saveWaiting(record.number, transaction)
      } catch let error as StoreError where error.isOfRecord {
        sink.drop()
        try handle(error, record)
      }
    }
  }

  private func saveWaiting(_ first: Int, _ transaction: WriteTransaction) throws {
    do {
      state.report.add(try sink.save(transaction))
    } catch let error as StoreError where error.code == .missingTarget {
      let names = try sink.leaveOutMissingLinks(transaction)
      if names.isEmpty { throw error }
      state.report.add(try sink.save(transaction))
      state.links.formUnion(names)
      state.firstDeferred = min(state.firstDeferred, first)
    }
  }

  /// Treats a record that cannot be saved: one whose target may still come waits.
  private func handle(_ error: StoreError, _ record: Waiting) throws {
    guard error.code == .missingTarget, !isSettling else { return try refuse(record, error) }
    state.postponed.insert(record.number)
    state.firstDeferred = min(state.firstDeferred, record.number)
  }

  /// Treats a bad record.
  private func refuse(_ record: Waiting, _ error: StoreError) throws {
    let origin = record.record.origin
    var error = error
    if error.code != .invalidImport {
      let path = origin.path
      let place = path.isEmpty ? "\(origin.place)" : "\(path) (\(origin.place))"
      error.message = "\(place): \(error.message)"
    }
    guard case .collect(let most, writingTo: _) = settings.onBad else { throw error }
    state.report.badCount += 1
    state.bad.insert(record.number)
    guard state.report.badCount <= most else {
      throw StoreError(
        .importStopped, "more than \(most) records are bad; the first of them are in `failures`",
        entity: sink.entity, failures: state.report.bad.prefix(100).map(\.error))
    }
    let bad = BadRecord(
      number: record.number, place: origin.place, path: origin.path, error: error)
    state.report.bad.append(bad)
    try rejects?.write(bad, record.record.bytes)
  }

  // MARK: - The end

  private func finish(_ transaction: WriteTransaction) throws {
    if state.firstDeferred < Int.max { try settle(transaction) }
    guard sink.prunes else { return }
    if state.report.badCount > 0, !settings.prunesDespiteBadRecords {
      throw StoreError(
        .pruneRefused,
        "\(state.report.badCount) records are bad, and their rows would be deleted; mend them, or "
          + "set `prunesDespiteBadRecords`", entity: sink.entity)
    }
    state.report.deleted = try sink.prune(upTo: settings.pruneLimit, transaction)
  }

  /// Reads the source again from the first record with links to later ones, and sets the links.
  private func settle(_ transaction: WriteTransaction) throws {
    // Records that wait whole may wait for one another.
    while !state.postponed.isEmpty {
      let before = state.postponed
      state.postponed = []
      try forEachRecord(from: before) { record in
        var pending = [record]
        sink.drop()
        do {
          guard try sink.read(record.record, transaction) == .kept else { return }
          try save(&pending, transaction)
        } catch let error as StoreError where error.isOfRecord {
          try refuse(record, error)
        }
      }
      state.report.deferred += before.count - state.postponed.count
      if state.postponed.count == before.count { isSettling = true }
    }
    isSettling = true
    if state.links.isEmpty { return }
    try forEachRecord(from: nil) { record in
      do {
        if try sink.settle(record.record, links: state.links, transaction) {
          state.report.deferred += 1
        }
      } catch let error as StoreError where error.isOfRecord {
        if error.code == .missingTarget, settings.missingTargets == .clear { return }
        try refuse(record, error)
      }
    }
  }

  /// Calls a closure with records of the source again: some, or all from the first deferred one on.
  private func forEachRecord(from numbers: Set<Int>?, _ body: (Waiting) throws -> Void) throws {
    var number = 0
    try source.forEachRecord(of: file, limits: settings.limits, form) { record in
      number += 1
      let isWanted = numbers?.contains(number) ?? (number >= state.firstDeferred)
      guard isWanted, !state.bad.contains(number) else { return }
      try body(Waiting(record: record, range: 0..<record.bytes.count, number: number))
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
    if state.fingerprint.isEmpty { state.fingerprint = try file.fingerprint() }
    let text = try JSONCoding.encode(state)
    try transaction.save(ImportCheckpoint(id: name, state: text))
  }

  private func removeCheckpoint(_ transaction: WriteTransaction) throws {
    guard let name = checkpointName else { return }
    try transaction.delete(ImportCheckpoint.self, id: name)
  }

  /// Goes on where an earlier run ended.
  private func resume() throws {
    guard settings.resumes, let name = checkpointName,
      let kept = try store.find(ImportCheckpoint.self, name)
    else { return }
    let state = try JSONCoding.decode(ImportState.self, from: kept.state)
    guard state.fingerprint == (try file.fingerprint()) else {
      throw StoreError(
        .sourceChanged,
        "an import of this source was interrupted, and the source has changed since; set "
          + "`resumes` to false to begin again", entity: sink.entity)
    }
    self.state = state
    self.state.report.resumedAt = state.report.read
  }
}
