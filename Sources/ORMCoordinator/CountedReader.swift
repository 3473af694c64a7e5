@_spi(Records) internal import ORMStorage

/// A view of several stores as one that notes which requests members answer for one request, and how
/// many rows of the answers are taken.
final class CountedReader: CombinedReader {
  let routing: RequestRouting
  private let base: any CombinedReader
  private var runs: [MemberRun] = []

  private init(_ base: any CombinedReader) {
    self.base = base
    routing = base.routing
  }

  /// Runs a request and returns the number of rows that members read for it; nil if one of them does
  /// not count them.
  static func rowsRead(for request: FetchRequest, by base: any CombinedReader) throws -> Int? {
    let reader = CountedReader(base)
    // Cursors keep no reader alive.
    return try withExtendedLifetime(reader) {
      var visitor = RowCounter()
      _ = try reader.cursor(request).visit(&visitor)
      var sum = 0
      for run in reader.runs {
        guard let count = try run.rowsRead() else { return nil }
        sum += count
      }
      return sum
    }
  }

  func view(of member: Int) throws -> any StoreReader {
    MemberView(try base.view(of: member)) { self.runs.append($0) }
  }

  func end() {}
}

/// A request that a member answers, and the part of the answer that is taken.
private final class MemberRun {
  private let view: any StoreReader
  private let request: FetchRequest
  /// The rows that were taken.
  var rowCount = 0
  /// True once there were no more.
  var isWhole = false

  init(_ view: any StoreReader, _ request: FetchRequest) {
    self.view = view
    self.request = request
  }

  /// The number of rows that the member reads to answer the part that was taken.
  func rowsRead() throws -> Int? {
    var request = request
    switch request.shape.output {
    case .rows, .values, .joined:
      if isWhole { break }
      let shape = request.shape
      request = FetchRequest(
        FetchShape(
          entity: shape.entity, output: shape.output, condition: shape.condition,
          sort: shape.sort, isLimited: true),
        bindings: request.bindings, limit: rowCount, offset: request.offset)
    case .aggregates, .groups: break
    }
    return try view.explain(request, analyze: true).rowsRead
  }
}

/// A member's view that notes the requests it answers.
private final class MemberView: ForwardingReader {
  let forwardedReader: any StoreReader
  private let note: (MemberRun) -> Void

  init(_ base: any StoreReader, _ note: @escaping (MemberRun) -> Void) {
    forwardedReader = base
    self.note = note
  }

  private func run(_ request: FetchRequest) -> MemberRun {
    let run = MemberRun(forwardedReader, request)
    note(run)
    return run
  }

  func cursor(_ request: FetchRequest) throws -> any StoreCursor {
    MemberCursor(try forwardedReader.cursor(request), run(request))
  }

  func visit<V: RowVisitor>(_ request: FetchRequest, _ visitor: inout V) throws {
    let run = run(request)
    var counting = CountingVisitor(visitor: visitor, run: run)
    defer { visitor = counting.visitor }
    try forwardedReader.visit(request, &counting)
    run.isWhole = !counting.hasEnded
  }
}

/// A cursor that counts the rows that are taken.
private final class MemberCursor: StoreCursor {
  private let rows: any StoreCursor
  private let run: MemberRun

  init(_ rows: any StoreCursor, _ run: MemberRun) {
    self.rows = rows
    self.run = run
  }

  func visit<V: RowVisitor>(_ visitor: inout V) throws -> Bool {
    var counting = CountingVisitor(visitor: visitor, run: run)
    defer { visitor = counting.visitor }
    let isPaused = try rows.visit(&counting)
    if !isPaused, !counting.hasEnded { run.isWhole = true }
    return isPaused
  }
}

/// A visitor that counts the rows that it forwards to another.
private struct CountingVisitor<V: RowVisitor>: RowVisitor {
  var visitor: V
  let run: MemberRun
  /// True if the visitor paused or stopped.
  var hasEnded = false

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    run.rowCount += 1
    let step = try visitor.visit(row)
    if case .next = step { hasEnded = false } else { hasEnded = true }
    return step
  }
}
