internal import Foundation
internal import ORMCore

/// JSON as conditions look into it (clause 1.7): a little parser of its own.
///
/// It reads texts that are JSON, which those of the random runs are; it checks nothing.
indirect enum NaiveJSON {
  case null
  case bool(Bool)
  /// A number as written.
  case number(String)
  case string(String)
  case array([NaiveJSON])
  /// Members in order, with all of one name.
  case object([(name: String, value: NaiveJSON)])

  init(_ text: String) {
    var scalars = Array(text.unicodeScalars)[...]
    self = Self.value(&scalars)
  }

  /// Returns the value found by following steps; null where there is nothing.
  func value(at steps: [JSONStep]) -> StoredValue {
    var current = self
    for step in steps {
      switch (step, current) {
      case (.key(let name), .object(let members)):
        current =
          members.last { $0.name.unicodeScalars.elementsEqual(name.unicodeScalars) }?.value ?? .null
      case (.index(let index), .array(let elements)):
        current = elements.indices.contains(index) ? elements[index] : .null
      default: return .null
      }
    }
    return current.stored
  }

  /// The elements of an array; nil for anything else.
  var elements: [StoredValue]? {
    if case .array(let elements) = self { elements.map(\.stored) } else { nil }
  }

  /// The elements of an array, or of a JSON text that is one; nil for anything else.
  static func elements(of value: StoredValue) -> [StoredValue]? {
    switch value {
    case .array(let elements): elements
    case .json(let text): NaiveJSON(text).elements
    default: nil
    }
  }

  private var stored: StoredValue {
    switch self {
    case .null: return .null
    case .bool(let value): return .bool(value)
    case .string(let text): return .string(text)
    case .number(let text): return Int64(text).map(StoredValue.int) ?? .double(Double(text) ?? 0)
    case .array: return .json(text)
    case .object(let members):
      if members.count == 1, case .number(let seconds) = members[0].value,
        members[0].name == "$date"
      {
        return .date(Date(timeIntervalSinceReferenceDate: Double(seconds) ?? 0))
      }
      if members.count == 1, case .string(let base64) = members[0].value,
        members[0].name == "$data", let data = Data(base64Encoded: base64)
      {
        return .data(data)
      }
      return .json(text)
    }
  }

  /// The text without space.
  private var text: String {
    switch self {
    case .null: return "null"
    case .bool(let value): return value ? "true" : "false"
    case .number(let text): return text
    case .string(let text): return Self.quoted(text)
    case .array(let elements): return "[" + elements.map(\.text).joined(separator: ",") + "]"
    case .object(let members):
      let parts = members.map { Self.quoted($0.name) + ":" + $0.value.text }
      return "{" + parts.joined(separator: ",") + "}"
    }
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\0": quoted += "\\u0000"
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

extension NaiveJSON {
  private typealias Input = ArraySlice<Unicode.Scalar>

  private static func skipSpace(_ input: inout Input) {
    input = input.drop { " \n\r\t".unicodeScalars.contains($0) }
  }

  private static func value(_ input: inout Input) -> NaiveJSON {
    skipSpace(&input)
    defer { skipSpace(&input) }
    switch input.first {
    case "{":
      input.removeFirst()
      return .object(members(&input))
    case "[":
      input.removeFirst()
      return .array(elements(&input))
    case "\"": return .string(string(&input))
    default:
      let word = input.prefix { !",]} \n\r\t".unicodeScalars.contains($0) }
      input = input.dropFirst(word.count)
      let text = String(String.UnicodeScalarView(word))
      switch text {
      case "null": return .null
      case "true", "false": return .bool(text == "true")
      default: return .number(text)
      }
    }
  }

  private static func members(_ input: inout Input) -> [(name: String, value: NaiveJSON)] {
    var members: [(name: String, value: NaiveJSON)] = []
    skipSpace(&input)
    while let next = input.first, next != "}" {
      if next == "," { input.removeFirst() }
      skipSpace(&input)
      let name = string(&input)
      input = input.drop { $0 != ":" }.dropFirst()
      members.append((name, value(&input)))
    }
    input = input.dropFirst()
    return members
  }

  private static func elements(_ input: inout Input) -> [NaiveJSON] {
    var elements: [NaiveJSON] = []
    skipSpace(&input)
    while let next = input.first, next != "]" {
      if next == "," { input.removeFirst() }
      elements.append(value(&input))
    }
    input = input.dropFirst()
    return elements
  }

  private static func string(_ input: inout Input) -> String {
    var text = String.UnicodeScalarView()
    input = input.dropFirst()
    while let scalar = input.popFirst(), scalar != "\"" {
      guard scalar == "\\", let escaped = input.popFirst() else {
        text.append(scalar)
        continue
      }
      switch escaped {
      case "n": text.append("\n")
      case "t": text.append("\t")
      case "u":
        let digits = String(String.UnicodeScalarView(input.prefix(4)))
        input = input.dropFirst(4)
        if let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) {
          text.append(scalar)
        }
      default: text.append(escaped)
      }
    }
    return String(text)
  }
}
