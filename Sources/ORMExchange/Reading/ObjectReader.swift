internal import ORM

/// Reads objects of one model: member by member into cells, from which the model is made.
///
/// One reader is used for all records of a text, and holds the memory for one.
final class ObjectReader<Model: Persistable> {
  let plan: MappingPlan<Model>
  let reading: JSONReading
  let cells: UnsafeMutablePointer<JSONCell>
  /// The cells of a new object.
  let initial: UnsafeMutablePointer<JSONCell>
  /// The cells of a record before its members are read: the initial ones, or those of an object that
  /// is updated.
  let base: UnsafeMutablePointer<JSONCell>
  /// The way to read each attribute.
  let readings: UnsafeMutablePointer<ColumnPlan.Reading>
  /// The slot that followed each slot last; -1 where none has.
  let successors: UnsafeMutablePointer<Int32>
  let links: [any LinkReader<Model>]
  /// The values that cells refer to: those of defaults, then those of the record.
  var values: [StoredValue] = []
  /// The number of values of defaults, and of an object that is updated.
  var baseCount = 0
  /// True if an object is updated, which keeps what JSON does not have.
  var isUpdate = false
  /// The attributes of the record for which null came and is a fault, unless a value came as well.
  var refusedNulls: [Int] = []
  /// The attributes that are looked at when the members have been read.
  private var checked: [Int] = []

  init(_ plan: MappingPlan<Model>, _ reading: JSONReading) {
    self.plan = plan
    self.reading = reading
    cells = .allocate(capacity: plan.columnCount)
    initial = .allocate(capacity: plan.columnCount)
    base = .allocate(capacity: plan.columnCount)
    readings = .allocate(capacity: plan.columnCount)
    successors = .allocate(capacity: plan.slotCount)
    successors.initialize(repeating: -1, count: plan.slotCount)
    links = plan.links.map { $0.reader(reading) }
    readings.initialize(repeating: .other, count: plan.columnCount)
    initial.initialize(repeating: JSONCell(kind: .null), count: plan.columnCount)
    for (position, column) in plan.columns.enumerated() {
      readings[position] = column.reading
      initial[position] = cell(of: column.initial)
      if initial[position].kind == .missing || column.onAbsent != .keep { checked.append(position) }
    }
    baseCount = values.count
    cells.initialize(from: initial, count: plan.columnCount)
    base.initialize(from: initial, count: plan.columnCount)
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

  // MARK: - Records

  /// Reads an object whose members stand in the text.
  ///
  /// - Parameters:
  ///   - scanner: stands at the opening brace, and then past the object.
  ///   - depth: the number of objects and arrays around it.
  ///   - name: the name of the member that it is, where that is an attribute.
  /// - Returns: nil if the object has faults, which are in the list then.
  /// - Throws: `invalidImport` for text that is not JSON.
  func readPlain(_ scanner: inout JSONScanner, depth: Int, name: String?) throws -> Model? {
    guard try readCells(&scanner, depth: depth, name: name) else { return nil }
    do {
      var model = try Model(row: row(scanner))
      if !Model.entity.relationships.isEmpty { setLinks(of: &model) }
      return model
    } catch {
      addFault(of: error, scanner)
      return nil
    }
  }

  /// Reads the members into the cells; false if there are faults.
  private func readCells(
    _ scanner: inout JSONScanner, depth: Int, name: String?
  ) throws -> Bool {
    let start = scanner.position
    let faults = reading.faults.count
    if values.count > baseCount { values.removeLast(values.count - baseCount) }
    cells.update(from: base, count: plan.columnCount)
    for link in links { link.reset() }
    refusedNulls.removeAll(keepingCapacity: true)
    if let name { setKey(name, start) }
    try readMembers(of: plan.root, &scanner, depth: depth)
    if scanner.position - start > JSONReading.recordSize {
      throw reading.broken("a record of more than \(JSONReading.recordSize) bytes", scanner)
    }
    if !refusedNulls.isEmpty { addRefusedNulls() }
    for position in checked where !cells[position].isGiven {
      setAbsent(position, start)
    }
    for place in plan.structs { finish(place, start) }
    return reading.faults.count == faults
  }

  /// The cells as a row.
  func row(_ scanner: JSONScanner) -> JSONRow {
    JSONRow(scanner: scanner, cells: cells, columnCount: plan.columnCount, values: values)
  }

  /// Sets the relationships that JSON had; of the others nothing is known.
  private func setLinks(of model: inout Model) {
    for end in Model.entity.relationships where !end.declaration.isToMany {
      end.forget(in: &model)
    }
    for link in links { link.apply(to: &model) }
  }

  private func setKey(_ name: String, _ start: Int) {
    guard let column = plan.keyColumn else { return }
    let type = plan.columns[column].type
    guard let value = ValueReading.value(ofText: name, as: type) else {
      return addFault(start, "the name of the member is not \(ColumnPlan.name(of: type))", column)
    }
    cells[column] = cell(of: value)
    cells[column].rank = 0
  }

  /// Treats an attribute that JSON does not have.
  private func setAbsent(_ position: Int, _ start: Int) {
    let column = plan.columns[position]
    switch column.onAbsent {
    case .keep: if isUpdate { return }
    case .setNil: cells[position] = JSONCell(kind: column.isOptional ? .null : .missing)
    case .useDefault: cells[position] = initial[position]
    case .refuse: cells[position].kind = .missing
    }
    if cells[position].kind == .missing { addMissing(position, start) }
  }

  /// Marks a struct that may be nil as present if JSON has a part of it, and completes it then.
  private func finish(_ place: MappingPlan<Model>.OptionalStruct, _ start: Int) {
    let mark = cells + place.mark
    if !mark.pointee.isGiven {
      let hasParts = place.columns.contains {
        cells[$0.column].isGiven && cells[$0.column].kind != .null
      }
      if hasParts { mark.pointee = cell(of: .bool(true)) }
    }
    guard mark.pointee.kind == .bool, mark.pointee.bits != 0 else { return }
    for (column, value) in place.columns where cells[column].kind == .null {
      let given = cells[column].isGiven
      if case .required = value {
        addMissing(column, start, given ? "null" : "nothing")
      } else if !given {
        cells[column] = cell(of: value)
      }
    }
  }
}
