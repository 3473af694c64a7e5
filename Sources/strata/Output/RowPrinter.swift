#if Command
  import ArgumentParser
  import Foundation
  import ORM

  /// The forms a result is printed in.
  enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    case table, json, jsonl, csv
  }

  /// Prints the rows of a result on standard output as they come, in constant memory.
  struct RowPrinter {
    let attributes: [String]
    let format: OutputFormat

    /// The rows of a result: calls a closure with batches of them, in their order.
    typealias Rows = (_ body: ([DynamicRow]) throws -> Void) throws -> Void

    /// The rows of a batch.
    static let batch = 500

    /// Prints all rows.
    ///
    /// - Parameter rows: the rows; asked for twice for a table, whose widths have to be known first.
    func print(_ rows: Rows) throws {
      switch format {
      case .table: try printTable(rows)
      case .json: try print(rows, after: "[", between: ",\n ", end: "]\n", object)
      case .jsonl: try print(rows, after: "", between: "", end: "") { object($0) + "\n" }
      case .csv:
        try print(rows, after: line(attributes), between: "", end: "") { row in
          line(attributes.map { Self.text(of: row[$0]) })
        }
      }
    }

    /// Prints rows with a text before them, which comes with the first, so that nothing is printed if
    /// they cannot be read.
    private func print(
      _ rows: Rows, after head: String, between separator: String, end: String,
      _ text: @escaping (DynamicRow) -> String
    ) throws {
      var before = head
      var isEmpty = true
      try rows { batch in
        try StandardStreams.write(before + batch.map(text).joined(separator: separator))
        before = separator
        isEmpty = false
      }
      try StandardStreams.write(isEmpty ? head + end : end)
    }

    /// A line of CSV.
    private func line(_ fields: [String]) -> String {
      fields.map(quoted).joined(separator: ",") + "\n"
    }

    private func printTable(_ rows: Rows) throws {
      func cells(_ row: DynamicRow) -> [String] {
        attributes.map { Self.oneLine(Self.text(of: row[$0])) }
      }
      var layout = TableLayout(header: attributes.map(Self.oneLine))
      var count = 0
      try rows { batch in
        count += batch.count
        for row in batch { layout.take(cells(row)) }
      }
      if let width = TableLayout.terminalWidth { layout.fit(to: width) }
      try StandardStreams.write(layout.head)
      try rows { batch in
        try StandardStreams.write(batch.map { layout.line(cells($0)) }.joined())
      }
      try StandardStreams.write("\(count) row\(count == 1 ? "" : "s")\n")
    }

    private func object(_ row: DynamicRow) -> String {
      let members = attributes.map { name in
        "\(Self.literal(name)):\(Self.json(of: row[name]))"
      }
      return "{" + members.joined(separator: ",") + "}"
    }

    /// A text in which a space replaces each control character: line ends, tabs, and codes that steer a
    /// terminal.
    private static func oneLine(_ text: String) -> String {
      let isPlain = text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
      if isPlain { return text }
      var line = String.UnicodeScalarView()
      for scalar in text.unicodeScalars {
        line.append(scalar.properties.generalCategory == .control ? " " : scalar)
      }
      return String(line)
    }

    /// A field of CSV.
    ///
    /// Compares scalars, since a quote with an accent is one character.
    private func quoted(_ text: String) -> String {
      let special: Set<Unicode.Scalar> = [",", "\"", "\n", "\r"]
      guard text.unicodeScalars.contains(where: special.contains) else { return text }
      var field = String.UnicodeScalarView()
      for scalar in text.unicodeScalars {
        if scalar == "\"" { field.append(scalar) }
        field.append(scalar)
      }
      return "\"" + String(field) + "\""
    }

    /// A value for a person; null is empty.
    static func text(of value: StoredValue) -> String {
      switch value {
      case .null: ""
      case .bool(let value): value ? "true" : "false"
      case .int(let value): "\(value)"
      case .uint(let value): "\(value)"
      case .double(let value): "\(value)"
      case .string(let text), .json(let text): text
      case .data(let bytes): bytes.base64EncodedString()
      case .date(let date): DateText.text(of: date)
      case .uuid(let uuid): uuid.uuidString
      case .decimal(let decimal): DecimalText.text(of: decimal)
      case .array(let elements): elements.map(text).joined(separator: " ")
      }
    }

    /// A value as JSON.
    static func json(of value: StoredValue) -> String {
      switch value {
      case .null: "null"
      case .bool, .int, .uint: text(of: value)
      case .double(let number) where number.isFinite: "\(number)"
      case .json(let text): text
      case .array(let elements): "[" + elements.map(json).joined(separator: ",") + "]"
      default: literal(text(of: value))
      }
    }

    /// A text as a JSON string.
    static func literal(_ text: String) -> String {
      (try? JSONCoding.encode(text)) ?? "null"
    }
  }
#endif
