internal import FoundationEssentials
internal import ORMStorage

/// A compiler of conditions on objects in memory.
///
/// It replaces each question to other objects by a column.
struct ObjectCompiler {
  /// The objects that may be named, by number; the last is the one whose row is asked about.
  private let scopes: [(number: Int, model: any Persistable.Type)]
  private let own: StoredEntity
  private var columns: [StoredColumn]
  private var extras: [ObjectPlan.Extra] = []

  private init(_ scopes: [(number: Int, model: any Persistable.Type)]) {
    self.scopes = scopes
    own = scopes[scopes.count - 1].model.storedEntity
    columns = own.columns
  }

  /// A condition on objects of a model, which is scope 0.
  ///
  /// - Throws: the errors that a store throws for the condition.
  static func condition<Model: Persistable>(
    _ condition: Condition, on model: Model.Type
  ) throws -> ObjectCondition {
    let schema = try Model.reachableSchema()
    var check = ConditionCheck(
      entity: schema.entity(named: Model.entity.declared.name) ?? Model.storedEntity,
      schema: schema, limits: ConditionLimits())
    _ = try check.checked(condition)
    let timestamp = Operand.value(.date(Date()))
    var compiler = ObjectCompiler([(0, Model.self)])
    let flat = try compiler.flat(condition.rewriting { $0 == .now ? timestamp : nil })
    return try ObjectCondition(flat, compiler.plan)
  }

  /// A value of objects of a model, which is scope 0.
  static func operand<Model: Persistable>(
    _ operand: Operand, on model: Model.Type
  ) throws -> ObjectOperand {
    var compiler = ObjectCompiler([(0, Model.self)])
    let flat = try compiler.flat(operand)
    return try ObjectOperand(flat, compiler.plan)
  }

  /// The plan of the rows on which the parts compiled so far are evaluated.
  private var plan: ObjectPlan {
    var entity = own
    entity.columns = columns
    return ObjectPlan(entity: entity, scope: scopes[scopes.count - 1].number, extras: extras)
  }

  private mutating func column(for extra: ObjectPlan.Extra, like column: StoredColumn) -> Operand {
    let name = "$\(columns.count)"
    columns.append(
      StoredColumn(
        name, column.type, isOptional: true, isNormalized: column.isNormalized,
        externalThreshold: column.externalThreshold))
    extras.append(extra)
    return .attribute(name)
  }

  private mutating func flat(_ condition: Condition) throws -> Condition {
    switch condition {
    case .some(let elements, let inner):
      var compiler = try inside(elements)
      let flat = try compiler.flat(inner)
      let column = column(
        for: .exists(
          elements, try ObjectCondition(flat, compiler.plan), scopes: scopes(of: condition)),
        like: StoredColumn("", .bool))
      return .compare(column, .equal, .value(.bool(true)), [])
    case .exists:
      throw StoreError(
        .invalidCondition,
        "only a store can evaluate this condition on related rows: \(condition)")
    default: return try condition.mapParts({ try flat($0) }, { try flat($0) })
    }
  }

  private mutating func flat(_ operand: Operand) throws -> Operand {
    try operand.rewriting { try replacement(for: $0) }
  }

  private mutating func replacement(for operand: Operand) throws -> Operand? {
    switch operand {
    case .path(let path):
      let column = try target(of: path)
      if path.scope == scopes[scopes.count - 1].number, path.names.count == 1,
        own.column(ofAttribute: path.names[0]) != nil
      {
        return .path(.init(path.names))
      }
      return self.column(for: .path(path), like: column)
    case .ofElements(let kind, let inner, let elements, let condition):
      var compiler = try inside(elements)
      let flatCondition = try compiler.flat(condition)
      let flatOperand = try inner.map { try compiler.flat($0) }
      let plan = compiler.plan
      let value = try flatOperand.map { try ObjectOperand($0, plan) }
      return column(
        for: .aggregate(
          elements, try ObjectCondition(flatCondition, plan), value,
          Aggregator(kind, of: inner == nil ? .bool : value?.kind ?? .json),
          scopes: scopes(of: .compare(operand, .equal, .value(.null), []))),
        like: StoredColumn("", Self.type(of: kind, value?.kind)))
    case .ofItems(let kind, let array, let scope, let condition):
      return .ofItems(kind, try flat(array), scope: scope, try flat(condition))
    case .relatedValue, .relatedAggregate:
      throw StoreError(
        .invalidCondition,
        "only a store can evaluate this value of related rows: \(operand)")
    default: return nil
    }
  }

  /// The scopes of the known objects that a condition names.
  private func scopes(of condition: Condition) -> [Int] {
    var named: Set<Int> = []
    _ = condition.mappingPaths { path in
      named.insert(path.scope)
      return path
    }
    return scopes.map(\.number).filter(named.contains)
  }

  /// Returns the compiler for a condition on elements.
  private func inside(_ elements: Elements) throws -> ObjectCompiler {
    var model = try model(of: elements.path.scope)
    for name in elements.path.names { model = try follow(name, from: model) }
    return ObjectCompiler(scopes + [(elements.scope, model)])
  }

  private func model(of scope: Int) throws -> any Persistable.Type {
    guard let found = scopes.last(where: { $0.number == scope }) else {
      throw StoreError(.invalidCondition, "a variable of a row is used outside its condition")
    }
    return found.model
  }

  private func follow(
    _ name: String, from model: any Persistable.Type
  ) throws -> any Persistable.Type {
    guard let target = ObjectLinks.relationship(name, of: model)?.target else {
      throw StoreError(
        .unknownAttribute, "the entity has no relationship of this name", attributes: [name])
    }
    return target
  }

  /// The column that a path leads to; of a to-one, the target's only key.
  private func target(of path: Operand.Path) throws -> StoredColumn {
    var model = try model(of: path.scope)
    for name in path.names.dropLast() { model = try follow(name, from: model) }
    guard var last = path.names.last else {
      throw StoreError(.invalidCondition, "a path without a name")
    }
    if ObjectLinks.relationship(last, of: model) != nil {
      model = try follow(last, from: model)
      last = model.keyNames.first ?? last
    }
    let entity = model.storedEntity
    guard let column = entity.column(ofAttribute: last) else { throw entity.unknown(last) }
    return entity.columns[column]
  }

  /// The type of an aggregate over values of a kind.
  private static func type(
    of aggregate: Aggregate.Kind, _ kind: AttributeType.Kind?
  ) -> AttributeType {
    switch aggregate {
    case .count, .countDistinct: .int64
    case .average: .double
    case .sum, .minimum, .maximum:
      // A list, and a value in JSON, has no kind of its own; it is compared as it comes.
      kind.flatMap(\.widestType) ?? .json
    }
  }
}
