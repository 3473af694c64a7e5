internal import FoundationEssentials
internal import ORMStorage

/// Translates the expressions of Foundation's predicates.
struct PredicateBridge {
  private var variables: [PredicateExpressions.VariableID: Bridged] = [:]

  /// An expression that can be translated.
  protocol Expression {
    func bridged(_ bridge: PredicateBridge) throws -> Bridged
  }

  /// Returns the error for an expression without an exact translation.
  static func refusal(_ what: String) -> StoreError {
    StoreError(.invalidCondition, "a predicate with \(what) has no exact translation")
  }

  /// Lets a variable stand for something.
  mutating func bind<Output>(
    _ variable: PredicateExpressions.Variable<Output>, to value: BridgedValue
  ) {
    variables[variable.key] = Bridged(value)
  }

  /// Binds a variable to the translation of an expression.
  mutating func bind<Output>(
    _ variable: PredicateExpressions.Variable<Output>, to value: Bridged
  ) {
    variables[variable.key] = value
  }

  func value(of key: PredicateExpressions.VariableID) throws -> Bridged {
    guard let value = variables[key] else {
      throw Self.refusal(
        "a variable of an enclosing predicate")
    }
    return value
  }

  /// Translates an expression.
  func bridged(_ expression: some PredicateExpression) throws -> Bridged {
    guard let known = expression as? any Expression else {
      throw Self.refusal("the expression \(Self.name(of: type(of: expression)))")
    }
    return try known.bridged(self)
  }

  /// The condition that an expression is; rows for which its evaluation would throw do not match.
  func condition(of expression: any PredicateExpression) throws -> Condition {
    let bridged = try bridged(expression)
    return .and(bridged.needs, try bridged.condition())
  }

  /// Returns the condition of a test of elements; an error for an element is an error for the row.
  func test(
    _ expression: some PredicateExpression, of name: String
  ) throws -> Condition {
    let bridged = try bridged(expression)
    guard bridged.needs == .constant(true) else {
      throw Self.refusal("an expression in \(name) that can fail for an element")
    }
    return try bridged.condition()
  }

  /// The name of a type without its generic arguments.
  static func name(of type: Any.Type) -> String {
    String("\(type)".prefix { $0 != "<" })
  }
}

// MARK: - Comparing

extension PredicateBridge {
  /// Returns whether two things are equal.
  static func equality(_ left: BridgedValue, _ right: BridgedValue) throws -> Condition {
    if left.isNothing, right.isNothing { return .constant(true) }
    switch (left, right) {
    case (.condition(let a), .condition(let b)):
      return .or(.and(a, b), .and(.negation(a), .negation(b)))
    case (.condition(let condition), .constant(let value as Bool)),
      (.constant(let value as Bool), .condition(let condition)):
      return value ? condition : .negation(condition)
    case (.condition, let other) where other.isNothing,
      (let other, .condition) where other.isNothing:
      return .constant(false)
    case (.condition(let condition), let other), (let other, .condition(let condition)):
      let operand = try other.operand()
      return .or(
        .and(condition, .compare(operand, .equal, .value(.bool(true)), [])),
        .and(.negation(condition), .compare(operand, .equal, .value(.bool(false)), [])))
    case (.row(let row), let other) where other.isNothing,
      (let other, .row(let row)) where other.isNothing:
      return .compare(row.linkPath.operand, .equal, .value(.null), [])
    case (.link(let row), .constant(let value)), (.constant(let value), .link(let row)):
      return try LinkTranslation.equality(row, value)
    case (.rows, _), (_, .rows), (.row, _), (_, .row):
      throw refusal("a comparison of objects")
    default:
      return .compare(try left.operand(), .equal, try right.operand(), [])
    }
  }

  /// Returns whether an operator holds between two values.
  static func comparison(
    _ left: BridgedValue, _ comparator: Comparator, _ right: BridgedValue
  ) throws -> Condition {
    if case .row = left { throw refusal("a comparison of objects") }
    if case .row = right { throw refusal("a comparison of objects") }
    return .compare(try left.operand(), comparator, try right.operand(), [])
  }
}

/// The parts of links, with their Swift types.
enum LinkTranslation {
  /// Returns whether a to-one is the link that a program holds.
  static func equality(_ row: BridgedRow, _ link: Any) throws -> Condition {
    func open<Target: PrimaryKeyed>(_ target: Target.Type) throws -> Condition {
      guard let link = link as? ToOne<Target> else {
        throw PredicateBridge.refusal("a comparison of a link with a \(type(of: link))")
      }
      return (ToOneField<Target, Target>(linkPath: row.linkPath) == link.id).condition
    }
    guard let target = row.model as? any PrimaryKeyed.Type else {
      throw PredicateBridge.refusal("a link to a model without a primary key")
    }
    return try open(target)
  }

  /// Translates a property of a to-one.
  static func member(_ path: AnyKeyPath, of row: BridgedRow) throws -> BridgedValue {
    func open<Target: PrimaryKeyed>(_ target: Target.Type) throws -> BridgedValue {
      switch path {
      case \ToOne<Target>.loaded: return .row(row)
      case \ToOne<Target>.id where Target.entity.declared.key.count == 1:
        return .operand(row.linkPath.operand)
      default: throw PredicateBridge.refusal("a property of ToOne other than `loaded` and `id`")
      }
    }
    guard let target = row.model as? any PrimaryKeyed.Type else {
      throw PredicateBridge.refusal("a link to a model without a primary key")
    }
    return try open(target)
  }

  /// Translates a property of a to-many.
  static func members(_ path: AnyKeyPath, of row: BridgedRow) throws -> BridgedValue {
    func open<Target: PrimaryKeyed>(_ target: Target.Type) throws -> BridgedValue {
      guard path == \ToMany<Target>.loaded else {
        throw PredicateBridge.refusal("a property of ToMany other than `loaded`")
      }
      return .rows(row, scope: nil, .constant(true))
    }
    guard let target = row.model as? any PrimaryKeyed.Type else {
      throw PredicateBridge.refusal("links to a model without a primary key")
    }
    return try open(target)
  }

  /// Translates a property of a row.
  static func property(
    _ path: any AnyKeyPath & Sendable, of row: BridgedRow
  ) -> BridgedValue {
    func target<End: RelationshipEnd>(_ end: End) -> any Persistable.Type { End.Target.self }
    func open<Model: Persistable>(_ model: Model.Type) -> BridgedValue {
      if Model.embeddedStruct(at: path) != nil {
        return .fieldPath(FieldPath(linkPath: row.linkPath, model: Model.self, path: path))
      }
      if let name = Model.entity.name(of: path) {
        return .operand(row.linkPath.operand(named: name))
      }
      guard let end = Model.entity.relationship(at: path) else {
        return .fieldPath(FieldPath(linkPath: row.linkPath, model: Model.self, path: path))
      }
      let link = BridgedRow(row.linkPath.following(path, of: Model.self), target(end))
      return end.declaration.isToMany ? .links(link) : .link(link)
    }
    return open(row.model)
  }
}
