@_spi(Records) internal import ORMStorage

/// Writes rows by primary key.
///
/// Reads the stored row where that is needed, writes the record if it differs, and maintains the indexes.
///
/// A row is staged, which writes nothing, and then accepted. The first one is accepted only when it
/// is certain that it breaks no unique rule, or that other rows follow which may resolve it: so an
/// operation of a single row that throws has changed nothing.
///
/// Exclusivity is not checked at run time, which was a fifth of an insert: nothing here is handed on
/// but to sources, visitors and the map, which know nothing of the operation.
final class PutOperation {
  let plan: PutPlan
  let batch: any OrderedBatch
  let maintainer: IndexMaintainer
  private let maximumValueSize: Int
  /// The keyspace of the rows.
  ///
  /// This property and the next ones copy values of the plan that every row needs, so that no
  /// references are counted.
  let keyspace: Keyspace
  let overflowKeys: OverflowKeys
  let mode: PutRequest.Mode
  private let reportsOldRows: Bool
  private let reportsOutcomes: Bool
  let isWhole: Bool
  let hasIndexes: Bool
  let generatedKey: RecordField?
  let requiredBits: UInt64
  let hasDefaults: Bool
  /// The key's only field, where the key is one plain integer.
  let integerKey: RecordField?
  /// The key's only field, where visitors get the key.
  private let reportedKey: RecordField?
  /// The row as the source gives it, completed when it turns out to be new.
  @exclusivity(unchecked) var row: RecordWriter
  /// The new row, completed by columns of the old one.
  @exclusivity(unchecked) var merged: RecordBuilder
  /// The record that the current row replaces.
  @exclusivity(unchecked) var old = ByteBuffer(capacity: 512)
  @exclusivity(unchecked) var oldRow: RecordReader
  /// The row as it is to be written: of `row` or `merged`.
  @exclusivity(unchecked) var newRow: RecordView
  @exclusivity(unchecked) var key = ByteBuffer()
  var usesMerged = false
  var isKeyGiven = false
  /// The unique rule that the first row breaks, unless another row resolves it.
  var broken: StoreError?
  /// The number of rows before the current one that were new.
  private var newRows = 0
  /// True if enough rows were new that the next is likely to be too: to try to insert one that is
  /// there costs more than to look for one that is not.
  var expectsNew: Bool { newRows >= 4 }

  /// The number of rows that were written since the operation was made.
  private(set) var changes = 0

  /// The action for the current row.
  enum Stage {
    /// It is new, or the store will say that it is not.
    case insert
    /// It replaces the stored row.
    case replace
    /// Nothing is written.
    case keep
  }

  init(_ plan: PutPlan, in batch: any OrderedBatch, maximumValueSize: Int) {
    self.plan = plan
    self.batch = batch
    self.maximumValueSize = maximumValueSize
    maintainer = IndexMaintainer(plan.entity, in: batch)
    keyspace = plan.keyspace
    overflowKeys = plan.entity.overflowKeys
    mode = plan.request.mode
    reportsOldRows = plan.request.reports.contains(.oldRows)
    reportsOutcomes = plan.request.reports.contains(.outcomes)
    isWhole = plan.isWhole
    hasIndexes = maintainer.hasIndexes
    generatedKey = plan.generatedKey
    requiredBits = plan.requiredBits
    hasDefaults = !plan.defaults.isEmpty
    integerKey = plan.entity.key.isInteger ? plan.entity.key.terms[0].field : nil
    reportedKey = integerKey ?? generatedKey
    row = RecordWriter(plan.columns, maximumValueSize: maximumValueSize)
    merged = RecordBuilder(plan.entity.layout)
    oldRow = RecordReader(plan.columns)
    newRow = RecordView(plan.entity.layout)
  }

  /// Writes all rows of a source.
  func run<S: RowSource, O: PutVisitor>(
    from source: inout S, to visitor: inout O, _ keys: inout KeyGenerator
  ) throws {
    maintainer.clear()
    newRows = 0
    broken = nil
    guard try next(&source) else { return }
    let first = try stage(&keys, isFirst: true)
    if let broken {
      self.broken = nil
      var second = RecordWriter(plan.columns, maximumValueSize: maximumValueSize)
      guard try source.next(record: &second) else { throw broken }
      try accept(first, &visitor, &keys)
      swap(&row, &second)
      try put(&visitor, &keys)
    } else {
      try accept(first, &visitor, &keys)
    }
    var check = StopCheck()
    while try next(&source) {
      try check.step()
      try put(&visitor, &keys)
    }
    try maintainer.finish()
  }

  private func put<O: PutVisitor>(
    _ visitor: inout O, _ keys: inout KeyGenerator
  ) throws {
    let stage = try stage(&keys)
    try accept(stage, &visitor, &keys)
  }

  private func next<S: RowSource>(_ source: inout S) throws -> Bool {
    row.builder.clear()
    do {
      return try source.next(record: &row)
    } catch let error as StoreError {
      let key = keyValues()
      let isGiven = !(plan.entity.declared.generatesKeys && key == [.int(0)])
      throw error.filling(entity: plan.entity.declared.modelName, key: isGiven ? key : [])
    }
  }

  /// The key of the current row, as far as it was written.
  func keyValues() -> [StoredValue] {
    guard (try? row.builder.finish()) != nil else { return [] }
    var view = RecordView(plan.entity.layout)
    guard view.move(to: row.builder.bytes) else { return [] }
    let values = plan.entity.key.terms.map { (try? view.value($0.field)) ?? .null }
    return values.contains(.null) ? [] : values
  }

  private func accept<O: PutVisitor>(
    _ stage: Stage, _ visitor: inout O, _ keys: inout KeyGenerator
  ) throws {
    var stage = stage
    if stage == .insert, try !write(onlyNew: true) {
      switch mode {
      case .insert: throw duplicate()
      case .insertMissing: stage = .keep
      case .update, .upsert:
        newRows = 0
        stage = try self.stage(&keys)
        if stage == .insert { throw plan.entity.damaged(key.bytes) }
      }
    }
    if stage == .replace {
      if reportsOldRows { try visitor.willReplace(oldRow) }
      _ = try write(onlyNew: false)
    }
    newRows = stage == .insert ? newRows &+ 1 : 0
    if stage != .keep, hasIndexes { try maintainer.accept() }
    if let field = generatedKey, stage == .insert {
      keys.note(newRow.heldInt64(field), in: keyspace)
    }
    if reportsOutcomes {
      let outcome: PutOutcome =
        switch stage {
        case .insert: .inserted
        case .replace: .updated
        case .keep: .unchanged
        }
      try visitor.didPut(outcome, key: reportedKey.map { newRow.heldInt64($0) } ?? 0)
    }
  }

  private func write(onlyNew: Bool) throws -> Bool {
    let key = key.bytes
    // A write that throws may have written something.
    changes += 1
    let record: UnsafeRawBufferPointer
    if usesMerged {
      merged.seal(under: key, in: keyspace)
      record = merged.bytes
    } else {
      row.builder.seal(under: key, in: keyspace)
      record = row.builder.bytes
    }
    if try batch.set(key, record, in: keyspace, overflowKeys, onlyNew: onlyNew) { return true }
    changes -= 1
    return false
  }

  /// The error for a primary key that is taken.
  private func duplicate() -> StoreError {
    let entity = plan.entity.declared
    let key = keyValues()
    return StoreError(
      .duplicate, "a row with this primary key exists already", entity: entity.modelName, key: key,
      attributes: entity.key.map { entity.columns[$0].attribute }, values: key)
  }
}
