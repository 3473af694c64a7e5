internal import FoundationEssentials
internal import ORMStorage

/// A set-based update that assigns managed attributes in the same change, where no Swift type has a say:
/// the rows that it would leave as they are, are left out by a condition, so that neither their
/// version nor their timestamp moves.
struct ManagedUpdate {
  private let interceptor: EntityInterceptor
  private let request: FetchRequest
  private let assignments: [StoreChange.Assignment]
  private let writer: any StoreWriter
  private let transaction: WriteTransaction
  private var entity: StoredEntity { interceptor.entity }

  /// Makes the update; nil if the store cannot determine exactly which rows would change: `==` is not the
  /// same to the last bit for doubles, dates, decimals, arrays and JSON, and not asked of external data.
  init?(
    interceptor: EntityInterceptor, request: FetchRequest, assignments: [StoreChange.Assignment],
    writer: any StoreWriter, transaction: WriteTransaction
  ) {
    let columns = interceptor.entity.columns
    let isExact = assignments.allSatisfy { assignment in
      let column = columns[assignment.column]
      return switch column.type.kind {
      case .bool, .int, .unsigned, .string, .data, .uuid: !column.isExternal && !column.isNormalized
      default: false
      }
    }
    let managed = Set(interceptor.managed)
    guard isExact, managed.isDisjoint(with: assignments.map(\.column)),
      interceptor.rules.allSatisfy({ $0.columns.isDisjoint(with: managed) }),
      !request.shape.isLimited
    else { return nil }
    self.interceptor = interceptor
    self.request = request
    self.assignments = assignments
    self.writer = writer
    self.transaction = transaction
  }

  /// Updates; gives how many rows are concerned, those that stay as they are among them; nil, with
  /// nothing changed, where a version cannot be raised.
  func run() throws -> Int? {
    var counting = GroupCount()
    try writer.visit(
      FetchRequest(
        FetchShape(
          entity: entity.name, output: .aggregates([Aggregate(.count)]),
          condition: request.shape.condition), bindings: request.bindings), &counting)
    if counting.count == 0 { return 0 }
    var bindings = request.bindings
    var assignments = assignments
    let same = assignments.map {
      Condition.compare(.attribute(entity.columns[$0.column].attribute), .equal, $0.value, [])
    }
    if let column = interceptor.updated {
      assignments.append(
        .init(
          column: column,
          value: Operand.value(.date(transaction.store.runtime.now))
            .parameterized(into: &bindings)))
    }
    if let column = interceptor.version {
      let one = Operand.value(.int(1)).parameterized(into: &bindings)
      assignments.append(
        .init(
          column: column,
          value: .arithmetic(.add, .attribute(entity.columns[column].attribute), one)))
    }
    let shape = FetchShape(
      entity: entity.name, output: request.shape.output,
      condition: .all([request.shape.condition, .not(.all(same))]), sort: request.shape.sort)
    do {
      _ = try transaction.savepoint { _ in
        try writer.apply(.update(FetchRequest(shape, bindings: bindings), assignments))
      }
    } catch let error as StoreError where error.code == .overflow {
      return nil
    }
    return counting.count
  }
}

/// Takes a count.
private struct GroupCount: RowVisitor {
  var count = 0

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    count = Int(try row.int64(at: 0))
    return .next
  }
}
