internal import FoundationEssentials
public import ORM

/// The form of a value in JSON as data: a ``JSONTransform`` that can be written down.
///
/// ```swift
/// let form: JSONForm = "milliseconds"
/// let dates = JSONForm.date([.pattern("dd.MM.yyyy"), .iso8601])
/// ```
///
/// As JSON it is a word: `number`, `numberAsText`, `numberOnly`, `numberToText`, `text`, `boolean`,
/// `booleanAsNumber`, `base64`, `base64URL` or `hex`. A format of dates is `iso8601`, `seconds`,
/// `milliseconds`, `microseconds`, `secondsSince2001`, a pattern, or an array of them. Cases are
/// `{"cases": {"hot": 1}, "otherwise": 0}`.
public enum JSONForm: Hashable, Sendable {
  /// A number, which may also come or be written as a text.
  case number(orText: Bool = true, writesText: Bool = false)
  /// A text, which may also come as a number or a boolean.
  case textOrScalar
  /// A boolean, which may also come as a number or a word.
  case boolean(writesNumber: Bool = false)
  /// A date in the first of these formats that reads it; the first is the one that is written.
  case date([JSONDateFormat])
  /// Data as a text.
  case data(JSONDataFormat)
  /// The value of each word in its usual form, and that of any other word; nil to refuse those.
  case cases(JSONMembers, otherwise: JSONValue?)

  /// Hashes the form.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .number(let orText, let writesText):
      hasher.combine(orText)
      hasher.combine(writesText)
    case .textOrScalar: hasher.combine(2)
    case .boolean(let writesNumber): hasher.combine(writesNumber)
    case .date(let formats): hasher.combine(formats)
    case .data(let format): hasher.combine(format)
    // Equal numbers may be written differently, so only the words are hashed.
    case .cases(let cases, otherwise: _): hasher.combine(Set<ExactText>(texts: cases.names))
    }
  }
}

extension JSONForm: ExpressibleByStringLiteral {
  /// The form of a word, or the date format of any other text.
  public init(stringLiteral word: String) { self.init(word: word) }

  init(word: String) { self = Self.words[word] ?? .date([JSONDateFormat(word: word)]) }

  fileprivate static let words: [String: JSONForm] = [
    "number": .number(), "numberAsText": .number(writesText: true),
    "numberOnly": .number(orText: false),
    "numberToText": .number(orText: false, writesText: true),
    "text": .textOrScalar, "boolean": .boolean(), "booleanAsNumber": .boolean(writesNumber: true),
    "base64": .data(.base64), "base64URL": .data(.base64URL), "hex": .data(.hex),
  ]
}

extension JSONDateFormat {
  private static let words: [String: JSONDateFormat] = [
    "iso8601": .iso8601, "seconds": .seconds, "milliseconds": .milliseconds,
    "microseconds": .microseconds, "secondsSince2001": .secondsSince2001,
  ]

  /// The format of a word; any other text is a pattern.
  fileprivate init(word: String) { self = Self.words[word] ?? .pattern(word) }

  /// The word that stands for the format; nil for a pattern that is a word of another format.
  fileprivate var word: String? {
    guard case .pattern(let pattern) = self else {
      return Self.words.first { $0.value == self }?.key
    }
    return Self.words[pattern] == nil ? pattern : nil
  }
}

