internal import ORM

/// Writes records into a file in the form of an export.
struct RecordFileWriter {
  let file: ExportFile
  private let format: ExportTo.Format
  private let isKeyed: Bool
  /// The values of a record that are fields of CSV.
  private let fields: [CSVLeaf]
  /// The attribute that each field is, and its form; -1 for a field that is more than one, or a part of a
  /// struct that may be nil.
  private let attributes: [(column: Int, form: FlatWriting.Form)]
  /// The JSON that is not in the file yet.
  private var json = JSONWriter()
  /// The CSV that is not in the file yet.
  private var csv: CSVWriter
  /// The number of records so far.
  private(set) var count = 0
  /// The bytes after which they are written.
  private static let blockSize = 1 << 18

  /// True if a record is written field by field, each from the value of its attribute.
  var hasFields: Bool { if case .csv = format { true } else { false } }

  /// Makes a writer and writes the text before the records.
  ///
  /// - Parameters:
  ///   - target: the file and its form.
  ///   - tree: the form of a record.
  ///   - record: its attributes.
  ///   - isKeyed: whether the members of an object are the records.
  ///   - others: the forms of records of other kinds, whose values that the first has not come after.
  init(
    _ target: ExportTo, _ tree: WriteTree, _ record: RecordPlan, isKeyed: Bool = false,
    others: [(tree: WriteTree, record: RecordPlan)] = []
  ) throws {
    file = try ExportFile(target)
    format = target.format
    self.isKeyed = isKeyed
    guard case .csv(let format) = target.format else {
      fields = []
      attributes = []
      csv = CSVWriter(CSVFormat())
      if case .json = target.format { json.between(isKeyed ? "{" : "[") }
      return
    }
    var fields = tree.leaves(record)
    for other in others {
      for leaf in other.tree.leaves(other.record)
      where !fields.contains(where: { $0.path == leaf.path }) {
        fields.append(leaf)
      }
    }
    self.fields = fields
    attributes = fields.map { ($0.marks.isEmpty ? $0.column ?? -1 : -1, $0.form) }
    csv = CSVWriter(format)
    for (position, field) in fields.enumerated() {
      if position > 0 { csv.separate() }
      csv.append(field: JSONKeyPath.text(of: field.path))
    }
    csv.endRecord()
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
    case .csv:
      var writer = JSONWriter()
      try body(&writer)
      let record = try JSONValue(parsing: writer.text)
      for (position, field) in fields.enumerated() {
        if position > 0 { csv.separate() }
        let value = record.value(at: field.path)
        if field.isMark {
          if value.members != nil { csv.append(field: CSVLeaf.isThere) }
        } else {
          csv.append(value, isJSON: field.isJSON)
        }
      }
      csv.endRecord()
    }
    count += 1
    try flush(above: Self.blockSize)
  }

  /// Writes the fields of a record of CSV, each from the value of its attribute where it has one.
  mutating func writeFields(
    _ record: RecordPlan, _ values: [StoredValue], _ links: some LinkWriting, writesNulls: Bool
  ) throws {
    for position in attributes.indices {
      if position > 0 { csv.separate() }
      let (column, form) = attributes[position]
      if column >= 0, csv.append(values[column], form) { continue }
      try writeField(position, record, values, links, writesNulls: writesNulls)
    }
    csv.endRecord()
    count += 1
    try flush(above: Self.blockSize)
  }

  /// Writes a field of any kind.
  @inline(never)
  private mutating func writeField(
    _ position: Int, _ record: RecordPlan, _ values: [StoredValue], _ links: some LinkWriting,
    writesNulls: Bool
  ) throws {
    let field = fields[position]
    if field.marks.contains(where: { values[$0].isNull }) { return }
    if field.isMark { return csv.append(field: CSVLeaf.isThere) }
    if let column = field.column, csv.append(values[column], field.form) { return }
    guard record.isKnown(field.value, links) else { return }
    var writer = JSONWriter()
    try record.write(field.value, values, links, writesNulls: writesNulls, to: &writer)
    csv.append(try JSONValue(parsing: writer.text), isJSON: field.isJSON)
  }

  private mutating func flush(above size: Int) throws {
    if json.count > size { try json.take { try file.write($0) } }
    if csv.utf8.count > size { try csv.take { try file.write($0) } }
  }

  /// Writes the text after the records, and moves the file to its path.
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
  /// The attribute that the field is; nil for a field that is not one whole attribute.
  var column: Int?
  var form = FlatWriting.Form.other
  /// True if the field is read as JSON.
  var isJSON = false
  /// True if the field says that a struct is there whose parts may all be nil.
  var isMark = false

  /// The text of a field that says that a struct is there.
  static let isThere = "true"
}

extension WriteTree {
  /// The values that are no objects, in their order.
  fileprivate func leaves(_ record: RecordPlan, marks: [Int] = []) -> [CSVLeaf] {
    guard case .object(let members, let presence) = self else {
      var leaf = CSVLeaf(path: [], value: self, marks: marks)
      if case .column(let column) = self {
        leaf.column = column
        leaf.form = record.columns[column].writtenForm
        leaf.isJSON = record.columns[column].type == .json && leaf.form == .plain
      }
      return [leaf]
    }
    let marks = marks + (presence.map { [$0] } ?? [])
    var leaves: [CSVLeaf] = members.flatMap { name, value in
      value.leaves(record, marks: marks).map { leaf in
        var leaf = leaf
        leaf.path.insert(.name(name), at: 0)
        return leaf
      }
    }
    if let presence {
      let written = leaves.filter { $0.path.count == 1 }.compactMap(\.column)
      if !record.isSaid(presence, by: Set(written)) {
        var mark = CSVLeaf(path: [], value: self, marks: marks)
        mark.isMark = true
        leaves.insert(mark, at: 0)
      }
    }
    return leaves
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
