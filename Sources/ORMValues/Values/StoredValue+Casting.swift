internal import FoundationEssentials

extension AttributeType.Kind {
  /// Returns whether values of the kind can be cast to another at all (clause 2.12).
  package func isCastable(to other: AttributeType.Kind) -> Bool {
    switch (self, other) {
    case (.array, _), (_, .array), (_, .json), (_, .bool): false
    case (.json, _), (.string, _): true
    case (.data, .string), (.uuid, .string), (.bool, .string), (.bool, .int): true
    case (.date, .double), (.date, .int), (.date, .decimal): true
    case (.int, .date), (.unsigned, .date), (.double, .date), (.decimal, .date): true
    case (.int, _), (.unsigned, _), (.double, _), (.decimal, _):
      other == .int || other == .double || other == .decimal || other == .string
    default: self == other
    }
  }
}

extension StoredValue {
  /// The same value in another kind; null where that kind cannot express it exactly.
  package func cast(to kind: AttributeType.Kind) -> StoredValue {
    switch (kind, self) {
    case (_, .null): .null
    case (.int, _): asInteger ?? .null
    case (.double, _): asExactDouble.map { .double($0) } ?? .null
    case (.decimal, _): asDecimal.map { .decimal($0) } ?? .null
    case (.date, .date): self
    case (.date, .string(let text)): DateText.date(text).map { .date($0) } ?? .null
    case (.date, _):
      asExactDouble.map { .date(Date(timeIntervalSinceReferenceDate: $0)) } ?? .null
    case (.string, _): asText.map { .string($0) } ?? .null
    case (.uuid, .uuid), (.data, .data): self
    case (.uuid, .string(let text)): UUID(uuidString: text).map { .uuid($0) } ?? .null
    case (.data, .string(let text)): Data(base64Encoded: text).map { .data($0) } ?? .null
    default: .null
    }
  }

  private var asInteger: StoredValue? {
    switch self {
    case .int, .uint: return self
    case .bool(let value): return .int(value ? 1 : 0)
    case .double(let value): return Int64(exactly: value).map { .int($0) }
    case .date(let date):
      return Int64(exactly: date.timeIntervalSinceReferenceDate).map { .int($0) }
    case .string(let text): return Int64(text).map { .int($0) }
    case .decimal(let decimal):
      guard let parts = DecimalParts(decimal)?.canonical,
        (0..<DecimalParts.powersOfTen.count).contains(parts.exponent)
      else { return nil }
      let (magnitude, overflow) = parts.coefficient.multipliedReportingOverflow(
        by: DecimalParts.powersOfTen[parts.exponent])
      guard !overflow, magnitude <= UInt128(1) << 63 else { return nil }
      let signed = Int128(magnitude) * (parts.isNegative ? -1 : 1)
      return Int64(exactly: signed).map { .int($0) }
    default: return nil
    }
  }

  /// The number as a double that is equal to it, and a text as the double nearest to it.
  private var asExactDouble: Double? {
    switch self {
    case .double(let value): return value.isNaN ? nil : value
    case .int(let value): return Double(exactly: value)
    case .uint(let value): return Double(exactly: value)
    case .date(let date): return date.timeIntervalSinceReferenceDate
    case .string(let text): return Double(text).flatMap { $0.isNaN ? nil : $0 }
    case .decimal(let decimal):
      guard let parts = DecimalParts(decimal) else { return nil }
      let nearest = parts.nearestDouble
      return parts.compare(to: nearest) == .equal ? nearest : nil
    default: return nil
    }
  }

  private var asDecimal: Decimal? {
    switch self {
    case .decimal(let value): value.isNaN ? nil : value
    case .int(let value): DecimalParts(value).decimal
    case .uint(let value): DecimalParts(value).decimal
    case .double(let value): DecimalParts(exactly: value)?.decimal
    case .date(let date): DecimalParts(exactly: date.timeIntervalSinceReferenceDate)?.decimal
    case .string(let text): DecimalText.decimal(from: text)
    default: nil
    }
  }

  private var asText: String? {
    switch self {
    case .string(let text): text
    case .bool(let value): "\(value)"
    case .int(let value): "\(value)"
    case .uint(let value): "\(value)"
    case .double(let value): value.isNaN ? nil : "\(value)"
    case .decimal(let value): value.isNaN ? nil : DecimalText.text(of: value)
    case .uuid(let value): value.uuidString
    case .data(let bytes): bytes.base64EncodedString()
    default: nil
    }
  }
}

extension DecimalParts {
  /// The number that a double is; nil where it has too many digits, and for infinities and NaN.
  init?(exactly double: Double) {
    guard double.isFinite else { return nil }
    if double == 0 {
      self.init(0)
      return
    }
    // An odd number times a power of two, as a coefficient and a power of ten.
    var coefficient = UInt128(double.significandBitPattern | (double.isNormal ? 1 << 52 : 0))
    var power = Int(double.isNormal ? double.exponent : -1022) - 52
    let zeros = coefficient.trailingZeroBitCount
    coefficient >>= UInt128(zeros)
    power += zeros
    var exponent = 0
    while power < 0 {
      let (fives, overflow) = coefficient.multipliedReportingOverflow(by: 5)
      if overflow { return nil }
      coefficient = fives
      exponent -= 1
      power += 1
    }
    while power > 0 {
      if coefficient.leadingZeroBitCount > 0 {
        coefficient <<= 1
      } else if coefficient.isMultiple(of: 5) {
        coefficient /= 5
        exponent += 1
      } else {
        return nil
      }
      power -= 1
    }
    self.init(isNegative: double < 0, coefficient: coefficient, exponent: exponent)
  }
}
