@_spi(Records) internal import ORMStorage

extension PutOperation {
  /// Decides whether the current row is written, and makes its record and entries, without writing.
  ///
  /// The unique rules of the first row are looked at; ``broken`` is set where one is.
  func stage(_ keys: inout KeyGenerator, isFirst: Bool = false) throws -> Stage {
    usesMerged = false
    try row.builder.finish()
    view(row.builder.bytes)
    try giveKey(&keys)
    try makeKey()
    // A row that exists and is left alone breaks no unique rule, so it is looked for before the
    // rules are.
    let mayBeLeft = mode == .insertMissing && !(isFirst && hasIndexes)
    let isOptimistic =
      mode == .insert || isKeyGiven
      || (isWhole && (mayBeLeft || (mode == .upsert && expectsNew)))
    let stage = isOptimistic ? .insert : try lookUp()
    switch stage {
    case .keep: return .keep
    case .insert: try complete()
    case .replace: if try !merge() { return .keep }
    }
    if hasIndexes {
      let error = try maintainer.prepare(
        old: stage == .replace ? oldRow.view : nil, new: newRow, key: key.bytes,
        isChecked: isFirst)
      if isFirst { broken = error }
    }
    return stage
  }

  @inline(__always)
  private func view(_ record: UnsafeRawBufferPointer) {
    let isRecord = newRow.move(to: record)
    assert(isRecord, "a record just made is none")
  }

  @inline(__always)
  private func giveKey(_ keys: inout KeyGenerator) throws {
    isKeyGiven = false
    guard let field = generatedKey else { return }
    if newRow.holds(field), newRow.heldInt64(field) != 0 { return }
    if mode == .update { throw missing(key: [.int(0)]) }
    row.builder.set(bits: try keys.next(of: plan.entity, in: keyspace), field)
    isKeyGiven = true
    view(row.builder.bytes)
  }

  @inline(__always)
  private func makeKey() throws {
    key.truncate()
    if let field = integerKey {
      guard newRow.holds(field) else { throw missingValue(field) }
      return key.append(key: newRow.heldInt64(field))
    }
    for term in plan.entity.key.terms {
      if !term.isTagged && !newRow.holds(term.field) { throw missingValue(term.field) }
      try key.append(term, of: newRow)
    }
  }

  /// Looks for the row that is stored, and keeps a copy of it.
  private func lookUp() throws -> Stage {
    let key = key.bytes
    let isSame = try batch.get(key, in: keyspace, overflowKeys) { record in
      guard newRow.layout.isWhole(record, under: key, in: keyspace) else {
        throw plan.entity.damaged(key)
      }
      if isWhole, isContent(record, row.builder.bytes) { return true }
      old.truncate()
      old.append(record)
      return false
    }
    guard let isSame else {
      if mode == .update { throw missing(key: keyValues()) }
      return .insert
    }
    if isSame || mode == .insertMissing { return .keep }
    guard oldRow.view.move(to: old.bytes) else { throw plan.entity.damaged(key) }
    return .replace
  }

  /// Returns whether two records are the same but for their checksums.
  private func isContent(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    let start = newRow.layout.checksumSize
    guard a.count == b.count, a.count >= start else { return false }
    return ByteOrder.compare(
      UnsafeRawBufferPointer(rebasing: a[start...]),
      UnsafeRawBufferPointer(rebasing: b[start...])) == .equal
  }

  /// Makes a new row whole: defaults where nothing was set, and nothing missing.
  @inline(__always)
  private func complete() throws {
    if hasDefaults { try setDefaults() }
    try checkRequired(newRow)
  }

  @inline(never)
  private func setDefaults() throws {
    for (field, value) in plan.defaults where !newRow.holds(field) {
      try row.builder.set(value, field)
      view(row.builder.bytes)
    }
  }

  @inline(__always)
  private func checkRequired(_ row: RecordView) throws {
    if !row.holdsAll(requiredBits) { try checkEachRequired(row) }
  }

  @inline(never)
  private func checkEachRequired(_ row: RecordView) throws {
    for field in plan.required where !row.holds(field) { throw missingValue(field) }
  }

  /// Makes the record that replaces the old one; false when they are the same.
  private func merge() throws -> Bool {
    if isWhole {
      try checkRequired(newRow)
      if oldRow.view.columnCount == plan.entity.layout.columnCount { return true }
    }
    merged.clear()
    for field in plan.entity.layout.fields {
      let isSet =
        plan.isProvided[Int(field.column)] && (newRow.holds(field) || !plan.request.nilKeeps)
      try merged.copy(field, from: isSet ? newRow : oldRow.view)
    }
    try merged.finish()
    usesMerged = true
    view(merged.bytes)
    try checkRequired(newRow)
    return try !isOldMerged()
  }

  /// Returns whether the old row and the merged one hold the same; the old may have fewer columns.
  private func isOldMerged() throws -> Bool {
    if oldRow.view.columnCount == newRow.columnCount {
      return isContent(old.bytes, merged.bytes)
    }
    var whole = RecordBuilder(plan.entity.layout)
    for field in plan.entity.layout.fields { try whole.copy(field, from: oldRow.view) }
    try whole.finish()
    return isContent(whole.bytes, merged.bytes)
  }

  private func missing(key: [StoredValue]) -> StoreError {
    StoreError(
      .notFound, "there is no row with this primary key",
      entity: plan.entity.declared.modelName, key: key)
  }

  private func missingValue(_ field: RecordField) -> StoreError {
    let entity = plan.entity
    return StoreError(
      .missingValue, "a required attribute has no value", entity: entity.declared.modelName,
      key: keyValues(),
      attributes: [entity.layout.entity.columns[Int(field.column)].attribute])
  }
}
