internal import ORMCore

/// A cursor over groups of all rows that match, which it forms when the first is asked for.
///
/// It holds what stands for each group, and no row.
final class GroupingCursor: StoreCursor {
  private let view: StoreView
  private let prepared: PreparedRequest
  private let request: FetchRequest
  private let grouping: GroupingPlan
  private var groups: GroupRows?
  private var isAtEnd = false

  init(
    _ view: StoreView, _ prepared: PreparedRequest, _ grouping: GroupingPlan,
    _ request: FetchRequest
  ) {
    self.view = view
    self.prepared = prepared
    self.grouping = grouping
    self.request = request
  }

  func visit<V: RowVisitor>(_ visitor: inout V) throws -> Bool {
    if isAtEnd { return false }
    try view.check()
    isAtEnd = true
    let groups = try self.groups ?? GroupRows(table(), grouping.plan, request)
    self.groups = groups
    let hasMore = try groups.visit(&visitor)
    isAtEnd = !hasMore
    return hasMore
  }

  private func table() throws -> GroupTable {
    var table = GroupTable(grouping.plan)
    let bindings = request.bindings
    if let coverage = prepared.coverage, coverage.isWhole {
      try addEntries(coverage.columns, to: &table)
      return table
    }
    let stream = try prepared.stream(view, bindings)
    let condition = try prepared.residual?.bound(to: bindings, related: view)
    let keys = try grouping.keys.map { source -> BoundOperand? in
      guard case .operand(let operand) = source else { return nil }
      return try operand.bound(to: bindings, related: view)
    }
    let totals = grouping.totals
    let operands = try totals.map { total -> BoundOperand? in
      guard case .operand(let operand) = total.source else { return nil }
      return try operand.bound(to: bindings, related: view)
    }
    var row = RecordReader(prepared.entity.columns)
    while try stream.next(&row.view) {
      if let condition, try !condition.matches(row) { continue }
      let group = try group(of: row, keys, in: &table)
      for number in totals.indices {
        switch totals[number].source {
        // Any value that is not nil counts.
        case .row: table.add(int64: 1, to: number, of: group)
        case .field(let field): try Self.add(field, of: row.view, to: number, of: group, in: &table)
        case .operand:
          if let operand = operands[number] {
            table.add(try operand.evaluate(row), to: number, of: group)
          }
        }
      }
    }
    return table
  }

  /// Adds the entries of an index, which hold all that is asked.
  private func addEntries(_ columns: EntryColumns, to table: inout GroupTable) throws {
    let stream = try prepared.stream(view, request.bindings)
    let keys = try grouping.keys.map { try value(of: $0) }
    let operands = try grouping.totals.map { try value(of: $0.source) }
    var reader = EntryReader(columns)
    while let entry = try stream.nextEntry() {
      guard reader.move(to: entry) else { throw prepared.entity.missing() }
      let group: Int
      if case .integer = grouping.lookUp, case .column(let column) = keys[0] {
        group =
          try reader.isNull(at: column)
          ? table.groupOfNull() : table.group(ofInteger: try reader.int64(at: column))
      } else {
        var key: [StoredValue] = []
        key.reserveCapacity(keys.count)
        for part in keys { key.append(try part.evaluate(reader)) }
        group = table.group(of: key)
      }
      for (number, operand) in operands.enumerated() {
        table.add(try operand.evaluate(reader), to: number, of: group)
      }
    }
  }

  /// How a key or what is aggregated is had from an entry.
  private enum EntryValue {
    case row
    case column(Int)
    case operand(BoundOperand)

    @inline(__always)
    func evaluate(_ entry: EntryReader) throws -> StoredValue {
      switch self {
      // Any value that is not nil counts.
      case .row: .bool(true)
      case .column(let column): try entry.value(at: column)
      case .operand(let operand): try operand.evaluate(entry)
      }
    }
  }

  private func value(of source: TotalPlan.Source) throws -> EntryValue {
    switch source {
    case .row: .row
    case .field(let field):
      .column(prepared.entity.places.firstIndex(of: Int(field.column)) ?? -1)
    case .operand(let operand):
      .operand(try operand.bound(to: request.bindings, related: view))
    }
  }

  @inline(__always)
  private func group(
    of row: RecordReader, _ keys: [BoundOperand?], in table: inout GroupTable
  ) throws -> Int {
    switch grouping.lookUp {
    case .integer(let field):
      guard row.view.holds(field) else { return integer(row.view.filling(field), in: &table) }
      return table.group(ofInteger: row.view.heldInt64(field))
    case .text(let field):
      if row.view.isNull(field) { return table.groupOfNull() }
      // A text that is not UTF-8 is told of, as it is when it is read.
      return try row.view.withBytes(field) { bytes in
        if let group = table.knownGroup(ofText: bytes) { return group }
        _ = try row.view.string(field)
        return table.group(ofText: bytes)
      }
    case .values:
      var values: [StoredValue] = []
      values.reserveCapacity(keys.count)
      for (number, source) in grouping.keys.enumerated() {
        switch source {
        case .row: values.append(.null)
        case .field(let field): values.append(try row.view.value(field))
        case .operand: values.append(try keys[number]?.evaluate(row) ?? .null)
        }
      }
      return table.group(of: values)
    }
  }

  /// The group of an integer that the record does not hold itself.
  @inline(never)
  private func integer(_ value: StoredValue, in table: inout GroupTable) -> Int {
    if case .int(let value) = value { return table.group(ofInteger: value) }
    return table.groupOfNull()
  }

  @inline(__always)
  private static func add(
    _ field: RecordField, of row: RecordView, to number: Int, of group: Int,
    in table: inout GroupTable
  ) throws {
    guard row.holds(field) else { return table.add(row.filling(field), to: number, of: group) }
    if field.encoding.isInteger {
      table.add(int64: row.heldInt64(field), to: number, of: group)
    } else if field.encoding == .double {
      table.add(double: try row.double(field), to: number, of: group)
    } else {
      table.add(try row.value(field), to: number, of: group)
    }
  }
}
