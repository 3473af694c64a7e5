internal import ORM

/// Makes the JSON objects of records of CSV, one after another in the same memory.
struct CSVRecordText {
  let fields: [CSVField]
  let format: CSVFormat
  /// The name of each field, the first of its path.
  let names: [String]
  private let forms: [Form]
  private var steps: [Step] = []
  private(set) var utf8: [UInt8] = []
  /// The location of each field by the byte that its member begins at.
  private(set) var locations: [(offset: Int, location: ImportLocation)] = []

  /// A part of an object, with the names of members as JSON and their colons.
  private enum Step {
    case field(Int, name: [UInt8])
    case open(name: [UInt8], Presence?)
    case close
  }

  /// The fields that say whether an embedded struct is there.
  private struct Presence {
    /// The field that says nothing else; nil where there is none.
    var mark: Int?
    /// The fields of its parts.
    var parts: [Int] = []
    /// The step after the struct.
    var end = 0
  }

  /// The JSON of a field's value.
  private enum Form {
    /// A string.
    case text
    /// A number, if it is one.
    case number
    /// A date by a number, or by a string.
    case date
    /// `true` or `false`; another text is read by the type.
    case bool
    /// The value of a text by the type.
    case other
    /// JSON, or the key of a target; several of these for a to-many.
    case link(LinkField)

    init(_ field: CSVField) {
      if let link = field.link, link.isToMany || link.takesObjects {
        self = .link(link)
      } else {
        self.init(field.column)
      }
    }

    init(_ column: ColumnPlan?) {
      guard let column else {
        self = .text
        return
      }
      switch (column.format, column.type.kind) {
      case (.text, _), (.data, _), (.cases, _), (.custom, _): self = .text
      case (.date, _): self = .date
      case (_, .string): self = .text
      case (_, .int), (_, .unsigned), (_, .double), (_, .decimal): self = .number
      case (_, .bool): self = .bool
      default: self = .other
      }
    }
  }

  /// Makes objects with the members of a tree, whose columns are fields.
  init(_ fields: [CSVField], _ format: CSVFormat, _ tree: WriteTree, _ form: RecordForm) {
    self.fields = fields
    self.format = format
    forms = fields.map { Form($0) }
    names = fields.map { if case .name(let name)? = $0.path.first { name } else { "" } }
    add(tree, [], form)
  }

  private mutating func add(_ tree: WriteTree, _ path: [PathStep], _ form: RecordForm) {
    guard case .object(let members, presence: _) = tree else { return }
    for (name, value) in members {
      let path = path + [.name(name)]
      let name = Array((Self.string(name) + ":").utf8)
      if case .column(let field) = value {
        steps.append(.field(field, name: name))
      } else {
        let open = steps.count
        steps.append(.open(name: name, nil))
        add(value, path, form)
        if var presence = presence(at: path, form) {
          presence.end = steps.count + 1
          steps[open] = .open(name: name, presence)
        }
        steps.append(.close)
      }
    }
  }

  /// The fields that decide whether the struct at a path is present; nil if the file lacks some of its
  /// parts, and so does not say.
  private func presence(at path: [PathStep], _ form: RecordForm) -> Presence? {
    guard let parts = form.structParts(path) else { return nil }
    var presence = Presence(mark: fields.firstIndex { $0.path == path })
    presence.parts = parts.compactMap { part in fields.firstIndex { $0.path == path + part } }
    return presence.mark != nil || presence.parts.count == parts.count ? presence : nil
  }

  /// Returns whether the struct of a record is there.
  private func isThere(
    _ presence: Presence, _ bytes: UnsafeRawBufferPointer, _ spans: UnsafeBufferPointer<CSVSpan>
  ) -> Bool {
    if let mark = presence.mark, spans[mark].count > 0 {
      return String(decoding: spans[mark].bytes(in: bytes), as: UTF8.self).lowercased() != "false"
    }
    return presence.parts.contains { spans[$0].count > 0 || spans[$0].isQuoted }
  }

