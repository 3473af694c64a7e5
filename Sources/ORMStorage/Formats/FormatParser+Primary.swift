internal import FoundationEssentials
internal import ORMValues

// Values: literals, keys, arguments, variables, lists, and expressions in parentheses.
extension FormatParser {
  mutating func primary() throws -> FormatExpression {
    switch token.kind {
    case .sign(.open): return try parenthesized()
    case .sign(.openList): return try list()
    case .string(let text): return try constant(.string(text))
    case .integer(let value): return try constant(.unsigned(value))
    case .number(let text): return try constant(.double(try double(text)), number: text)
    case .argument(let conversion, let position): return try argument(conversion, position)
    case .variable(let name): return try variable(name)
    case .key(let name): return try key(name)
    case .name(let name, nil):
      let next = lexer.peekByte()
      if next == UInt8(ascii: "(") || next == UInt8(ascii: ":") { return try call(name) }
      return try key(name)
    case .name(_, let word?): return try constant(word)
    default: throw unexpected("a value or a condition")
    }
  }

  /// `$NAME`: an element of a SUBQUERY, a value that was given, or one that is given later.
  private mutating func variable(_ first: String) throws -> FormatExpression {
    let start = token.range.lowerBound
    try advance()
    if let form = variables[first] { return FormatExpression(form, start..<end) }
    // The values of an object have dots in their names: $FETCH_SOURCE.name.
    var name = first
    while token.kind == .sign(.dot), let part = nameAfterDot() {
      try advance()
      try advance()
      name += ".\(part)"
    }
    variableNames.insert(name)
    let range = start..<end
    switch values[name] {
    case .value(let value):
      if slots != nil, value != .null {
        return FormatExpression(.slot(ExactText(name), value), range)
      }
      return FormatExpression(.constant(value, number: nil), range)
    case .text(let text): return FormatExpression(.text(text), range)
    case nil:
      return FormatExpression(.value(.variable(name), try sourceType(name, at: start)), range)
    }
  }

  /// The name behind the dot at the token.
  private func nameAfterDot() -> String? {
    var ahead = lexer
    switch try? ahead.next().kind {
    case .name(let name, _): return name
    case .key(let name): return name
    default: return nil
    }
  }

  /// The type of a value of the object whose fetched property is asked.
  private func sourceType(_ name: String, at offset: Int) throws -> FormatType {
    let parts = name.split(separator: ".")
    guard let origin, parts.first.map(String.init) == QueryTemplate.source else { return .unknown }
    guard parts.count > 1 else {
      return try FormatType(onlyKey(of: origin, at: offset).type)
    }
    let attribute = parts[1...].joined(separator: ".")
    if parts.count > 2, origin.member(attribute) == nil,
      !attribute.structNames.contains(where: { origin.isStruct($0) })
    {
      throw source.fault(
        "only attributes and to-ones of $\(QueryTemplate.source) can be named", at: offset)
    }
    switch origin.member(attribute) {
    case .attribute(let type): return FormatType(type)
    case .embedded(isOptional: true): return FormatType(.bool)
    case .embedded(isOptional: false):
      throw source.fault("\(attribute) is a struct; name one of its attributes", at: offset)
    case .unknown: return .unknown
    case .toOne(let target): return try FormatType(onlyKey(of: target, at: offset).type)
    case .toMany:
      throw source.fault("\(attribute) is a to-many and has no single value", at: offset)
    case nil:
      throw source.fault(
        "\(origin.name) has no attribute or relationship \(attribute)"
          + FormatSuggestion.text(for: attribute, among: origin.members), at: offset,
        code: .unknownAttribute, entity: origin.name, attributes: [attribute])
    }
  }

  private mutating func constant(
    _ value: StoredValue, number: String? = nil
  ) throws -> FormatExpression {
    let range = token.range
    try advance()
    return FormatExpression(.constant(value, number: number), range)
  }

  private mutating func constant(_ word: FormatWord) throws -> FormatExpression {
    let form: FormatForm
    switch word {
    case .nil, .null: form = .constant(.null, number: nil)
    case .true, .yes: form = .constant(.bool(true), number: nil)
    case .false, .no: form = .constant(.bool(false), number: nil)
    case .self: form = .row(entity, scope: 0)
    case .truePredicate: form = .condition(.constant(true))
    case .falsePredicate: form = .condition(.constant(false))
    default:
      let name = source.text(token.range)
      let isMember = entity.member(name) != nil
      throw unexpected(
        "a value or a condition" + (isMember ? "; write #\(name) for the key" : ""))
    }
    let range = token.range
    try advance()
    return FormatExpression(form, range)
  }

  /// A key of the request's own row.
  private mutating func key(_ name: String) throws -> FormatExpression {
    let range = token.range
    let form = try member(name, of: entity, after: Operand.Path([]), at: range.lowerBound)
    try advance()
    return FormatExpression(form, range)
  }

