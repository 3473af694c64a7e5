internal import ORMCore

/// Where rows are found that a shape asks for by one integer key.
struct KeyAccess {
  /// The shape, which the view keeps, so that its identity stays its own.
  var shape: ObjectIdentifier
  /// The entity, which the view's layout keeps: counting references here would be a quarter of a
  /// find, and readers side by side would fight for the counters.
  var entity: Unmanaged<EntityStorage>
  var space: Space
}

extension StoreView {
  /// The row of one integer key, without a request and without a cursor where the shape asks for
  /// whole rows by their key alone.
  func record(_ shape: FetchShape, binding: Int64) throws -> KeyedRecord {
    try check()
    var access = keyAccess
    if access?.shape != ObjectIdentifier(shape) { access = try findKeyAccess(shape) }
    guard let access else { return .unknown }
    rowsRead &+= 1
    return try access.entity._withUnsafeGuaranteedRef { entity in
      try withUnsafeBytes(of: (UInt64(bitPattern: binding) ^ (1 << 63)).bigEndian) { key in
        guard let record = try snapshot.value(of: key, in: access.space) else { return .missing }
        var row = entity.columns.expectant
        try open(record, under: key, of: entity, in: access.space, &row.view)
        return .found(row)
      }
    }
  }

  /// Visits the row of one integer key.
  func visit<V: RowVisitor>(_ shape: FetchShape, binding: Int64, _ visitor: inout V) throws {
    switch try record(shape, binding: binding) {
    case .found(let row): _ = try visitor.visit(record: row)
    case .missing: return
    case .unknown: try visit(FetchRequest(shape, bindings: [.int(binding)]), &visitor)
    }
  }

  /// How the rows of a shape are found by their key; nil when it takes more than their key.
  @inline(never)
  private func findKeyAccess(_ shape: FetchShape) throws -> KeyAccess? {
    let prepared = try prepared(shape)
    guard prepared.integerKeySlot == 0, prepared.residual == nil, !shape.isLimited,
      case .columns(let columns) = prepared.output, columns === prepared.entity.columns,
      let space = prepared.entity.space
    else { return nil }
    let access = KeyAccess(
      shape: ObjectIdentifier(shape), entity: .passUnretained(prepared.entity), space: space)
    remember(access, of: shape)
    return access
  }
}
