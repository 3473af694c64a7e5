internal import FoundationEssentials
internal import ORMStorage

// Functions, and CAST, by which values print that have no literal of their own.
extension FormatParser {
  /// Functions of one value.
  private static let functions: [String: Operand.Function] = [
    "abs": .abs, "ceiling": .ceiling, "floor": .floor, "trunc": .trunc, "uppercase": .uppercase,
    "lowercase": .lowercase, "length": .length, "fold_c": .foldC, "fold_d": .foldD,
    "fold_cd": .foldCD, "fold_n": .foldN, "fold_cn": .foldCN, "fold_dn": .foldDN,
    "fold_cdn": .foldCDN,
  ]

  /// Functions of a list or a to-many.
  private static let totals: [String: Aggregate.Kind] = [
    "count": .count, "sum": .sum, "average": .average, "min": .minimum, "max": .maximum,
  ]

  /// A function by its name, with or without the colon of Foundation's spelling: `abs(x)`,
  /// `abs:(x)`.
  mutating func call(_ name: String) throws -> FormatExpression {
    let start = token.range.lowerBound
    let function = name.lowercased()
    try advance()
    if try take(.colon), token.kind != .sign(.open) { throw unexpected("(") }
    switch function {
    case "subquery": return try subquery(from: start)
    case "cast": return try cast(from: start)
    default: break
    }
    return try called(name, try callArguments(), from: start)
  }

  private mutating func callArguments() throws -> [FormatExpression] {
    try expect(.open)
    var arguments: [FormatExpression] = []
    if token.kind != .sign(.close) {
      repeat {
        try countListItems(1)
        arguments.append(try expression(.sum))
      } while try take(.comma)
    }
    guard try take(.close) else { throw unexpected(", or )") }
    return arguments
  }

  /// A function of parts that were read.
  private func called(
    _ name: String, _ arguments: [FormatExpression], from start: Int
  ) throws -> FormatExpression {
    let function = name.lowercased()
    let depth = arguments.reduce(0) { max($0, $1.depth) }
    let range = start..<end
    if function == "now" {
      guard arguments.isEmpty else { throw source.fault("now() takes nothing", at: start) }
      return FormatExpression(.value(.now, FormatType(.date)), range)
    }
    if let known = Self.functions[function] {
      guard arguments.count == 1 else {
        throw source.fault("\(name)() takes one value", at: start)
      }
      let (operand, type) = try value(arguments[0])
      let isTextual =
        known == .length || known == .uppercase || known == .lowercase || known.folding != nil
      guard isTextual ? type.isText : type.isNumber else {
        throw fault(
          "\(name)() takes \(isTextual ? "text" : "a number"); \(text(arguments[0])) is "
            + type.words, arguments[0])
      }
      let result = known == .length ? FormatType(.int64) : type
      return try made(.value(.function(known, operand), result), range, over: depth)
    }
    if let kind = Self.totals[function] {
      let collection = try collection(of: arguments, name, at: start)
      return try made(try total(kind, of: collection, at: start), range, over: depth)
    }
    let names = Self.functions.keys.sorted() + Self.totals.keys.sorted() + ["now"]
    throw source.fault(
      "the function \(name) is not one that formats may call"
        + FormatSuggestion.text(for: function, among: names), at: start)
  }

  /// The arguments of an aggregate: a to-many, a list, or several values.
  private func collection(
    of arguments: [FormatExpression], _ name: String, at start: Int
  ) throws -> FormatCollection {
    guard arguments.count == 1 else {
      guard let first = arguments.first, let last = arguments.last else {
        throw source.fault("\(name)() takes a list or a to-many", at: start)
      }
      return try collection(
        listed(
          FormatExpression(.list(arguments), first.range.lowerBound..<last.range.upperBound)),
        at: start)
    }
    switch arguments[0].form {
    case .collection(let collection): return collection
    default: return try collection(listed(arguments[0]), at: start)
    }
  }

  private func collection(
    _ list: (operand: Operand, type: FormatType), at start: Int
  ) throws -> FormatCollection {
    try collection(.value(list.operand, list.type), at: start)
  }

  /// `CAST(631152000.0, "NSDate")`: values that have no literal of their own.
  private mutating func cast(from start: Int) throws -> FormatExpression {
    try expect(.open)
    let place = token.range.lowerBound
    guard case .constant(let value, let number) = try expression(.sum).form else {
      throw source.fault("CAST takes a literal", at: place)
    }
    try expect(.comma)
    guard case .string(let name) = token.kind else { throw unexpected("a type in quotes") }
    guard let type = FormatCast(name: name) else {
      throw source.fault(
        "there is no type \(name) to cast to"
          + FormatSuggestion.text(for: name, among: FormatCast.allCases.map(\.rawValue)),
        at: token.range.lowerBound)
    }
    try advance()
    try expect(.close)
    guard let value = type.value(of: value, number: number) else {
      throw source.fault("the literal is no \(type.rawValue)", at: place)
    }
    return FormatExpression(.constant(value, number: nil), start..<end)
  }
}

extension FormatCast {
  /// The value; nil for a literal that does not read as one.
  ///
  /// A date is its seconds since 2001, or a text; data is a text in base 64.
  func value(of literal: StoredValue, number: String?) -> StoredValue? {
    switch (self, literal) {
    case (.date, .int(let seconds)):
      .date(Date(timeIntervalSinceReferenceDate: Double(seconds)))
    case (.date, .double(let seconds)): .date(Date(timeIntervalSinceReferenceDate: seconds))
    case (.date, .string(let text)):
      (Double(text).map { Date(timeIntervalSinceReferenceDate: $0) } ?? DateText.date(text))
        .map { .date($0) }
    case (.uuid, .string(let text)): UUID(uuidString: text).map { .uuid($0) }
    case (.decimal, .string("NaN")): .decimal(.nan)
    case (.decimal, .string), (.decimal, .int), (.decimal, .uint), (.decimal, .double):
      FormatCoercion.value(literal, number: number, beside: FormatType(.decimal))
    case (.data, .string(let text)): Data(base64Encoded: text).map { .data($0) }
    case (.double, .int(let value)): .double(Double(value))
    case (.double, .double): literal
    case (.double, .string(let text)): Double(text).map { .double($0) }
    case (.integer, .int), (.integer, .uint), (.text, .string): literal
    case (.json, .string(let text)): .json(text)
    default: nil
    }
  }
}
