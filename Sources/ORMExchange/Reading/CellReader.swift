internal import ORM

/// Reads the members of objects into cells, a cell an attribute.
///
/// One reader is used for all records of a text, and holds the memory for one.
class CellReader {
  let record: RecordPlan
  let reading: JSONReading
  let cells: UnsafeMutablePointer<JSONCell>
  /// The cells of a new object.
  let initial: UnsafeMutablePointer<JSONCell>
  /// The cells of a record before its members are read: the initial ones, or those of an object that
  /// is updated.
  let base: UnsafeMutablePointer<JSONCell>
  /// The reading of each attribute.
  let readings: UnsafeMutablePointer<ColumnPlan.Reading>
  /// False if every value is read by the general reading, which finds the same values.
  var usesShortReadings = true {
    didSet {
      for (position, column) in record.columns.enumerated() {
        readings[position] = usesShortReadings ? column.reading : .other
      }
    }
  }
  /// The slot that followed each slot last; -1 where none has.
  let successors: UnsafeMutablePointer<Int32>
  let links: [any LinkReader]
  /// The values that cells refer to: those of defaults, then those of the record.
  var values: [StoredValue] = []
  /// The number of values of defaults, and of an object that is updated.
  var baseCount = 0
  /// The number of values of defaults.
  private var initialCount = 0
  /// True if an object is updated, which keeps the values that JSON does not have.
  var isUpdate = false
  /// The attributes of the record for which null came and is a fault, unless a value came as well.
  var refusedNulls: [Int] = []
  /// The attributes that are looked at when the members have been read.
  private var checked: [Int] = []

  init(_ record: RecordPlan, _ reading: JSONReading, links: [any LinkReader] = []) {
    self.record = record
    self.reading = reading
    self.links = links
    cells = .allocate(capacity: record.columnCount)
    initial = .allocate(capacity: record.columnCount)
    base = .allocate(capacity: record.columnCount)
    readings = .allocate(capacity: record.columnCount)
    successors = .allocate(capacity: record.slotCount)
    successors.initialize(repeating: -1, count: record.slotCount)
    readings.initialize(repeating: .other, count: record.columnCount)
    initial.initialize(repeating: JSONCell(kind: .null), count: record.columnCount)
    for (position, column) in record.columns.enumerated() {
      readings[position] = column.reading
      initial[position] = cell(of: column.initial)
      if initial[position].kind == .missing || column.onAbsent != .keep { checked.append(position) }
    }
    baseCount = values.count
    initialCount = baseCount
    cells.initialize(from: initial, count: record.columnCount)
    base.initialize(from: initial, count: record.columnCount)
  }

  deinit {
    cells.deallocate()
    initial.deallocate()
    base.deallocate()
    readings.deallocate()
    successors.deallocate()
  }

  private func cell(of value: ColumnPlan.InitialValue) -> JSONCell {
    switch value {
    case .value(let value): cell(of: value)
    case .now: JSONCell(kind: .now)
    case .uuid: JSONCell(kind: .uuid)
    case .required: JSONCell(kind: .missing)
    }
  }

  /// A cell with a value of its own.
  func cell(of value: StoredValue) -> JSONCell {
    var cell = JSONCell(kind: .other)
    switch value {
    case .null: cell.kind = .null
    case .bool(let value): (cell.kind, cell.bits) = (.bool, value ? 1 : 0)
    case .int(let value): (cell.kind, cell.bits) = (.integer, UInt64(bitPattern: value))
    case .double(let value): (cell.kind, cell.bits) = (.double, value.bitPattern)
    default:
      cell.bits = UInt64(values.count)
      values.append(value)
    }
    return cell
  }

  /// Makes the next records updates of a row, or new ones.
  func setBase(_ row: [StoredValue]?) {
    if row == nil, !isUpdate { return }
    values.removeLast(values.count - initialCount)
    if let row {
      for (column, value) in row.enumerated() where column < record.columnCount {
        base[column] = cell(of: value)
      }
    } else {
      base.update(from: initial, count: record.columnCount)
    }
    isUpdate = row != nil
    baseCount = values.count
  }

