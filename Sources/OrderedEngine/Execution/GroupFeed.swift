@_spi(Records) internal import ORMStorage

/// Adds the rows that match, or the entries of an index that hold all that is asked, to groups.
final class GroupFeed {
  let grouping: GroupingPlan
  let stream: RowStream
  let condition: RecordCondition?
  let entity: EntityStorage
  let keys: [Value]
  let totals: [Value]
  private var row: RecordReader
  /// Reads entries, where these hold all that is asked.
  var entry: EntryReader?
  /// The positions in entries of the values that groups are formed of.
  private let entries: EntryGroups?
  let operands: [BoundOperand]

  /// The source of a group key or of an aggregated value.
  ///
  /// It holds no references, which would be counted for each row.
  enum Value {
    case row
    /// A field of the record, which is this column of an entry.
    case field(RecordField, Int)
    /// One of the operands.
    case operand(Int)
  }

  init(
    _ view: StoreView, _ prepared: PreparedRequest, _ grouping: GroupingPlan,
    _ request: FetchRequest
  ) throws {
    var operands: [BoundOperand] = []
    var columns: [[Int]] = []
    func value(_ source: TotalPlan.Source) throws -> Value {
      switch source {
      case .row: return .row
      case .field(let field):
        return .field(field, prepared.entity.fileColumns.firstIndex(of: Int(field.column)) ?? -1)
      case .operand(let operand):
        operands.append(try operand.bound(to: request.bindings, related: view))
        columns.append(operand.columns)
        return .operand(operands.count - 1)
      }
    }
    self.grouping = grouping
    entity = prepared.entity
    stream = try prepared.stream(view, request.bindings)
    condition = try prepared.condition(request.bindings, view)
    keys = try grouping.keys.map(value)
    totals = try grouping.totals.map { try value($0.source) }
    self.operands = operands
    row = RecordReader(prepared.entity.columns)
    if let coverage = prepared.coverage, coverage.isWhole {
      entry = EntryReader(coverage.columns)
      entries = EntryGroups(grouping, keys: keys, totals: totals, columns, coverage.columns)
    } else {
      entries = nil
    }
  }

  /// Adds rows until one begins a group past the limit: true, and the row is held, which is
  /// none of these groups.
  func fill(_ table: inout GroupTable, upTo limit: Int) throws -> Bool {
    if let entries { return try fillByEntries(&table, entries, upTo: limit) }
    if limit == .max, stream.hasBlocks {
      try fillByBlocks(&table)
      return false
    }
    let test = condition?.test
    // The row of one's own is in registers.
    var row = row
    while try stream.next(&row.view) {
      if let test, try !test.matches(row.view) { continue }
      let group = try group(of: row, in: &table)
      if group == limit {
        self.row = row
        return true
      }
      try add(row, to: group, in: &table)
    }
    return false
  }

  /// Adds the row that is held.
  func addHeld(to table: inout GroupTable) throws {
    if let entry {
      try add(entry, to: group(of: entry, in: &table), in: &table)
    } else {
      try add(row, to: group(of: row, in: &table), in: &table)
    }
  }

  // MARK: Records

  @inline(__always)
  func group(of row: RecordReader, in table: inout GroupTable) throws -> Int {
    switch grouping.lookUp {
    case .integer(let field):
      if row.view.holds(field) { return table.group(ofInteger: row.view.heldInt64(field)) }
      guard case .int(let value) = row.view.filling(field) else { return table.groupOfNull() }
      return table.group(ofInteger: value)
    case .text(let field):
      if row.view.isNull(field) { return table.groupOfNull() }
      // A text that is not UTF-8 is reported, as it is when it is read.
      return try row.view.withBytes(field) { bytes in
        if let group = table.knownGroup(ofText: bytes) { return group }
        _ = try row.view.string(field)
        return table.group(ofText: bytes)
      }
    case .values:
      return table.group(
        of: try keys.map { key in
          switch key {
          case .row: .null
          case .field(let field, _): try row.view.value(field)
          case .operand(let operand): try operands[operand].evaluate(row)
          }
        })
    }
  }

  @inline(__always)
  private func add(_ row: RecordReader, to group: Int, in table: inout GroupTable) throws {
    for number in totals.indices { try add(row, to: group, number, in: &table) }
  }

  /// Adds a row to one of a group's aggregates.
  @inline(__always)
  func add(
    _ row: RecordReader, to group: Int, _ number: Int, in table: inout GroupTable
  ) throws {
    let view = row.view
    switch totals[number] {
    // Any value that is not nil counts.
    case .row: table.add(int64: 1, to: number, of: group)
    case .field(let field, _):
      if !view.holds(field) {
        table.add(view.filling(field), to: number, of: group)
      } else if field.encoding.isInteger {
        table.add(int64: view.heldInt64(field), to: number, of: group)
      } else if field.encoding == .double {
        table.add(double: try view.double(field), to: number, of: group)
      } else {
        table.add(try view.value(field), to: number, of: group)
      }
    case .operand(let operand):
      table.add(try operands[operand].evaluate(row), to: number, of: group)
    }
  }
}
