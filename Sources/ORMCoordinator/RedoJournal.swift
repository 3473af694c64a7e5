internal import ORMRows
internal import ORMStorage

/// The writer of one entry of the journal: a transaction's changes by key in all members but the
/// journal's.
struct RedoJournal {
  private let writer: any StoreWriter
  private let entry: UInt64
  private var frame = 0

  /// The number of rows of a frame.
  private static let rows = KeyLists.size

  /// Begins an entry.
  ///
  /// - Parameter writer: the writer of the journal's member.
  init(_ entry: UInt64, by writer: any StoreWriter) {
    self.writer = writer
    self.entry = entry
  }

  /// Writes the changes of a member.
  ///
  /// - Parameters:
  ///   - member: the configuration.
  ///   - recorder: the writer of the member, which knows the keys.
  ///   - raised: the entities whose generated keys were raised.
  mutating func write(
    _ member: String, _ recorder: ChangeRecorder, raised: Set<String>, _ schema: StoredSchema
  ) throws {
    var raised = raised
    for log in recorder.recorded {
      let entity = log.entity.entity
      if entity.generatesKeys { raised.insert(entity.name) }
      if log.isEverything {
        try put(RedoFrame(member, entity.name, .clear))
        try putAll(entity, of: member, recorder)
      } else {
        try putRows(of: log, member, recorder)
      }
    }
    for name in raised.sorted() {
      guard let key = try recorder.greatestKey(of: name), key > 0 else { continue }
      try put(RedoFrame(member, name, .raise(key)))
    }
  }

  private mutating func put(_ frame: RedoFrame) throws {
    try MemberRows.put(frame.bytes, entry: entry, frame: self.frame, by: writer)
    self.frame += 1
  }

  private mutating func putRows(
    of log: RowLog, _ member: String, _ view: any StoreReader
  ) throws {
    let entity = log.entity.entity
    var keys: [[StoredValue]] = []
    log.forEachRow { _, last, _ in keys.append(Array(log.key(last))) }
    let batches = stride(from: 0, to: keys.count, by: Self.rows).map {
      Array(keys[$0..<min($0 + Self.rows, keys.count)])
    }
    for batch in batches { try put(RedoFrame(member, entity.name, .delete(batch))) }
    let columns = Array(entity.columns.indices)
    for batch in batches {
      let rows = try view.values(of: entity, where: entity.key, in: batch, output: columns)
      try put(rows, of: entity, member)
    }
  }

  /// Writes every row of an entity.
  private mutating func putAll(
    _ entity: StoredEntity, of member: String, _ view: any StoreReader
  ) throws {
    let cursor = try view.cursor(FetchRequest(of: entity))
    var isAtEnd = false
    while !isAtEnd {
      var batch = ValueBatch(size: Self.rows)
      isAtEnd = try !cursor.visit(&batch)
      try put(batch.rows, of: entity, member)
    }
  }

  private mutating func put(
    _ rows: [[StoredValue]], of entity: StoredEntity, _ member: String
  ) throws {
    if rows.isEmpty { return }
    let content = RedoFrame.Content.put(columns: entity.columns.map(\.name), rows: rows)
    try put(RedoFrame(member, entity.name, content))
  }
}
