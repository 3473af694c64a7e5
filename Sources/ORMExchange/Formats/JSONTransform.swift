public import ORM

/// The form of an attribute in JSON, where it is not the one of its type.
///
/// ```swift
/// let mapping = JSONMapping(Snack.self)
///   .field(\.price, as: .number(orText: true))
///   .field(\.added, as: .date(.iso8601, .milliseconds))
/// ```
///
/// Without one, booleans, numbers and texts are themselves, and dates are texts in ISO 8601. Data
/// is base64, UUIDs are texts, and decimals are numbers with all their digits. Arrays are arrays,
/// and an attribute stored as JSON takes any value. Anything else is refused, and no number is
/// rounded to fit.
public struct JSONTransform<Value>: Sendable {
  let format: FieldFormat

  init(_ format: FieldFormat) { self.format = format }

  /// A number, which may also come as a text: `2.5` or `"2.5"`.
  ///
  /// - Parameters:
  ///   - orText: whether a text is read too.
  ///   - writesText: whether it is written as a text.
  public static func number(orText: Bool = true, writesText: Bool = false) -> Self {
    Self(.number(orText: orText, writesText: writesText))
  }

  /// A text, which may also come as a number or a boolean: `"7"`, `7` or `true`.
  public static var textOrScalar: Self { Self(.text) }

  /// A boolean that may also come as a number or a text.
  ///
  /// `0` and `1` are read, and in any case of letters `true`, `yes`, `y`, `on` and `1`, `false`,
  /// `no`, `n`, `off` and `0`.
  ///
  /// - Parameter writesNumber: whether 0 or 1 is written.
  public static func boolean(writesNumber: Bool = false) -> Self {
    Self(.bool(writesNumber: writesNumber))
  }

  /// A date in the first of these formats that reads it; the first is the one that is written.
  ///
  /// A format by units writes the nearest whole one, except for seconds.
  public static func date(_ formats: JSONDateFormat...) -> Self { Self(.date(formats)) }

  /// Data as a text.
  public static func data(_ format: JSONDataFormat) -> Self { Self(.data(format)) }
}

extension JSONTransform where Value: AttributeValue {
  /// A value by the word that stands for it.
  ///
  /// ```swift
  /// let mapping = JSONMapping(Snack.self).field(\.taste, as: .cases(["hot": "chili", "cold": "mint"]))
  /// ```
  ///
  /// - Parameters:
  ///   - cases: the value of each word; of two words for one value, the first in the order of
  ///     letters is written.
  ///   - otherwise: the value that any other word stands for; nil to refuse it.
  public static func cases(_ cases: [String: Value], otherwise: Value? = nil) -> Self {
    let words = cases.sorted { ExactText($0.key) < ExactText($1.key) }
    return Self(
      .cases(
        CasesFormat(
          words: words.map { ($0.key, $0.value.storedValue) }, otherwise: otherwise?.storedValue)))
  }

  /// A form of one's own.
  ///
  /// ```swift
  /// let cents = JSONTransform<Double>.custom("a price in cents") { json in
  ///   json.integer.map { Double($0) / 100 }
  /// } write: { price in
  ///   .number(String(Int64((price * 100).rounded())))
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - name: the form in a few words, for errors: "a price in cents".
  ///   - isExact: whether `read` gives back every value that `write` has written; see
  ///     ``JSONMapping/losses``.
  ///   - read: the value of JSON that is not null; nil to refuse it.
  ///   - write: the JSON of a value that is not nil.
  public static func custom(
    _ name: String, isExact: Bool = false, read: @escaping @Sendable (JSONValue) throws -> Value?,
    write: @escaping @Sendable (Value) throws -> JSONValue
  ) -> Self {
    Self(
      .custom(
        CustomFormat(name: name, isExact: isExact) {
          try read($0)?.storedValue
        } write: {
          try write(Value(storedValue: $0))
        }))
  }
}

/// The form of a field, apart from its Swift type.
enum FieldFormat: Sendable {
  case plain
  case number(orText: Bool, writesText: Bool)
  case text
  case bool(writesNumber: Bool)
  case date([JSONDateFormat])
  case data(JSONDataFormat)
  case cases(CasesFormat)
  /// Words for values whose type is not known yet.
  case words(JSONMembers, otherwise: JSONValue?)
  /// A member of an object, or the value itself: the key of a target.
  indirect case member([PathStep], FieldFormat)
  case custom(CustomFormat)

