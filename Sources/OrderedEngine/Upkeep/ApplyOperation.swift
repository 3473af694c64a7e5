internal import ORMStorage

/// Changes many rows at once: finds the keys of all of them first, then changes row after row.
struct ApplyOperation {
  private let batch: any OrderedBatch
  private let view: StoreView
  private let maximumValueSize: Int
  /// The number of bytes of an index's entries that wait to be written.
  private let capacity: Int
  /// The number of rows that were written or removed so far; those that an update left as they were
  /// are not counted.
  private(set) var changes = 0
  private var check = StopCheck()

  init(
    _ batch: any OrderedBatch, _ view: StoreView, maximumValueSize: Int,
    capacity: Int = EntryQueue.capacity
  ) {
    self.batch = batch
    self.view = view
    self.maximumValueSize = maximumValueSize
    self.capacity = capacity
  }

  /// Makes the change; gives the number of rows concerned.
  mutating func run(_ change: StoreChange, _ keys: inout KeyGenerator) throws -> Int {
    switch change {
    case .clear(let name): return try clear(try view.layout.entity(name), &keys)
    case .delete(let request): return try delete(request, &keys)
    case .update(let request, let assignments): return try update(request, assignments)
    }
  }

  private mutating func clear(
    _ entity: EntityStorage, _ keys: inout KeyGenerator
  ) throws -> Int {
    guard let keyspace = entity.keyspace else { return 0 }
    let count = try batch.count(of: keyspace)
    if count == 0 { return 0 }
    if entity.keyList != nil {
      // Every key is listed.
      return try deleteRows(FetchRequest(of: entity.declared), entity, in: keyspace, &keys)
    }
    changes += count
    if entity.declared.generatesKeys { try keys.noteClearing(of: entity, in: keyspace) }
    try batch.removeAll(in: keyspace)
    for index in entity.indexes { try batch.removeAll(in: index.keyspace) }
    for index in entity.building {
      try batch.removeAll(in: index.keyspace)
      try index.work?.clear(in: batch)
    }
    return count
  }

  private mutating func delete(
    _ request: FetchRequest, _ keys: inout KeyGenerator
  ) throws -> Int {
    let entity = try view.layout.entity(request.shape.entity)
    guard let keyspace = entity.keyspace else { return 0 }
    if request.shape.condition == .constant(true) && !request.shape.isLimited {
      return try clear(entity, &keys)
    }
    return try deleteRows(request, entity, in: keyspace, &keys)
  }

  private mutating func deleteRows(
    _ request: FetchRequest, _ entity: EntityStorage, in keyspace: Keyspace,
    _ keys: inout KeyGenerator
  ) throws -> Int {
    let maintainer = IndexMaintainer(entity, in: batch, isWhole: true, capacity: capacity)
    // Nothing may be written while rows are walked over: entries wait while the buffer has
    // capacity.
    let prepared = { (key: UnsafeRawBufferPointer, row: RecordView) in
      if maintainer.isFull { return false }
      _ = try maintainer.prepare(old: row, new: nil, key: key)
      try maintainer.accept()
      return true
    }
    let (found, taken) = try view.keys(
      of: request, handing: maintainer.hasIndexes ? prepared : nil)
    var row = RecordView(entity.layout)
    var number = 0
    changes += found.count
    try found.forEach { key in
      number += 1
      try check.step()
      if maintainer.hasIndexes, number > taken {
        try open(key, of: entity, in: keyspace, &row) { row in
          _ = try maintainer.prepare(old: row, new: nil, key: key)
        }
        try maintainer.accept()
      }
      guard try batch.remove(key, in: keyspace, entity.overflowKeys) else {
        throw entity.damaged(key)
      }
    }
    if found.count > 0, entity.declared.generatesKeys {
      let last = found.withKey(at: found.count - 1) { entity.values(ofKey: $0).first }
      if case .int(let greatest)? = last {
        try keys.noteDeletion(upTo: greatest, of: entity, in: keyspace)
      }
    }
    try maintainer.finish()
    return found.count
  }

  private mutating func update(
    _ request: FetchRequest, _ assignments: [StoreChange.Assignment]
  ) throws -> Int {
    let entity = try view.layout.entity(request.shape.entity)
    guard let keyspace = entity.keyspace else { return 0 }
    var update = try RowUpdate(
      entity, assignments, request.bindings, in: view, maximumValueSize: maximumValueSize)
    let maintainer = IndexMaintainer(entity, in: batch, isWhole: true, capacity: capacity)
    if request.shape.condition == .constant(true), !request.shape.isLimited,
      !update.readsOthers, !entity.overflowKeys.mayBeLong
    {
      try updateAll(of: entity, in: keyspace, &update, maintainer)
      return try batch.count(of: keyspace)
    }
    let found = try view.keys(of: request)
    var row = RecordView(entity.layout)
    if update.readsOthers {
      try found.forEach { key in
        try check.step()
        try open(key, of: entity, in: keyspace, &row) { row in
          update.reader.view = row
          try update.foresee(key)
        }
      }
    }
    try found.forEach { key in
      try check.step()
      let isChanged = try open(key, of: entity, in: keyspace, &row) { row in
        update.reader.view = row
        guard try update.apply(key) else { return false }
        if maintainer.hasIndexes {
          _ = try maintainer.prepare(old: row, new: update.newRow, key: key)
        }
        return true
      }
      guard isChanged else { return }
      changes += 1
      update.builder.seal(under: key, in: keyspace)
      _ = try batch.set(
        key, update.builder.bytes, in: keyspace, entity.overflowKeys, onlyNew: false)
      if maintainer.hasIndexes { try maintainer.accept() }
    }
    try maintainer.finish()
    return found.count
  }

  /// Updates every row of an entity, in one pass over the records.
  private mutating func updateAll(
    of entity: EntityStorage, in keyspace: Keyspace, _ update: inout RowUpdate,
    _ maintainer: IndexMaintainer
  ) throws {
    var row = RecordView(entity.layout)
    var changed = 0
    defer { changes += changed }
    let hasIndexes = maintainer.hasIndexes
    try batch.setValues(in: keyspace) { key, value in
      try check.step()
      try view.open(value, under: key, of: entity, in: keyspace, &row)
      update.reader.view = row
      guard try update.apply(key) else { return nil }
      if hasIndexes {
        _ = try maintainer.prepare(old: row, new: update.newRow, key: key)
        try maintainer.accept()
      }
      changed += 1
      update.builder.seal(under: key, in: keyspace)
      return update.builder.bytes
    }
    try maintainer.finish()
  }

  /// Calls `body` with a row as it lies in the map, where it is until something is written.
  private func open<R>(
    _ key: UnsafeRawBufferPointer, of entity: EntityStorage, in keyspace: Keyspace,
    _ row: inout RecordView, _ body: (RecordView) throws -> R
  ) throws -> R {
    let result = try batch.get(key, in: keyspace, entity.overflowKeys) { record in
      try view.open(record, under: key, of: entity, in: keyspace, &row)
      return try body(row)
    }
    guard let result else { throw entity.damaged(key) }
    return result
  }
}
