internal import ORM

/// The records of CSV, each made into a JSON object by the types of the attributes that its fields
/// go to.
struct CSVSource {
  let window: ByteWindow
  let format: CSVFormat
  let form: RecordForm

  /// Calls a closure with each record.
  ///
  /// - Throws: `invalidImport` for a header that is none.
  func forEach(_ body: (RawRecord) throws -> Void) throws {
    var reader = CSVReader(window, format)
    let names = try header(&reader)
    let fields = names.map { CSVField($0, form) }
    var tree = WriteTree.empty
    for (position, field) in fields.enumerated() {
      guard tree.add(field.path[...], .column(position)) else {
        throw fault("the header names \(names[position]) twice", reader.places[position])
      }
    }
    while true {
      do {
        guard try reader.next() else { return }
      } catch let fault as CSVReader.Fault {
        try body(refused(fault.message, fault.place, reader))
        try reader.skipLine()
        continue
      }
      if reader.isBlank, names.count > 1 { continue }
      guard reader.count == names.count else {
        let place = reader.count > names.count ? reader.places[names.count] : reader.end
        try body(
          refused(
            "the record has \(reader.count) fields, and the header has \(names.count)", place,
            reader))
        continue
      }
      var text = CSVRecordText(fields, format, reader)
      do {
        try text.write(tree)
      } catch let fault as CSVReader.Fault {
        try body(refused(fault.message, fault.place, reader))
        continue
      }
      try text.utf8.withUnsafeBytes {
        try body(
          RawRecord(
            bytes: $0,
            origin: RecordOrigin(place: reader.places[0], fields: text.places)))
      }
    }
  }

  private func fault(_ message: String, _ place: ImportPlace) -> StoreError {
    StoreError(.invalidImport, "\(place): \(message)", entity: form.entity)
  }

  private func refused(_ message: String, _ place: ImportPlace, _ reader: CSVReader) -> RawRecord {
    RawRecord(
      bytes: UnsafeRawBufferPointer(start: nil, count: 0),
      origin: RecordOrigin(place: place), fault: fault(message, place))
  }

  /// Reads the names of the fields.
  private func header(_ reader: inout CSVReader) throws -> [String] {
    if let header = format.header { return header }
    do {
      guard try reader.next(), !reader.isBlank else {
        throw fault("the file has no header; its first line must name the fields", ImportPlace())
      }
    } catch let fault as CSVReader.Fault {
      throw self.fault(fault.message, fault.place)
    }
    var known: Set<String> = []
    return try (0..<reader.count).map { field in
      let place = reader.places[field]
      guard let name = reader.text(field) else { throw fault("the text is not UTF-8", place) }
      if name.isEmpty { throw fault("the header has a field without a name", place) }
      if !known.insert(name).inserted {
        throw fault("the header names the field \(name) twice", place)
      }
      return name
    }
  }
}

/// A field of CSV: the place of its values in the JSON of a record, and the attribute that it is.
struct CSVField {
  let path: [PathStep]
  let column: ColumnPlan?

  init(_ name: String, _ form: RecordForm) {
    // A name that is no path of names is a name.
    let steps = form.splitsNames ? JSONKeyPath.steps(of: name) ?? [] : []
    let isPath = !steps.isEmpty && steps.allSatisfy { if case .name = $0 { true } else { false } }
    path = isPath ? steps : [.name(name)]
    column = form.column(path)
  }
}

/// The JSON object of a record of CSV.
struct CSVRecordText {
  private let fields: [CSVField]
  private let format: CSVFormat
  private let reader: CSVReader
  private(set) var utf8: [UInt8] = []
  /// The place of each field by the byte that its value begins at.
  private(set) var places: [(offset: Int, place: ImportPlace)] = []

  init(_ fields: [CSVField], _ format: CSVFormat, _ reader: CSVReader) {
    self.fields = fields
    self.format = format
    self.reader = reader
  }

  /// Writes the fields of a tree.
  mutating func write(_ tree: WriteTree) throws {
    guard case .object(let members, presence: _) = tree else { return }
    utf8.append(UInt8(ascii: "{"))
    var isFirst = true
    for (name, value) in members {
      var token: String?
      if case .column(let field) = value {
        token = try self.token(of: field)
        // An absent field leaves no member.
        if token == nil { continue }
      }
      if !isFirst { utf8.append(UInt8(ascii: ",")) }
      isFirst = false
      if case .column(let field) = value { places.append((utf8.count, reader.places[field])) }
      utf8.append(contentsOf: Self.string(name).utf8)
      utf8.append(UInt8(ascii: ":"))
      if let token {
        utf8.append(contentsOf: token.utf8)
      } else {
        try write(value)
      }
    }
    utf8.append(UInt8(ascii: "}"))
  }

  private static func string(_ text: String) -> String {
    var writer = JSONWriter()
    writer.string(text)
    return writer.text
  }

  private static func isNumber(_ text: inout String) -> Bool {
    text.withUTF8 { utf8 in
      var scanner = JSONScanner(UnsafeRawBufferPointer(utf8))
      return scanner.number() != nil && scanner.isAtEnd
    }
  }

  /// The JSON of a field's value; nil for a field that is absent.
  private func token(of field: Int) throws -> String? {
    guard var text = reader.text(field) else {
      throw CSVReader.Fault(message: "the text is not UTF-8", place: reader.places[field])
    }
    let column = fields[field].column
    if text.isEmpty {
      let isText = column == nil || column?.type == .string
      if isText, reader.isQuoted(field) || format.empty == .text { return "\"\"" }
      if format.empty == .absent { return nil }
      return column?.takesAbsenceForNull == true ? nil : "null"
    }
    guard let column else { return Self.string(text) }
    switch (column.format, column.type.kind) {
    case (.text, _), (.data, _), (.cases, _), (.custom, _): return Self.string(text)
    case (.date, _): return Self.isNumber(&text) ? text : Self.string(text)
    case (_, .string): return Self.string(text)
    case (_, .int), (_, .unsigned), (_, .double), (_, .decimal):
      if format.hasDecimalComma { text = String(text.map { $0 == "," ? "." : $0 }) }
      if Self.isNumber(&text) { return text }
    default: break
    }
    guard let value = TextValue.value(of: text, as: column.type) else { return Self.string(text) }
    var writer = JSONWriter()
    try writer.write(value, as: column.type)
    return writer.text
  }
}

extension ColumnPlan {
  /// True if an empty field of CSV leaves the attribute out: null is refused, and there is a value
  /// without it.
  fileprivate var takesAbsenceForNull: Bool {
    if isOptional { return false }
    if case .required = initial { return false }
    return onNull == .setNil
  }
}
