/// How the row of an object in memory is put together for the evaluator: the object's own columns,
/// then one for each thing that a condition asks of other objects, which is worked out beforehand.
///
/// What is left is a condition on one row, by the evaluator that every store follows.
struct ObjectPlan {
  /// The object's entity, with a column for each of the extras.
  let entity: StoredEntity
  /// The number by which conditions name the object.
  let scope: Int
  private let extras: [Extra]

  /// The objects at hand, by the numbers of their scopes.
  typealias Objects = [Int: any Persistable]

  /// Something that is worked out of other objects.
  indirect enum Extra {
    /// What a path leads to, which begins at another object, or goes through to-ones.
    case path(Operand.Path)
    /// Whether an element satisfies a condition.
    case exists(Elements, ObjectCondition)
    /// An aggregate over the elements that satisfy a condition.
    case aggregate(Elements, ObjectCondition, ObjectOperand?, Aggregator)
  }

  init(entity: StoredEntity, scope: Int, extras: [Extra]) {
    self.entity = entity
    self.scope = scope
    self.extras = extras
  }

  /// The row of the object at hand.
  func row(_ objects: Objects) throws -> BufferedRow {
    guard let object = objects[scope] else {
      throw StoreError(.invalidCondition, "a row is named outside of its condition")
    }
    var values = try ObjectLinks.values(of: object)
    for extra in extras { values.append(try value(of: extra, objects)) }
    return BufferedRow(values)
  }

  private func value(of extra: Extra, _ objects: Objects) throws -> StoredValue {
    switch extra {
    case .path(let path): return try Self.value(of: path, objects)
    case .exists(let elements, let condition):
      var objects = objects
      for element in try Self.elements(elements, objects) {
        objects[elements.scope] = element
        if try condition.holds(for: objects) { return .bool(true) }
      }
      return .bool(false)
    case .aggregate(let elements, let condition, let operand, var aggregator):
      var objects = objects
      for element in try Self.elements(elements, objects) {
        objects[elements.scope] = element
        guard try condition.holds(for: objects) else { continue }
        aggregator.add(try operand?.value(for: objects) ?? .bool(true))
      }
      do {
        return try aggregator.result()
      } catch let error as StoreError where error.code == .overflow {
        // A sum is arithmetic too, which is nil in a condition where it does not fit.
        return .null
      }
    }
  }

  private static func value(of path: Operand.Path, _ objects: Objects) throws -> StoredValue {
    guard var object = objects[path.scope], let last = path.names.last else {
      throw StoreError(.invalidCondition, "a row is named outside of its condition")
    }
    for (hop, name) in path.names.dropLast().enumerated() {
      switch try ObjectLinks.target(of: object, name) {
      case .none: return .null
      case .object(let target): object = target
      case .key(let values):
        // The key is all that is known, and may be all that is asked for.
        guard hop == path.names.count - 2,
          let target = ObjectLinks.relationship(name, of: type(of: object))?.target,
          let position = target.keyNames.firstIndex(of: last)
        else { return try notAtHand(object, name) }
        return values[position]
      }
    }
    if ObjectLinks.relationship(last, of: type(of: object)) != nil {
      switch try ObjectLinks.target(of: object, last) {
      case .none: return .null
      case .key(let values): return values.first ?? .null
      case .object(let target):
        return try value(of: .init(type(of: target).keyNames), [0: target])
      }
    }
    guard let column = type(of: object).storedEntity.column(ofAttribute: last) else {
      throw StoreError(
        .unknownAttribute, "the entity has no attribute of this name", attributes: [last])
    }
    return try ObjectLinks.values(of: object)[column]
  }

  /// Throws what is wrong with a link whose object is not at hand.
  private static func notAtHand(_ object: any Persistable, _ name: String) throws -> StoredValue {
    _ = try ObjectLinks.targets(of: object, name)
    return .null
  }

  /// The objects that a way leads to, one for each way to it.
  private static func elements(
    _ elements: Elements, _ objects: Objects
  ) throws -> [any Persistable] {
    guard let start = objects[elements.path.scope] else {
      throw StoreError(.invalidCondition, "a row is named outside of its condition")
    }
    return try elements.path.names.reduce([start]) { objects, name in
      try objects.flatMap { try ObjectLinks.targets(of: $0, name) }
    }
  }
}

extension Persistable {
  /// The names of the key's attributes.
  static var keyNames: [String] { entity.declared.key }
}

/// A condition ready to be asked of objects in memory.
struct ObjectCondition {
  let plan: ObjectPlan
  private let compiled: CompiledCondition

  /// A condition on the rows of a plan.
  init(_ condition: Condition, _ plan: ObjectPlan) throws {
    self.plan = plan
    var check = ConditionCheck(entity: plan.entity, limits: ConditionLimits())
    compiled = try CompiledCondition(
      check.checked(condition), entity: plan.entity,
      schema: StoredSchema(entities: [plan.entity]))
  }

  /// Whether it holds for the object at hand.
  func holds(for objects: ObjectPlan.Objects) throws -> Bool {
    try compiled.bound(to: []).matches(plan.row(objects))
  }
}

/// A value ready to be worked out for objects in memory.
struct ObjectOperand {
  let plan: ObjectPlan
  /// What kind of value it is; nil where that is known only for each row.
  let kind: AttributeType.Kind?
  private let compiled: CompiledOperand

  /// An operand on the rows of a plan.
  init(_ operand: Operand, _ plan: ObjectPlan) throws {
    self.plan = plan
    var check = ConditionCheck(entity: plan.entity, limits: ConditionLimits())
    let (checked, kind) = try check.check(operand, depth: 1)
    self.kind = kind
    compiled = try CompiledOperand(
      checked, entity: plan.entity, schema: StoredSchema(entities: [plan.entity]))
  }

  /// Its value for the object at hand.
  func value(for objects: ObjectPlan.Objects) throws -> StoredValue {
    try compiled.bound(to: []).evaluate(plan.row(objects))
  }
}
