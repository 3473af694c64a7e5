@_spi(Records) internal import ORMStorage

/// A cursor over rows that come in the request's order.
///
/// It tests each row, skips to the page, and passes on the requested values.
///
/// It holds one row at a time.
final class StreamingCursor: StoreCursor {
  private let view: StoreView
  private let prepared: PreparedRequest
  private let stream: RowStream
  private let condition: RecordCondition?
  private let output: RowOutput
  @exclusivity(unchecked) private var page: PageWindow
  private var isAtEnd = false
  /// Records that were read and not returned yet, and the memory for their views.
  private var block: RecordBlock?
  private var buffer: UnsafeMutablePointer<RecordView>?
  /// The error of the test of a row, thrown once the rows before it have been returned.
  @exclusivity(unchecked) private var failure: (any Error)?

  init(
    _ view: StoreView, _ prepared: PreparedRequest, _ request: FetchRequest
  ) throws {
    self.view = view
    self.prepared = prepared
    stream = try prepared.stream(view, request.bindings)
    condition = try prepared.condition(request.bindings, view)
    output = try RowOutput(prepared, request.bindings, view)
    page = PageWindow(request)
  }

  deinit { buffer?.deallocate() }

  func visit<V: RowVisitor>(_ visitor: inout V) throws -> Bool {
    if isAtEnd { return false }
    if try handRows(to: &visitor) { return true }
    finish()
    return false
  }

  /// Visits everything, and is ready for ``restart(_:)`` then.
  func visitAll<V: RowVisitor>(_ visitor: inout V) throws { _ = try handRows(to: &visitor) }

  /// Begins anew with another request by the same plan; false, and nothing is done, where that takes
  /// a cursor of its own.
  func restart(_ prepared: PreparedRequest, _ request: FetchRequest) throws -> Bool {
    guard prepared === self.prepared, let prefix = prepared.prefix,
      stream.restart(prefix, request.bindings)
    else { return false }
    page = PageWindow(request)
    block = nil
    failure = nil
    isAtEnd = false
    return true
  }

  /// Returns the stream's cursors to the view; the cursor is not read any more.
  func finish() { stream.finish() }

  private func handRows<V: RowVisitor>(to visitor: inout V) throws -> Bool {
    try view.check()
    // An error on the way ends the cursor.
    isAtEnd = true
    var row = RecordReader(prepared.entity.columns)
    let (stream, test, output) = (stream, condition?.test, output)
    if test == nil { try page.pass(stream.pass) }
    let most = try mostRows()
    if let most { visitor.expect(atMost: most) }
    // A request without a limit mostly reads more than one or two rows.
    if test == nil { stream.expect(atMost: most ?? min(page.remaining, 8)) }
    // A test of rows that are not asked for costs more than it saves: of a page each row is tested
    // when its turn comes. So is each row of a writer, which may change rows that were tested.
    if page.offset == 0, test == nil || !page.isLimited && stream.isFixed, stream.hasBlocks,
      let columns = output.plainColumns
    {
      return try visitBlocks(columns, test, &visitor)
    }
    while page.remaining > 0, try stream.next(&row.view) {
      if let test, try !test.matches(row.view) { continue }
      guard page.takesRow() else { continue }
      switch try output.pass(row, to: &visitor) {
      case .next: continue
      case .pause:
        isAtEnd = false
        return true
      case .stop: return false
      }
    }
    return false
  }

  /// Passes on rows as they are, several at once.
  private func visitBlocks<V: RowVisitor>(
    _ columns: RowColumns.List, _ test: RecordCondition.Test?, _ visitor: inout V
  ) throws -> Bool {
    let buffer = buffer ?? .allocate(capacity: KeyCursor.largestBatch)
    self.buffer = buffer
    while page.remaining > 0 {
      if (block?.count ?? 0) == 0 {
        if let failure { throw failure }
        var count = try stream.nextBlock(buffer, atMost: page.remaining)
        if count == 0 { return false }
        if let test {
          count = test.sift(buffer, count, &failure)
          if count == 0 { continue }
        }
        block = RecordBlock(buffer, count: count, columns)
      }
      guard var block else { return false }
      let before = block.count
      let step = try visitor.visit(block: &block)
      page.take(before - block.count)
      self.block = block
      switch step {
      case .next: continue
      case .pause:
        isAtEnd = false
        return true
      case .stop: return false
      }
    }
    return false
  }

  /// Returns the number of rows that may come, where that is known and about as many will.
  private func mostRows() throws -> Int? {
    if condition == nil, case .one(let one) = prepared.plan.access, one.index == nil,
      one.part.isEverything, let keyspace = prepared.entity.keyspace
    {
      return min(page.remaining, try view.snapshot.count(of: keyspace))
    }
    // A short page is mostly full, and takes little where it is not.
    return page.remaining <= 64 ? page.remaining : nil
  }
}

/// The part of the matching rows that is returned, as it shrinks.
struct PageWindow {
  /// The number of rows still to be skipped.
  private(set) var offset: Int
  /// The number of rows still to be returned.
  private(set) var remaining: Int
  /// True if the request is for a page of the rows.
  let isLimited: Bool

  init(_ request: FetchRequest) {
    isLimited = request.shape.isLimited
    offset = request.shape.isLimited ? request.offset : 0
    remaining = request.shape.isLimited ? request.limit ?? .max : .max
  }

  /// The number of rows in order that are enough.
  var needed: Int {
    let (sum, isTooLarge) = offset.addingReportingOverflow(remaining)
    return isTooLarge ? .max : sum
  }

  /// Skips the offset in bulk.
  ///
  /// `body(n)` skips up to `n` rows and returns how many it skipped.
  @inline(__always)
  mutating func pass(_ body: (Int) throws -> Int) rethrows {
    if offset > 0, remaining > 0 { offset -= try body(offset) }
  }

  /// Notes that a number of rows was returned.
  mutating func take(_ count: Int) { remaining -= count }

  /// Returns whether the next row that matches is in the page.
  @inline(__always)
  mutating func takesRow() -> Bool {
    if offset > 0 {
      offset -= 1
      return false
    }
    remaining -= 1
    return true
  }
}
