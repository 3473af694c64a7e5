@_spi(Records) internal import ORMStorage

/// A cursor over the one row of aggregates over all rows that match: of their records, or of the entries
/// of an index where these have the aggregated values.
final class TotalsCursor: StoreCursor {
  let view: StoreView
  let prepared: PreparedRequest
  let request: FetchRequest
  let plans: [TotalPlan]
  private var isAtEnd = false

  init(
    _ view: StoreView, _ prepared: PreparedRequest, _ plans: [TotalPlan],
    _ request: FetchRequest
  ) {
    self.view = view
    self.prepared = prepared
    self.plans = plans
    self.request = request
  }

  func visit<V: RowVisitor>(_ visitor: inout V) throws -> Bool {
    if isAtEnd { return false }
    try view.check()
    isAtEnd = true
    var page = PageWindow(request)
    guard page.remaining > 0, page.takesRow() else { return false }
    let totals = try prepared.entryTotals(plans).map { try entryTotals($0) } ?? recordTotals()
    _ = try visitor.visit(BufferedRow(totals))
    return false
  }

  private func recordTotals() throws -> [StoredValue] {
    if prepared.residual == nil, plans.allSatisfy(\.isRowCount) {
      return Array(repeating: .int(Int64(try count())), count: plans.count)
    }
    let stream = try makeStream()
    let condition = try prepared.condition(request.bindings, view)
    defer { withExtendedLifetime(condition) {} }
    let test = condition?.test
    var operands: [BoundOperand] = []
    let sources = try plans.map { try source($0, &operands) }
    var aggregators = plans.map(\.aggregator)
    if stream.hasBlocks, operands.isEmpty {
      try addBlocks(of: stream, where: test, sources, to: &aggregators)
      return try aggregators.map { try $0.result() }
    }
    var row = RecordReader(prepared.entity.columns)
    try sources.withUnsafeBufferPointer { sources in
      try aggregators.withUnsafeMutableBufferPointer { aggregators in
        while try stream.next(&row.view) {
          if let test, try !test.matches(row.view) { continue }
          for index in sources.indices {
            if case .operand(let number) = sources[index] {
              aggregators[index].add(try operands[number].evaluate(row))
            } else {
              try Self.add(sources[index], of: row.view, to: &aggregators[index])
            }
          }
        }
      }
    }
    return try aggregators.map { try $0.result() }
  }

  /// Adds up several rows at once, so that the kind of each source is looked up once.
  private func addBlocks(
    of stream: RowStream, where test: RecordCondition.Test?, _ sources: [Source],
    to aggregators: inout [Aggregator]
  ) throws {
    let most = KeyCursor.largestBatch
    if let test, sources.allSatisfy({ if case .count = $0 { true } else { false } }) {
      let count = try matches(of: stream, test)
      for index in sources.indices { aggregators[index].add(rows: count) }
      return
    }
    try withUnsafeTemporaryAllocation(of: RecordView.self, capacity: most) { buffer in
      guard let views = buffer.baseAddress else { return }
      while case let read = try stream.nextBlock(views, atMost: most), read > 0 {
        var count = read
        if let test {
          var failure: (any Error)?
          count = test.sift(views, read, &failure)
          if let failure { throw failure }
        }
        let block = UnsafeBufferPointer(start: views, count: count)
        for index in sources.indices {
          try Self.add(sources[index], of: block, to: &aggregators[index])
        }
      }
    }
  }

  /// Counts the rows that a test holds for.
  private func matches(of stream: RowStream, _ test: RecordCondition.Test) throws -> Int {
    let most = KeyCursor.largestBatch
    return try withUnsafeTemporaryAllocation(of: RecordView.self, capacity: most) { buffer in
      guard let views = buffer.baseAddress else { return 0 }
      var count = 0
      while case let read = try stream.nextBlock(views, atMost: most), read > 0 {
        count &+= try test.count(of: views, read)
      }
      return count
    }
  }

