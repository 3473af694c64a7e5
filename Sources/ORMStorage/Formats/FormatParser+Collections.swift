internal import ORMValues

// Collections: aggregates over them, ANY, ALL and NONE, SUBQUERY.
extension FormatParser {
  enum Quantifier {
    case any, all, none

    /// The levels of a comparison of elements: itself, and the negations of ALL and NONE.
    fileprivate var comparisonDepth: Int {
      switch self {
      case .any: 1
      case .none: 2
      case .all: 3
      }
    }
  }

  /// The aggregates by their names behind `@`.
  private static let aggregates: [String: Aggregate.Kind] = [
    "count": .count, "sum": .sum, "avg": .average, "min": .minimum, "max": .maximum,
    "countDistinct": .countDistinct,
  ]

  /// The operators behind `@` that leave a collection.
  private static let unions = ["unionOfObjects": false, "distinctUnionOfObjects": true]

  private func unknownAggregate(_ name: String, at offset: Int) -> StoreError {
    let names = Self.aggregates.keys.sorted() + Self.unions.keys.sorted()
    return source.fault(
      "there is no @\(name)" + FormatSuggestion.text(for: name, among: names), at: offset)
  }

  /// Parses `@count`, `@sum` and so on of a form, without a following operator.
  func aggregate(
    _ name: String, of form: FormatForm, at offset: Int
  ) throws -> FormatForm {
    guard let kind = Self.aggregates[name] else { throw unknownAggregate(name, at: offset) }
    return try total(kind, of: try collection(form, at: offset), at: offset)
  }

  /// Reads the rest of `.@sum` behind a value: `.@sum.age`, `.@sum($x.age * 2)`.
  mutating func aggregate(
    _ name: String, _ expression: inout FormatExpression, at offset: Int
  ) throws {
    var collection = try collection(expression.form, at: offset)
    if let isDistinct = Self.unions[name] {
      collection.isDistinct = isDistinct || collection.isDistinct
      expression.form = .collection(collection)
      return
    }
    guard let kind = Self.aggregates[name] else { throw unknownAggregate(name, at: offset) }
    if token.kind == .sign(.open), let variable = collection.variable {
      let inner = try element(variable, of: collection)
      let (operand, type) = try value(inner)
      collection.value = .value(operand, type)
      expression.depth = max(expression.depth, inner.depth)
    }
    // The names behind it are the path to the aggregated attribute.
    while try take(.dot) {
      let start = token.range.lowerBound
      let name =
        switch token.kind {
        case .name(let name, _), .key(let name): name
        default: throw unexpected("a name")
        }
      try advance()
      let further = try follow(name, from: .collection(collection), at: start)
      collection = try self.collection(further, at: start)
    }
    expression = try made(
      try total(kind, of: collection, at: offset), expression.range, over: expression.depth)
  }

  /// A form as a collection: a to-many, or the elements of a list.
  func collection(_ form: FormatForm, at offset: Int) throws -> FormatCollection {
    switch form {
    case .collection(let collection): return collection
    case .value(let list, let type) where type.isListLike: return items(list, type)
    case .list, .constant(.array, _), .slot(_, .array):
      let (list, type) = try listed(FormatExpression(form, offset..<offset))
      return items(list, type)
    default: throw source.fault("an aggregate needs a to-many or a list", at: offset)
    }
  }

  private func items(_ list: Operand, _ type: FormatType) -> FormatCollection {
    // No other part of the format can name the elements, but a SUBQUERY, which opens its own.
    let scope = Int.min
    return FormatCollection(
      .items(list, type), element: .value(.item(scope), type.elementType), scope: scope)
  }

