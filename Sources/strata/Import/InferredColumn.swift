#if Command
  import ORM
  import ORMExchange

  /// The types that the rows seen so far allow for one attribute.
  struct InferredColumn {
    let name: String
    /// The number of rows that have a value.
    private(set) var filled = 0
    private let declared: AttributeType?
    private var candidates = Self.scalars + Self.lists
    private var holdsJSON = false

    private static let scalars: [AttributeType] = [.int64, .double, .bool, .date]
    private static let lists: [AttributeType] = [
      .array(.int64), .array(.double), .array(.bool), .array(.string),
    ]

    init(name: String, declared: AttributeType?) {
      self.name = name
      self.declared = declared
    }

    /// The declared type, or the first that every value allows; text where none does.
    var type: AttributeType {
      if let declared { return declared }
      if filled == 0 { return .string }
      // Empty lists alone do not show the type of their elements.
      if candidates == Self.lists { return .array(.string) }
      return candidates.first ?? (holdsJSON ? .json : .string)
    }

    /// Takes in the value of one row.
    mutating func take(_ field: SourceField) {
      filled += 1
      if declared != nil { return }
      candidates.removeAll { !Self.allows($0, field) }
      if case .value(.json) = field { holdsJSON = true }
    }

    private static func allows(_ type: AttributeType, _ field: SourceField) -> Bool {
      switch (field, type) {
      case (.text, .array): false
      case (.text(let text), .bool): ["true", "false"].contains(text.lowercased())
      case (.text(let text), .int64), (.text(let text), .double):
        !isCode(text) && isExact(text, as: type)
      case (.text, _): field.reads(as: type)
      case (.number(let text), .double): isExact(text, as: type)
      case (.number, _): false
      case (.value(.int(let number)), .double): Int64(exactly: Double(number)) == number
      case (.value(.int), _): type == .int64
      case (.value(.bool), _): type == .bool
      case (.value, _): field.reads(as: type)
      }
    }

    /// Returns whether the text is a number of digits that mean something as they are written: a
    /// leading zero or plus would be lost.
    private static func isCode(_ text: String) -> Bool {
      var digits = text.utf8[...]
      if digits.first == UInt8(ascii: "+") { return true }
      if digits.first == UInt8(ascii: "-") { digits = digits.dropFirst() }
      guard digits.first == UInt8(ascii: "0"), let second = digits.dropFirst().first else {
        return text == "-0"
      }
      return (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(second)
    }

    /// Returns whether the type holds the number, and all its digits where it is an integer.
    private static func isExact(_ text: String, as type: AttributeType) -> Bool {
      if type == .int64 { return Int64(text) != nil }
      guard let number = TextValue.double(text), number.isFinite else { return false }
      guard text.utf8.dropFirst().allSatisfy({ $0 >= 48 && $0 <= 57 }) else { return true }
      return Int64(text).flatMap { Int64(exactly: number) == $0 } ?? false
    }
  }
#endif
