internal import ORM

/// Writes records into a file in the form of an export.
struct RecordFileWriter {
  let file: ExportFile
  private let format: ExportTo.Format
  /// The paths of the columns of CSV.
  private let columns: [[PathStep]]
  private let isKeyed: Bool
  /// The number of records so far.
  private(set) var count = 0

  /// Makes a writer and writes what comes before the records.
  ///
  /// - Parameters:
  ///   - target: the file and its form.
  ///   - tree: the form of a record.
  ///   - isKeyed: whether the members of an object are the records.
  init(_ target: ExportTo, _ tree: WriteTree, isKeyed: Bool = false) throws {
    file = try ExportFile(target.path)
    format = target.format
    self.isKeyed = isKeyed
    columns = if case .csv = target.format { tree.leaves } else { [] }
    switch format {
    case .json: try file.write(isKeyed ? "{" : "[")
    case .csv(let format):
      try file.write(
        columns.map { format.field(JSONKeyPath.text(of: $0)) }.joined(format) + "\n")
    case .jsonLines: break
    }
  }

  /// Writes a record.
  ///
  /// - Parameters:
  ///   - record: the record as JSON.
  ///   - name: the name of the member that it is, in a keyed list.
  mutating func write(_ record: String, name: String? = nil) throws {
    switch format {
    case .json:
      try file.write(count > 0 ? ",\n" : "\n")
      if isKeyed, let name {
        var writer = JSONWriter()
        writer.string(name)
        try file.write(writer.text + ":")
      }
      try file.write(record)
    case .jsonLines: try file.write(record + "\n")
    case .csv(let format):
      let json = try JSONValue(parsing: record)
      try file.write(columns.map { format.field(json.value(at: $0)) }.joined(format) + "\n")
    }
    count += 1
  }

  /// Writes what comes after the records, and puts the file in its place.
  mutating func finish(_ entity: String) throws -> ExportReport {
    if case .json = format {
      try file.write((count > 0 ? "\n" : "") + (isKeyed ? "}\n" : "]\n"))
    }
    try file.finish()
    return ExportReport(entity: entity, records: count, bytes: file.count)
  }
}

extension [String] {
  fileprivate func joined(_ format: CSVFormat) -> String {
    joined(separator: String(Character(format.delimiter)))
  }
}

extension WriteTree {
  /// The paths of the values that are no objects.
  fileprivate var leaves: [[PathStep]] {
    guard case .object(let members, presence: _) = self else { return [[]] }
    return members.flatMap { name, value in value.leaves.map { [.name(name)] + $0 } }
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

extension CSVFormat {
  /// A field of a value.
  fileprivate func field(_ value: JSONValue) -> String {
    switch value {
    case .null: ""
    case .string(let text): text.isEmpty ? quoted("") : field(text)
    default: field(value.text)
    }
  }

  /// A field of a text, in quotes where it must be.
  ///
  /// Compares scalars, since a quote with an accent is one character.
  fileprivate func field(_ text: String) -> String {
    let scalars = text.unicodeScalars
    let isSpecial = scalars.contains {
      $0 == delimiter || $0 == quote || $0 == "\n" || $0 == "\r" || $0 == comment
    }
    let isPadded = scalars.first == " " || scalars.last == " " || scalars.first == "\u{FEFF}"
    return isSpecial || isPadded ? quoted(text) : text
  }

  private func quoted(_ text: String) -> String {
    var field = String.UnicodeScalarView()
    field.append(quote)
    for scalar in text.unicodeScalars {
      if scalar == quote { field.append(scalar) }
      field.append(scalar)
    }
    field.append(quote)
    return String(field)
  }
}
