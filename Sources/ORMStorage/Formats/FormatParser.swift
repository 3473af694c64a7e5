package import ORMValues

/// Reads a format string as a condition, by precedence.
///
/// From the loosest: OR, AND, NOT, comparisons, `+`, `-`, `|` and `^`, `*`, `/`, `%` and `&`, `<<`
/// and `>>`, unary minus and `~`, `**`, then the operators behind a value: `.name`, `[0]`. As in Swift, every
/// operator of bits binds tighter than a comparison.
///
/// One pass: a part becomes its tree as soon as it is read, checked against the entity, so that
/// errors know where they are. Depth is bounded by ``ConditionLimits``, chains of any length are
/// loops, and the time is linear in the text and its depth.
package struct FormatParser {
  let source: FormatSource
  let entity: FormatEntity
  let limits: ConditionLimits
  var lexer: FormatLexer
  var token: FormatToken
  /// The offset at which the previous token ended.
  var end = 0
  var arguments: FormatArguments
  /// The forms that SUBQUERY variables stand for, by their names.
  var variables: [ExactText: FormatForm] = [:]
  /// Values for `$NAME`, which replace the variable.
  let values: [ExactText: FormatVariable]
  /// Takes the values of variables out of the tree; nil to leave them there.
  var slots: FormatSlots?
  /// The entity of the object whose values `$FETCH_SOURCE` stands for.
  var origin: FormatEntity?
  /// The names of the variables that were read.
  var variableNames: Set<ExactText> = []
  /// True if an order is read, whose keys may carry options in brackets.
  var isOrder = false
  private var depth = 0
  /// The stack of the thread that reads, once it is looked at.
  private var stack: StackReserve?
  private var lastScope = 0
  var listItems = 0

  /// The number of levels of the text that make one level of the tree at most: `NOT (…)`, `-(…)`.
  ///
  /// The functions that read one level are small, for the sake of small stacks.
  private static let levelsPerNode = 2

  /// A reader of a format for an entity, whose variables named in `values` are read as these.
  ///
  /// - Throws: `tooComplex` for a text past the limit.
  package init(
    _ format: String, for entity: FormatEntity, arguments: [(any FormatArgument)?] = [],
    values: [ExactText: FormatVariable] = [:], limits: ConditionLimits = ConditionLimits()
  ) throws {
    source = FormatSource(bytes: Array(format.utf8), entity: entity.name)
    guard source.bytes.count <= limits.formatBytes else {
      throw StoreError(
        .tooComplex, "the format is longer than \(limits.formatBytes) bytes", entity: entity.name)
    }
    self.entity = entity
    self.limits = limits
    self.values = values
    self.arguments = FormatArguments(arguments)
    lexer = FormatLexer(source)
    token = try lexer.next()
  }

  /// The whole text as a condition.
  ///
  /// - Throws: `invalidCondition`, `unknownAttribute`, `tooComplex`.
  package mutating func condition() throws -> Condition {
    let expression = try expression(.or)
    try expectEnd(after: "AND, OR or the end")
    return try condition(expression)
  }

  /// The whole text as a value.
  ///
  /// - Throws: as `condition()`.
  package mutating func operand() throws -> Operand {
    let expression = try expression(.sum)
    try expectEnd(after: "an operator or the end")
    return try value(expression).operand
  }

  func expectEnd(after expected: String) throws {
    guard token.kind == .end else { throw unexpected(expected) }
    if let message = arguments.unusedMessage { throw source.fault(message, at: end) }
  }
}

// Tokens and errors.
extension FormatParser {
  /// Goes to the next token.
  mutating func advance() throws {
    end = token.range.upperBound
    token = try lexer.next()
  }

  /// Takes a sign if it is the token.
  mutating func take(_ sign: FormatSign) throws -> Bool {
    guard token.kind == .sign(sign) else { return false }
    try advance()
    return true
  }

  mutating func expect(_ sign: FormatSign) throws {
    guard try take(sign) else { throw unexpected(sign.rawValue) }
  }

  /// The error that something else was expected where the token stands.
  func unexpected(_ expected: String) -> StoreError {
    let found: String
    switch token.kind {
    case .end: found = "the end"
    case .string: found = "a text in quotes"
    default: found = source.text(token.range)
    }
    return source.fault("found \(found), expected \(expected)", at: token.range.lowerBound)
  }

  /// An error about a part that was read.
  func fault(_ message: String, _ expression: FormatExpression) -> StoreError {
    source.fault(message, at: expression.range.lowerBound)
  }

  /// A part as it was written, for errors; long ones without their middle.
  func text(_ expression: FormatExpression) -> String {
    let text = source.text(expression.range)
    return text.utf8.count <= 60 ? text : "\(text.prefix(30)) … \(text.suffix(20))"
  }

