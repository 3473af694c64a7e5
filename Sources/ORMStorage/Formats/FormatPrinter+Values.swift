internal import FoundationEssentials
internal import ORMValues

// Values as literals, or as CASTs of them where they have no literal of their own.
extension FormatPrinter {
  mutating func write(_ value: StoredValue) {
    switch value {
    case .null: append("nil")
    case .bool(let value): append(value ? "TRUE" : "FALSE")
    case .int(let value): append("\(value)")
    case .uint(let value): append("\(value)")
    case .double(let value) where value.isFinite: append("\(value)")
    case .double(let value): write(cast: "\(value)", .double)
    case .string(let text): write(string: text)
    case .json(let text): write(cast: text, .json)
    case .data(let bytes): write(cast: bytes.base64EncodedString(), .data)
    case .date(let date):
      let seconds = date.timeIntervalSinceReferenceDate
      guard seconds.isFinite else { return write(cast: "\(seconds)", .date) }
      append("CAST(\(seconds), \"\(FormatCast.date.rawValue)\")")
    case .uuid(let uuid): write(cast: uuid.uuidString, .uuid)
    case .decimal(let decimal): write(cast: DecimalText.text(of: decimal), .decimal)
    case .array(let elements):
      append("{")
      for (index, element) in elements.enumerated() {
        if index > 0 { append(", ") }
        write(element)
      }
      append("}")
    }
  }

  private mutating func write(cast text: String, _ type: FormatCast) {
    append("CAST(")
    write(string: text)
    append(", \"\(type.rawValue)\")")
  }

  /// A text in quotes.
  mutating func write(string: String) {
    var quoted = "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\t": quoted += "\\t"
      case "\r": quoted += "\\r"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    append(quoted + "\"")
  }
}