  /// Writes a record whose fields are UTF-8.
  ///
  /// - Parameters:
  ///   - bytes: the bytes in which the fields lie.
  ///   - spans: the fields.
  ///   - location: gives the location of a field in the source.
  mutating func write(
    _ bytes: UnsafeRawBufferPointer, _ spans: UnsafeBufferPointer<CSVSpan>,
    location: (Int) -> ImportLocation
  ) throws {
    utf8.removeAll(keepingCapacity: true)
    locations.removeAll(keepingCapacity: true)
    utf8.append(UInt8(ascii: "{"))
    var next = 0
    while next < steps.count {
      let step = steps[next]
      next += 1
      switch step {
      case .field(let field, let name):
        let count = utf8.count
        separate()
        let start = utf8.count
        utf8.append(contentsOf: name)
        if try write(field, spans[field].bytes(in: bytes), isQuoted: spans[field].isQuoted) {
          locations.append((start, location(field)))
        } else {
          // An absent field leaves no member.
          utf8.removeLast(utf8.count - count)
        }
      case .open(let name, let presence):
        if let presence, !isThere(presence, bytes, spans) {
          next = presence.end
          // A struct of which nothing is said stays as it is.
          if format.empty == .absent { continue }
          separate()
          if let field = presence.mark ?? presence.parts.first {
            locations.append((utf8.count, location(field)))
          }
          utf8.append(contentsOf: name)
          utf8.append(contentsOf: "null".utf8)
          continue
        }
        separate()
        utf8.append(contentsOf: name)
        utf8.append(UInt8(ascii: "{"))
      case .close: utf8.append(UInt8(ascii: "}"))
      }
    }
    utf8.append(UInt8(ascii: "}"))
  }

  /// Writes the value of a field alone.
  mutating func writeValue(of field: Int, _ bytes: UnsafeRawBufferPointer) throws {
    utf8.removeAll(keepingCapacity: true)
    _ = try write(field, bytes, isQuoted: false)
  }

  /// The most bytes that the record has beside those of its values.
  var overhead: Int {
    steps.reduce(8) { sum, step in
      switch step {
      case .field(_, let name), .open(let name, _): sum + name.count + 8
      case .close: sum + 1
      }
    }
  }

  private mutating func separate() {
    if utf8.last != UInt8(ascii: "{") { utf8.append(UInt8(ascii: ",")) }
  }

  /// Writes the value of a field; false for one that is absent.
  private mutating func write(
    _ field: Int, _ bytes: UnsafeRawBufferPointer, isQuoted: Bool
  ) throws -> Bool {
    if bytes.isEmpty { return writeEmpty(field, isQuoted: isQuoted) }
    try write(fields[field].column, forms[field], bytes)
    return true
  }

  /// Writes the JSON of a text that is not empty.
  private mutating func write(
    _ column: ColumnPlan?, _ form: Form, _ bytes: UnsafeRawBufferPointer
  ) throws {
    switch form {
    case .text: return writeString(bytes)
    case .date:
      // A date that ISO 8601 cannot say looks like a number.
      if case .date(let formats)? = column?.format, formats.first == .iso8601,
        ExactDateText.isSeconds(String(decoding: bytes, as: UTF8.self))
      {
        return writeString(bytes)
      }
      if !writeNumber(bytes) { writeString(bytes) }
      return
    case .number where !format.hasDecimalComma:
      if writeNumber(bytes) { return }
    case .bool:
      if writeBool(bytes) { return }
    case .link(let link): return try write(link, bytes)
    case .number, .other: break
    }
    let text = try other(column, form, String(decoding: bytes, as: UTF8.self))
    utf8.append(contentsOf: text.utf8)
  }

  /// Writes the targets of a relationship: JSON as an export has written it, or keys.
  private mutating func write(_ link: LinkField, _ bytes: UnsafeRawBufferPointer) throws {
    let isList = link.isToMany && bytes[0] == UInt8(ascii: "[")
    if isList || (link.takesObjects && bytes[0] == UInt8(ascii: "{")) {
      var scanner = JSONScanner(bytes)
      let isJSON = scanner.skipChecked(JSONScanner.Limits(), depth: 1) == nil && scanner.isAtEnd
      if isJSON { return utf8.append(contentsOf: bytes) }
      return writeString(bytes)
    }
    guard let column = link.column else { return writeString(bytes) }
    guard link.isToMany else { return try write(column, Form(column), bytes) }
    // Keys are separated by spaces, as the elements of an array are.
    utf8.append(UInt8(ascii: "["))
    for word in bytes.split(separator: UInt8(ascii: " ")) {
      if utf8.last != UInt8(ascii: "[") { utf8.append(UInt8(ascii: ",")) }
      try write(column, Form(column), UnsafeRawBufferPointer(rebasing: word))
    }
    utf8.append(UInt8(ascii: "]"))
  }