  /// The reason why a type cannot have this form; nil if it can.
  func fault(for type: AttributeType) -> String? {
    let kind = type.kind
    if case .date(let formats) = self {
      for case .pattern(let pattern) in formats where !DatePattern(pattern).hasDate {
        return "the date pattern '\(pattern)' has none of yyyy, MM, dd and HH, and is no known form"
      }
    }
    let fits =
      switch self {
      case .plain, .custom, .words, .cases: true
      case .member(_, let format): format.fault(for: type) == nil
      case .number: [.int, .unsigned, .double, .decimal].contains(kind)
      case .text: kind == .string
      case .bool: kind == .bool
      case .date(let formats): kind == .date && !formats.isEmpty
      case .data: kind == .data
      }
    return fits ? nil : "the transform does not fit an attribute of the type \(type)"
  }
}

/// A form of words that stand for values.
struct CasesFormat: Sendable {
  /// The words in the order of letters.
  let words: [(word: String, value: StoredValue)]
  let otherwise: StoredValue?

  /// The value of a word; nil for one that is refused.
  func value(of word: String) -> StoredValue? {
    words.first { $0.word.hasSameScalars(as: word) }?.value ?? otherwise
  }

  /// The word for a value.
  ///
  /// - Throws: `invalidValue`.
  func word(for value: StoredValue) throws -> String {
    guard let word = words.first(where: { $0.value == value })?.word else {
      throw StoreError(.invalidValue, "no word of the mapping stands for the value")
    }
    return word
  }
}

extension FieldFormat {
  /// The form for an attribute of a type.
  ///
  /// - Throws: `invalidMapping` for words that stand for no values of the type.
  func resolved(for type: AttributeType) throws -> FieldFormat {
    guard case .words(let cases, let otherwise) = self else { return self }
    func value(of json: JSONValue) throws -> StoredValue {
      let value = json.text.withBytes { bytes in
        var scanner = JSONScanner(bytes)
        return ValueReading.value(&scanner, as: type)
      }
      guard let value else {
        throw StoreError(
          .invalidMapping, "a word stands for what is not \(ColumnPlan.name(of: type))")
      }
      return value
    }
    return .cases(
      CasesFormat(
        words: try cases.sorted { ExactText($0.name) < ExactText($1.name) }.map {
          ($0.name, try value(of: $0.value))
        },
        otherwise: try otherwise.map { try value(of: $0) }))
  }

  /// The form as data, for an attribute of a type; nil for the usual one, and for closures.
  func form(of type: AttributeType) throws -> JSONForm? {
    func json(_ value: StoredValue) throws -> JSONValue {
      var writer = JSONWriter()
      try writer.write(value, as: type)
      return try JSONValue(parsing: writer.text)
    }
    switch self {
    case .plain, .member, .custom: return nil
    case .number(let orText, let writesText): return .number(orText: orText, writesText: writesText)
    case .text: return .textOrScalar
    case .bool(let writesNumber): return .boolean(writesNumber: writesNumber)
    case .date(let formats): return .date(formats)
    case .data(let format): return .data(format)
    case .cases(let cases):
      var words = JSONMembers()
      for (word, value) in cases.words { words[word] = try json(value) }
      return .cases(
        words, otherwise: try cases.otherwise.map { try json($0) })
    case .words(let cases, let otherwise): return .cases(cases, otherwise: otherwise)
    }
  }

  /// Makes the form that data says.
  init(_ form: JSONForm?) {
    self =
      switch form {
      case nil: .plain
      case .number(let orText, let writesText): .number(orText: orText, writesText: writesText)
      case .textOrScalar: .text
      case .boolean(let writesNumber): .bool(writesNumber: writesNumber)
      case .date(let formats): .date(formats)
      case .data(let format): .data(format)
      case .cases(let cases, let otherwise): .words(cases, otherwise: otherwise)
      }
  }
}

/// A form that closures read and write.
struct CustomFormat: Sendable {
  let name: String
  /// True if every value that is written is read again.
  let isExact: Bool
  let read: @Sendable (JSONValue) throws -> StoredValue?
  let write: @Sendable (StoredValue) throws -> JSONValue
}

/// A form of data in JSON.
public enum JSONDataFormat: String, Hashable, Codable, Sendable {
  /// Base64 with `+`, `/` and padding.
  case base64
  /// Base64 with `-` and `_`, without padding.
  case base64URL
  /// Two hexadecimal digits for each byte.
  case hex
}
