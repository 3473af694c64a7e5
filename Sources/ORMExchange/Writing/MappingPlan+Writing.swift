internal import FoundationEssentials
internal import ORM

extension MappingPlan {
  /// Writes models in the form of a list.
  func write(list models: [Model], to writer: inout JSONWriter, _ writing: JSONWriting) throws {
    guard case .keyed = list, let keyColumn else {
      writer.beginArray()
      for model in models { try write(model, to: &writer, writing) }
      return writer.end()
    }
    writer.beginObject()
    for model in models {
      writer.key(try values(of: model)[keyColumn].memberName)
      try write(model, to: &writer, writing)
    }
    writer.end()
  }

  /// The name of the member that a model is in a keyed list.
  func memberName(of model: Model) throws -> String {
    try keyColumn.map { try values(of: model)[$0].memberName } ?? ""
  }

  /// Writes a model as an object.
  func write(_ model: Model, to writer: inout JSONWriter, _ writing: JSONWriting) throws {
    guard let flat else { return try writeTree(of: model, nil, to: &writer, writing) }
    try record.write(flat, values(of: model), writesNulls: writesNulls, to: &writer)
  }

  /// Writes a model as an object, with relationships that its record has through the entities above.
  func write(
    _ model: Model, _ inherited: InheritedWriting, to writer: inout JSONWriter,
    _ writing: JSONWriting
  ) throws {
    try writeTree(of: model, inherited, to: &writer, writing)
  }

  @inline(never)
  private func writeTree(
    of model: Model, _ inherited: InheritedWriting?, to writer: inout JSONWriter,
    _ writing: JSONWriting
  ) throws {
    let values = try values(of: model)
    try opening(model, writing) {
      guard !hasWritingHooks else {
        var own = JSONWriter()
        try write(values, model, inherited, to: &own, writing)
        var json = try JSONValue(parsing: own.text)
        for hook in afterWriting { try hook(&json, model) }
        return json.write(to: &writer)
      }
      try write(values, model, inherited, to: &writer, writing)
    }
  }

  /// Writes a model as a record of a file.
  func write(
    _ model: Model, to file: inout RecordFileWriter, _ writing: JSONWriting, name: String?
  ) throws {
    guard file.hasFields, !hasWritingHooks else {
      return try file.write(name: name) { try write(model, to: &$0, writing) }
    }
    let values = try values(of: model)
    if links.isEmpty {
      return try file.writeFields(record, values, NoLinkWriting(), writesNulls: writesNulls)
    }
    try opening(model, writing) {
      try file.writeFields(
        record, values, ModelLinkWriting(links: links, model: model, writing: writing),
        writesNulls: writesNulls)
    }
  }

  /// Calls a closure while a model counts as open, which matters where it leads to others.
  private func opening(
    _ model: Model, _ writing: JSONWriting, _ body: () throws -> Void
  ) rethrows {
    if leadsAway { try writing.opening(model, body) } else { try body() }
  }

  private func write(
    _ values: [StoredValue], _ model: Model, _ inherited: InheritedWriting?,
    to writer: inout JSONWriter, _ writing: JSONWriting
  ) throws {
    try record.write(
      self.writing, values,
      ModelLinkWriting(links: links, model: model, writing: writing, inherited: inherited),
      writesNulls: writesNulls, to: &writer)
  }

  private func values(of model: Model) throws -> [StoredValue] {
    do {
      var row = RowBuilder(columnCount: record.columnCount)
      try model.encode(into: &row)
      return row.values
    } catch {
      throw StoreError.mapping(error, of: model)
    }
  }
}

/// The writing of the relationships of one model.
struct ModelLinkWriting<Model: Persistable>: LinkWriting {
  let links: [any LinkPlan<Model>]
  let model: Model
  let writing: JSONWriting
  /// The relationships that the record has through the entities above, whose numbers come after.
  var inherited: InheritedWriting?

  func isWritten(_ link: Int) -> Bool {
    link < links.count
      ? links[link].isWritten(model) : inherited?.isWritten(link - links.count) ?? false
  }

  func isNull(_ link: Int) -> Bool {
    link < links.count ? links[link].isNull(model) : inherited?.isNull(link - links.count) ?? true
  }

