internal import ORMStorage

extension GroupFeed {
  /// Adds entries in runs of one group: of each run the key is decoded once, and numbers are read
  /// where they lie.
  ///
  /// As ``fill(_:upTo:)``, true once an entry begins a group past the limit.
  func fillByEntries(
    _ table: inout GroupTable, _ plan: EntryGroups, upTo limit: Int
  ) throws -> Bool {
    /// The bytes that all entries of the group begin with.
    var keys = ByteBuffer()
    var group: Int?
    while case let entries = try stream.nextEntries(), !entries.isEmpty {
      var start = 0
      while start < entries.count {
        if group == nil || !entries[start].key.begins(with: keys.bytes) {
          let reader = try move(to: entries[start].key)
          let next = try self.group(of: reader, in: &table)
          if next == limit {
            stream.passed(start + 1)
            return true
          }
          group = next
          keys.truncate()
          keys.append(reader.bytes(ofTerms: plan.keyTerms))
        }
        var end = start &+ 1
        while end < entries.count, entries[end].key.begins(with: keys.bytes) { end &+= 1 }
        let run = Run(
          entries: UnsafeBufferPointer(rebasing: entries[start..<end]), keyLength: keys.count,
          group: group ?? 0)
        for number in totals.indices { try add(run, plan, to: number, in: &table) }
        start = end
      }
      stream.passed(entries.count)
    }
    return false
  }

  /// Entries of one group that lie one after another.
  private struct Run {
    let entries: UnsafeBufferPointer<OrderedEntry>
    /// The number of bytes at the beginning that are the same.
    let keyLength: Int
    let group: Int
  }

  private func add(
    _ run: Run, _ plan: EntryGroups, to number: Int, in table: inout GroupTable
  ) throws {
    switch plan.sources[number] {
    case .count: table.add(rows: run.entries.count, to: number, of: run.group)
    case .presence(let position):
      var count = 0
      for entry in run.entries where try isPresent(entry, position, run) { count &+= 1 }
      table.add(rows: count, to: number, of: run.group)
    case .int64(let position):
      try withNumbers(run, position, { Int64(bitPattern: $0 ^ (1 << 63)) }) {
        table.add(int64s: $0, to: number, of: run.group)
      }
    case .double(let position):
      try withNumbers(run, position, EntryReader.double) {
        table.add(doubles: $0, to: number, of: run.group)
      }
    case .extremes(let position):
      // Nulls lie at one end.
      guard let first = try run.entries.firstIndex(where: { try isPresent($0, position, run) }),
        let last = try run.entries.lastIndex(where: { try isPresent($0, position, run) })
      else { return }
      for index in first == last ? [first] : [first, last] {
        try addDecoded(run.entries[index], to: number, of: run.group, in: &table)
      }
    case .decoded:
      for entry in run.entries {
        try addDecoded(entry, to: number, of: run.group, in: &table)
      }
    }
  }

  private func addDecoded(
    _ entry: OrderedEntry, to number: Int, of group: Int, in table: inout GroupTable
  ) throws {
    table.add(try value(totals[number], try move(to: entry.key)), to: number, of: group)
  }

  @inline(__always)
  private func isPresent(
    _ entry: OrderedEntry, _ position: EntryGroups.Position, _ run: Run
  ) throws -> Bool {
    guard let isPresent = position.isPresent(in: entry.key, after: run.keyLength) else {
      throw entity.missing()
    }
    return isPresent
  }

  /// Calls `body` with the numbers of a run that are not null.
  @inline(__always)
  private func withNumbers<Number>(
    _ run: Run, _ position: EntryGroups.Position, _ number: (UInt64) -> Number,
    _ body: (UnsafeBufferPointer<Number>) -> Void
  ) throws {
    try withUnsafeTemporaryAllocation(of: Number.self, capacity: run.entries.count) { numbers in
      var count = 0
      for entry in run.entries where try isPresent(entry, position, run) {
        guard let word = position.word(in: entry.key, after: run.keyLength) else {
          throw entity.missing()
        }
        numbers.initializeElement(at: count, to: number(word))
        count &+= 1
      }
      body(UnsafeBufferPointer(rebasing: numbers[..<count]))
    }
  }

  /// The entry as it is decoded.
  private func move(to bytes: UnsafeRawBufferPointer) throws -> EntryReader {
    guard entry?.move(to: bytes) == true, let entry else { throw entity.missing() }
    return entry
  }

  /// The group of an entry.
  func group(of entry: EntryReader, in table: inout GroupTable) throws -> Int {
    switch (grouping.lookUp, keys[0]) {
    case (.integer, .field(_, let column)):
      return try entry.isNull(at: column)
        ? table.groupOfNull() : table.group(ofInteger: try entry.int64(at: column))
    case (.text, .field(_, let column)):
      if try entry.isNull(at: column) { return table.groupOfNull() }
      return try entry.withBytes(at: column) { bytes in
        if let group = table.knownGroup(ofText: bytes) { return group }
        // A text that is not UTF-8 is reported, as it is when it is read.
        _ = try entry.string(at: column)
        return table.group(ofText: bytes)
      }
    default: return table.group(of: try keys.map { try value($0, entry) })
    }
  }

  /// Adds an entry to all aggregates of a group.
  func add(_ entry: EntryReader, to group: Int, in table: inout GroupTable) throws {
    for (number, total) in totals.enumerated() {
      table.add(try value(total, entry), to: number, of: group)
    }
  }

  private func value(_ value: Value, _ entry: EntryReader) throws -> StoredValue {
    switch value {
    case .row: .bool(true)
    case .field(_, let column): try entry.value(at: column)
    case .operand(let operand): try operands[operand].evaluate(entry)
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Returns whether the bytes begin with others.
  @inline(__always)
  fileprivate func begins(with other: UnsafeRawBufferPointer) -> Bool {
    guard count >= other.count else { return false }
    return ByteOrder.compare(UnsafeRawBufferPointer(rebasing: self[..<other.count]), other)
      == .equal
  }
}
