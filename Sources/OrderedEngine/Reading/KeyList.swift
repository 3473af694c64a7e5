internal import ORMCore

/// The primary keys of many rows, one after another in one run of bytes.
struct KeyList: ~Copyable {
  private var bytes = ByteBuffer(capacity: 256)
  private var ends: [Int] = []

  /// How many keys there are.
  var count: Int { ends.count }

  /// Appends the key that `body` appends to a buffer.
  mutating func append(_ body: (inout ByteBuffer) throws -> Void) rethrows {
    try body(&bytes)
    ends.append(bytes.count)
  }

  /// Calls `body` with each key.
  func forEach(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    var start = 0
    for end in ends {
      try body(bytes.bytes(from: start, to: end))
      start = end
    }
  }
}

/// Collects the primary keys of the rows that a request gives.
final class KeyCollector {
  var keys = KeyList()
}

extension StoreView {
  /// The primary keys of all rows that a request gives.
  func keys(of request: FetchRequest) throws -> KeyList {
    let entity = try layout.entity(request.shape.entity)
    var visitor = KeyVisitor(entity: entity)
    try visit(request, &visitor)
    let collector = visitor.collector
    var keys = KeyList()
    swap(&keys, &collector.keys)
    return keys
  }
}

private struct KeyVisitor: RowVisitor {
  let entity: EntityStorage
  let collector = KeyCollector()

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    let start = collector.keys.count
    _ = start
    var values: [StoredValue] = []
    for column in entity.declared.key { values.append(try row.value(at: column)) }
    collector.keys.append { buffer in
      for (term, value) in zip(entity.key.terms, values) { buffer.append(term, value: value) }
    }
    return .next
  }
}
