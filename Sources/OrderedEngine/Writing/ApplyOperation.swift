internal import ORMCore

/// Changes many rows at once: finds the keys of all of them first, then changes row after row.
struct ApplyOperation {
  private let batch: any OrderedBatch
  private let view: StoreView
  private let maximumValueSize: Int
  /// How many rows were written or removed so far; those that an update left as they were are not
  /// counted.
  private(set) var changes = 0

  init(_ batch: any OrderedBatch, _ view: StoreView, maximumValueSize: Int) {
    self.batch = batch
    self.view = view
    self.maximumValueSize = maximumValueSize
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
    guard let space = entity.space else { return 0 }
    let count = try batch.count(of: space)
    if count == 0 { return 0 }
    changes += count
    if entity.declared.generatesKeys { try keys.noteClearing(of: entity, in: space) }
    try batch.removeAll(in: space)
    for index in entity.indexes { try batch.removeAll(in: index.space) }
    return count
  }

  private mutating func delete(
    _ request: FetchRequest, _ keys: inout KeyGenerator
  ) throws -> Int {
    let entity = try view.layout.entity(request.shape.entity)
    guard let space = entity.space else { return 0 }
    if request.shape.condition == .constant(true) && !request.shape.isLimited {
      return try clear(entity, &keys)
    }
    let found = try view.keys(of: request)
    let maintainer = IndexMaintainer(entity, in: batch)
    var row = RecordView(entity.layout)
    var old = ByteBuffer(capacity: 512)
    var greatest = Int64.min
    changes += found.count
    try found.forEach { key in
      if maintainer.hasIndexes {
        try copy(key, of: entity, in: space, to: &old, &row)
        _ = try maintainer.prepare(old: row, new: nil, key: key)
        try maintainer.accept()
      }
      if entity.declared.generatesKeys, case .int(let number)? = entity.values(ofKey: key).first {
        greatest = max(greatest, number)
      }
      guard try batch.remove(key, in: space, entity.longKeys) else { throw entity.damaged(key) }
    }
    if found.count > 0, entity.declared.generatesKeys {
      try keys.noteDeletion(upTo: greatest, of: entity, in: space)
    }
    try maintainer.finish()
    return found.count
  }

  private mutating func update(
    _ request: FetchRequest, _ assignments: [StoreChange.Assignment]
  ) throws -> Int {
    let entity = try view.layout.entity(request.shape.entity)
    guard let space = entity.space else { return 0 }
    var update = try RowUpdate(
      entity, assignments, request.bindings, in: view, maximumValueSize: maximumValueSize)
    let found = try view.keys(of: request)
    let maintainer = IndexMaintainer(entity, in: batch)
    var old = ByteBuffer(capacity: 512)
    if update.readsOthers {
      try found.forEach { key in
        try copy(key, of: entity, in: space, to: &old, &update.reader.view)
        try update.foresee(key)
      }
    }
    try found.forEach { key in
      try copy(key, of: entity, in: space, to: &old, &update.reader.view)
      guard try update.apply(key) else { return }
      if maintainer.hasIndexes {
        _ = try maintainer.prepare(old: update.reader.view, new: update.newRow, key: key)
      }
      changes += 1
      update.builder.seal(under: key, in: space)
      _ = try batch.set(key, update.builder.bytes, in: space, entity.longKeys, onlyNew: false)
      if maintainer.hasIndexes { try maintainer.accept() }
    }
    try maintainer.finish()
    return found.count
  }

  private func copy(
    _ key: UnsafeRawBufferPointer, of entity: EntityStorage, in space: Space,
    to buffer: inout ByteBuffer, _ row: inout RecordView
  ) throws {
    buffer.truncate()
    let isThere: Void? = try batch.get(key, in: space, entity.longKeys) { buffer.append($0) }
    guard isThere != nil else { throw entity.damaged(key) }
    try view.open(buffer.bytes, under: key, of: entity, in: space, &row)
  }
}
