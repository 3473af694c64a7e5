@_spi(Records) internal import ORMStorage

extension StoreView {
  /// A cursor over the result of a request.
  func cursor(_ request: FetchRequest) throws -> any StoreCursor {
    try check()
    return try cursor(try prepared(request.shape), request)
  }

  /// A cursor over the result of a prepared request.
  func cursor(
    _ prepared: PreparedRequest, _ request: FetchRequest
  ) throws -> any StoreCursor {
    if !prepared.alternatives.isEmpty {
      let chosen = try chosen(prepared, request)
      return try cursor(of: chosen, settled(request, for: chosen))
    }
    return try cursor(of: prepared, request)
  }

  /// Opens a cursor by the plan of a prepared request, without comparing the costs of alternatives.
  func cursor(
    of prepared: PreparedRequest, _ request: FetchRequest
  ) throws -> any StoreCursor {
    if let split = prepared.split { return SplitTotalsCursor(self, split, request) }
    if case .totals(let plans) = prepared.output {
      return TotalsCursor(self, prepared, plans, request)
    }
    if case .groups(let grouping) = prepared.output {
      return GroupingCursor(self, prepared, grouping, request)
    }
    if let output = prepared.coverage?.output {
      return try CoveredCursor(self, prepared, output, request)
    }
    if !prepared.sort.isEmpty || !prepared.sortOperands.isEmpty {
      return try SortingCursor(self, prepared, request)
    }
    return try StreamingCursor(self, prepared, request)
  }

  /// Visits everything that a request asks for.
  func visit<V: RowVisitor>(_ request: FetchRequest, _ visitor: inout V) throws {
    try check()
    let prepared = try prepared(request.shape)
    if let slot = prepared.integerKeySlot, request.bindings.indices.contains(slot),
      case .int(let key) = request.bindings[slot], !request.shape.isLimited,
      case .columns(let columns) = prepared.output, let keyspace = prepared.entity.keyspace
    {
      return try visit(key, in: keyspace, prepared, columns, request.bindings, &visitor)
    }
    if prepared.prefix != nil, isFixed {
      // A request for some values is repeated for others: nothing is opened anew.
      let stream = try stream(for: request, prepared)
      try stream.visitAll(&visitor)
      return keep(stream)
    }
    _ = try cursor(prepared, request).visit(&visitor)
  }

  /// Visits the row of one integer key, without a cursor.
  @inline(__always)
  private func visit<V: RowVisitor>(
    _ key: Int64, in keyspace: Keyspace, _ prepared: PreparedRequest, _ columns: RowColumns,
    _ bindings: [StoredValue], _ visitor: inout V
  ) throws {
    let entity = prepared.entity
    rowsRead &+= 1
    try withUnsafeBytes(of: (UInt64(bitPattern: key) ^ (1 << 63)).bigEndian) { bytes in
      _ = try snapshot.get(bytes, in: keyspace, entity.overflowKeys) { record in
        var row = columns.expectant
        try open(record, under: bytes, of: entity, in: keyspace, &row.view)
        if let residual = prepared.residual {
          var whole = RecordReader(entity.columns)
          whole.view = row.view
          if try !residual.bound(to: bindings, related: self).matches(record: whole) { return }
        }
        _ = try visitor.visit(record: row)
      }
    }
  }

  /// Returns the explanation of a request.
  ///
  /// - Parameter analyze: true to run the request and count the rows that it reads.
  func explain(_ request: FetchRequest, analyze: Bool) throws -> Explanation {
    try check()
    var explanation = try explain(
      try chosen(try prepared(request.shape), request), request.bindings)
    guard analyze else { return explanation }
    let before = rowsRead
    var visitor = RowCounter()
    try visit(request, &visitor)
    explanation.rowsRead = rowsRead - before
    return explanation
  }

  /// Returns the explanation of a request that this plan would answer.
  private func explain(
    _ prepared: PreparedRequest, _ bindings: [StoredValue]
  ) throws -> Explanation {
    var explanation = prepared.plan.explanation(prepared.entity)
    explanation.readsRows = prepared.readsRows
    if case .groups = prepared.output {
      explanation.groups = Explanation.Groups(.core, areInOrder: prepared.plan.isGrouped)
    }
    for list in prepared.plan.lists {
      for step in list.requests {
        let given = step.slots?.map { bindings.indices.contains($0) ? bindings[$0] : .null }
        explanation.related.append(
          Explanation.Related(
            entity: step.shape.entity,
            try explain(FetchRequest(step.shape, bindings: given ?? [.array([])])),
            isOnce: true))
      }
    }
    // A request for each row uses the plan that is best when nothing is known.
    explanation.related += try prepared.relatedShapes.map { shape in
      Explanation.Related(entity: shape.entity, try explain(try self.prepared(shape), []))
    }
    return explanation
  }
}
