internal import ORMStorage

/// The common path of every put and every change of many rows.
///
/// Each is one operation, which is undone if it throws and recorded if it changed something.
extension WriteTransaction {
  /// Puts rows of values as one operation, each with a value for every one of `columns`.
  @discardableResult
  package func put(
    _ rows: [[StoredValue]], _ request: PutRequest, columns: [Int], entity: StoredEntity,
    failures: RowFailures? = nil
  ) throws -> OutcomeCounter {
    var source = ValueSource(rows, columns: columns, entity: entity)
    return try put(from: &source, request, entity: entity, failures: failures)
  }

  /// Puts rows as one operation; the request reports outcomes.
  package func put<Source: RowSource>(
    from source: inout Source, _ request: PutRequest, entity: StoredEntity,
    failures: RowFailures? = nil
  ) throws -> OutcomeCounter {
    var visitor = OutcomeCounter(collectsKeys: entity.generatesKeys)
    do {
      try operation { try $0.put(request, from: &source, to: &visitor, failures) }
    } catch {
      throw namingHidden(error, entity: entity)
    }
    if !visitor.changesNothing { didChange(entity) }
    return visitor
  }

  /// Puts rows by the writer, whose interceptor reports the failures together with broken rules.
  package func put<Source: RowSource, Visitor: PutVisitor>(
    _ request: PutRequest, from source: inout Source, to visitor: inout Visitor,
    _ failures: RowFailures?
  ) throws {
    let writer = try writing()
    if let failures, let interceptor {
      if let reported = writer as? ReportedWriter {
        return try reported.put(request, from: &source, to: &visitor) {
          try interceptor.put(request, from: &$0, to: &$1, failures: failures)
        }
      }
      try interceptor.put(request, from: &source, to: &visitor, failures: failures)
    } else {
      try writer.put(request, from: &source, to: &visitor)
    }
  }

  /// Changes many rows as one operation, and gives how many are concerned.
  package func apply(_ change: StoreChange, entity: StoredEntity) throws -> Int {
    let writer = try writing()
    let changesBefore = writer.changeCount
    let count: Int
    do {
      count = try operation { _ in try writer.apply(change) }
    } catch {
      throw namingHidden(error, entity: entity)
    }
    if count > 0 && (changesBefore == nil || writer.changeCount != changesBefore) {
      didChange(entity)
    }
    return count
  }
}
