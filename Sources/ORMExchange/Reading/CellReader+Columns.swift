internal import ORM

extension CellReader {
  /// Reads the value of an attribute.
  @inline(__always)
  func readColumn(_ column: Int, _ rank: UInt8, _ scanner: inout JSONScanner, depth: Int) throws {
    scanner.skipSpace()
    let start = scanner.position
    switch readings[column] {
    case .string:
      guard scanner.next == UInt8(ascii: "\"") else { break }
      guard let token = scanner.string() else {
        throw reading.broken("a string that is not JSON", scanner)
      }
      let count = token.range.count
      if count > reading.recordSize {
        throw reading.broken("a record that is too large", scanner)
      }
      if rank <= cells[column].rank || cells[column].kind == .null {
        cells[column] = JSONCell(
          kind: token.hasEscapes ? .escapedText : .text, rank: rank,
          count: Int32(truncatingIfNeeded: count), start: token.range.lowerBound)
      }
      return
    case .integer:
      guard let token = scanner.number(), let value = scanner.int64(of: token),
        record.columns[column].range.contains(value)
      else { break }
      set(
        column, rank: rank,
        to: JSONCell(kind: .integer, start: start, bits: UInt64(bitPattern: value)))
      return
    case .double:
      guard let token = scanner.number(), token.range.count <= 15 else { break }
      // So few digits leave an integer exact, and the number finite.
      let value = scanner.double(of: token)
      guard value.isFinite else { break }
      set(column, rank: rank, to: JSONCell(kind: .double, start: start, bits: value.bitPattern))
      return
    case .bool:
      let isTrue = scanner.next == UInt8(ascii: "t")
      guard scanner.skip(word: isTrue ? "true" : "false") else { break }
      set(column, rank: rank, to: JSONCell(kind: .bool, start: start, bits: isTrue ? 1 : 0))
      return
    case .other: break
    }
    scanner.position = start
    try readOther(column, rank, &scanner, depth: depth)
  }

  /// Sets a cell, unless a better source gave a value.
  @inline(__always)
  func set(_ column: Int, rank: UInt8, to cell: JSONCell) {
    guard rank <= cells[column].rank || cells[column].kind == .null else { return }
    cells[column] = cell
    cells[column].rank = rank
  }

  /// Reads a value that is null, of another form, or of another kind than expected.
  @inline(never)
  private func readOther(
    _ column: Int, _ rank: UInt8, _ scanner: inout JSONScanner, depth: Int
  ) throws {
    var inner = scanner
    try reading.skip(&scanner, depth: depth)
    if inner.next == UInt8(ascii: "n") { return setNull(column, rank, inner.position) }
    guard rank <= cells[column].rank || cells[column].kind == .null else { return }
    do {
      let start = inner.position
      if let value = try record.columns[column].value(&inner) {
        var cell = cell(of: value)
        cell.start = start
        return set(column, rank: rank, to: cell)
      }
      inner.position = start
      addUnexpected(column, inner)
    } catch {
      addFault(inner.position, "\(record.columns[column].expected): \(error)", column)
    }
    cells[column].kind = .refused
    cells[column].rank = rank
  }

  /// Sets an attribute to null, or adds a fault, by its rule.
  ///
  /// - Parameter isInside: true for an attribute of an object that is null.
  func setNull(_ position: Int, _ rank: UInt8, _ start: Int, isInside: Bool = false) {
    let column = record.columns[position]
    guard !cells[position].isGiven || cells[position].rank == rank else { return }
    switch column.onNull {
    case .keep:
      if cells[position].kind != .missing { cells[position].rank = JSONCell.unchanged }
      return
    case .useDefault where initial[position].kind != .missing:
      cells[position] = initial[position]
    case .setNil where column.isOptional:
      cells[position] = JSONCell(kind: .null)
    case .setNil where isInside && column.type.kind == .array:
      cells[position] = cell(of: .array([]))
    case .setNil, .useDefault, .refuse:
      // Another source may have a value.
      cells[position] = JSONCell(kind: .null, start: start)
      refusedNulls.append(position)
    }
    cells[position].rank = rank
  }

  /// Reads one value out of each element of an array into an attribute that is an array.
  func readElements(
    of column: Int, _ rank: UInt8, at path: ArraySlice<PathStep>, _ scanner: inout JSONScanner
  ) {
    guard rank <= cells[column].rank || cells[column].kind == .null,
      case .array(let type) = record.columns[column].type
    else { return }
    let start = scanner.position
    guard scanner.next == UInt8(ascii: "[") else {
      if scanner.next == UInt8(ascii: "n") { return setNull(column, rank, start) }
      cells[column].kind = .refused
      cells[column].rank = rank
      return addUnexpected(column, scanner)
    }
    var elements: [StoredValue] = []
    var isRefused = false
    ValueReading.forEachElement(&scanner) { element in
      guard ValueReading.enter(path, &element) else { return }
      element.skipSpace()
      let start = element.position
      if let value = ValueReading.value(&element, as: type) {
        elements.append(value)
      } else {
        element.position = start
        isRefused = true
        addFault(start, "expected \(ColumnPlan.name(of: type)), found \(element.found)", column)
      }
    }
    cells[column] = isRefused ? JSONCell(kind: .refused) : cell(of: .array(elements))
    (cells[column].rank, cells[column].start) = (rank, start)
  }
}
