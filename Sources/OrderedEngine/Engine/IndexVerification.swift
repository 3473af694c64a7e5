internal import ORMStorage

/// Holds the rows of an entity and the entries of its indexes against each other, both ways.
///
/// 1. Every row is whole, stored under the key that its values make, found by that key, and after
///    the row before it: a page that the tree reaches twice gives its rows twice, and one that a
///    damaged page above it hides from searches gives them to scans alone.
/// 2. Every entry that a row's values make is in its index.
/// 3. Every entry of an index is one that its row makes: looked at where an index has not exactly
///    as many entries as all rows together make.
struct IndexVerification {
  let view: StoreView
  let entity: EntityStorage
  let found: (StoreError) throws -> Void

  /// Reports every fault.
  func run() throws {
    guard let keyspace = entity.keyspace else { return }
    var expected = Array(repeating: 0, count: entity.indexes.count)
    let rows = KeyCursor(try view.snapshot.cursor(in: keyspace), entity.overflowKeys)
    var row = RecordView(entity.layout)
    var entries = EntryList()
    var key = ByteBuffer(capacity: 64)
    var last: [UInt8] = []
    var stands = try rows.seek(UnsafeRawBufferPointer(start: nil, count: 0))
    var check = StopCheck()
    while stands {
      try check.step()
      if !last.isEmpty, !last.lexicographicallyPrecedes(rows.key) {
        try report("a row follows one with the same or a greater key", rows.key)
      }
      last.replaceSubrange(last.indices, with: rows.key)
      if try view.snapshot.get(rows.key, in: keyspace, entity.overflowKeys, { _ in true }) != true {
        try report("a row is not found by its key", rows.key)
      }
      do {
        try view.open(rows.value, under: rows.key, of: entity, in: keyspace, &row)
        key.truncate()
        try key.append(entity.key, of: row)
        if !key.bytes.elementsEqual(rows.key) {
          try report("a row is stored under a key that is not its own", rows.key)
        }
        for (number, index) in entity.indexes.enumerated() {
          entries.clear()
          try entries.append(index, of: row, key: rows.key)
          try entries.forEach { entry, _ in
            expected[number] += 1
            let isThere = try view.snapshot.get(entry, in: index.keyspace, index.overflowKeys) {
              _ in
              true
            }
            if isThere != true {
              try report("the index \(index.index.name) lacks a row", rows.key)
            }
          }
        }
      } catch let error as StoreError where error.code == .corrupt || error.code == .decoding {
        try found(error.filling(entity: entity.declared.modelName))
      }
      stands = try rows.next()
    }
    for (number, index) in entity.indexes.enumerated() {
      if try view.snapshot.count(of: index.keyspace) != expected[number] {
        try checkEntries(of: index, keyspace)
      }
    }
  }

  /// Looks for entries that belong to no row.
  private func checkEntries(of index: IndexStorage, _ keyspace: Keyspace) throws {
    let walk = KeyCursor(try view.snapshot.cursor(in: index.keyspace), index.overflowKeys)
    var row = RecordView(entity.layout)
    var entries = EntryList()
    var stands = try walk.seek(UnsafeRawBufferPointer(start: nil, count: 0))
    var check = StopCheck()
    while stands {
      try check.step()
      let isRight = try index.withPrimaryKey(of: walk.key) { key in
        try view.snapshot.get(key, in: keyspace, entity.overflowKeys) { record in
          // A record that is damaged was notified of.
          guard row.move(to: record) else { return true }
          entries.clear()
          try entries.append(index, of: row, key: key)
          var isMade = false
          entries.forEach { entry, _ in
            if entry.elementsEqual(walk.key) { isMade = true }
          }
          return isMade
        }
      }
      if isRight != .some(.some(true)) {
        try found(
          StoreError(
            .corrupt, "the index \(index.index.name) has an entry that belongs to no row",
            entity: entity.declared.modelName))
      }
      stands = try walk.next()
    }
  }

  private func report(_ message: String, _ key: UnsafeRawBufferPointer) throws {
    try found(
      StoreError(
        .corrupt, message, entity: entity.declared.modelName, key: entity.values(ofKey: key)))
  }
}

extension StoreView {
  /// Reports every row and index entry that do not agree.
  func verify(_ found: (StoreError) throws -> Void) throws {
    try check()
    try withoutActuallyEscaping(found) { found in
      for entity in layout.entities {
        try IndexVerification(view: self, entity: entity, found: found).run()
      }
    }
  }
}
