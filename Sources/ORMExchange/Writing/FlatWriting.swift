internal import ORM

/// The form of a record that is one object of attributes: the usual one, which is written without
/// going through a tree.
struct FlatWriting: Sendable {
  /// A member.
  struct Member: Sendable {
    /// The offset of its name among the bytes of all.
    let name: Range<Int>
    let column: Int
    let form: Form
  }

  /// The form of a value in the text.
  enum Form: Sendable {
    /// The usual form of the type.
    case plain
    /// The form of the column's mapping.
    case other
  }

  /// The names as JSON, each with its colon.
  let names: [UInt8]
  let members: [Member]

  /// Makes the form of a tree; nil for one that has more than attributes.
  init?(_ tree: WriteTree, _ columns: [ColumnPlan]) {
    guard case .object(let members, presence: nil) = tree else { return nil }
    var names: [UInt8] = []
    var flat: [Member] = []
    for (name, value) in members {
      guard case .column(let column) = value else { return nil }
      let start = names.count
      var writer = JSONWriter()
      writer.string(name)
      names += writer.text.utf8
      names.append(UInt8(ascii: ":"))
      flat.append(
        Member(name: start..<names.count, column: column, form: columns[column].writtenForm))
    }
    self.names = names
    self.members = flat
  }
}

extension ColumnPlan {
  /// The form of the attribute's values in the text.
  var writtenForm: FlatWriting.Form {
    if case .plain = written, type != .float { .plain } else { .other }
  }
}

extension RecordPlan {
  /// Writes the values of a record that is one object of attributes.
  func write(
    _ flat: FlatWriting, _ values: [StoredValue], writesNulls: Bool, to writer: inout JSONWriter
  ) throws {
    writer.beginObject()
    try flat.names.withUnsafeBytes { names in
      for member in flat.members {
        let value = values[member.column]
        if value.isNull, !writesNulls { continue }
        writer.key(literal: UnsafeRawBufferPointer(rebasing: names[member.name]))
        switch (member.form, value) {
        case (_, .null): writer.literal("null")
        case (.plain, .string(let text)): writer.string(text)
        case (.plain, .int(let number)): writer.integer(number)
        case (.plain, .double(let number)) where !number.isNaN:
          writer.literal(JSONWriter.text(of: number))
        case (.plain, .bool(let value)): writer.literal(value ? "true" : "false")
        default: try write(member.column, value, to: &writer)
        }
      }
    }
    writer.end()
  }

  /// Writes the value of an attribute in its form.
  func write(_ column: Int, _ value: StoredValue, to writer: inout JSONWriter) throws {
    do {
      try columns[column].write(value, to: &writer)
    } catch let error as StoreError {
      throw error.filling(entity: entity, attributes: [columns[column].name])
    }
  }
}