  // MARK: - Records

  /// Reads the members into the cells; false if there are faults.
  func readCells(
    _ scanner: inout JSONScanner, depth: Int, name: String?
  ) throws -> Bool {
    let start = scanner.position
    let faults = reading.faults.count
    beginCells()
    if let name { setKey(name, start) }
    try readMembers(of: record.root, &scanner, depth: depth)
    if scanner.position - start > reading.recordSize {
      throw reading.broken("a record of more than \(reading.recordSize) bytes", scanner)
    }
    finishCells(start)
    return reading.faults.count == faults
  }

  /// Gives the cells the values that they have before the members of a record are read.
  func beginCells() {
    if values.count > baseCount { values.removeLast(values.count - baseCount) }
    cells.update(from: base, count: record.columnCount)
    for link in links { link.reset() }
    if !refusedNulls.isEmpty { refusedNulls.removeAll(keepingCapacity: true) }
  }

  /// Sets the attributes without a member in the record, and adds their faults.
  func finishCells(_ start: Int) {
    if !refusedNulls.isEmpty { addRefusedNulls() }
    for position in checked where !cells[position].isGiven {
      setAbsent(position, start)
    }
    for part in record.structs { finish(part, start) }
  }

  /// True if JSON gave every attribute of the record, so that none keeps its value.
  var isWhole: Bool {
    for column in 0..<record.columns.count where cells[column].rank >= JSONCell.unchanged {
      return false
    }
    return true
  }

  /// The cells as a row.
  func row(_ scanner: JSONScanner) -> JSONRow {
    if reading.clock != nil || reading.uuids != nil { setComputed() }
    return JSONRow(scanner: scanner, cells: cells, columnCount: record.columnCount, values: values)
  }

  /// Replaces the defaults that are worked out by values of the program's own clock and UUIDs.
  private func setComputed() {
    for column in 0..<record.columnCount {
      var value: StoredValue?
      switch cells[column].kind {
      case .now: value = reading.clock.map { .date($0()) }
      case .uuid: value = reading.uuids.map { .uuid($0()) }
      default: break
      }
      guard let value else { continue }
      let rank = cells[column].rank
      cells[column] = cell(of: value)
      cells[column].rank = rank
    }
  }

  private func setKey(_ name: String, _ start: Int) {
    guard let column = record.keyColumn else { return }
    let type = record.columns[column].type
    guard let value = ValueReading.value(ofText: name, as: type) else {
      return addFault(start, "the name of the member is not \(ColumnPlan.name(of: type))", column)
    }
    cells[column] = cell(of: value)
    cells[column].rank = 0
  }

  /// Sets an attribute without a value in JSON, or adds a fault, by its rule.
  private func setAbsent(_ position: Int, _ start: Int) {
    let column = record.columns[position]
    switch column.onAbsent {
    case .keep: if isUpdate { return }
    case .setNil: cells[position] = JSONCell(kind: column.isOptional ? .null : .missing)
    case .useDefault: cells[position] = initial[position]
    case .refuse: cells[position].kind = .missing
    }
    if cells[position].kind == .missing { addMissing(position, start) }
  }

  /// Marks a struct that may be nil as present if JSON has a part of it, and completes it then.
  private func finish(_ part: RecordPlan.OptionalStruct, _ start: Int) {
    let mark = cells + part.mark
    if !mark.pointee.isGiven {
      let hasParts = part.columns.contains {
        cells[$0.column].isGiven && cells[$0.column].kind != .null
      }
      if hasParts { mark.pointee = cell(of: .bool(true)) }
    }
    guard mark.pointee.kind == .bool, mark.pointee.bits != 0 else { return }
    for (column, value) in part.columns where cells[column].kind == .null {
      let given = cells[column].isGiven
      if case .required = value {
        addMissing(column, start, given ? "null" : "nothing")
      } else if !given {
        cells[column] = cell(of: value)
      }
    }
  }
}
