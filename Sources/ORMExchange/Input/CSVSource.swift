internal import ORM

/// The records of CSV, each a JSON object by the types of the attributes that its fields go to.
///
/// A record whose fields lie in the source as their texts are is handed on with a list of them. It
/// is made into the object only where that is asked for.
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
    for (position, field) in fields.enumerated() where !isMark(field) {
      guard tree.add(field.path[...], .column(position)) else {
        throw fault("the header names \(names[position]) twice", reader.location(of: position))
      }
    }
    var texts = [CSVRecordText(fields, format, tree, form)]
    // The fields of a record have the types of its kind.
    for kind in form.kinds {
      texts.append(CSVRecordText(names.map { CSVField($0, kind) }, format, tree, kind))
    }
    let plain = texts.map { RecordDetails(csv: CSVObjectForm($0)) }
    let kindField = form.table.flatMap { table in fields.firstIndex { $0.path == table.path } }
    while true {
      do {
        guard try reader.next() else { return }
      } catch let fault as CSVReader.Fault {
        try body(refused(fault.message, fault.location))
        try reader.skipLine()
        continue
      }
      if reader.isBlank, names.count > 1 { continue }
      guard reader.count == names.count else {
        let location = reader.count > names.count ? reader.location(of: names.count) : reader.end
        try body(
          refused(
            "the record has \(reader.count) fields, and the header has \(names.count)", location)
        )
        continue
      }
      if let field = reader.firstInvalidField {
        try body(refused("the text is not UTF-8", reader.location(of: field)))
        continue
      }
      let location = reader.start
      let kind = kindField.flatMap { reader.text($0) }.flatMap { form.table?.kind(of: $0) }
      let index = kind.map { $0 + 1 } ?? 0
      try reader.withBytes { bytes in
        if reader.isPlain {
          return try reader.spans.withUnsafeBufferPointer {
            try body(RawRecord(bytes: bytes, spans: $0, location: location, details: plain[index]))
          }
        }
        try reader.spans.withUnsafeBufferPointer { spans in
          try texts[index].write(bytes, spans) { reader.location(of: $0) }
        }
        try texts[index].utf8.withUnsafeBytes {
          try body(
            RawRecord(
              bytes: $0, location: location, details: RecordDetails(fields: texts[index].locations))
          )
        }
      }
    }
  }

  /// Returns whether a field says that an embedded struct is there, and is no value.
  private func isMark(_ field: CSVField) -> Bool {
    ([form] + form.kinds).contains { $0.structParts(field.path) != nil }
  }

  private func fault(_ message: String, _ location: ImportLocation) -> StoreError {
    StoreError(
      .invalidImport, "\(location): \(message)", entity: form.entity,
      rule: ImportFault.syntax.rawValue)
  }

  private func refused(_ message: String, _ location: ImportLocation) -> RawRecord {
    RawRecord(
      bytes: UnsafeRawBufferPointer(start: nil, count: 0), location: location,
      details: RecordDetails(fault: fault(message, location)))
  }

  /// Reads the names of the fields.
  private func header(_ reader: inout CSVReader) throws -> [String] {
    if let header = format.header { return header }
    do {
      guard try reader.next(), !reader.isBlank else {
        throw fault("the file has no header; its first line must name the fields", ImportLocation())
      }
    } catch let fault as CSVReader.Fault {
      throw self.fault(fault.message, fault.location)
    }
    var known: Set<ExactText> = []
    return try (0..<reader.count).map { field in
      let location = reader.location(of: field)
      guard let name = reader.text(field) else { throw fault("the text is not UTF-8", location) }
      if name.isEmpty { throw fault("the header has a field without a name", location) }
      if !known.insert(name).inserted {
        throw fault("the header names the field \(name) twice", location)
      }
      return name
    }
  }
}

/// A field of CSV: the location of its values in the JSON of a record, and the attribute that it
/// is.
struct CSVField {
  let path: [PathStep]
  let column: ColumnPlan?
  /// The relationship that the field is; nil for one that is an attribute, or not read.
  let link: LinkField?

  init(_ name: String, _ form: RecordForm) {
    // A name that is no path of names is a name.
    let steps = form.splitsNames ? JSONKeyPath.steps(of: name) ?? [] : []
    let isPath = !steps.isEmpty && steps.allSatisfy { if case .name = $0 { true } else { false } }
    path = isPath ? steps : [.name(name)]
    let attribute = form.column(path)
    link = attribute == nil ? form.link(path) : nil
    column = attribute ?? link?.column
  }
}