  /// The meaning of an empty field.
  enum EmptyValue {
    case text
    case null
    case absent
  }

  /// The meaning of a field when it is empty.
  func emptyValue(of field: Int, isQuoted: Bool) -> EmptyValue {
    // An export leaves a list empty of which nothing is known.
    if fields[field].link?.isToMany == true { return .absent }
    let column = fields[field].column
    let isText = column?.hasEmptyText ?? true
    if isText, isQuoted { return .text }
    if format.empty == .text, column.map({ $0.type == .string }) ?? true { return .text }
    return format.empty == .absent || column?.takesAbsenceForNull == true ? .absent : .null
  }

  private mutating func writeEmpty(_ field: Int, isQuoted: Bool) -> Bool {
    switch emptyValue(of: field, isQuoted: isQuoted) {
    case .text: utf8.append(contentsOf: "\"\"".utf8)
    case .null: utf8.append(contentsOf: "null".utf8)
    case .absent: return false
    }
    return true
  }

  private mutating func writeString(_ bytes: UnsafeRawBufferPointer) {
    utf8.append(UInt8(ascii: "\""))
    if JSONScanner(bytes).endOfPlain(from: 0) == bytes.count {
      utf8.append(contentsOf: bytes)
    } else {
      let text = Self.string(String(decoding: bytes, as: UTF8.self))
      utf8.append(contentsOf: text.utf8.dropFirst().dropLast())
    }
    utf8.append(UInt8(ascii: "\""))
  }

  /// Writes a number unchanged; false for a field that is none.
  private mutating func writeNumber(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var scanner = JSONScanner(bytes)
    guard scanner.number() != nil, scanner.isAtEnd else { return false }
    utf8.append(contentsOf: bytes)
    return true
  }

  private mutating func writeBool(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var scanner = JSONScanner(bytes)
    guard scanner.skip(word: "true") || scanner.skip(word: "false"), scanner.isAtEnd else {
      return false
    }
    utf8.append(contentsOf: bytes)
    return true
  }

  /// The JSON of a value that is read by its type.
  private func other(_ column: ColumnPlan?, _ form: Form, _ given: String) throws -> String {
    var text = given
    guard let column else { return Self.string(text) }
    if case .number = form, format.hasDecimalComma {
      text = String(text.map { $0 == "," ? "." : $0 })
      if Self.isNumber(text) { return text }
    }
    // An export writes arrays as JSON, whose elements are in the form of their type.
    if case .array = column.type, text.hasPrefix("["), Self.isJSON(text) { return text }
    guard let value = TextValue.value(of: text, as: column.type) else { return Self.string(text) }
    var writer = JSONWriter()
    try writer.write(value, as: column.type)
    return writer.text
  }

  private static func string(_ text: String) -> String {
    var writer = JSONWriter()
    writer.string(text)
    return writer.text
  }

  private static func isJSON(_ text: String) -> Bool {
    text.withBytes { bytes in
      var scanner = JSONScanner(bytes)
      return scanner.skipChecked(JSONScanner.Limits(), depth: 1) == nil && scanner.isAtEnd
    }
  }

  private static func isNumber(_ text: String) -> Bool {
    text.withBytes { bytes in
      var scanner = JSONScanner(bytes)
      return scanner.number() != nil && scanner.isAtEnd
    }
  }
}

extension ColumnPlan {
  /// True if an empty field in quotes is an empty text: for texts, data and JSON, and where the mapping
  /// defines the meaning of texts.
  fileprivate var hasEmptyText: Bool {
    switch (format, type.kind) {
    case (.cases, _), (.words, _), (.custom, _), (_, .string), (_, .data), (_, .json): true
    default: false
    }
  }

  /// True if an empty field of CSV leaves the attribute out: null is refused, and there is a value
  /// without it.
  fileprivate var takesAbsenceForNull: Bool {
    if isOptional { return false }
    if case .required = initial { return false }
    return onNull == .setNil
  }
}
