@_spi(Records) internal import ORMStorage

/// The entity and keyspace of a shape that asks for rows by one integer key.
final class KeyLookup: Sendable {
  let shape: FetchShape
  /// The entity, which the layout of the lookup keeps alive.
  ///
  /// Counting references here would be a quarter of a find, and readers side by side would fight for the
  /// counters.
  let entity: Unmanaged<EntityStorage>
  let keyspace: Keyspace

  init(_ shape: FetchShape, _ entity: EntityStorage, in keyspace: Keyspace) {
    self.shape = shape
    self.entity = .passUnretained(entity)
    self.keyspace = keyspace
  }
}

extension StoreView {
  /// The row of one integer key, without a request and without a cursor where the shape asks for
  /// whole rows by their key alone.
  ///
  /// Nil where the row is to be visited, and the nil inside where there is none.
  func record(_ shape: FetchShape, binding: Int64) throws -> RecordReader?? {
    try check()
    // The layout, or the view, retains the look-up that is called here.
    if let known = layout.keyLookup(of: shape) {
      return try known._withUnsafeGuaranteedRef { try record(of: binding, by: $0) }
    }
    if let keyLookup, keyLookup.shape === shape { return try record(of: binding, by: keyLookup) }
    guard let found = try findKeyLookup(shape) else { return nil }
    return try record(of: binding, by: found)
  }

  @inline(__always)
  private func record(of integer: Int64, by access: KeyLookup) throws -> RecordReader?? {
    rowsRead &+= 1
    let keyspace = access.keyspace
    return try access.entity._withUnsafeGuaranteedRef { entity in
      try withUnsafeBytes(of: (UInt64(bitPattern: integer) ^ (1 << 63)).bigEndian) { key in
        guard let record = try snapshot.value(of: key, in: keyspace) else { return .some(nil) }
        var row = entity.columns.expectant
        try open(record, under: key, of: entity, in: keyspace, &row.view)
        return row
      }
    }
  }

  /// Visits the row of one integer key.
  func visit<V: RowVisitor>(_ shape: FetchShape, binding: Int64, _ visitor: inout V) throws {
    guard let found = try record(shape, binding: binding) else {
      return try visit(FetchRequest(shape, bindings: [.int(binding)]), &visitor)
    }
    if let row = found { _ = try visitor.visit(record: row) }
  }

  /// Finds and remembers the key access of a shape; nil when its rows take more than their key.
  @inline(never)
  private func findKeyLookup(_ shape: FetchShape) throws -> KeyLookup? {
    let prepared = try prepared(shape)
    guard prepared.integerKeySlot == 0, prepared.residual == nil, !shape.isLimited,
      case .columns(let columns) = prepared.output, columns === prepared.entity.columns,
      let keyspace = prepared.entity.keyspace
    else { return nil }
    let access = KeyLookup(shape, prepared.entity, in: keyspace)
    remember(access)
    return access
  }
}
