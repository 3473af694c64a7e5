public import ORMValues

extension Operand {
  /// A pure function of one value; nil for nil.
  public enum Function: Hashable, Sendable {
    /// The Unicode scalars of a text.
    case length
    /// The text in upper case, by Unicode's full mapping.
    case uppercase
    /// The text in lower case, by Unicode's full mapping.
    case lowercase
    /// The number without its sign.
    case abs
    /// The least whole number not below.
    case ceiling
    /// The greatest whole number not above.
    case floor
    /// The number without its fraction.
    case trunc
    /// The nearest whole number, ties away from zero.
    case round
    /// The square root, a double.
    case sqrt
    /// The power of e, a double.
    case exp
    /// The natural logarithm, a double.
    case ln
    /// The logarithm to the base 10, a double.
    case log
    /// The integer with every bit changed: `-1 - x`.
    case onesComplement
    /// The number of elements an array has.
    case count
    /// The last element of an array; null for an empty one.
    case last
    /// The text as `[c]` compares it.
    case foldC
    /// The text as `[d]` compares it.
    case foldD
    /// The text as `[cd]` compares it.
    case foldCD
    /// The text as `[n]` compares it.
    case foldN
    /// The text as `[cn]` compares it.
    case foldCN
    /// The text as `[dn]` compares it.
    case foldDN
    /// The text as `[cdn]` compares it.
    case foldCDN
    /// A part of a date in a time zone.
    case part(DatePart, DateZone)
    /// The value in another kind; null where that kind cannot express it exactly.
    case cast(AttributeType.Kind)
  }
}

extension Operand.Function: Codable {
  /// The functions without parameters.
  private static let plain: [Operand.Function] = [
    .length, .uppercase, .lowercase, .abs, .ceiling, .floor, .trunc, .round, .sqrt, .exp, .ln, .log,
    .onesComplement, .count, .last, .foldC, .foldD, .foldCD, .foldN, .foldCN, .foldDN, .foldCDN,
  ]

  /// The functions that formats call, by their names in lower case.
  package static let called: [String: Operand.Function] = Dictionary(
    uniqueKeysWithValues: (plain.filter { $0 != .count && $0 != .last }
      + DatePart.allCases.map { .part($0, .gmt) }).map { ($0.name.lowercased(), $0) })

  /// The name of the function, without the zone or the kind that it takes.
  package var name: String {
    switch self {
    case .length: "length"
    case .uppercase: "uppercase"
    case .lowercase: "lowercase"
    case .abs: "abs"
    case .ceiling: "ceiling"
    case .floor: "floor"
    case .trunc: "trunc"
    case .round: "round"
    case .sqrt: "sqrt"
    case .exp: "exp"
    case .ln: "ln"
    case .log: "log"
    case .onesComplement: "onesComplement"
    case .count: "count"
    case .last: "last"
    case .foldC: "fold_c"
    case .foldD: "fold_d"
    case .foldCD: "fold_cd"
    case .foldN: "fold_n"
    case .foldCN: "fold_cn"
    case .foldDN: "fold_dn"
    case .foldCDN: "fold_cdn"
    case .part(let part, _): part.rawValue
    case .cast: "cast"
    }
  }

  /// Reads a function from its name, with the zone or the kind that it takes: `year@GMT`.
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    let parts = text.split(separator: "@", maxSplits: 1).map(String.init)
    if let plain = Self.plain.first(where: { $0.name == text }) {
      self = plain
    } else if parts.count == 2, parts[0] == "cast",
      let kind = AttributeType.Kind(rawValue: parts[1])
    {
      self = .cast(kind)
    } else if parts.count == 2, let part = DatePart(rawValue: parts[0]),
      let zone = DateZone(parts[1])
    {
      self = .part(part, zone)
    } else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "there is no function \(text)"))
    }
  }

  /// Writes the name of the function, with the zone or the kind that it takes.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .part(_, let zone): try container.encode("\(name)@\(zone.text)")
    case .cast(let kind): try container.encode("\(name)@\(kind.rawValue)")
    default: try container.encode(name)
    }
  }

  /// The kind of value that the function gives for one of a kind; nil where that is known only for
  /// each row.
  package func kind(for kind: AttributeType.Kind?) -> AttributeType.Kind? {
    switch self {
    case .length, .count, .onesComplement: .int
    case .uppercase, .lowercase, .foldC, .foldD, .foldCD, .foldN, .foldCN, .foldDN, .foldCDN:
      .string
    case .abs, .ceiling, .floor, .trunc, .round: kind
    case .sqrt, .exp, .ln, .log: .double
    case .last: nil
    case .part(let part, _): part.kind
    case .cast(let target): target
    }
  }

  /// Returns whether the function takes values of a kind; nil is one that is known only for each
  /// row.
  package func takes(_ kind: AttributeType.Kind?) -> Bool {
    guard let kind else { return true }
    switch self {
    case .length, .uppercase, .lowercase, .foldC, .foldD, .foldCD, .foldN, .foldCN, .foldDN,
      .foldCDN:
      return kind == .string
    case .abs, .ceiling, .floor, .trunc, .round: return kind.isNumber
    case .sqrt, .exp, .ln, .log: return kind.isNumber && kind != .decimal
    case .onesComplement: return kind == .int || kind == .unsigned
    case .count, .last: return kind == .array || kind == .json
    case .part: return kind == .date
    case .cast(let target): return kind.isCastable(to: target)
    }
  }

  /// The kind of value that the function takes, in words.
  package var argument: String {
    switch self {
    case .length, .uppercase, .lowercase, .foldC, .foldD, .foldCD, .foldN, .foldCN, .foldDN,
      .foldCDN:
      "text"
    case .abs, .ceiling, .floor, .trunc, .round: "a number"
    case .sqrt, .exp, .ln, .log: "a number that is no decimal"
    case .onesComplement: "an integer"
    case .count, .last: "a list"
    case .part: "a date"
    case .cast: "a value that can be cast"
    }
  }
}
