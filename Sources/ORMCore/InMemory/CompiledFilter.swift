internal import ORMStorage

/// A filter that is ready to be asked of many objects in memory.
///
/// ``Filter/matches(_:)`` looks the filter up for every object; a compiled filter holds it.
///
/// ```swift
/// let isCheap = try Snack.where { $0.price < 3 }.filter.compiled()
/// let cheap = try snacks.filter { try isCheap.matches($0) }
/// ```
///
/// It is used by one thread at a time. `NOW()` is the time at which it was compiled.
public struct CompiledFilter<Model: Persistable> {
  private let test: Test
  private let rows: ObjectRows<Model>

  private enum Test {
    /// A condition on the row of an object alone.
    case row(BoundCondition)
    /// A condition on an object and its targets.
    case objects(ObjectCondition, ObjectEvaluation)
  }

  fileprivate init(_ ready: ObjectFilters.Ready) throws {
    rows = ObjectRows()
    switch ready {
    case .row(let compiled, columns: _): test = .row(try compiled.bound(to: []))
    case .objects(let condition):
      test =
        try condition.ofRowAlone.map { .row(try $0.bound(to: [])) }
        ?? .objects(condition, ObjectEvaluation())
    }
  }

  /// Returns whether the filter holds for an object in memory: the same answer as
  /// ``Filter/matches(_:)``.
  ///
  /// - Throws: `invalidValue` and `missingValue` when the object cannot be stored; `notLoaded`,
  ///   naming the entity and the relationship.
  public func matches(_ object: Model) throws -> Bool {
    switch test {
    case .row(let condition): return try condition.matches(rows.row(of: object))
    case .objects(let condition, let evaluation):
      evaluation.beginObject()
      return try condition.holds(for: object, evaluation)
    }
  }
}

@available(*, unavailable)
extension CompiledFilter: Sendable {}

extension Filter {
  /// Compiles the filter, to be asked of many objects in memory.
  ///
  /// ```swift
  /// let test = try filter.compiled()
  /// let found = try snacks.filter { try test.matches($0) }
  /// ```
  ///
  /// - Throws: the errors of a store for the filter: `unknownAttribute`, `invalidCondition`,
  ///   `tooComplex`.
  public func compiled() throws -> CompiledFilter<Model> { try CompiledFilter(ready()) }
}

/// The rows that objects of a model would be stored as, with the checks of ``Mapper`` at hand.
private struct ObjectRows<Model: Persistable> {
  private let checks: [(type: AttributeType, isOptional: Bool, isNormalized: Bool)]
  private let columnCount: Int
  private let attributeCount: Int

  init() {
    let entity = Model.entity.description
    attributeCount = entity.attributes.count
    columnCount = attributeCount + (entity.key.isEmpty ? 1 : 0)
    checks = entity.attributes.prefix(Model.entity.written.attributes.count).map {
      ($0.type, $0.isOptional, $0.isNormalized)
    }
  }

  /// The row of an object, a hidden key nil.
  func row(of object: Model) throws -> BufferedRow {
    var builder = RowBuilder(columnCount: columnCount)
    do {
      try object.encode(into: &builder)
    } catch {
      throw StoreError.mapping(error, of: object)
    }
    for (position, check) in checks.enumerated() {
      if check.type.fault(of: builder.values[position], isOptional: check.isOptional) != nil {
        // Throws the fault with the names of the attribute and the key.
        _ = try Mapper.attributeValues(of: object)
      }
      if check.isNormalized {
        builder.values[position] = builder.values[position].normalizedText
      }
    }
    return BufferedRow(builder.values)
  }
}
