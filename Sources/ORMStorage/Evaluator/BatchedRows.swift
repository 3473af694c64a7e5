internal import ORMValues

/// An engine's rows in batches, whose related rows are read together before a row is passed on.
final class BatchedRows: StoreCursor {
  private let rows: any StoreCursor
  private let reader: BatchReader
  private let residual: BoundResidual
  private var batch: [BufferedRow] = []
  private var position = 0
  private var size = 64
  private var isAtEnd = false
  private var check = StopCheck()

  /// The greatest number of rows of a batch.
  static let greatestSize = 4_096

  init(_ rows: any StoreCursor, _ reader: BatchReader, _ residual: BoundResidual) {
    self.rows = rows
    self.reader = reader
    self.residual = residual
  }

  func visit<V: RowVisitor>(_ visitor: inout V) throws -> Bool {
    while true {
      while position < batch.count {
        position += 1
        try check.step()
        switch try visitor.visit(batch[position - 1]) {
        case .next: continue
        case .pause: return true
        case .stop:
          isAtEnd = true
          batch = []
        }
      }
      if isAtEnd { return false }
      try fill()
    }
  }

  private func fill() throws {
    var collector = Collector(size: size)
    isAtEnd = try !rows.visit(&collector)
    batch = collector.rows
    position = 0
    size = min(2 * size, Self.greatestSize)
    let residual = residual
    try reader.prepare(batch[...]) { try residual.rehearse($0) }
  }

  private struct Collector: RowVisitor {
    let size: Int
    var rows: [BufferedRow] = []

    mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
      rows.append(try BufferedRow(copying: row))
      return rows.count < size ? .next : .pause
    }
  }
}
