package import FoundationEssentials
internal import ORMValues

/// Checks requests against an entity before any store is asked: names exist, kinds fit, limits
/// hold.
///
/// It returns requests as stores understand them: texts beside a normalized attribute are in its form, and
/// paths through relationships are nodes on related rows (clause 2.7 to 2.9).
package struct ConditionCheck {
  let entity: StoredEntity
  let schema: StoredSchema?
  let limits: ConditionLimits
  /// The rows that inner conditions can name, by their scope in the unchecked request; scope 0, the request's
  /// own row, is not among them.
  var rows: [Int: RelatedRow]
  /// True if related rows that were soft-deleted are seen.
  package var seesDeleted = false
  /// The number of scopes that were given out; no two scopes of one check are equal.
  var scopeCount = 0
  /// The kinds of the elements of arrays that may be named now, by scope.
  var items: [Int: AttributeType.Kind?] = [:]
  /// The kinds of the columns of a result row; empty if none may be named.
  package var outputs: [AttributeType.Kind?] = []
  /// The program's own clock, see `StoreOptions.now`; nil for that of the system.
  package var clock: (@Sendable () -> Date)?
  /// The timestamp of the request, once it was asked for.
  var timestamp: StoredValue?
  /// True if attributes that are stored outside of their rows may be named anywhere, as in a request that was
  /// checked before.
  var allowsExternal = false
  /// True if the operand that is checked next may be such an attribute.
  var mayNameExternal = false
  /// The kind of the elements of the list that was checked last.
  var lastListKind: AttributeType.Kind?
  /// The condition that is checked, for errors.
  var whole: Condition?
  private var listItems = 0

  /// A row that a condition can name: its scope in the checked request, and its entity.
  struct RelatedRow {
    let scope: Int
    let entity: StoredEntity
  }

  /// Checks against one entity, inside these limits; without a schema nothing can go through a
  /// relationship.
  package init(
    entity: StoredEntity, schema: StoredSchema? = nil, limits: ConditionLimits,
    rows: [Int: StoredEntity] = [:]
  ) {
    self.entity = entity
    self.schema = schema
    self.limits = limits
    self.rows = Dictionary(
      uniqueKeysWithValues: rows.map { ($0, RelatedRow(scope: $0, entity: $1)) })
    scopeCount = rows.keys.max() ?? 0
  }

  /// The condition as stores understand it.
  ///
  /// - Throws: `unknownAttribute`, `invalidCondition`, `tooComplex`, or the error that a condition
  ///   which could not be made carries.
  package mutating func checked(_ condition: Condition) throws -> Condition {
    try checkStack(for: condition)
    whole = condition
    return try check(condition, depth: 1)
  }

  /// An operand of an output or an assignment, as stores understand it.
  package mutating func checked(_ operand: Operand) throws -> Operand {
    try checkStack(for: operand)
    return try check(operand, depth: 1).operand
  }

  /// Checks a key of an order: its operand has an order, and its options fit.
  package mutating func checked(_ term: SortTerm) throws -> SortTerm {
    try checkStack(for: term.operand)
    let (operand, kind) = try check(term.operand, depth: 1)
    if kind == .array || kind == .json {
      throw fault(.invalidCondition, "\(kind?.rawValue ?? "") cannot be ordered: \(term)")
    }
    if !term.options.isEmpty, let kind, kind != .string {
      throw fault(.invalidCondition, "the options [cdn] apply only to text: \(term)")
    }
    var term = term
    term.operand = operand
    return term
  }

  /// An aggregate: there is something to aggregate, and its kind fits.
  package mutating func checked(_ aggregate: Aggregate) throws -> Aggregate {
    if let operand = aggregate.operand { try checkStack(for: operand) }
    mayNameExternal = aggregate.kind == .count
    let operand = try aggregate.operand.map { try check($0, depth: 1) }
    try checkAggregate(aggregate.kind, of: operand)
    return Aggregate(aggregate.kind, operand?.operand)
  }

  /// The kind of an aggregate that was checked; nil where it is known only for each group.
  package mutating func kind(of aggregate: Aggregate) throws -> AttributeType.Kind? {
    switch aggregate.kind {
    case .count, .countDistinct: .int
    case .average: .double
    case .sum, .minimum, .maximum:
      try aggregate.operand.flatMap { try check($0, depth: 1).kind }
    }
  }

  func checkAggregate(_ kind: Aggregate.Kind, of operand: Typed?) throws {
    guard let (operand, of) = operand else {
      guard kind == .count else {
        throw fault(.invalidCondition, "every aggregate but a count needs an attribute")
      }
      return
    }
    let fits =
      switch kind {
      case .count, .countDistinct: true
      case .sum, .average: of?.isNumber ?? true
      case .minimum, .maximum: of != .array && of != .json
      }
    guard fits else {
      throw fault(.invalidCondition, "\(kind.rawValue) cannot be applied to \(operand)")
    }
  }

  mutating func check(_ condition: Condition, depth: Int) throws -> Condition {
    try checkDepth(depth)
    switch condition {
    case .constant: return condition
    case .invalid(let error): throw error.filling(entity: entity.modelName)
    case .not(let inner): return .not(try check(inner, depth: depth + 1))
    case .all(let parts): return .all(try check(parts, depth: depth + 1))
    case .any(let parts): return .any(try check(parts, depth: depth + 1))
    case .compare, .isIn, .text: return try checkComparison(condition, depth: depth)
    case .some, .exists, .someItem: return try checkElements(condition, depth: depth)
    }
  }

  // Comparisons, and conditions on other rows, have functions of their own: every level around them
  // would need the stack that they take.

  private mutating func checkComparison(_ condition: Condition, depth: Int) throws -> Condition {
    switch condition {
    case .compare(let left, let comparator, let right, let options):
      if let link = try linkComparison(left, comparator, right, options, depth: depth) {
        return link
      }
      let isWithNil = comparesWithNil(left, comparator, right)
      mayNameExternal = isWithNil
      let (leftOperand, leftKind) = try check(left, depth: depth + 1)
      mayNameExternal = isWithNil
      let (rightOperand, rightKind) = try check(right, depth: depth + 1)
      try checkComparable(leftKind, rightKind, condition)
      if comparator != .equal, comparator != .notEqual {
        try checkOrdered(leftKind ?? rightKind, condition)
      }
      try checkOptions(options, leftKind ?? rightKind, condition)
      return .compare(
        normalize(leftOperand, beside: right), comparator,
        normalize(rightOperand, beside: left), options)
    case .isIn(let element, let list, let options):
      if let link = try linkMembership(element, list, options, depth: depth) { return link }
      let (elementOperand, elementKind) = try check(element, depth: depth + 1)
      let (listOperand, listKind) = try check(list, depth: depth + 1)
      guard let listKind else { return .isIn(elementOperand, list: listOperand, options) }
      guard listKind == .array || listKind == .json else {
        throw fault(.invalidCondition, "the right side of IN is not a list: \(condition)")
      }
      try checkComparable(elementKind, elementKindOfList(list), condition)
      try checkOptions(options, elementKind, condition)
      return .isIn(elementOperand, list: normalize(listOperand, beside: element), options)
    case .text(let text, let symbol, let other, let options):
      let (textOperand, textKind) = try check(text, depth: depth + 1)
      let (otherOperand, otherKind) = try check(other, depth: depth + 1)
      guard textKind == nil || textKind == .string, otherKind == nil || otherKind == .string
      else { throw fault(.invalidCondition, "a text operator needs text: \(condition)") }
      if symbol == .matches || symbol == .like {
        try checkPattern(otherOperand, symbol, options)
      }
      return .text(
        normalize(textOperand, beside: other), symbol, normalize(otherOperand, beside: text),
        options)
    default: return condition
    }
  }

  private mutating func checkElements(_ condition: Condition, depth: Int) throws -> Condition {
    switch condition {
    case .some(let elements, let inner):
      return try withRows(of: elements, depth: depth) { check, rows, links in
        let inner = try check.check(inner, depth: depth + 1)
        return .exists(inner == .constant(true) ? links : rows, inner)
      }
    case .exists(let rows, let inner):
      return try withRows(rows) { check, rows in
        .exists(rows, try check.check(inner, depth: depth + 1))
      }
    case .someItem(let array, let scope, let inner):
      return try withItems(of: array, scope: scope, depth: depth) { check, array in
        .someItem(of: array, scope: scope, try check.check(inner, depth: depth + 1))
      }
    default: return condition
    }
  }

  private mutating func check(_ parts: [Condition], depth: Int) throws -> [Condition] {
    var checked: [Condition] = []
    checked.reserveCapacity(parts.count)
    var stop = StopCheck()
    for part in parts {
      try stop.step()
      checked.append(try check(part, depth: depth))
    }
    return checked
  }

  /// Refuses a condition that nests deeper than the limit, or than this thread's stack allows, before it
  /// is traversed.
  private func checkStack(for condition: Condition) throws {
    if let error = StackReserve.refusal(of: condition) {
      try checkDepth(condition.depth(upTo: min(limits.depth, .max - 1) + 1))
      throw error.filling(entity: entity.modelName)
    }
  }

  func checkStack(for operand: Operand) throws {
    switch operand {
    case .path, .value: return
    default: try checkStack(for: .compare(operand, .equal, .value(.null), []))
    }
  }

  func checkDepth(_ depth: Int) throws {
    guard depth <= limits.depth else {
      throw fault(.tooComplex, "the condition nests deeper than \(limits.depth)")
    }
  }

  mutating func countListItems(_ count: Int) throws {
    listItems += count
    guard listItems <= limits.listItems else {
      throw fault(.tooComplex, "the condition lists more than \(limits.listItems) values")
    }
  }

  package func fault(_ code: StoreError.Code, _ message: String) -> StoreError {
    StoreError(code, message, entity: entity.modelName)
  }
}
