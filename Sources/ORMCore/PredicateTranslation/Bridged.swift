internal import ORMStorage

/// The translation of an expression of a predicate: one of several values, depending on the row.
struct Bridged {
  /// Of these exactly one counts for each row.
  var cases: [Case]
  /// The condition without which Foundation's evaluation throws.
  var needs = Condition.constant(true)

  struct Case {
    /// The condition under which this one counts.
    var when = Condition.constant(true)
    var value: BridgedValue
  }

  /// The number of cases an expression has at most.
  static let caseLimit = 64

  init(_ value: BridgedValue) { cases = [Case(value: value)] }

  init(cases: [Case], needs: Condition) throws {
    guard cases.count <= Self.caseLimit else {
      throw StoreError(.tooComplex, "the predicate has too many cases")
    }
    self.cases = cases
    self.needs = needs
  }

  static func condition(_ condition: Condition) -> Bridged { Bridged(.condition(condition)) }

  /// Returns the translation with each case translated further by a closure.
  func map(_ change: (BridgedValue) throws -> Bridged) throws -> Bridged {
    var all: [Case] = []
    var needs = needs
    for one in cases {
      let changed = try change(one.value)
      for inner in changed.cases {
        all.append(Case(when: .and(one.when, inner.when), value: inner.value))
      }
      needs = .and(needs, .or(.negation(one.when), changed.needs))
    }
    return try Bridged(cases: all, needs: needs)
  }

  /// Combines each case of one translation with each case of another by a closure.
  static func combining(
    _ left: Bridged, _ right: Bridged,
    _ change: (BridgedValue, BridgedValue) throws -> BridgedValue
  ) throws -> Bridged {
    var all: [Case] = []
    for one in left.cases {
      for other in right.cases {
        all.append(
          Case(
            when: .and(one.when, other.when), value: try change(one.value, other.value)))
      }
    }
    return try Bridged(cases: all, needs: .and(left.needs, right.needs))
  }

  /// It as a condition.
  func condition() throws -> Condition {
    if cases.count == 1 { return .and(cases[0].when, try cases[0].value.condition()) }
    return try cases.reduce(.constant(false)) {
      .or($0, .and($1.when, try $1.value.condition()))
    }
  }
}

/// A value that an expression of a predicate translates to.
indirect enum BridgedValue {
  /// A value of the row, nil among them.
  case operand(Operand)
  case condition(Condition)
  /// Anything that is known already.
  case constant(Any)
  /// A row: the one asked about, an element, or where a to-one leads; nil where it leads nowhere.
  case row(BridgedRow)
  /// A to-one, and the targets of a to-many.
  case link(BridgedRow)
  case links(BridgedRow)
  /// Those elements of a to-many for which a condition holds that names them by a scope.
  case rows(BridgedRow, scope: Int?, Condition)
  /// Those elements of an array for which a condition holds that names them by a scope.
  case items(Operand, scope: Int?, Condition)
  /// The scalars of a text.
  case scalars(Operand)
  /// A property of a row that is no attribute, but may have parts that are.
  case fieldPath(FieldPath)
  case range(lower: Operand?, upper: Operand?, includesUpper: Bool)

  /// No value.
  static var nothing: BridgedValue { .operand(.value(.null)) }

  /// It as a condition.
  func condition() throws -> Condition {
    switch self {
    case .condition(let condition): return condition
    case .constant(let value as Bool): return .constant(value)
    default: return .compare(try operand(), .equal, .value(.bool(true)), [])
    }
  }

  /// It as a value.
  func operand() throws -> Operand {
    switch self {
    case .operand(let operand): return operand
    case .constant(let value as any AttributeValue): return .value(value.storedValue)
    case .constant(let value as Character): return .value(.string(String(value)))
    case .constant(let value):
      throw PredicateBridge.refusal("a value of the type \(type(of: value))")
    case .row(let row): return row.linkPath.operand
    case .condition: throw PredicateBridge.refusal("a condition as a value")
    case .link, .links, .rows: throw PredicateBridge.refusal("a link as a value")
    case .items: throw PredicateBridge.refusal("a filtered array as a value")
    case .scalars: throw PredicateBridge.refusal("the scalars of a text as a value")
    case .fieldPath(let fieldPath) where fieldPath.embedded?.isOptional == true:
      return fieldPath.operand
    case .fieldPath:
      throw PredicateBridge.refusal(
        "a property that is not stored as one attribute, such as a composite key")
    case .range: throw PredicateBridge.refusal("a range as a value")
    }
  }

  /// True if it is known already to be nil.
  var isNothing: Bool {
    switch self {
    case .operand(.value(.null)): true
    case .constant(let value as any AttributeValue): value.storedValue.isNull
    default: false
    }
  }
}

/// Rows that a path of relationships leads to.
struct BridgedRow {
  let linkPath: LinkPath
  let model: any Persistable.Type

  init(_ linkPath: LinkPath, _ model: any Persistable.Type) {
    self.linkPath = linkPath
    self.model = model
  }
}

extension Condition {
  /// The conjunction of two conditions: without constant ones, and one AND for a chain of any length, as
  /// typed conditions make it.
  static func and(_ left: Condition, _ right: Condition) -> Condition {
    if left == .constant(true) { return right }
    if right == .constant(true) { return left }
    if left == .constant(false) || right == .constant(false) { return .constant(false) }
    return .all([left, right].flatMap { if case .all(let parts) = $0 { parts } else { [$0] } })
  }

  /// One of them; one OR for a chain of any length.
  static func or(_ left: Condition, _ right: Condition) -> Condition {
    if left == .constant(false) { return right }
    if right == .constant(false) { return left }
    if left == .constant(true) || right == .constant(true) { return .constant(true) }
    return .any([left, right].flatMap { if case .any(let parts) = $0 { parts } else { [$0] } })
  }

  static func negation(_ condition: Condition) -> Condition {
    if case .constant(let value) = condition { return .constant(!value) }
    return .not(condition)
  }

  /// Returns whether there is a value.
  static func exists(_ operand: Operand) -> Condition {
    .compare(operand, .notEqual, .value(.null), [])
  }
}