  func write(_ link: Int, to writer: inout JSONWriter) throws {
    if link < links.count { return try links[link].write(model, to: &writer, writing) }
    try inherited?.write(link - links.count, to: &writer)
  }
}

/// The writing of the relationships that a record has through the entities above its own.
struct InheritedWriting: LinkWriting {
  /// The relationships of each entity with their number; nil where its object is not known.
  private var parts: [(count: Int, links: (any LinkWriting)?)] = []

  mutating func add(_ count: Int, _ links: (any LinkWriting)?) { parts.append((count, links)) }

  private func part(of link: Int) -> (links: any LinkWriting, link: Int)? {
    var link = link
    for part in parts {
      if link < part.count { return part.links.map { ($0, link) } }
      link -= part.count
    }
    return nil
  }

  func isWritten(_ link: Int) -> Bool {
    part(of: link).map { $0.links.isWritten($0.link) } ?? false
  }
  func isNull(_ link: Int) -> Bool { part(of: link).map { $0.links.isNull($0.link) } ?? true }

  func write(_ link: Int, to writer: inout JSONWriter) throws {
    guard let part = part(of: link) else { return writer.literal("null") }
    try part.links.write(part.link, to: &writer)
  }
}

extension ColumnPlan {
  /// Writes a value of the attribute in its form.
  ///
  /// - Throws: `invalidValue`, and the error of a transform of the program.
  func write(_ value: StoredValue, to writer: inout JSONWriter) throws {
    switch (written, value) {
    case (_, .null): writer.literal("null")
    case (.number(_, writesText: true), _):
      var plain = JSONWriter()
      try plain.write(value, as: type)
      writer.string(plain.text)
    case (.bool(writesNumber: true), .bool(let value)): writer.literal(value ? "1" : "0")
    case (.date(let formats), .date(let date)): try formats[0].write(date, to: &writer)
    case (.data(let format), .data(let data)): writer.string(format.text(of: data))
    case (.cases(let cases), _): writer.string(try cases.word(for: value))
    case (.custom(let custom), _): try custom.write(value).write(to: &writer)
    default: try writer.write(value, as: type)
    }
  }
}

extension JSONWriter {
  /// Writes a value in the usual form of its type.
  mutating func write(_ value: StoredValue, as type: AttributeType) throws {
    switch value {
    case .null: literal("null")
    case .bool(let value): literal(value ? "true" : "false")
    case .int(let value): integer(value)
    case .uint(let value): literal(String(value))
    case .double(let value):
      if value.isNaN { throw StoredValue.notANumber }
      literal(type == .float ? Self.text(of: Float(value)) : Self.text(of: value))
    case .string(let value): string(value)
    case .data(let value): string(JSONDataFormat.base64.text(of: value))
    case .date(let value): try JSONDateFormat.iso8601.write(value, to: &self)
    case .uuid(let value): string(value.uuidString)
    case .decimal(let value):
      if value.isNaN { throw StoredValue.notANumber }
      literal(DecimalText.text(of: value))
    case .array(let elements):
      let element: AttributeType = if case .array(let element) = type { element } else { .json }
      beginArray()
      for value in elements { try write(value, as: element) }
      end()
    case .json(let text): literal(text)
    }
  }

  /// The text of a float in its own shortest digits.
  private static func text(of value: Float) -> String {
    value.isInfinite ? text(of: Double(value)) : value.description
  }

  /// Writes objects and arrays along a path, and a value at its end.
  mutating func write(
    _ path: ArraySlice<PathStep>, _ body: (inout JSONWriter) throws -> Void
  ) throws {
    guard let step = path.first else { return try body(&self) }
    switch step {
    case .name(let name):
      beginObject()
      key(name)
    case .index(let index):
      beginArray()
      for _ in 0..<index { literal("null") }
    case .each: beginArray()
    }
    try write(path.dropFirst(), body)
    end()
  }
}

extension StoredValue {
  /// The value as the name of a member.
  var memberName: String {
    switch self {
    case .string(let text): text
    case .int(let number): String(number)
    case .uuid(let id): id.uuidString
    default: ""
    }
  }
}
