internal import ORMCore

/// A reader that notes the requests that reach the stored entities.
///
/// It is at the layer where changes are recorded: right above the engine and data outside of rows.
final class FootprintReader: ForwardingReader {
  private let base: any StoreReader
  private let collector: ReadCollector

  init(_ base: any StoreReader, _ collector: ReadCollector) {
    self.base = base
    self.collector = collector
  }

  var forwardedReader: any StoreReader { base }

  func cursor(_ request: FetchRequest) throws -> any StoreCursor {
    _ = try collector.add(request)
    return try base.cursor(request)
  }

  func visit<V: RowVisitor>(_ request: FetchRequest, _ visitor: inout V) throws {
    guard let number = try collector.add(request), let order = try collector.order(of: number)
    else { return try base.visit(request, &visitor) }
    try withUnsafeMutablePointer(to: &visitor) { pointer in
      // The pointer is valid for the length of the call, which is that of the visit.
      var keyed = KeyedVisitor(
        visitor: pointer, collector: collector, request: number, order: order)
      try base.visit(request, &keyed)
    }
  }

  func visit<V: RowVisitor>(
    sql query: SQLRequest, columns: ([String]) throws -> [StoredColumn?], _ visitor: inout V
  ) throws {
    collector.addUnknown()
    try base.runningQueries.visit(sql: query, columns: columns, &visitor)
  }

  func greatestKey(of entity: String) throws -> Int64? {
    collector.addUnknown()
    return try base.greatestKey(of: entity)
  }

  func explain(_ request: FetchRequest, analyze: Bool) throws -> Explanation {
    collector.addUnknown()
    return try base.explain(request, analyze: analyze)
  }
}

/// A visitor that forwards the rows of a request, and notes their sort keys.
///
/// It points at the visitor and is valid for the call alone in which it was made.
private struct KeyedVisitor<V: RowVisitor>: RowVisitor {
  let visitor: UnsafeMutablePointer<V>
  let collector: ReadCollector
  let request: Int
  let order: [BoundSortTerm]
  var count = 0

  mutating func expect(atMost count: Int) { visitor.pointee.expect(atMost: count) }

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    count += 1
    if collector.needsKeys(of: request, number: count) {
      var keys: [StoredValue] = []
      keys.reserveCapacity(order.count)
      for term in order { keys.append(try term.key(of: row)) }
      collector.add(keys, of: request, number: count)
    }
    return try visitor.pointee.visit(row)
  }
}

/// A reader that takes every row it hands out into a digest.
///
/// It is the outermost, so that the digest is of the rows that models are made of.
final class DigestReader: ForwardingReader {
  private let base: any StoreReader
  private let collector: ReadCollector

  init(_ base: any StoreReader, _ collector: ReadCollector) {
    self.base = base
    self.collector = collector
  }

  var forwardedReader: any StoreReader { base }

  private func columns(of request: FetchRequest) -> [Int]? {
    guard case .rows = request.shape.output else { return nil }
    return collector.visibleColumns(of: request.shape.entity)
  }

  func cursor(_ request: FetchRequest) throws -> any StoreCursor {
    collector.addBeginning()
    return DigestCursor(try base.cursor(request), collector, columns(of: request))
  }

  func visit<V: RowVisitor>(_ request: FetchRequest, _ visitor: inout V) throws {
    collector.addBeginning()
    try withUnsafeMutablePointer(to: &visitor) { pointer in
      // The pointer is valid for the length of the call, which is that of the visit.
      var digesting = DigestVisitor(
        visitor: pointer, collector: collector, columns: columns(of: request))
      try base.visit(request, &digesting)
    }
  }

  func visit<V: RowVisitor>(
    sql query: SQLRequest, columns: ([String]) throws -> [StoredColumn?], _ visitor: inout V
  ) throws {
    collector.addBeginning()
    try withUnsafeMutablePointer(to: &visitor) { pointer in
      // The pointer is valid for the length of the call, which is that of the visit.
      var digesting = DigestVisitor(visitor: pointer, collector: collector, columns: nil)
      try base.runningQueries.visit(sql: query, columns: columns, &digesting)
    }
  }
}

/// A cursor whose rows are taken into a digest.
private final class DigestCursor: StoreCursor {
  private let base: any StoreCursor
  private let collector: ReadCollector
  private let columns: [Int]?

  init(_ base: any StoreCursor, _ collector: ReadCollector, _ columns: [Int]?) {
    self.base = base
    self.collector = collector
    self.columns = columns
  }

  func visit<V: RowVisitor>(_ visitor: inout V) throws -> Bool {
    try withUnsafeMutablePointer(to: &visitor) { pointer in
      // The pointer is valid for the length of the call, which is that of the visit.
      var digesting = DigestVisitor(visitor: pointer, collector: collector, columns: columns)
      return try base.visit(&digesting)
    }
  }
}

/// A visitor that forwards rows, and adds them to a digest.
///
/// It points at the visitor and is valid for the call alone in which it was made.
private struct DigestVisitor<V: RowVisitor>: RowVisitor {
  let visitor: UnsafeMutablePointer<V>
  let collector: ReadCollector
  let columns: [Int]?

  mutating func expect(atMost count: Int) { visitor.pointee.expect(atMost: count) }

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    try collector.add(row, columns)
    return try visitor.pointee.visit(row)
  }
}
