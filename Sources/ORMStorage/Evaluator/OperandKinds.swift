package import ORMValues

/// The kinds of the values that operands give, where the entities of all scopes are known.
package struct OperandKinds {
  let schema: StoredSchema
  /// The entities by the numbers of their scopes.
  let entities: [Int: StoredEntity]
  /// The kinds of the elements of arrays that may be named, by the numbers of their scopes.
  let items: [Int: AttributeType.Kind?]

  /// The kinds with these rows in scope, by the numbers of their scopes.
  package init(
    schema: StoredSchema, entities: [Int: StoredEntity], items: [Int: AttributeType.Kind?] = [:]
  ) {
    self.schema = schema
    self.entities = entities
    self.items = items
  }

  /// The kind; nil where that is known only for each row (JSON, nil).
  ///
  /// - Throws: `unknownAttribute`, `unknownEntity`, `invalidCondition`, or the error that an operand
  ///   which could not be made carries.
  package func kind(of operand: Operand) throws -> AttributeType.Kind? {
    switch operand {
    case .value(let value): return value.kind
    case .invalid(let error): throw error
    case .parameter(_, let kind): return kind
    case .parameterList: return .array
    case .path(let path): return try type(of: path).kind
    case .json: return nil
    case .element(let array, _), .function(.last, let array): return try elementKind(of: array)
    case .item(let scope): return items[scope].flatMap { $0 }
    case .ofItems(let aggregate, let array, _, _):
      switch aggregate {
      case .count, .countDistinct: return .int
      case .average: return .double
      case .sum, .minimum, .maximum: return try elementKind(of: array)
      }
    case .list: return .array
    case .arithmetic(let symbol, _, _) where symbol.isOfIntegers: return .int
    case .arithmetic(let symbol, let left, let right):
      guard let left = try kind(of: left), let right = try kind(of: right) else { return nil }
      return Self.kind(symbol, left, right)
    case .negated(let inner): return try kind(of: inner)
    case .function(let function, let inner):
      // A kind that does not depend on the argument is known without it.
      return try function.kind(for: nil) ?? function.kind(for: kind(of: inner))
    case .choice(_, let first, let second):
      return try Operand.kind(choosing: kind(of: first), kind(of: second), first, second)
    case .relatedValue(let operand, let rows): return try inside(rows).kind(of: operand)
    case .relatedAggregate(let aggregate, let operand, let rows, _):
      switch aggregate {
      case .count, .countDistinct: return .int
      case .average: return .double
      case .sum, .minimum, .maximum:
        return try operand.flatMap { try inside(rows).kind(of: $0) }
      }
    case .output(let column):
      guard let result = entities[0], result.columns.indices.contains(column) else { return nil }
      // Values of any kind appear as JSON.
      let kind = result.columns[column].type.kind
      return kind == .json ? nil : kind
    case .ofElements, .variable, .now:
      throw StoreError(.invalidCondition, "a value was not lowered: \(operand)")
    }
  }

  /// The kind of the elements of an array; nil where that is known only for each row.
  func elementKind(of array: Operand) throws -> AttributeType.Kind? {
    switch array {
    case .path(let path):
      guard case .array(let element) = try type(of: path) else { return nil }
      return element.kind
    case .parameterList(_, let kind, capacity: _): return kind
    case .list(let parts):
      // The kind of a list is that of its elements, in any order. There is room past Int64 where one is
      // worked out of an attribute that has it.
      return parts.contains { !$0.isConstant && isUnsigned($0) } ? .unsigned : nil
    case .relatedValue(let operand, let rows): return try inside(rows).elementKind(of: operand)
    default: return nil
    }
  }

  /// Returns whether whole-number arithmetic on the operand may go up to `UInt64.max`: it names a
  /// `uint64` attribute.
  func isUnsigned(_ operand: Operand) -> Bool {
    switch operand {
    case .path, .relatedValue, .relatedAggregate, .item, .ofItems, .element, .output,
      .function(.last, _):
      return (try? kind(of: operand)) == .unsigned
    case .parameter(_, let kind): return kind == .unsigned
    case .arithmetic(_, let left, let right): return isUnsigned(left) || isUnsigned(right)
    case .choice(_, let first, let second): return isUnsigned(first) || isUnsigned(second)
    case .negated(let inner), .function(_, let inner): return isUnsigned(inner)
    case .value, .parameterList, .json, .invalid, .ofElements, .list, .variable, .now:
      return false
    }
  }

  /// The type of an attribute.
  package func type(of path: Operand.Path) throws -> AttributeType {
    guard path.names.count == 1, let entity = entities[path.scope] else {
      throw StoreError(
        .invalidCondition, "\(path) is not an attribute of a row in scope", attributes: path.names)
    }
    guard let column = entity.column(ofAttribute: path.names[0]) else {
      throw entity.unknown(path.names[0])
    }
    return entity.columns[column].type
  }

  /// The kinds with the rows of these steps in scope too.
  package func inside(_ rows: RelatedRows) throws -> OperandKinds {
    var inner = entities
    for step in rows.steps {
      guard let entity = schema[step.entity] else {
        throw StoreError(
          .unknownEntity, "the schema has no entity \(step.entity)", entity: step.entity)
      }
      inner[step.scope] = entity
    }
    return OperandKinds(schema: schema, entities: inner, items: items)
  }

  private static func kind(
    _ symbol: ArithmeticOperator, _ left: AttributeType.Kind, _ right: AttributeType.Kind
  ) -> AttributeType.Kind? {
    switch (left, right) {
    case (.date, .date): return .double
    case (.date, _), (_, .date): return .date
    default:
      if symbol == .power || left == .double || right == .double { return .double }
      return left == .decimal || right == .decimal ? .decimal : .int
    }
  }
}

extension StoredSchema {
  /// Returns the kind of value of an operand of an entity's rows, which may name values of related
  /// rows.
  ///
  /// The result is nil if the kind is known only for each row (JSON, nil).
  package func kind(
    of operand: Operand, in entity: StoredEntity
  ) throws -> AttributeType.Kind? {
    try OperandKinds(schema: self, entities: [0: entity]).kind(of: operand)
  }
}

extension Operand {
  /// The kind of one of two values; nil where that is known only for each row.
  package static func kind(
    choosing first: AttributeType.Kind?, _ second: AttributeType.Kind?, _ a: Operand, _ b: Operand
  ) -> AttributeType.Kind? {
    if first == second { return first }
    if a == .value(.null) { return second }
    return b == .value(.null) ? first : nil
  }

  /// True if the operand is the same for every row.
  fileprivate var isConstant: Bool {
    switch self {
    case .value, .parameter, .parameterList: true
    case .arithmetic(_, let left, let right): left.isConstant && right.isConstant
    case .negated(let inner), .function(_, let inner), .json(let inner, _), .element(let inner, _):
      inner.isConstant
    case .list(let parts): parts.allSatisfy(\.isConstant)
    default: false
    }
  }
}