  private static func add(
    _ source: Source, of views: UnsafeBufferPointer<RecordView>, to aggregator: inout Aggregator
  ) throws {
    switch source {
    case .count: aggregator.add(rows: views.count)
    case .int64(let field):
      try add(field, of: views, to: &aggregator, { $0.bits(field, Int64.self) }) {
        $0.add(int64s: $1)
      }
    case .narrow(let field):
      try add(field, of: views, to: &aggregator, { $0.heldInt64(field) }) { $0.add(int64s: $1) }
    case .double(let field):
      try add(
        field, of: views, to: &aggregator, { Double(bitPattern: $0.bits(field, UInt64.self)) }
      ) {
        $0.add(doubles: $1)
      }
    case .row, .field, .operand:
      for view in views { try add(source, of: view, to: &aggregator) }
    }
  }

  /// Adds the numbers of a field: those that rows hold together, others as values.
  @inline(__always)
  private static func add<Number>(
    _ field: RecordField, of views: UnsafeBufferPointer<RecordView>,
    to aggregator: inout Aggregator, _ held: (RecordView) -> Number,
    _ addAll: (inout Aggregator, UnsafeBufferPointer<Number>) -> Void
  ) throws {
    try withUnsafeTemporaryAllocation(of: Number.self, capacity: views.count) { numbers in
      var count = 0
      for view in views {
        if view.holds(field) {
          numbers.initializeElement(at: count, to: held(view))
          count &+= 1
        } else {
          aggregator.add(try view.value(field))
        }
      }
      addAll(&aggregator, UnsafeBufferPointer(rebasing: numbers[..<count]))
    }
  }

  /// The source of a row's value that is added up.
  ///
  /// It holds no references, which would be counted for each row.
  private enum Source {
    /// The row is counted.
    case count
    /// The row is a value that is not nil, of an aggregate that asks for no more.
    case row
    case int64(RecordField)
    case narrow(RecordField)
    case double(RecordField)
    case field(RecordField)
    /// One of the operands.
    case operand(Int)
  }

  private func source(_ plan: TotalPlan, _ operands: inout [BoundOperand]) throws -> Source {
    switch plan.source {
    case .row: return plan.aggregator.function == .count ? .count : .row
    case .field(let field) where field.encoding == .int64: return .int64(field)
    case .field(let field) where field.encoding.isInteger: return .narrow(field)
    case .field(let field) where field.encoding == .double: return .double(field)
    case .field(let field): return .field(field)
    case .operand(let operand):
      operands.append(try operand.bound(to: request.bindings, related: view))
      return .operand(operands.count - 1)
    }
  }

  @inline(__always)
  private static func add(
    _ source: Source, of view: RecordView, to aggregator: inout Aggregator
  ) throws {
    switch source {
    case .count: aggregator.add(int64: 1)
    case .row: aggregator.add(.bool(true))
    case .int64(let field) where view.holds(field):
      aggregator.add(int64: view.bits(field, Int64.self))
    case .double(let field) where view.holds(field):
      aggregator.add(double: Double(bitPattern: view.bits(field, UInt64.self)))
    case .narrow(let field) where view.holds(field):
      aggregator.add(int64: view.heldInt64(field))
    case .int64(let field), .narrow(let field), .double(let field), .field(let field):
      aggregator.add(try view.value(field))
    case .operand: return
    }
  }

  private func makeStream() throws -> RowStream {
    try prepared.stream(view, request.bindings)
  }

  /// Returns the number of rows, without looking at them.
  private func count() throws -> Int {
    if case .one(let one) = prepared.plan.access, one.index == nil, one.part.isEverything,
      let keyspace = prepared.entity.keyspace
    {
      return try view.snapshot.count(of: keyspace)
    }
    return try makeStream().pass(.max)
  }
}

extension TotalPlan {
  /// True if it counts all rows, without reading their values.
  var isRowCount: Bool {
    guard case .row = source else { return false }
    return aggregator.function == .count
  }
}
