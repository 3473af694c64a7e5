/// A condition on the rows of one model.
///
/// A value: Hashable, Codable, Sendable, printable.
///
/// Made by the closures, key-path operators and chained words of ``Query``; combined with `&&`,
/// `||` and `!`. One that could not be made (a property that is no attribute) carries its error
/// and throws it at first use, before a store is asked.
public struct Filter<Model: Persistable>: Hashable, Codable, Sendable, CustomStringConvertible {
  /// The condition as a tree.
  public var condition: Condition

  /// A filter of a condition by attribute names.
  public init(_ condition: Condition) { self.condition = condition }

  /// Every row.
  public static var all: Filter { Filter(.constant(true)) }

  /// The rows whose attributes equal the object's: what a save by attributes matches.
  public static func equal(_ object: Model, on attributes: [String]) throws -> Filter {
    let row = try BufferedRow(encoding: object)
    let parts = try attributes.map { name -> Condition in
      guard let position = Model.entity.description.position(of: name) else {
        throw StoreError(
          .unknownAttribute, "the entity has no attribute of this name",
          entity: Model.entity.description.name, attributes: [name])
      }
      return .compare(.attribute(name), .equal, .value(row.values[position]), [])
    }
    return Filter(.all(parts))
  }

  /// The rows whose attributes equal the object's: `Filter.equal(snack, on: \.name, \.taste)`.
  public static func equal<each Value>(
    _ object: Model, on paths: repeat AttributePath<Model, each Value>
  ) throws -> Filter {
    try equal(object, on: Model.names(repeat each paths))
  }

  /// Whether the filter holds for an object in memory, by the evaluator every store follows.
  public func matches(_ object: Model) throws -> Bool {
    let entity = Model.entity.description.lowered()
    var check = ConditionCheck(entity: entity, limits: ConditionLimits())
    let compiled = try CompiledCondition(
      check.checked(condition), entity: entity, schema: StoredSchema(entities: [entity]))
    return try compiled.bound(to: []).matches(BufferedRow(encoding: object))
  }

  /// The condition as a predicate format.
  public var description: String { condition.description }
}

extension Filter {
  /// Both hold.
  public static func && (left: Filter, right: Filter) -> Filter {
    Filter(.all([left.condition, right.condition]))
  }
  /// One holds.
  public static func || (left: Filter, right: Filter) -> Filter {
    Filter(.any([left.condition, right.condition]))
  }
  /// Plain negation.
  public static prefix func ! (filter: Filter) -> Filter { Filter(.not(filter.condition)) }
}

extension Persistable {
  /// The names of the attributes that key paths read.
  package static func names<each Value>(
    _ paths: repeat AttributePath<Self, each Value>
  ) throws -> [String] {
    var names: [String] = []
    for path in repeat each paths { names.append(try name(of: path)) }
    return names
  }

  /// The name of the attribute that a key path reads; `unknownAttribute` for a property that is
  /// none.
  package static func name(of path: any AnyKeyPath & Sendable) throws -> String {
    guard let name = entity.name(of: path) else { throw unknownAttribute }
    return name
  }

  /// The operand of the attribute that a key path reads; an invalid one for a property that is
  /// none.
  package static func operand(of path: any AnyKeyPath & Sendable, scope: Int) -> Operand {
    guard let name = entity.name(of: path) else { return .invalid(unknownAttribute) }
    return .path(.init([name], scope: scope))
  }

  private static var unknownAttribute: StoreError {
    StoreError(
      .unknownAttribute, "a key path names a property that is no attribute of the entity",
      entity: entity.description.name)
  }
}

extension BufferedRow {
  /// The row an object encodes itself to.
  package init<Model: Persistable>(encoding object: Model) throws {
    var builder = RowBuilder(columnCount: Model.entity.description.attributes.count)
    try object.encode(into: &builder)
    self.init(builder.values)
  }
}