  /// An aggregate over a collection.
  func total(
    _ kind: Aggregate.Kind, of collection: FormatCollection, at offset: Int
  ) throws -> FormatForm {
    // Of a to-one the targets themselves are counted, one for each element that has one.
    let collection = kind == .count ? whole(collection) : collection
    let kind: Aggregate.Kind = kind == .count && collection.isDistinct ? .countDistinct : kind
    var operand: Operand?
    var type = FormatType.unknown
    switch collection.value {
    case .value(let value, let valueType):
      type = valueType
      operand = value
    case .row(let entity, let scope) where kind == .countDistinct:
      operand = .path(Operand.Path([try onlyKey(of: entity, at: offset).name], scope: scope))
    case .row where kind == .count: break
    case .toOne(let path, let target) where kind == .count || kind == .countDistinct:
      operand = .path(
        Operand.Path(
          path.names + [try onlyKey(of: target, at: offset).name], scope: path.scope))
    default:
      throw source.fault(
        "name the attribute of each element to aggregate, as in @sum.price", at: offset)
    }
    if kind == .sum || kind == .average, !type.isNumber {
      throw source.fault(
        "only numbers can be summed or averaged; this is \(type.words)", at: offset)
    }
    if kind == .minimum || kind == .maximum, type.kind == .json || type.isArray {
      throw source.fault("\(type.words) cannot be ordered", at: offset)
    }
    if case .items(let list, _) = collection.source {
      guard collection.isWhole else {
        throw source.fault(
          "the elements of a list are aggregated as they are; remove the name behind the "
            + "aggregate", at: offset)
      }
      if kind == .count, collection.condition == nil {
        return .value(.function(.count, list), FormatType(.int64))
      }
      operand = nil
    }
    let result: FormatType =
      switch kind {
      case .count, .countDistinct: FormatType(.int64)
      case .average: FormatType(.double)
      case .sum, .minimum, .maximum: FormatType(kind: type.kind, element: type.element)
      }
    return .value(collection.aggregate(kind, operand), result)
  }

  func onlyKey(of entity: FormatEntity, at offset: Int) throws -> (
    name: String, type: AttributeType
  ) {
    guard let key = entity.onlyKey else {
      throw source.fault(
        entity.key.isEmpty
          ? "\(entity.name) has no key attribute to name"
          : "the key of \(entity.name) has several attributes; name one of them", at: offset)
    }
    return key
  }

  /// `($x.age * 2)` behind `.@sum`: a value of an element.
  private mutating func element(
    _ variable: String, of collection: FormatCollection
  ) throws -> FormatExpression {
    try expect(.open)
    let before = variables[variable]
    variables[variable] = collection.element
    let inner = try expression(.sum)
    variables[variable] = before
    try expect(.close)
    return inner
  }

  /// Reads `SUBQUERY(collection, $x, condition)`.
  mutating func subquery(from start: Int) throws -> FormatExpression {
    try expect(.open)
    let rows = try expression(.sum)
    try expect(.comma)
    guard case .variable(let name) = token.kind else { throw unexpected("a variable such as $x") }
    try advance()
    try expect(.comma)
    var collection = try subcollection(rows)
    let before = variables[name]
    variables[name] = collection.element
    let inner = try expression(.or)
    variables[name] = before
    try expect(.close)
    collection.condition = try condition(inner)
    collection.variable = name
    return try made(
      .collection(collection), start..<end, over: max(rows.depth, inner.depth))
  }

  /// Returns the collection of a SUBQUERY, whose elements are at the end of the whole path.
  private mutating func subcollection(_ rows: FormatExpression) throws -> FormatCollection {
    let collection = try collection(rows.form, at: rows.range.lowerBound)
    guard collection.condition == nil else {
      throw fault(
        "a SUBQUERY cannot take a SUBQUERY; join the conditions with AND", rows)
    }
    let scope = openScope()
    switch (collection.source, collection.value) {
    case (.items(let list, let type), _) where collection.isWhole:
      return FormatCollection(
        .items(list, type), element: .value(.item(scope), type.elementType), scope: scope)
    case (.related(let path), .row(let entity, _)):
      return FormatCollection(
        .related(path), element: .row(entity, scope: scope), scope: scope)
    case (.related(let path), .toOne(let further, let entity)):
      return FormatCollection(
        .related(Operand.Path(path.names + further.names, scope: path.scope)),
        element: .row(entity, scope: scope), scope: scope)
    default: throw fault("a SUBQUERY takes a to-many or a list", rows)
    }
  }

  /// Reads a quantified comparison: ANY, SOME, ALL or NONE, its collection, and the comparison.
  mutating func quantified(_ quantifier: Quantifier) throws -> FormatExpression {
    let start = token.range.lowerBound
    try advance()
    return try quantified(quantifier, try expression(.sum), from: start)
  }

