internal import ORMStorage

/// The plan that puts together the row of an object in memory for the evaluator.
///
/// The row has the object's own columns, then one for each value that a condition takes from other
/// objects. These values are computed beforehand. The rest is a condition on one row, tested by
/// the evaluator that every store follows.
struct ObjectPlan: Sendable {
  /// The object's entity, with a column for each of the extras.
  let entity: StoredEntity
  /// The number by which conditions name the object.
  let scope: Int
  private let extras: [Extra]
  /// True if the row has no column but the object's own.
  var isOfRowAlone: Bool { extras.isEmpty }

  /// The objects in scope, by the numbers of their scopes.
  typealias Objects = [Int: ObjectInScope]

  /// Something that is worked out of other objects.
  indirect enum Extra: Sendable {
    /// The value of a path that begins at another object, or goes through to-ones.
    case path(Operand.Path)
    /// True if an element satisfies a condition; the scopes are those of the objects that it hangs
    /// on.
    case exists(Elements, ObjectCondition, scopes: [Int])
    /// An aggregate over the elements that satisfy a condition.
    case aggregate(Elements, ObjectCondition, ObjectOperand?, Aggregator, scopes: [Int])
  }

  init(entity: StoredEntity, scope: Int, extras: [Extra]) {
    self.entity = entity
    self.scope = scope
    self.extras = extras
  }

  /// The row of the asked object.
  func row(_ objects: Objects, _ evaluation: ObjectEvaluation) throws -> BufferedRow {
    guard let object = objects[scope] else {
      throw StoreError(.invalidCondition, "a variable of a row is used outside its condition")
    }
    var values = try ObjectLinks.values(of: object.object)
    for extra in extras { values.append(try value(of: extra, objects, evaluation)) }
    return BufferedRow(values)
  }

  private func value(
    of extra: Extra, _ objects: Objects, _ evaluation: ObjectEvaluation
  ) throws -> StoredValue {
    switch extra {
    case .path(let path): return try Self.value(of: path, objects)
    case .exists(let elements, let condition, let scopes):
      return try evaluation.answer(condition, of: scopes, objects) {
        var objects = objects
        for (element, _) in try Self.elements(elements, objects) {
          objects[elements.scope] = element
          if try condition.holds(for: objects, evaluation) { return .bool(true) }
        }
        return .bool(false)
      }
    case .aggregate(let elements, let condition, let operand, let aggregator, let scopes):
      return try evaluation.answer(condition, of: scopes, objects) {
        do {
          return try Self.total(elements, condition, operand, aggregator, objects, evaluation)
        } catch let error as StoreError where error.code == .overflow {
          // A sum is arithmetic too, which is nil in a condition where it does not fit.
          return .null
        }
      }
    }
  }

  private static func total(
    _ elements: Elements, _ condition: ObjectCondition, _ operand: ObjectOperand?,
    _ empty: Aggregator, _ objects: Objects, _ evaluation: ObjectEvaluation
  ) throws -> StoredValue {
    var objects = objects
    var aggregator = empty
    for (element, pathCount) in try Self.elements(elements, objects) {
      objects[elements.scope] = element
      guard try condition.holds(for: objects, evaluation) else { continue }
      let value = try operand?.value(for: objects, evaluation) ?? .bool(true)
      if pathCount == 1 {
        aggregator.add(value)
        continue
      }
      // Once for each path, by doubling.
      if pathCount == .max { throw Aggregator.tooMany }
      var doubled = empty
      doubled.add(value)
      var left = pathCount
      while true {
        if left & 1 == 1 { try aggregator.merge(checked: doubled) }
        left >>= 1
        if left == 0 { break }
        let half = doubled
        try doubled.merge(checked: half)
      }
    }
    return try aggregator.result()
  }

  private static func value(of path: Operand.Path, _ objects: Objects) throws -> StoredValue {
    guard var object = objects[path.scope]?.object, let last = path.names.last else {
      throw StoreError(.invalidCondition, "a variable of a row is used outside its condition")
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
        else { return try unloadedValue(object, name) }
        return values[position]
      }
    }
    if ObjectLinks.relationship(last, of: type(of: object)) != nil {
      switch try ObjectLinks.target(of: object, last) {
      case .none: return .null
      case .key(let values): return values.first ?? .null
      case .object(let target):
        return try value(
          of: .init(type(of: target).keyNames), [0: ObjectInScope(object: target, identity: nil)])
      }
    }
    guard let column = type(of: object).storedEntity.column(ofAttribute: last) else {
      throw StoreError(
        .unknownAttribute, "the entity has no attribute of this name", attributes: [last])
    }
    return try ObjectLinks.values(of: object)[column]
  }

  /// Throws the error of a link whose object is not loaded; null for a link to none.
  private static func unloadedValue(_ object: any Persistable, _ name: String) throws -> StoredValue
  {
    _ = try ObjectLinks.targets(of: object, name)
    return .null
  }

  /// The objects that a path leads to, with the number of paths to each; `.max` stands for more.
  ///
  /// Objects of one fetch that are the same are taken together after every step, so that a path
  /// round a cycle costs its steps times the objects.
  private static func elements(
    _ elements: Elements, _ objects: Objects
  ) throws -> [(ObjectInScope, pathCount: Int)] {
    guard let start = objects[elements.path.scope] else {
      throw StoreError(.invalidCondition, "a variable of a row is used outside its condition")
    }
    var found = [(start, pathCount: 1)]
    for name in elements.path.names {
      var next: [(ObjectInScope, pathCount: Int)] = []
      var positions: [ObjectIdentity: Int] = [:]
      for (object, pathCount) in found {
        for target in try ObjectLinks.targets(of: object.object, name) {
          if let identity = target.identity {
            if let position = positions[identity] {
              let (sum, isTooLarge) = next[position].pathCount.addingReportingOverflow(pathCount)
              next[position].pathCount = isTooLarge ? .max : sum
              continue
            }
            positions[identity] = next.count
          }
          next.append((target, pathCount: pathCount))
        }
      }
      found = next
    }
    return found
  }
}

extension Persistable {
  /// The names of the key's attributes.
  static var keyNames: [String] { entity.declared.key }
}