  /// Returns the form of an entity's member that follows a path.
  mutating func member(
    _ name: String, of entity: FormatEntity, after container: Operand.Path, at offset: Int
  ) throws -> FormatForm {
    guard container.names.count < limits.depth else {
      throw source.fault(
        "the path is longer than \(limits.depth) names", at: offset, code: .tooComplex)
    }
    let path = Operand.Path(container.names + [name], scope: container.scope)
    switch entity.member(name) {
    case .attribute(let type): return .value(.path(path), FormatType(type))
    case .embedded(let isOptional): return .embedded(path, entity, isOptional: isOptional)
    case .unknown: return .value(.path(path), .unknown)
    case .toOne(let target): return .toOne(path, target)
    case .toMany(let target):
      let scope = openScope()
      return .collection(
        FormatCollection(.related(path), element: .row(target, scope: scope), scope: scope))
    case nil:
      throw source.fault(
        "\(entity.name) has no attribute or relationship \(name)"
          + hint(for: name, among: entity.members, isFirst: container.names.isEmpty),
        at: offset, code: .unknownAttribute, entity: entity.name, attributes: [name])
    }
  }

  /// The words about an unknown name: the nearest name, or that a text stands in quotes.
  private func hint(for name: String, among members: [String], isFirst: Bool) -> String {
    let nearest = FormatSuggestion.text(for: name, among: members)
    return nearest.isEmpty && isFirst ? "; a text stands in quotes: '\(name)'" : nearest
  }

  private mutating func parenthesized() throws -> FormatExpression {
    let start = token.range.lowerBound
    try advance()
    var inner = try expression(.or)
    try expect(.close)
    inner.range = start..<end
    inner.isGrouped = true
    return inner
  }

  private mutating func list() throws -> FormatExpression {
    let start = token.range.lowerBound
    try advance()
    var items: [FormatExpression] = []
    if token.kind != .sign(.closeList) {
      repeat {
        try countListItems(1)
        items.append(try expression(.sum))
      } while try take(.comma)
    }
    guard try take(.closeList) else { throw unexpected(", or }") }
    return try made(.list(items), start..<end, over: items.reduce(0) { max($0, $1.depth) })
  }

  mutating func countListItems(_ count: Int) throws {
    listItems += count
    guard listItems <= limits.listItems else {
      throw source.fault(
        "the condition lists more than \(limits.listItems) values", at: token.range.lowerBound,
        code: .tooComplex)
    }
  }

  private mutating func argument(
    _ conversion: FormatConversion, _ position: Int?
  ) throws -> FormatExpression {
    let range = token.range
    let content: FormatSubstitute.Content
    do {
      content = try arguments.take(position)
    } catch {
      throw source.fault(error.message, at: range.lowerBound)
    }
    let form = try form(of: content, as: conversion, at: range.lowerBound)
    try advance()
    return FormatExpression(form, range)
  }

  private mutating func form(
    of content: FormatSubstitute.Content, as conversion: FormatConversion, at offset: Int
  ) throws -> FormatForm {
    switch (conversion, content) {
    case (.key, .value(.string(let path))): return try keys(path, at: offset)
    case (.key, .name(let name, let owner)), (.object, .name(let name, let owner)):
      guard owner == entity.name else {
        throw source.fault(
          "the key path belongs to \(owner), but the condition is on \(entity.name)", at: offset)
      }
      return try member(name, of: entity, after: Operand.Path([]), at: offset)
    case (.key, _): throw source.fault("%K takes a name or a key path", at: offset)
    case (.object, .value(let value)):
      if case .array(let elements) = value { try countListItems(elements.count) }
      return .constant(value, number: nil)
    case (.object, .key(let values, let entity)): return .key(values, entity: entity)
    case (.integer, .value(.int)), (.integer, .value(.uint)), (.floating, .value(.double)),
      (.floating, .value(.int)), (.floating, .value(.uint)), (.floating, .value(.decimal)),
      (.text, .value(.string)), (.character, .value(.int)):
      guard case .value(let value) = content else { break }
      return .constant(value, number: nil)
    case (.character, .value(.string(let text))) where text.unicodeScalars.count == 1:
      return .constant(.string(text), number: nil)
    default: break
    }
    let expected =
      switch conversion {
      case .integer: "an integer"
      case .floating: "a number"
      case .text: "a text"
      default: "an integer or a text of one character"
      }
    throw source.fault("this argument takes \(expected)", at: offset)
  }

  /// The names of a `%K`, with dots between.
  private mutating func keys(_ path: String, at offset: Int) throws -> FormatForm {
    if entity.member(path) != nil {
      return try member(path, of: entity, after: Operand.Path([]), at: offset)
    }
    var form: FormatForm?
    for part in path.split(separator: ".", omittingEmptySubsequences: false) {
      let name = String(part)
      if let before = form {
        form =
          try name.hasPrefix("@")
          ? aggregate(String(name.dropFirst()), of: before, at: offset)
          : follow(name, from: before, at: offset)
      } else if name.lowercased() == "self" {
        form = .row(entity, scope: 0)
      } else {
        form = try member(name, of: entity, after: Operand.Path([]), at: offset)
      }
    }
    return form ?? .row(entity, scope: 0)
  }

  /// A part as a condition; a truth value stands for "it is true".
  func condition(_ expression: FormatExpression) throws -> Condition {
    switch expression.form {
    case .condition(let condition): return condition
    case .value(let operand, let type) where type.kind == .bool:
      return .compare(operand, .equal, .value(.bool(true)), [])
    case .collection:
      throw fault(
        "expected a condition; ANY \(text(expression)) is true if there is one", expression)
    default: throw fault("expected a condition, found \(text(expression))", expression)
    }
  }
}