  private mutating func quantified(
    _ quantifier: Quantifier, _ left: FormatExpression, from start: Int
  ) throws -> FormatExpression {
    let collection = try quantifiable(left)
    guard let comparison = comparisonHere() else {
      return try uncompared(quantifier, collection, left, from: start)
    }
    try advance()
    let options = try textOptions()
    let right = try expression(.sum)
    let condition = try self.condition(
      quantifier, collection, comparison, right, options, left.range)
    return try made(
      .condition(condition), start..<end,
      over: max(left.depth, right.depth) + quantifier.comparisonDepth)
  }

  /// Makes the condition of ANY, ALL or NONE without a comparison.
  ///
  /// Elements are there or not; a truth value is true or not. Any other value is an error.
  private func uncompared(
    _ quantifier: Quantifier, _ collection: FormatCollection, _ left: FormatExpression,
    from start: Int
  ) throws -> FormatExpression {
    let isNegated = quantifier == .none ? 1 : 0
    switch collection.value {
    case .value(_, let type)
    where (type.kind == .bool || type.elementType.kind == .bool)
      && !(collection.isWhole && collection.condition != nil):
      let isTrue = FormatExpression(.constant(.bool(true), number: nil), left.range)
      let condition = try condition(
        quantifier, collection, .order(.equal), isTrue, [], left.range)
      return try made(
        .condition(condition), start..<end, over: left.depth + quantifier.comparisonDepth)
    case .value where !collection.isWhole:
      throw unexpected("an operator; \(text(left)) is not a truth value")
    case _ where quantifier == .all: throw unexpected("an operator")
    case .toOne(let path, _) where collection.condition != nil:
      let condition = collection.some(.compare(.path(path), .notEqual, .value(.null), []))
      return try made(
        .condition(quantifier == .any ? condition : .not(condition)), start..<end,
        over: left.depth + 1 + isNegated)
    case .row, .toOne, .value:
      let condition = whole(collection).some(.constant(true))
      return try made(
        .condition(quantifier == .any ? condition : .not(condition)), start..<end,
        over: left.depth + isNegated)
    default: throw unexpected("an operator; \(text(left)) is not a truth value")
    }
  }

  private func quantifiable(_ expression: FormatExpression) throws -> FormatCollection {
    switch expression.form {
    case .collection(let collection): return collection
    case .value(_, let type) where type.isListLike:
      return try collection(expression.form, at: expression.range.lowerBound)
    case .list, .constant(.array, _), .slot(_, .array):
      return try collection(expression.form, at: expression.range.lowerBound)
    default:
      throw fault(
        "ANY, ALL and NONE need a to-many or a list; \(text(expression)) is neither", expression)
    }
  }

  /// Returns the collection with its path made longer by the to-one that its elements follow.
  private func whole(_ collection: FormatCollection) -> FormatCollection {
    guard case .related(let path) = collection.source, collection.condition == nil,
      case .toOne(let further, let entity) = collection.value
    else { return collection }
    return FormatCollection(
      .related(Operand.Path(path.names + further.names, scope: path.scope)),
      element: .row(entity, scope: collection.scope), scope: collection.scope)
  }

  func condition(
    _ quantifier: Quantifier, _ collection: FormatCollection, _ comparison: FormatComparison,
    _ right: FormatExpression, _ options: TextOptions, _ range: Range<Int>
  ) throws -> Condition {
    var element = FormatExpression(collection.value, range)
    element.isGrouped = true
    if case .value(let list, let type) = collection.value, type.isArray {
      // A list in every element: ANY of any, ALL of all, NONE of any.
      let inner = try condition(
        quantifier == .all ? .all : .any, items(list, type), comparison, right, options, range)
      return negated(quantifier, collection, inner)
    }
    // A test that a list holds a value is an IN.
    if case .items(let list, let type) = collection.source, collection.isWhole,
      collection.condition == nil, comparison == .order(.equal), quantifier != .all
    {
      let (operand, operandType) = try value(right, beside: type.elementType)
      try checkComparable(type.elementType, operandType, element, right)
      try checkOptions(options, type.elementType, operandType, element)
      let holds = Condition.isIn(operand, list: list, options)
      return quantifier == .any ? holds : .not(holds)
    }
    let inner = try self.condition(element, comparison, right, options)
    return negated(quantifier, collection, inner)
  }

  private func negated(
    _ quantifier: Quantifier, _ collection: FormatCollection, _ inner: Condition
  ) -> Condition {
    switch quantifier {
    case .any: collection.some(inner)
    case .none: .not(collection.some(inner))
    case .all: .not(collection.some(.not(inner)))
    }
  }
}
