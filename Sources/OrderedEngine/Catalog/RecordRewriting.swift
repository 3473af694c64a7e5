internal import ORMStorage

/// The rewriting of all records of an entity whose columns get other positions, in one pass.
///
/// Columns that were dropped are left out.
///
/// They go to a keyspace of their own, in the order of their keys: that fills the pages of a map, and
/// needs no search after each write. Entries of indexes lead to rows by their keys, and stay.
struct RecordRewriting {
  private let old: EntityStorage
  private let new: EntityStorage
  private let columns: [Int?]

  /// One entity of two catalogs.
  struct Step {
    /// The position of the entity in the catalog before.
    var old: Int
    /// Its position in the catalog afterwards.
    var new: Int
    /// The former position of each column of a new record; nil for one that is added.
    var columns: [Int?]
  }

  /// A rewriting; the layouts are of everything that the catalogs hold.
  init(_ step: Step, from former: StoreLayout, to layout: StoreLayout) {
    old = former.entities[step.old]
    new = layout.entities[step.new]
    columns = step.columns
  }

  /// Copies the records, and the greatest generated key; the old ones stay for the caller to remove.
  func run(in batch: any OrderedBatch) throws {
    guard let source = old.keyspace, let target = new.keyspace else { return }
    var row = RecordView(old.layout)
    var record = RecordBuilder(new.layout)
    var key = ByteBuffer()
    let cursor = KeyCursor(try batch.cursor(in: source), old.overflowKeys)
    var stands = try cursor.seek(UnsafeRawBufferPointer(start: nil, count: 0))
    var check = StopCheck()
    while stands {
      try check.step()
      guard old.layout.isWhole(cursor.value, under: cursor.key, in: source),
        row.move(to: cursor.value)
      else { throw old.damaged(cursor.key) }
      try make(&record, of: row)
      key.truncate()
      key.append(cursor.key)
      record.seal(under: key.bytes, in: target)
      _ = try batch.set(key.bytes, record.bytes, in: target, new.overflowKeys, onlyNew: false)
      stands = try cursor.next()
    }
    try StoreCounters.moveGreatestKey(of: source, to: target, in: batch)
  }

  private func make(_ record: inout RecordBuilder, of row: RecordView) throws {
    record.clear()
    for (column, field) in new.layout.fields.enumerated() {
      guard let source = columns[column].map({ old.layout.fields[$0] }) else {
        try record.set(new.layout.fillings[column], field)
        continue
      }
      if row.holds(source) {
        record.set(bytes: try row.bytes(source), field)
      } else {
        try record.set(row.filling(source), field)
      }
    }
    try record.finish()
  }
}
