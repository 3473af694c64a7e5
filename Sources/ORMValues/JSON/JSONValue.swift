/// A JSON value taken apart.
///
/// Numbers are stored as they are written, so none loses a digit. Literals make values, and
/// subscripts look inside:
///
/// ```swift
/// let json: JSONValue = ["title": "Chips", "price": ["amount": 2.5], "tags": ["salty", "new"]]
/// print(json["price"]["amount"].double ?? 0)      // 2.5
/// print(json["tags"][0] == "salty")               // true
/// ```
public enum JSONValue: Sendable {
  /// The word `null`.
  case null
  /// A truth value.
  case bool(Bool)
  /// A number as it is written.
  case number(String)
  /// A text, with its escapes read.
  case string(String)
  /// The elements of an array.
  case array([JSONValue])
  /// The members of an object.
  case object(JSONMembers)

  /// Reads a JSON text.
  ///
  /// ```swift
  /// let json = try JSONValue(parsing: #"{"name": "Chips"}"#)
  /// ```
  ///
  /// Of members with one name the last counts. Objects and arrays may be 512 deep.
  ///
  /// - Throws: `decoding`, with the byte, for text that is not JSON.
  public init(parsing text: String) throws {
    var builder = Builder()
    try JSONText.parse(text, &builder)
    self = builder.root
  }

  /// The JSON text of the value, without space.
  public var text: String {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.text
  }

  package func write(to writer: inout JSONWriter) {
    switch self {
    case .null: writer.literal("null")
    case .bool(let value): writer.literal(value ? "true" : "false")
    case .number(let text): writer.literal(text)
    case .string(let text): writer.string(text)
    case .array(let elements):
      writer.beginArray()
      for element in elements { element.write(to: &writer) }
      writer.end()
    case .object(let members):
      writer.beginObject()
      for (name, value) in members {
        writer.key(name)
        value.write(to: &writer)
      }
      writer.end()
    }
  }
}

extension JSONValue {
  /// The member with a name; null where there is none, or the value is no object.
  ///
  /// Setting one makes an object of any other value. Set `.null` for null, and nil to remove the
  /// member, as in a dictionary:
  ///
  /// ```swift
  /// var body: JSONValue = ["title": "Chips", "tags": ["salty"]]
  /// body["title"] = .null
  /// body["tags"] = nil
  /// print(body)                                     // {"title":null}
  /// ```
  public subscript(name: String) -> JSONValue {
    get { if case .object(let members) = self { members[name] ?? .null } else { .null } }
    set {
      var members = self.members ?? JSONMembers()
      members[name] = newValue
      self = .object(members)
    }
  }

  /// The member with a name, which setting nil removes.
  ///
  /// It does nothing where the value is no object. ``members`` distinguishes a missing member from null.
  @_disfavoredOverload
  public subscript(name: String) -> JSONValue? {
    get { members?[name] }
    set {
      if newValue == nil, members == nil { return }
      var members = self.members ?? JSONMembers()
      members[name] = newValue
      self = .object(members)
    }
  }

  /// The element at a position; null where there is none, or the value is no array.
  public subscript(index: Int) -> JSONValue {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return .null }
    return elements[index]
  }

  /// The members of an object; nil for any other value.
  public var members: JSONMembers? { if case .object(let members) = self { members } else { nil } }
  /// The elements of an array; nil for any other value.
  public var elements: [JSONValue]? { if case .array(let list) = self { list } else { nil } }
  /// The text of a string; nil for any other value.
  public var string: String? { if case .string(let text) = self { text } else { nil } }
  /// The truth value; nil for any other value.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  /// The integer that a number is exactly; nil for any other value.
  public var integer: Int64? { Int64(json: self) }
  /// The integer without sign that a number is exactly; nil for any other value.
  public var unsigned: UInt64? { UInt64(json: self) }
  /// The double nearest to a number; nil for any other value.
  public var double: Double? { Double(json: self) }
  /// True for null.
  public var isNull: Bool { if case .null = self { true } else { false } }
}

extension JSONValue: Equatable {
  /// Returns whether two values are the same; numbers compare by value, and members may be in any order.
  public static func == (a: JSONValue, b: JSONValue) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.string(let a), .string(let b)): ByteOrder.areEqual(a, b)
    case (.array(let a), .array(let b)): a == b
    case (.object(let a), .object(let b)): a == b
    case (.number(let a), .number(let b)): a == b || areEqual(a, b)
    default: false
    }
  }

  private static func areEqual(_ a: String, _ b: String) -> Bool {
    guard let a = DecimalText.parts(of: a.utf8), let b = DecimalText.parts(of: b.utf8) else {
      return false
    }
    return a.compare(to: b) == .equal
  }
}

extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// A truth value.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// A number.
  public init(integerLiteral value: Int64) { self = .number(String(value)) }
  /// A number.
  public init(floatLiteral value: Double) { self = .number(JSONWriter.text(of: value)) }
  /// A string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// An array.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// An object; of members with one name the last counts.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    var members = JSONMembers()
    for (name, value) in elements { members[name] = value }
    self = .object(members)
  }
}

extension JSONValue: CustomStringConvertible {
  /// The JSON text.
  public var description: String { text }
}

extension JSONValue {
  /// Builds a value from the events of a parser.
  struct Builder: JSONHandler {
    private(set) var root = JSONValue.null
    private var open: [Frame] = []

    /// An object or array whose end has not come yet.
    private struct Frame {
      let isObject: Bool
      var name = ""
      var elements: [JSONValue] = []
      var members = JSONMembers()
    }

    mutating func beginObject() { open.append(Frame(isObject: true)) }
    mutating func beginArray() { open.append(Frame(isObject: false)) }

    mutating func end() {
      guard let frame = open.popLast() else { return }
      add(frame.isObject ? .object(frame.members) : .array(frame.elements))
    }

    private mutating func add(_ value: JSONValue) {
      guard let last = open.indices.last else {
        root = value
        return
      }
      if open[last].isObject {
        open[last].members[open[last].name] = value
      } else {
        open[last].elements.append(value)
      }
    }

    mutating func key(_ token: JSONScanner.StringToken, in scanner: JSONScanner) {
      guard let last = open.indices.last else { return }
      open[last].name = scanner.text(of: token) ?? ""
    }

    mutating func string(_ token: JSONScanner.StringToken, in scanner: JSONScanner) {
      add(.string(scanner.text(of: token) ?? ""))
    }

    mutating func number(_ token: JSONScanner.NumberToken, in scanner: JSONScanner) {
      add(.number(scanner.text(of: token)))
    }

    mutating func bool(_ value: Bool) { add(.bool(value)) }
    mutating func null() { add(.null) }
  }
}
