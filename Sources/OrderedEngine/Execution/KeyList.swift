internal import ORMStorage

extension StoreView {
  /// Returns the primary keys of all rows of a request, in their order.
  ///
  /// A change of the rows then goes over them, and over their neighbours in the tree, in one direction.
  func keys(of request: FetchRequest) throws -> SortedKeySet {
    try keys(of: request, handing: nil).keys
  }

  /// Returns the same keys, and passes rows to `take` on the way if the scan runs in key order.
  ///
  /// `take` returns false to stop receiving rows. The result has the number of rows that were taken, which
  /// the caller need not read again. They are the first of the keys, since the scanned ranges ascend without
  /// overlapping.
  func keys(
    of request: FetchRequest,
    handing take: ((_ key: UnsafeRawBufferPointer, RecordView) throws -> Bool)?
  ) throws -> (keys: SortedKeySet, taken: Int) {
    let entity = try layout.entity(request.shape.entity)
    var keys = SortedKeySet(width: entity.key.width)
    var taken = 0
    if request.shape.isLimited {
      var visitor = KeyVisitor(entity: entity, keys: keys)
      try visit(request, &visitor)
      keys = visitor.keys
    } else {
      try check()
      var (prepared, request) = (try prepared(request.shape), request)
      if !prepared.alternatives.isEmpty {
        prepared = try chosen(prepared, request)
        request = try settled(request, for: prepared)
      }
      let condition = try prepared.condition(request.bindings, self)
      let stream = try prepared.stream(self, request.bindings)
      if let take, stream.walksRows, !prepared.plan.isReversed {
        var takesMore = true
        try stream.forEachRow(where: condition) { key, row in
          keys.append(key)
          takesMore = try takesMore && take(key, row)
          if takesMore { taken += 1 }
        }
      } else {
        try stream.forEachKey(where: condition) { keys.append($0) }
      }
    }
    try keys.finish()
    return (keys, taken)
  }
}

private struct KeyVisitor: RowVisitor {
  let entity: EntityStorage
  var keys: SortedKeySet

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    var buffer = ByteBuffer()
    for (term, column) in zip(entity.key.terms, entity.declared.key) {
      buffer.append(term, value: try row.value(at: column))
    }
    keys.append(buffer.bytes)
    return .next
  }
}
