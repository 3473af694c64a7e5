internal import FoundationEssentials
internal import ORMValues

// Functions, and CAST, by which values print that have no literal of their own.
extension FormatParser {
  /// The operators that formats call by names, as Foundation spells them: `modulus:by:(x, 2)`.
  private static let operators: [String: ArithmeticOperator] = [
    "add:to": .add, "from:subtract": .subtract, "multiply:by": .multiply, "divide:by": .divide,
    "modulus:by": .remainder, "raise:topower": .power, "bitwiseand:with": .bitwiseAnd,
    "bitwiseor:with": .bitwiseOr, "bitwisexor:with": .bitwiseXor, "leftshift:by": .shiftLeft,
    "rightshift:by": .shiftRight,
  ]

  /// Functions of a list or a to-many.
  private static let totals: [String: Aggregate.Kind] = [
    "count": .count, "sum": .sum, "average": .average, "min": .minimum, "max": .maximum,
  ]

  /// A function by its name, with or without the colon of Foundation's spelling: `abs(x)`,
  /// `abs:(x)`.
  mutating func call(_ name: String) throws -> FormatExpression {
    let start = token.range.lowerBound
    var name = name
    try advance()
    if try take(.colon) {
      if case .name(let label, _) = token.kind {
        name += ":\(label)"
        try advance()
        try expect(.colon)
      }
      if token.kind != .sign(.open) { throw unexpected("(") }
    }
    switch name.lowercased() {
    case "subquery": return try subquery(from: start)
    case "cast", "castobject:totype": return try cast(from: start)
    case "ternary": return try ternary(from: start)
    default: return try called(name, try callArguments(), from: start)
    }
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
    if let known = Operand.Function.called[function] {
      let takes = if case .part = known { 1...2 } else { 1...1 }
      guard takes.contains(arguments.count) else {
        throw source.fault(
          "\(name)() takes \(takes == 1...1 ? "one value" : "a date and a time zone")", at: start)
      }
      return try apply(
        zoned(known, arguments.dropFirst().first), "\(name)()", to: arguments[0], range)
    }
    if let symbol = Self.operators[function] {
      guard arguments.count == 2 else {
        throw source.fault("\(name):() takes two values", at: start)
      }
      var result = try arithmetic(symbol, arguments[0], arguments[1])
      result.range = range
      return result
    }
    if let kind = Self.totals[function] {
      let collection = try collection(of: arguments, name, at: start)
      return try made(try total(kind, of: collection, at: start), range, over: depth)
    }
    let names =
      (Array(Operand.Function.called.keys) + Array(Self.totals.keys) + Array(Self.operators.keys)
      + ["now", "cast", "ternary", "subquery"]).sorted()
    let hint = FormatSuggestion.text(for: function, among: names)
    throw source.fault(
      "there is no function \(name) that a format can call"
        + (hint.isEmpty ? "; it can call \(names.joined(separator: ", "))" : hint), at: start)
  }

  /// A function of one part that was read.
  func apply(
    _ function: Operand.Function, _ name: String, to argument: FormatExpression,
    _ range: Range<Int>
  ) throws -> FormatExpression {
    let type = try type(of: argument)
    let isOfDate = if case .part = function { true } else { false }
    let (operand, kind) = try value(argument, beside: isOfDate ? FormatType(.date) : type)
    guard function.takes(kind.kind) else {
      throw fault(
        "\(name) takes \(function.argument); \(text(argument)) is \(kind.words)", argument)
    }
    let result = FormatType(kind: function.kind(for: kind.kind))
    return try made(
      .value(.function(function, operand), result == FormatType(kind: kind.kind) ? kind : result),
      range, over: argument.depth)
  }

  /// A function of a part of a date, in the zone that its second argument names.
  private func zoned(
    _ function: Operand.Function, _ zone: FormatExpression?
  ) throws -> Operand.Function {
    guard let zone, case .part(let part, _) = function else { return function }
    guard case .constant(.string(let name), _) = zone.form else {
      throw fault("a time zone is a text in quotes; found \(text(zone))", zone)
    }
    guard let known = DateZone(name) else {
      throw fault(
        "there is no time zone \(name); there are GMT, +02:00 and names such as Europe/Berlin", zone
      )
    }
    return .part(part, known)
  }

  /// Reads `TERNARY(condition, value, value)`: one of two values.
  private mutating func ternary(from start: Int) throws -> FormatExpression {
    try expect(.open)
    let test = try expression(.or)
    let condition = try condition(test)
    try expect(.comma)
    let first = try expression(.sum)
    try expect(.comma)
    let second = try expression(.sum)
    try expect(.close)
    let (left, leftType) = try value(first, beside: try type(of: second))
    let (right, rightType) = try value(second, beside: try type(of: first))
    try checkComparable(leftType, rightType, first, second)
    let kind = Operand.kind(choosing: leftType.kind, rightType.kind, left, right)
    return try made(
      .value(
        .choice(condition, left, right),
        kind == leftType.kind
          ? leftType : kind == rightType.kind ? rightType : FormatType(kind: kind)
      ), start..<end, over: max(test.depth, first.depth, second.depth))
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

  /// `CAST(631152000.0, "NSDate")`: a value that has no literal of its own, or a value of a row in
  /// another type.
  private mutating func cast(from start: Int) throws -> FormatExpression {
    try expect(.open)
    let argument = try expression(.sum)
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
    if case .slot = argument.form { throw FormatSlots.Unsuitable() }
    guard case .constant(let value, let number) = argument.form, !argument.isGrouped else {
      return try apply(.cast(type.kind), "CAST to \(type.rawValue)", to: argument, start..<end)
    }
    guard let value = type.value(of: value, number: number) else {
      throw fault("the literal does not read as \(type.rawValue)", argument)
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
