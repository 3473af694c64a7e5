internal import FoundationEssentials
internal import ORMValues

/// The type of a value, as far as it is known when a format is read.
struct FormatType: Equatable {
  /// The kind of value; nil where that is known only for each row (JSON, nil, a variable).
  var kind: AttributeType.Kind?
  /// The type of an array's elements, where it is known.
  var element: AttributeType?
  /// True if numbers are floats: `0.1` beside one is the float nearest to it.
  var isFloat = false

  static let unknown = FormatType(kind: nil)

  init(kind: AttributeType.Kind?, element: AttributeType? = nil) {
    self.kind = kind
    self.element = element
  }

  init(_ type: AttributeType) {
    kind = type.kind
    switch type {
    case .array(let element): self.element = element
    case .float: isFloat = true
    default: break
    }
  }

  init(of value: StoredValue) {
    kind = value.kind
    if case .array(let elements) = value {
      element = elements.lazy.compactMap(\.kind).first.flatMap(\.widestType)
    }
  }

  /// The type of an element of an array of this type.
  var elementType: FormatType { element.map { FormatType($0) } ?? .unknown }

  /// The array of such elements.
  var listed: FormatType { FormatType(kind: .array, element: kind.flatMap(\.widestType)) }

  var isNumber: Bool { kind?.isNumber ?? true }
  var isInteger: Bool { kind == nil || kind == .int || kind == .unsigned }
  var isText: Bool { kind == nil || kind == .string }
  var isArray: Bool { kind == .array }
  /// True if it may be a list: JSON may hold one.
  var isListLike: Bool { kind == nil || kind == .array || kind == .json }

  /// Returns whether values of the two can be compared.
  func isComparable(with other: FormatType) -> Bool {
    guard let kind, let otherKind = other.kind else { return true }
    if kind == .array, otherKind == .array {
      return elementType.isComparable(with: other.elementType)
    }
    return kind == otherKind || (kind.isNumber && otherKind.isNumber)
  }

  /// The type in words, for errors.
  var words: String { kind?.words ?? "a value of any type" }
}

/// The conversion of a value written in a format to the type of the other side.
///
/// `1` beside a double is a double, `0.1` beside a decimal is that decimal, and `1` beside a truth
/// value is true. A text beside a date, a UUID or a decimal is read as one.
enum FormatCoercion {
  /// The value beside a type; nil for a text that does not read as it.
  ///
  /// `number` is a number with a fraction or exponent as it was written.
  static func value(
    _ value: StoredValue, number: String? = nil, beside type: FormatType
  ) -> StoredValue? {
    switch (value, type.kind) {
    case (.int(let whole), .double):
      let exact = type.isFloat ? Float(exactly: whole).map { Double($0) } : Double(exactly: whole)
      return exact.map { .double($0) } ?? value
    case (.int(let whole), .decimal): return .decimal(Decimal(whole))
    case (.uint(let whole), .decimal): return .decimal(Decimal(whole))
    case (.int(let whole), .bool) where whole == 0 || whole == 1: return .bool(whole == 1)
    case (.double(let double), .double) where type.isFloat:
      guard let float = Float(number ?? "\(double)"), float.isFinite || !double.isFinite else {
        return value
      }
      return .double(Double(float))
    case (.double(let double), .decimal):
      // More digits than a decimal has are read as the double that they are.
      let decimal =
        number.flatMap(DecimalText.decimal(from:)) ?? DecimalText.decimal(from: "\(double)")
      return decimal.map { .decimal($0) } ?? value
    case (.string(let text), .date): return DateText.date(text).map { .date($0) }
    case (.string(let text), .uuid): return UUID(uuidString: text).map { .uuid($0) }
    case (.string(let text), .decimal): return DecimalText.decimal(from: text).map { .decimal($0) }
    case (.array(let elements), .array):
      let type = type.elementType
      var coerced: [StoredValue] = []
      coerced.reserveCapacity(elements.count)
      for element in elements {
        guard let element = self.value(element, beside: type) else { return nil }
        coerced.append(element)
      }
      return .array(coerced)
    default: return value
    }
  }
}
