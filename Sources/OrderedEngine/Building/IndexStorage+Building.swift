internal import ORMStorage

extension IndexStorage {
  /// Writes the entries of all rows of an entity into the keyspace of the index, which is empty.
  ///
  /// - Throws: `duplicate` where rows break the unique rule of the index.
  func build(over entity: EntityStorage, in batch: any OrderedBatch) throws {
    guard let keyspace = entity.keyspace else { return }
    var queue = EntryQueue(self, of: entity, in: batch)
    var entries = EntryList()
    var row = RecordView(entity.layout)
    let cursor = KeyCursor(try batch.cursor(in: keyspace), entity.overflowKeys)
    var stands = try cursor.seek(UnsafeRawBufferPointer(start: nil, count: 0))
    var check = StopCheck()
    while stands {
      try check.step()
      guard entity.layout.isWhole(cursor.value, under: cursor.key, in: keyspace),
        row.move(to: cursor.value)
      else { throw entity.damaged(cursor.key) }
      entries.clear()
      try entries.append(self, of: row, key: cursor.key)
      let isRuled = index.isUnique && !entries.isExempt
      try entries.forEach { entry, ruled in try queue.add(entry, ruled: isRuled ? ruled : 0) }
      stands = try cursor.next()
    }
    try queue.finish()
  }
}
