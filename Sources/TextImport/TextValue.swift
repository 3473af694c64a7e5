internal import Foundation
package import ORM

/// Reads a field of a file as a value of a declared type.
package enum TextValue {
  /// The value of a field; nil when it is none of the type's, null when it is empty.
  package static func value(
    of field: ImportSource.Field, as type: AttributeType
  ) -> StoredValue? {
    switch field {
    case _ where field.isEmpty: .null
    case .text(let text): value(of: text, as: type)
    case .number(let text): value(ofNumber: text, as: type)
    case .value(let value): self.value(of: value, as: type)
    }
  }

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
    case .date: return DateText.date(text).map { .date($0) }
    case .uuid: return UUID(uuidString: text).map { .uuid($0) }
    case .decimal: return DecimalText.decimal(from: text).map { .decimal($0) }
    case .json: return (try? JSONText.validate(text)).map { .json(text) }
    case .array(let element):
      // Elements stand apart by spaces.
      let parts = text.split(separator: " ").map { value(of: String($0), as: element) }
      return parts.contains { $0 == nil } ? nil : .array(parts.compactMap { $0 })
    }
  }

  /// A JSON number with a fraction or exponent, or past Int64, as it is written.
  private static func value(ofNumber text: String, as type: AttributeType) -> StoredValue? {
    switch type {
    case .float, .double, .decimal, .uint64, .string, .json: return value(of: text, as: type)
    case .date:
      return double(text).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    default:
      // `1.0` and `1e2` are integers too.
      guard let number = double(text).flatMap({ Int64(exactly: $0) }),
        type.integerRange?.contains(number) == true
      else { return nil }
      return .int(number)
    }
  }

  /// A JSON value as a value of a declared type; nil when it is none.
  ///
  /// Into a text go scalars as they are written.
  private static func value(of value: StoredValue, as type: AttributeType) -> StoredValue? {
    switch (type, value) {
    case (.double, .int(let number)): return .double(Double(number))
    case (.float, .int(let number)): return .double(Double(Float(number)))
    case (.date, .int(let seconds)):
      return .date(Date(timeIntervalSinceReferenceDate: Double(seconds)))
    case (.date, .string(let text)), (.uuid, .string(let text)), (.decimal, .string(let text)),
      (.data, .string(let text)), (.uint64, .string(let text)):
      return self.value(of: text, as: type)
    case (.decimal, .int(let number)): return .decimal(Decimal(number))
    case (.uint64, .int(let number)): return number < 0 ? nil : .unsigned(UInt64(number))
    case (.string, .int(let number)): return .string("\(number)")
    case (.string, .bool(let truth)): return .string("\(truth)")
    case (.json, .int(let number)): return .json("\(number)")
    case (.json, .bool(let truth)): return .json("\(truth)")
    case (.json, .string(let text)): return (try? JSONCoding.encode(text)).map { .json($0) }
    case (.array(let element), .json(let text)):
      guard let elements = try? JSONText.decode(array: text, element: element) else { return nil }
      return type.fault(of: .array(elements), isOptional: false) == nil ? .array(elements) : nil
    default: return type.fault(of: value, isOptional: true) == nil ? value : nil
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