  /// A number for the elements of a collection that no other has while the format is read.
  mutating func openScope() -> Int {
    lastScope -= 1
    return lastScope
  }

  /// A part made of parts that are so deep.
  func made(
    _ form: FormatForm, _ range: Range<Int>, over depth: Int
  ) throws -> FormatExpression {
    guard depth < limits.depth else { throw tooDeep }
    return FormatExpression(form, range, depth: depth + 1)
  }

  private var tooDeep: StoreError {
    source.fault(
      "the condition nests deeper than \(limits.depth)", at: token.range.lowerBound,
      code: .tooComplex)
  }
}

// Operators by precedence.
extension FormatParser {
  enum Precedence: Int, Comparable {
    case or, and, not, comparison, sum, product, shift, sign, power, operand

    static func < (a: Precedence, b: Precedence) -> Bool { a.rawValue < b.rawValue }

    var next: Precedence { Precedence(rawValue: rawValue + 1) ?? .operand }
  }

  /// Reads a part of which every operator binds at least so tightly.
  mutating func expression(_ minimum: Precedence) throws -> FormatExpression {
    depth += 1
    defer { depth -= 1 }
    guard depth / Self.levelsPerNode <= limits.depth else { throw tooDeep }
    if depth > StackReserve.shallow { try checkStack() }
    var left = try prefix()
    while let (operation, precedence) = infix(), precedence >= minimum {
      left = try combined(left, operation, precedence)
    }
    return left
  }

  /// Refuses a text that nests deeper than this thread's stack allows.
  private mutating func checkStack() throws {
    let stack = self.stack ?? StackReserve.current
    self.stack = stack
    guard stack.left > StackReserve.base else {
      throw source.fault(
        "the stack of this thread is too small for a condition this deep; use a thread with a "
          + "larger one", at: token.range.lowerBound, code: .tooComplex)
    }
  }

  private enum Infix {
    case all, any
    case comparison(FormatComparison)
    case arithmetic(ArithmeticOperator)
  }

  /// The operator between two parts at the token.
  private func infix() -> (Infix, Precedence)? {
    switch token.kind {
    case .sign(.or), .name(_, .or): return (.any, .or)
    case .sign(.and), .name(_, .and): return (.all, .and)
    case .sign(.plus): return (.arithmetic(.add), .sum)
    case .sign(.minus): return (.arithmetic(.subtract), .sum)
    case .sign(.times): return (.arithmetic(.multiply), .product)
    case .sign(.slash): return (.arithmetic(.divide), .product)
    case .sign(.percent): return (.arithmetic(.remainder), .product)
    case .sign(.ampersand): return (.arithmetic(.bitwiseAnd), .product)
    case .sign(.bar): return (.arithmetic(.bitwiseOr), .sum)
    case .sign(.caret): return (.arithmetic(.bitwiseXor), .sum)
    case .sign(.shiftLeft): return (.arithmetic(.shiftLeft), .shift)
    case .sign(.shiftRight): return (.arithmetic(.shiftRight), .shift)
    case .sign(.power): return (.arithmetic(.power), .power)
    case .sign(let sign): return FormatComparison(sign).map { (.comparison($0), .comparison) }
    case .name(_, let word?):
      return FormatComparison(word).map { (.comparison($0), .comparison) }
    default: return nil
    }
  }

  /// The comparison at the token.
  func comparisonHere() -> FormatComparison? {
    if case .comparison(let comparison)? = infix()?.0 { comparison } else { nil }
  }

  private mutating func combined(
    _ left: FormatExpression, _ operation: Infix, _ precedence: Precedence
  ) throws -> FormatExpression {
    switch operation {
    case .all, .any: return try chain(left, precedence)
    case .comparison(let comparison):
      try advance()
      return try self.comparison(left, comparison, try textOptions(), try expression(.sum))
    case .arithmetic(let symbol):
      try advance()
      // Powers go from the right, all else from the left.
      return try arithmetic(
        symbol, left, try expression(symbol == .power ? .sign : precedence.next))
    }
  }

  /// A chain of AND or OR: one node, however long it is.
  private mutating func chain(
    _ first: FormatExpression, _ precedence: Precedence
  ) throws -> FormatExpression {
    var chain = FormatChain(isAll: precedence == .and)
    try add(first, to: &chain)
    while chain.continues(with: token.kind) {
      try advance()
      try add(try expression(precedence.next), to: &chain)
    }
    return try made(chain.form, first.range.lowerBound..<end, over: chain.depth)
  }

  private func add(_ part: FormatExpression, to chain: inout FormatChain) throws {
    let condition = try condition(part)
    chain.depth = max(chain.depth, part.depth)
    // The two comparisons of a BETWEEN join the chain, as they do in a typed filter.
    if chain.isAll, !part.isGrouped, case .all(let inner) = condition {
      chain.parts += inner
    } else {
      chain.parts.append(condition)
    }
  }

