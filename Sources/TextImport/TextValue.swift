package import Foundation
package import ORM

/// Reads a text as a value of a declared type, and a JSON value as one.
package enum TextValue {
  /// The value; nil when the text is none of the type's.
  package static func value(of text: String, as type: AttributeType) -> StoredValue? {
    switch type {
    case .bool:
      switch text.lowercased() {
      case "true", "yes", "1": return .bool(true)
      case "false", "no", "0": return .bool(false)
      default: return nil
      }
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32:
      guard let number = Int64(text), type.integerRange?.contains(number) == true else {
        return nil
      }
      return .int(number)
    case .uint64: return UInt64(text).map { .unsigned($0) }
    case .float: return Float(text).flatMap { $0.isNaN ? nil : .double(Double($0)) }
    case .double: return double(text).map { .double($0) }
    case .string: return .string(text)
    case .data: return Data(base64Encoded: text).map { .data($0) }
    case .date: return date(text).map { .date($0) }
    case .uuid: return UUID(uuidString: text).map { .uuid($0) }
    case .decimal: return Decimal(string: text).map { .decimal($0) }
    case .json: return .json(text)
    case .array(let element):
      // Elements stand apart by spaces.
      let parts = text.split(separator: " ").map { value(of: String($0), as: element) }
      return parts.contains { $0 == nil } ? nil : .array(parts.compactMap { $0 })
    }
  }

  /// A JSON value as a value of a declared type; nil when it is none.
  package static func value(of value: StoredValue, as type: AttributeType) -> StoredValue? {
    switch (type, value) {
    case (_, .null): return .null
    case (.double, .int(let number)): return .double(Double(number))
    case (.float, .int(let number)): return .double(Double(Float(number)))
    case (.date, .double(let seconds)): return .date(Date(timeIntervalSinceReferenceDate: seconds))
    case (.date, .int(let seconds)):
      return .date(Date(timeIntervalSinceReferenceDate: Double(seconds)))
    case (.date, .string(let text)), (.uuid, .string(let text)), (.decimal, .string(let text)),
      (.data, .string(let text)), (.uint64, .string(let text)):
      return self.value(of: text, as: type)
    case (.decimal, .int(let number)): return .decimal(Decimal(number))
    case (.array(let element), .array(let elements)):
      let parts = elements.map { self.value(of: $0, as: element) }
      return parts.contains { $0 == nil } ? nil : .array(parts.compactMap { $0 })
    default: return type.fits(value) ? value : nil
    }
  }

  /// A number with a digit first or after its sign: "nan" and "infinity" are words.
  package static func double(_ text: String) -> Double? {
    guard let first = text.first(where: { $0 != "-" && $0 != "+" }), first.isNumber || first == "."
    else { return nil }
    return Double(text).flatMap { $0.isNaN ? nil : $0 }
  }

  /// A date in ISO 8601: `2024-05-01`, `2024-05-01T10:30:00Z`, with an offset or fractions.
  package static func date(_ text: String) -> Date? {
    guard text.utf8.count >= 10, text.utf8.dropFirst(4).first == UInt8(ascii: "-") else {
      return nil
    }
    if text.utf8.count == 10 { return try? Date.ISO8601FormatStyle().year().month().day().parse(text) }
    if let date = try? Date(text, strategy: .iso8601) { return date }
    return try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text)
  }
}

extension AttributeType {
  /// Whether a value is of the kind and inside the range.
  fileprivate func fits(_ value: StoredValue) -> Bool { fault(of: value, isOptional: true) == nil }
}
