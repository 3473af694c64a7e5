internal import ORMStorage

extension TotalsCursor {
  /// Reads the first and the last of the ranges, whose entries have the value in order.
  private func extremes(_ columns: EntryColumns) throws -> [StoredValue] {
    var access = try prepared.plan.bound(prepared.entity, to: request.bindings)
    var known: [Bool: StoredValue] = [:]
    return try plans.map { plan in
      guard case .field(let field) = plan.source else { return .null }
      let column = prepared.entity.fileColumns.firstIndex(of: Int(field.column)) ?? 0
      let isDescending = columns.terms[columns.termIndexes[column]].isDescending
      access.isReversed = (plan.aggregator.function == .maximum) != isDescending
      if let value = known[access.isReversed] { return value }
      let stream = try RowStream(view, prepared.entity, access)
      var aggregator = plan.aggregator
      if let entry = try stream.nextEntry() {
        var reader = EntryReader(columns)
        guard reader.move(to: entry) else { throw prepared.entity.missing() }
        aggregator.add(try reader.value(at: column))
      }
      let value = try aggregator.result()
      known[access.isReversed] = value
      return value
    }
  }

  /// Aggregates the values in the entries of an index.
  func entryTotals(_ columns: EntryColumns) throws -> [StoredValue] {
    if prepared.plan.isExtreme { return try extremes(columns) }
    let stream = try prepared.stream(view, request.bindings)
    let operands = try plans.map { plan -> BoundOperand? in
      guard case .operand(let operand) = plan.source else { return nil }
      return try operand.bound(to: request.bindings, related: view)
    }
    let columnIndexes = plans.map { plan -> Int in
      guard case .field(let field) = plan.source else { return -1 }
      return prepared.entity.fileColumns.firstIndex(of: Int(field.column)) ?? -1
    }
    var aggregators = plans.map(\.aggregator)
    var reader = EntryReader(columns)
    while let entry = try stream.nextEntry() {
      guard reader.move(to: entry) else { throw prepared.entity.missing() }
      for index in aggregators.indices {
        switch plans[index].source {
        // Any value that is not nil counts.
        case .row: aggregators[index].add(.bool(true))
        case .field(let field):
          let column = columnIndexes[index]
          if try reader.isNull(at: column) { continue }
          if field.encoding.isInteger {
            aggregators[index].add(int64: try reader.int64(at: column))
          } else if field.encoding == .double {
            aggregators[index].add(double: try reader.double(at: column))
          } else {
            aggregators[index].add(try reader.value(at: column))
          }
        case .operand:
          if let operand = operands[index] { aggregators[index].add(try operand.evaluate(reader)) }
        }
      }
    }
    return try aggregators.map { try $0.result() }
  }
}