  /// Parses an operand, with the operators and quantifiers before it.
  private mutating func prefix() throws -> FormatExpression {
    switch token.kind {
    case .sign(.not), .name(_, .not): return try negation()
    case .name(_, .any?), .name(_, .some?): return try quantified(.any)
    case .name(_, .all): return try quantified(.all)
    case .name(_, FormatWord.none?): return try quantified(.none)
    case .sign(.minus): return try minus()
    case .sign(.tilde): return try complement()
    case .sign(.plus):
      try advance()
      return try expression(.sign)
    default: return try postfix(try primary())
    }
  }

  private mutating func negation() throws -> FormatExpression {
    let start = token.range.lowerBound
    try advance()
    return try negated(try expression(.not), from: start)
  }

  private func negated(_ inner: FormatExpression, from start: Int) throws -> FormatExpression {
    try made(.condition(.not(try condition(inner))), start..<end, over: inner.depth)
  }

  private mutating func complement() throws -> FormatExpression {
    let start = token.range.lowerBound
    try advance()
    return try apply(.onesComplement, "~", to: try expression(.sign), start..<end)
  }

  private mutating func minus() throws -> FormatExpression {
    let start = token.range.lowerBound
    try advance()
    if let number = try negativeNumber(from: start) { return number }
    return try negative(try expression(.sign), from: start)
  }

  private func negative(_ inner: FormatExpression, from start: Int) throws -> FormatExpression {
    let (operand, type) = try value(inner)
    guard type.isNumber else { throw fault("only numbers can be negated", inner) }
    return try made(.value(.negated(operand), type), start..<end, over: inner.depth)
  }

  /// The number behind a minus, unless `**` follows, which binds tighter.
  private mutating func negativeNumber(from start: Int) throws -> FormatExpression? {
    let value: StoredValue
    var written: String?
    switch token.kind {
    case .integer(let magnitude):
      if magnitude <= UInt64(Int64.max) {
        value = .int(-Int64(magnitude))
      } else if magnitude == UInt64(Int64.max) + 1 {
        value = .int(.min)
      } else {
        value = .double(-Double(magnitude))
        written = "-\(magnitude)"
      }
    case .number(let text):
      value = .double(-(try double(text)))
      written = "-" + text
    default: return nil
    }
    let next = lexer
    let (before, number) = (end, token)
    try advance()
    guard token.kind != .sign(.power) else {
      lexer = next
      token = number
      end = before
      return nil
    }
    return FormatExpression(.constant(value, number: written), start..<end)
  }

  /// A number as a double.
  func double(_ text: String) throws -> Double {
    guard let value = Double(text), value.isFinite else {
      throw source.fault("the number is too large for a double", at: token.range.lowerBound)
    }
    return value
  }

  /// `[cdn]` behind an operator.
  mutating func textOptions() throws -> TextOptions {
    guard try take(.openIndex) else { return [] }
    var options: TextOptions = []
    guard case .name(let letters, _) = token.kind else { throw unexpected("c, d or n") }
    for letter in letters.lowercased() {
      switch letter {
      case "c": options.insert(.caseInsensitive)
      case "d": options.insert(.diacriticInsensitive)
      case "n": options.insert(.normalized)
      default:
        throw source.fault(
          "'\(letter)' is not an option of a comparison; the options are c, d and "
            + "n", at: token.range.lowerBound)
      }
    }
    try advance()
    try expect(.closeIndex)
    return options
  }
}

/// The parts of an AND or an OR so far.
private struct FormatChain {
  let isAll: Bool
  var parts: [Condition] = []
  var depth = 0

  var form: FormatForm { .condition(isAll ? .all(parts) : .any(parts)) }

  /// Returns whether a token is the chain's own word.
  func continues(with token: FormatToken.Kind) -> Bool {
    switch token {
    case .sign(.and), .name(_, .and): isAll
    case .sign(.or), .name(_, .or): !isAll
    default: false
    }
  }
}

/// The operators between two values that make a condition.
enum FormatComparison: Equatable {
  case order(Comparator)
  case text(TextOperator)
  case isIn
  case between

  init?(_ sign: FormatSign) {
    switch sign {
    case .equal: self = .order(.equal)
    case .notEqual: self = .order(.notEqual)
    case .less: self = .order(.less)
    case .lessOrEqual: self = .order(.lessOrEqual)
    case .greater: self = .order(.greater)
    case .greaterOrEqual: self = .order(.greaterOrEqual)
    default: return nil
    }
  }

  init?(_ word: FormatWord) {
    switch word {
    case .contains: self = .text(.contains)
    case .beginsWith: self = .text(.beginsWith)
    case .endsWith: self = .text(.endsWith)
    case .like: self = .text(.like)
    case .matches: self = .text(.matches)
    case .in: self = .isIn
    case .between: self = .between
    default: return nil
    }
  }
}
