#if Command
  import ArgumentParser
  import Foundation
  import ORM

  /// The forms a result is printed in.
  enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    case table, json, jsonl, csv
  }

  /// Prints rows of one entity.
  struct RowPrinter {
    let attributes: [String]
    let format: OutputFormat

    /// Prints all rows on standard output.
    func print(_ rows: [DynamicRow]) {
      var text = ""
      switch format {
      case .table: text = table(rows)
      case .json:
        text = "[" + rows.map(object).joined(separator: ",\n ") + "]\n"
      case .jsonl:
        for row in rows { text += object(row) + "\n" }
      case .csv:
        text = attributes.map(quoted).joined(separator: ",") + "\n"
        for row in rows {
          text += attributes.map { quoted(Self.text(of: row[$0])) }.joined(separator: ",") + "\n"
        }
      }
      FileHandle.standardOutput.write(Data(text.utf8))
    }

    private func table(_ rows: [DynamicRow]) -> String {
      let cells = rows.map { row in
        attributes.map { name in Self.oneLine(Self.text(of: row[name])) }
      }
      let widths = attributes.indices.map { column in
        cells.reduce(attributes[column].count) { max($0, min(40, $1[column].count)) }
      }
      func line(_ cells: [String]) -> String {
        var line = zip(cells, widths).map { cell, width in
          let short = cell.count > width ? cell.prefix(width - 1) + "…" : cell[...]
          return short + String(repeating: " ", count: width - short.count)
        }.joined(separator: "  ")
        while line.last == " " { line.removeLast() }
        return line + "\n"
      }
      let rule = widths.map { String(repeating: "-", count: $0) }
      return line(attributes) + line(rule) + cells.map(line).joined()
        + "\(rows.count) row\(rows.count == 1 ? "" : "s")\n"
    }

    private func object(_ row: DynamicRow) -> String {
      let members = attributes.map { name in
        "\(Self.literal(name)):\(Self.json(of: row[name]))"
      }
      return "{" + members.joined(separator: ",") + "}"
    }

    /// A text without line ends, tabs and what would steer a terminal.
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
