@_spi(Records) internal import ORMStorage

extension GroupFeed {
  /// Adds all rows, a block at a time: the kind of each aggregate is then looked up once a block, and it
  /// adds numbers that are side by side.
  func fillByBlocks(_ table: inout GroupTable) throws {
    let most = KeyCursor.largestBatch
    let test = condition?.test
    let columns = entity.columns.list
    try withUnsafeTemporaryAllocation(of: RecordView.self, capacity: most) { views in
      try withUnsafeTemporaryAllocation(of: Int.self, capacity: most) { groups in
        guard let first = views.baseAddress else { return }
        while case let read = try stream.nextBlock(first, atMost: most), read > 0 {
          var count = 0
          for view in views[..<read] {
            if let test, try !test.matches(view) { continue }
            if test != nil { views[count] = view }
            groups[count] = try group(of: RecordReader(view, columns), in: &table)
            count &+= 1
          }
          let block = Block(
            views: UnsafeBufferPointer(rebasing: views[..<count]),
            groups: UnsafeBufferPointer(rebasing: groups[..<count]))
          for number in totals.indices { try add(block, to: number, in: &table) }
        }
      }
    }
  }

  /// Some rows, and the group of each.
  private struct Block {
    var views: UnsafeBufferPointer<RecordView>
    var groups: UnsafeBufferPointer<Int>
  }

  private func add(_ block: Block, to number: Int, in table: inout GroupTable) throws {
    switch totals[number] {
    case .field(let field, _) where field.encoding == .int64:
      try add(block, field, to: number, in: &table, { $0.bits(field, Int64.self) }) {
        $0.add(int64s: $1, to: number, of: $2)
      }
    case .field(let field, _) where field.encoding.isInteger:
      try add(block, field, to: number, in: &table, { $0.heldInt64(field) }) {
        $0.add(int64s: $1, to: number, of: $2)
      }
    case .field(let field, _) where field.encoding == .double:
      try add(
        block, field, to: number, in: &table,
        { Double(bitPattern: $0.bits(field, UInt64.self)) }
      ) {
        $0.add(doubles: $1, to: number, of: $2)
      }
    case .row, .field, .operand:
      for (view, group) in zip(block.views, block.groups) {
        try add(RecordReader(view, entity.columns.list), to: group, number, in: &table)
      }
    }
  }

  /// Adds the numbers of a field: those that rows hold together, others as values.
  @inline(__always)
  private func add<Number>(
    _ block: Block, _ field: RecordField, to number: Int, in table: inout GroupTable,
    _ held: (RecordView) -> Number,
    _ addAll: (
      inout GroupTable, UnsafeBufferPointer<Number>, UnsafeBufferPointer<Int>
    ) -> Void
  ) throws {
    let most = block.views.count
    withUnsafeTemporaryAllocation(of: Number.self, capacity: most) { numbers in
      withUnsafeTemporaryAllocation(of: Int.self, capacity: most) { groups in
        var count = 0
        for row in 0..<most {
          let view = block.views[row]
          guard view.holds(field) else {
            table.add(view.filling(field), to: number, of: block.groups[row])
            continue
          }
          numbers.initializeElement(at: count, to: held(view))
          groups.initializeElement(at: count, to: block.groups[row])
          count &+= 1
        }
        addAll(
          &table, UnsafeBufferPointer(rebasing: numbers[..<count]),
          UnsafeBufferPointer(rebasing: groups[..<count]))
      }
    }
  }
}
