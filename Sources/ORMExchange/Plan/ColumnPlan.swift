internal import FoundationEssentials
internal import ORM

/// The mapping of one attribute, worked out.
struct ColumnPlan: Sendable {
  /// The reading of the attribute's values from JSON in their usual form.
  enum Reading: UInt8, Sendable {
    case string, integer, double, bool
    /// Any value that has no short reading.
    case other
  }

  let name: String
  let type: AttributeType
  let isOptional: Bool
  let format: FieldFormat
  /// The form in which values are written.
  let written: FieldFormat
  let reading: Reading
  /// The integers that the type holds.
  let range: ClosedRange<Int64>
  let onNull: JSONAbsence
  let onAbsent: JSONAbsence
  /// The value of a new object where JSON has none.
  let initial: InitialValue
  /// The paths that are read, the first that has a value counts; none for an attribute that is not
  /// read.
  let sources: [[PathStep]]
  /// The first path that is read, for errors.
  var source: [PathStep]? { sources.first }

  /// The value of an attribute of a new object for which JSON has none.
  enum InitialValue: Sendable {
    case value(StoredValue)
    case now
    case uuid
    /// No value: the member is required.
    case required
  }

  init(
    _ attribute: AttributeDescription, isKeyOf keySource: StoredEntity.KeySource? = nil,
    format: FieldFormat = .plain, written: FieldFormat? = nil, onNull: JSONAbsence = .setNil,
    onAbsent: JSONAbsence = .keep, sources: [[PathStep]] = []
  ) {
    name = attribute.name
    type = attribute.type
    isOptional = attribute.isOptional
    self.format = format
    self.written = written ?? format
    range = attribute.type.integerRange ?? 0...0
    self.onNull = onNull
    self.onAbsent = onAbsent
    self.sources = sources
    initial = Self.initial(of: attribute, keySource)
    reading = Self.reading(self.format, attribute.type)
  }

  /// The reading of values in their usual form, also for a format that takes other forms too.
  private static func reading(_ format: FieldFormat, _ type: AttributeType) -> Reading {
    switch (format, type.kind) {
    case (.member(_, let inner), _): reading(inner, type)
    case (.plain, .string), (.text, .string): .string
    case (.plain, .int), (.number, .int): .integer
    case (.plain, .double), (.number, .double): type == .double ? .double : .other
    case (.plain, .bool), (.bool, .bool): .bool
    default: .other
    }
  }

  private static func initial(
    of attribute: AttributeDescription, _ keySource: StoredEntity.KeySource?
  ) -> InitialValue {
    switch attribute.defaultValue {
    case .value(let value): return .value(value)
    case .now: return .now
    case .uuid: return .uuid
    case nil: break
    }
    if attribute.isOptional { return .value(.null) }
    switch (keySource, attribute.type.kind) {
    case (.generated, _): return .value(.int(0))
    case (.uuidV4, _), (.uuidV7, _): return .value(.uuid(.unassigned))
    case (_, .array): return .value(.array([]))
    default: break
    }
    // The operations set these when the object is saved.
    guard attribute.role != nil || attribute.derived != nil else { return .required }
    switch attribute.type.kind {
    case .date: return .value(.date(Date(timeIntervalSinceReferenceDate: 0)))
    case .double: return .value(.double(0))
    case .decimal: return .value(.decimal(0))
    case .int, .unsigned: return .value(.int(0))
    default: return .required
    }
  }

  /// The form that is expected, in the words of errors.
  var expected: String {
    Self.expected(format, type)
  }

  private static func expected(_ format: FieldFormat, _ type: AttributeType) -> String {
    switch format {
    case .custom(let custom): custom.name
    case .cases, .words: "one of the known words"
    case .member(_, let format): expected(format, type)
    case .number(orText: true, writesText: _): name(of: type) + " or a text of it"
    case .text: "a string, a number or a boolean"
    case .bool: "a boolean, 0, 1 or a word for one"
    case .date(let formats): formats.map(\.name).joined(separator: " or ")
    case .data(let data): "data as \(data.rawValue)"
    case .plain, .number: name(of: type)
    }
  }

  /// The usual form of a type in JSON, in the words of errors.
  static func name(of type: AttributeType) -> String {
    switch type {
    case .bool: "a boolean"
    case .int64: "an integer of 64 bits"
    case .uint64: "an integer of 64 bits without sign"
    case .float, .double: "a number that a \(type) holds"
    case .string: "a string"
    case .data: "data as base64"
    case .date: JSONDateFormat.iso8601.name
    case .uuid: "a UUID"
    case .decimal: "a number that a decimal holds"
    case .array(let element): "an array, each element \(name(of: element))"
    case .json: "a JSON value"
    default:
      type.integerRange.map { "an integer from \($0.lowerBound) to \($0.upperBound)" }
        ?? "an integer"
    }
  }
}
