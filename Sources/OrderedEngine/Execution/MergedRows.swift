internal import ORMStorage

/// Walks over the records that several accesses name, each of which comes in one order, in that
/// order and each record once.
///
/// The order is total, so that equal sort keys are those of one row.
final class MergedRows {
  private let order: [SortKey]
  private let branches: [Branch]
  /// The branches that are at the record returned last.
  private var current: [Branch] = []
  private var isBegun = false

  private final class Branch {
    let stream: RowStream
    var record: RecordView
    var key = ByteBuffer()
    var isAtEnd = false

    init(_ stream: RowStream, _ entity: EntityStorage) {
      self.stream = stream
      record = RecordView(entity.layout)
    }

    func advance(_ order: [SortKey]) throws {
      guard try stream.next(&record) else {
        isAtEnd = true
        return
      }
      key.truncate()
      for term in order { try term.append(record, to: &key) }
    }
  }

  init(
    _ view: StoreView, _ entity: EntityStorage, _ accesses: [BoundAccess], by order: [SortKey]
  ) throws {
    self.order = order
    branches = try accesses.map { Branch(try RowStream(view, entity, $0), entity) }
  }

  /// Moves to the next record; false at the end.
  ///
  /// The view of the record is valid until the next call.
  func next(_ record: inout RecordView) throws -> Bool {
    for branch in isBegun ? current : branches { try branch.advance(order) }
    isBegun = true
    current.removeAll(keepingCapacity: true)
    for branch in branches where !branch.isAtEnd {
      guard let best = current.first else {
        current.append(branch)
        continue
      }
      switch ByteOrder.compare(branch.key.bytes, best.key.bytes) {
      case .less:
        current.removeAll(keepingCapacity: true)
        current.append(branch)
      case .equal: current.append(branch)
      case .greater: continue
      }
    }
    guard let first = current.first else { return false }
    record = first.record
    return true
  }
}
