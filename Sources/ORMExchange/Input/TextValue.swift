internal import Foundation
internal import ORM

/// Reads a text without JSON, such as a field of CSV, as a value of a declared type.
package enum TextValue {
  /// The value of a text; nil when it is none of the type's.
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
    case .float: return double(text).map { .double(Double(Float($0))) }
    case .double: return double(text).map { .double($0) }
    case .string: return .string(text)
    case .data: return Data(base64Encoded: text).map { .data($0) }
    case .date: return ExactDateText.date(text).map { .date($0) }
    case .uuid: return UUID(uuidString: text).map { .uuid($0) }
    case .decimal: return DecimalText.decimal(from: text).map { .decimal($0) }
    case .json: return (try? JSONText.validate(text)).map { .json(text) }
    case .array(let element):
      if text.hasPrefix("[") {
        return (try? JSONText.decode(array: text, element: element)).map { .array($0) }
      }
      // Elements are separated by spaces.
      let parts = text.split(separator: " ").map { value(of: String($0), as: element) }
      return parts.contains { $0 == nil } ? nil : .array(parts.compactMap { $0 })
    }
  }

  /// A decimal number, or `inf`, `infinity` and their negatives; no other word, nothing in
  /// hexadecimal, and no number that is too large for a double.
  package static func double(_ text: String) -> Double? {
    switch text.lowercased() {
    case "inf", "+inf", "infinity", "+infinity": return .infinity
    case "-inf", "-infinity": return -.infinity
    default:
      guard text.utf8.allSatisfy({ isInNumber($0) }) else { return nil }
      return Double(text).flatMap { $0.isFinite ? $0 : nil }
    }
  }

  private static func isInNumber(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "+"),
      UInt8(ascii: "-"), UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }
}
