internal import ORM

/// Writes records into a file in the form of an export.
struct RecordFileWriter {
  let file: ExportFile
  private let format: ExportTo.Format
  private let isKeyed: Bool
  /// The values of a record that are fields of CSV.
  private let fields: [CSVLeaf]
  /// The JSON that is not in the file yet.
  private var json = JSONWriter()
  /// The CSV that is not in the file yet.
  private var csv: [UInt8] = []
  /// The number of records so far.
  private(set) var count = 0
  /// The bytes after which they are written.
  private static let blockSize = 1 << 18

  /// True if a record is written field by field, each from the value of its attribute.
  var hasFields: Bool { if case .csv = format { true } else { false } }

  /// Makes a writer and writes what comes before the records.
  ///
  /// - Parameters:
  ///   - target: the file and its form.
  ///   - tree: the form of a record.
  ///   - columns: its attributes.
  ///   - isKeyed: whether the members of an object are the records.
  init(
    _ target: ExportTo, _ tree: WriteTree, _ columns: [ColumnPlan], isKeyed: Bool = false
  ) throws {
    file = try ExportFile(target.path)
    format = target.format
    self.isKeyed = isKeyed
    guard case .csv(let format) = target.format else {
      fields = []
      if case .json = target.format { json.between(isKeyed ? "{" : "[") }
      return
    }
    fields = tree.leaves(columns)
    for (position, field) in fields.enumerated() {
      if position > 0 { format.appendDelimiter(to: &csv) }
      format.append(field: JSONKeyPath.text(of: field.path), to: &csv)
    }
    csv.append(UInt8(ascii: "\n"))
  }

  /// Writes a record that a closure writes as JSON.
  ///
  /// - Parameter name: the name of the member that it is, in a keyed list.
  mutating func write(name: String? = nil, _ body: (inout JSONWriter) throws -> Void) throws {
    switch format {
    case .json:
      if count > 0 { json.between(",\n") } else { json.between("\n") }
      if isKeyed, let name { json.key(name) }
      try body(&json)
      json.between("")
    case .jsonLines:
      try body(&json)
      json.between("\n")
    case .csv(let format):
      var writer = JSONWriter()
      try body(&writer)
      let record = try JSONValue(parsing: writer.text)
      for (position, field) in fields.enumerated() {
        if position > 0 { format.appendDelimiter(to: &csv) }
        format.append(record.value(at: field.path), to: &csv)
      }
      csv.append(UInt8(ascii: "\n"))
    }
    count += 1
    try flush(above: Self.blockSize)
  }

  /// Writes the fields of a record of CSV, each from the value of its attribute where it has one.
  mutating func writeFields(
    _ record: RecordPlan, _ values: [StoredValue], _ links: some LinkWriting, writesNulls: Bool
  ) throws {
    guard case .csv(let format) = format else { return }
    for (position, field) in fields.enumerated() {
      if position > 0 { format.appendDelimiter(to: &csv) }
      if !field.marks.isEmpty, field.marks.contains(where: { values[$0].isNull }) { continue }
      if let column = field.column, format.append(values[column], field.form, to: &csv) { continue }
      guard record.isKnown(field.value, links) else { continue }
      var writer = JSONWriter()
      try record.write(field.value, values, links, writesNulls: writesNulls, to: &writer)
      format.append(try JSONValue(parsing: writer.text), to: &csv)
    }
    csv.append(UInt8(ascii: "\n"))
    count += 1
    try flush(above: Self.blockSize)
  }

  private mutating func flush(above size: Int) throws {
    if json.count > size { try json.take { try file.write($0) } }
    if csv.count > size {
      try csv.withUnsafeBytes { try file.write($0) }
      csv.removeAll(keepingCapacity: true)
    }
  }

  /// Writes what comes after the records, and puts the file in its place.
  mutating func finish(_ entity: String) throws -> ExportReport {
    if case .json = format {
      if count > 0 { json.between("\n") }
      json.between(isKeyed ? "}\n" : "]\n")
    }
    try flush(above: 0)
    try file.finish()
    return ExportReport(entity: entity, records: count, bytes: file.count)
  }
}

/// A value of a record that is a field of CSV.
private struct CSVLeaf {
  var path: [PathStep]
  let value: WriteTree
  /// The columns that say whether the structs around it are there.
  let marks: [Int]
  /// The attribute that it is, and the way to write that; nil for what is more than one.
  var column: Int?
  var form = FlatWriting.Form.other
}

extension WriteTree {
  /// The values that are no objects, in their order.
  fileprivate func leaves(_ columns: [ColumnPlan], marks: [Int] = []) -> [CSVLeaf] {
    guard case .object(let members, let presence) = self else {
      var leaf = CSVLeaf(path: [], value: self, marks: marks)
      if case .column(let column) = self {
        leaf.column = column
        leaf.form = columns[column].writtenForm
      }
      return [leaf]
    }
    return members.flatMap { name, value in
      value.leaves(columns, marks: marks + (presence.map { [$0] } ?? [])).map { leaf in
        var leaf = leaf
        leaf.path.insert(.name(name), at: 0)
        return leaf
      }
    }
  }
}

extension JSONValue {
  /// The value at a path of names; null where there is none.
  fileprivate func value(at path: [PathStep]) -> JSONValue {
    path.reduce(self) { value, step in
      if case .name(let name) = step { value[name] } else { .null }
    }
  }
}
