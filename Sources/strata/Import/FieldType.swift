#if Command
  import Foundation
  import ORM
  import ORMExchange

  /// The types that a field of a file can be read as.
  extension SourceField {
    /// Returns whether an import of the field into an attribute of the type succeeds.
    func reads(as type: AttributeType) -> Bool {
      switch self {
      case .text(let text): TextValue.value(of: text, as: type) != nil
      case .number(let text): Self.reads(number: text, as: type)
      case .value(let value): Self.reads(value, as: type)
      }
    }

    /// A JSON number with a fraction or exponent, or past Int64, as it is written.
    private static func reads(number text: String, as type: AttributeType) -> Bool {
      switch type {
      case .float, .double, .decimal, .uint64, .string, .json:
        return TextValue.value(of: text, as: type) != nil
      case .date: return TextValue.double(text) != nil
      default:
        // `1.0` and `1e2` are integers too.
        guard let number = TextValue.double(text).flatMap({ Int64(exactly: $0) }) else {
          return false
        }
        return type.integerRange?.contains(number) == true
      }
    }

    private static func reads(_ value: StoredValue, as type: AttributeType) -> Bool {
      switch (type, value) {
      case (.double, .int), (.float, .int), (.date, .int), (.decimal, .int), (.string, .int),
        (.string, .bool), (.json, _):
        return true
      case (.date, .string(let text)), (.uuid, .string(let text)), (.decimal, .string(let text)),
        (.data, .string(let text)), (.uint64, .string(let text)):
        return TextValue.value(of: text, as: type) != nil
      case (.uint64, .int(let number)): return number >= 0
      case (.array(let element), .json(let text)):
        guard let elements = try? JSONText.decode(array: text, element: element) else {
          return false
        }
        return type.fault(of: .array(elements), isOptional: false) == nil
      default: return type.fault(of: value, isOptional: true) == nil
      }
    }
  }
#endif
