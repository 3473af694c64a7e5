internal import FoundationEssentials
internal import ORMValues

/// A variable's value given as a text, by a command or a form: read in the type of its other side.
enum FormatText {
  /// The value; nil for a text that does not read as one of the type.
  ///
  /// Beside a list it is the list's items with commas between.
  static func value(_ text: String, beside type: FormatType) -> StoredValue? {
    switch type.kind {
    case .bool:
      switch text.lowercased() {
      case "true", "yes", "1": return .bool(true)
      case "false", "no", "0": return .bool(false)
      default: return nil
      }
    case .int, .unsigned, .double:
      guard let number = number(text) else { return nil }
      return FormatCoercion.value(number, number: text, beside: type)
    case .string: return .string(text)
    case .data: return Data(base64Encoded: text).map { .data($0) }
    case .date, .uuid, .decimal: return FormatCoercion.value(.string(text), beside: type)
    case .json: return (try? JSONText.validate(text)).map { .json(text) }
    case .array:
      var values: [StoredValue] = []
      for part in text.split(separator: ",") {
        let item = String(part.drop { $0 == " " })
        guard let value = value(item, beside: type.elementType) else { return nil }
        values.append(value)
      }
      return .array(values)
    case nil: return number(text) ?? .string(text)
    }
  }

  private static func number(_ text: String) -> StoredValue? {
    if let value = Int64(text) { return .int(value) }
    if let value = UInt64(text) { return .uint(value) }
    let isPlain = text.utf8.allSatisfy {
      FormatName.isDigit($0) || "+-.eE".utf8.contains($0)
    }
    guard isPlain, let value = Double(text), value.isFinite else { return nil }
    return .double(value)
  }
}