extension JSONForm: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable { case cases, otherwise }
  private enum PatternKeys: String, CodingKey { case pattern }

  /// Decodes a form.
  public init(from decoder: any Decoder) throws {
    if let word = try? decoder.singleValueContainer().decode(String.self) {
      self.init(word: word)
    } else if var list = try? decoder.unkeyedContainer() {
      var formats: [JSONDateFormat] = []
      while !list.isAtEnd {
        if let word = try? list.decode(String.self) {
          formats.append(JSONDateFormat(word: word))
        } else {
          let pattern = try list.nestedContainer(keyedBy: PatternKeys.self)
          formats.append(.pattern(try pattern.decode(String.self, forKey: .pattern)))
        }
      }
      self = .date(formats)
    } else {
      try decoder.refuseOthers(than: CodingKeys.allCases.map(\.rawValue))
      let members = try decoder.container(keyedBy: CodingKeys.self)
      self = .cases(
        try members.decode(CodedJSON.self, forKey: .cases).value.members
          ?? members.decode([String: CodedJSON].self, forKey: .cases).reduce(into: JSONMembers()) {
            $0[$1.key] = $1.value.value
          },
        otherwise: try members.decodeIfPresent(CodedJSON.self, forKey: .otherwise)?.value)
    }
  }

  /// Encodes the form.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .date(let formats):
      if formats.count == 1, let word = formats[0].word, Self.words[word] == nil {
        var text = encoder.singleValueContainer()
        return try text.encode(word)
      }
      var list = encoder.unkeyedContainer()
      for format in formats {
        if let word = format.word {
          try list.encode(word)
        } else if case .pattern(let text) = format {
          var pattern = list.nestedContainer(keyedBy: PatternKeys.self)
          try pattern.encode(text, forKey: .pattern)
        }
      }
    case .cases(let cases, let otherwise):
      var members = encoder.container(keyedBy: CodingKeys.self)
      try members.encode(CodedJSON(value: .object(cases)), forKey: .cases)
      try members.encodeIfPresent(otherwise.map { CodedJSON(value: $0) }, forKey: .otherwise)
    default:
      var text = encoder.singleValueContainer()
      try text.encode(Self.words.first { $0.value == self }?.key ?? "")
    }
  }
}

extension Decoder {
  /// Refuses members that a type does not know, such as misspelt ones.
  func refuseOthers(than known: [String]) throws {
    let names = try container(keyedBy: AnyName.self).allKeys.map(\.stringValue)
    guard let other = names.sorted().first(where: { !known.contains($0) }) else { return }
    throw DecodingError.dataCorrupted(
      DecodingError.Context(
        codingPath: codingPath,
        debugDescription: "there is no member \(other); there are \(known.joined(separator: ", "))")
    )
  }
}

private struct AnyName: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

/// A JSON value that any coder of JSON writes as itself.
struct CodedJSON: Codable {
  let value: JSONValue

  init(value: JSONValue) { self.value = value }

  init(from decoder: any Decoder) throws {
    if let members = try? decoder.container(keyedBy: AnyName.self) {
      var object = JSONMembers()
      for name in members.allKeys {
        object[name.stringValue] = try members.decode(CodedJSON.self, forKey: name).value
      }
      value = .object(object)
    } else if var list = try? decoder.unkeyedContainer() {
      var elements: [JSONValue] = []
      while !list.isAtEnd { elements.append(try list.decode(CodedJSON.self).value) }
      value = .array(elements)
    } else {
      value = try Self.scalar(decoder.singleValueContainer())
    }
  }

  private static func scalar(_ container: any SingleValueDecodingContainer) throws -> JSONValue {
    if container.decodeNil() { return .null }
    if let value = try? container.decode(Bool.self) { return .bool(value) }
    if let value = try? container.decode(String.self) { return .string(value) }
    if let value = try? container.decode(Int64.self) { return .number(String(value)) }
    if let value = try? container.decode(UInt64.self) { return .number(String(value)) }
    if let value = try? container.decode(Decimal.self), !value.isNaN {
      return .number(DecimalText.text(of: value))
    }
    return .number(JSONWriter.text(of: try container.decode(Double.self)))
  }

  func encode(to encoder: any Encoder) throws {
    switch value {
    case .object(let members):
      var object = encoder.container(keyedBy: AnyName.self)
      for (name, value) in members {
        try object.encode(CodedJSON(value: value), forKey: AnyName(stringValue: name))
      }
    case .array(let elements):
      var list = encoder.unkeyedContainer()
      for value in elements { try list.encode(CodedJSON(value: value)) }
    default:
      var container = encoder.singleValueContainer()
      switch value {
      case .bool(let value): try container.encode(value)
      case .string(let text): try container.encode(text)
      case .number(let text):
        if let value = value.integer {
          try container.encode(value)
        } else if let value = value.unsigned {
          try container.encode(value)
        } else if let value = DecimalText.decimal(from: text) {
          try container.encode(value)
        } else {
          try container.encode(value.double ?? .infinity)
        }
      default: try container.encodeNil()
      }
    }
  }
}
