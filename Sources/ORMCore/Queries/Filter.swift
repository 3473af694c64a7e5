public import ORMStorage

/// A condition on the rows of one model.
///
/// ```swift
/// let cheap: Filter<Snack> = \.price < 3 && \.stock > 0
/// let snacks = try store.fetch(Snack.where(cheap || \.isVegan == true))
/// ```
///
/// A value: Hashable, Codable, Sendable, printable.
///
/// Made by the closures, key-path operators and chained words of ``Query``; combined with `&&`,
/// `||` and `!`. One that could not be made (a property that is no attribute) carries its error
/// and throws it at first use, before a store is asked.
///
/// One that is composed deeper than 256 levels carries the error `tooComplex`, as does one that is
/// too deep for the stack of its thread. A chain of `&&` or of
/// `||` is one level, however long it is, and takes time linear in its length if it grows at its
/// ends.
public struct Filter<Model: Persistable>: Hashable, Sendable, CustomStringConvertible {
  /// The condition, or a part of a chain that grows at its ends.
  private var storage: Storage

  private enum Storage: Sendable {
    case condition(Condition)
    case chain(FilterChain, Range<Int>)
  }

  /// The condition as a tree.
  public var condition: Condition {
    get {
      switch storage {
      case .condition(let condition): condition
      case .chain(let chain, let range): chain.condition(of: range)
      }
    }
    set { storage = .condition(newValue) }
  }

  /// A filter of a condition by attribute names.
  public init(_ condition: Condition) { storage = .condition(condition) }

  /// Every row.
  public static var all: Filter { Filter(.constant(true)) }

  /// The rows whose attributes equal the object's, nil included, as a save by attributes matches them.
  ///
  /// ```swift
  /// let filter = try Filter.equal(snack, on: ["name", "taste"])
  /// ```
  ///
  /// - Throws: `unknownAttribute`; `invalidCondition` when there is no attribute, since that would
  ///   be every row; `invalidValue` when the object cannot be stored.
  public static func equal(_ object: Model, on attributes: [String]) throws -> Filter {
    let entity = Model.entity.description
    guard !attributes.isEmpty else {
      throw StoreError(
        .invalidCondition,
        "a match by attributes needs at least one attribute", entity: entity.name)
    }
    let values = try Mapper.values(of: object)
    let names = attributes.flatMap { entity.names(inStruct: $0) ?? [$0] }
    let parts = try names.map { name -> Condition in
      guard let position = entity.position(of: name) else {
        throw StoreError(
          .unknownAttribute, "the entity has no attribute of this name", entity: entity.name,
          attributes: [name])
      }
      return .compare(.attribute(name), .equal, .value(values[position]), [])
    }
    return Filter(.all(parts))
  }

  /// The rows whose attributes equal the object's: `Filter.equal(snack, on: \.name, \.taste)`.
  ///
  /// ```swift
  /// let filter = try Filter.equal(snack, on: \.name, \.taste)
  /// ```
  ///
  /// - Throws: as `equal(_:on:)` by names.
  public static func equal<Value, each Other>(
    _ object: Model, on path: AttributePath<Model, Value>,
    _ others: repeat AttributePath<Model, each Other>
  ) throws -> Filter {
    try equal(object, on: [Model.name(of: path)] + Model.names(repeat each others))
  }

  /// Returns the filter of `equal(_:on:)`, which carries an error instead of throwing it.
  package static func carryingEqual(
    _ make: @autoclosure () throws -> Filter
  ) -> Filter {
    do {
      return try make()
    } catch {
      return Filter(.invalid(error as? StoreError ?? StoreError(.invalidCondition, "\(error)")))
    }
  }

  /// Returns whether the filter holds for an object in memory, by the evaluator every store
  /// follows.
  ///
  /// ```swift
  /// let cheap: Filter<Snack> = \.price < 3
  /// if try cheap.matches(snack) { print(snack.name) }
  /// ```
  ///
  /// The object counts as it would be stored: its normalized texts in their form, a hidden key nil.
  ///
  /// Relationships are followed through the links that were fetched or set. A link that is not
  /// loaded is an error, unless its key alone gives the answer.
  ///
  /// - Throws: the errors that a store throws for the filter; `invalidValue` and `missingValue` when the
  ///   object cannot be stored; `notLoaded`, naming the entity and the relationship.
  public func matches(_ object: Model) throws -> Bool {
    switch try Model.entity.filters.ready(condition, ready) {
    case .objects(let ready): return try ready.holds(for: object)
    case .row(let compiled, let columns):
      var row = BufferedRow(try Mapper.values(of: object))
      if row.columnCount < columns { row.values.append(.null) }
      return try compiled.bound(to: []).matches(row)
    }
  }

  /// Compiles the condition, on the row of an object or on the targets of its links.
  func ready() throws -> ObjectFilters.Ready {
    guard Model.entity.relationships.isEmpty else {
      return .objects(try ObjectCompiler.condition(condition, on: Model.self))
    }
    let entity = Model.entity.description.lowered()
    var check = ConditionCheck(entity: entity, limits: ConditionLimits())
    let compiled = try CompiledCondition(
      check.checked(condition), entity: entity, schema: StoredSchema(entities: [entity]))
    return .row(compiled, columns: entity.columns.count)
  }

  /// The condition as a predicate format.
  public var description: String { condition.description }

  /// Returns whether both are the same condition, in the same words.
  public static func == (a: Filter, b: Filter) -> Bool {
    StackReserve.run(a.condition) { a.condition == b.condition }
  }

  /// Feeds the condition.
  public func hash(into hasher: inout Hasher) {
    // A hasher stays where it is.
    let hash = StackReserve.run(condition) { condition.hashValue }
    hasher.combine(hash)
  }
}

extension Filter {
  /// Both hold.
  ///
  /// ```swift
  /// let filter: Filter<Snack> = \.price < 3 && \.stock > 0
  /// ```
  ///
  /// A chain of any length is one AND: it nests no deeper for being long.
  public static func && (left: Filter, right: Filter) -> Filter {
    left.joined(with: right, by: .all)
  }
  /// One holds.
  ///
  /// ```swift
  /// let filter: Filter<Snack> = \.price < 3 || \.stock > 0
  /// ```
  ///
  /// A chain of any length is one OR.
  public static func || (left: Filter, right: Filter) -> Filter {
    left.joined(with: right, by: .any)
  }
  /// Plain negation.
  ///
  /// ```swift
  /// let cheap: Filter<Snack> = \.price < 3
  /// Snack.where(!cheap)
  /// ```
  public static prefix func ! (filter: Filter) -> Filter {
    Filter(.not(filter.condition.nested()))
  }

  private func joined(with other: Filter, by joining: FilterChain.Joining) -> Filter {
    // The longer chain grows, so that no order of joining copies a part often.
    if length(of: joining) >= other.length(of: joining) {
      if case .chain(let chain, let range) = storage, chain.joining == joining,
        let range = chain.append(other.parts(of: joining), after: range)
      {
        return Filter(storage: .chain(chain, range))
      }
    } else if case .chain(let chain, let range) = other.storage,
      let range = chain.prepend(parts(of: joining), before: range)
    {
      return Filter(storage: .chain(chain, range))
    }
    let parts = parts(of: joining) + other.parts(of: joining)
    if parts.count < FilterChain.least { return Filter(joining.condition(of: parts)) }
    return Filter(storage: .chain(FilterChain(parts, joining), 0..<parts.count))
  }

  /// The number of parts to which an operator appends.
  private func length(of joining: FilterChain.Joining) -> Int {
    if case .chain(let chain, let range) = storage, chain.joining == joining { return range.count }
    return 0
  }

  private init(storage: Storage) { self.storage = storage }

  /// The parts that the filter adds to a chain: its own, or itself.
  private func parts(of joining: FilterChain.Joining) -> [Condition] {
    let condition = condition
    switch (joining, condition) {
    case (.all, .all(let parts)), (.any, .any(let parts)): return parts
    default: return [condition.nested()]
    }
  }
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

  /// The names of the attributes and relationships that key paths read.
  ///
  /// - Throws: `unknownAttribute` for a property that is neither.
  package static func propertyNames<each Value>(
    _ paths: repeat AttributePath<Self, each Value>
  ) throws -> [String] {
    var names: [String] = []
    for path in repeat each paths {
      let relationship = entity.relationship(at: path)?.declaration.name
      names.append(try relationship ?? name(of: path))
    }
    return names
  }

  /// The name of the attribute or embedded struct that a key path reads; `unknownAttribute` for a
  /// property that is neither.
  package static func name(of path: any AnyKeyPath & Sendable) throws -> String {
    guard let name = entity.name(of: path) ?? embeddedStruct(at: path)?.name else {
      throw unknownAttribute(at: path)
    }
    return name
  }

  /// The operand of the attribute that a key path reads; an invalid one for a property that is
  /// none.
  package static func operand(of path: any AnyKeyPath & Sendable, scope: Int) -> Operand {
    guard let known = entity.operand(of: path, orMake: attribute) else {
      return .invalid(unknownAttribute(at: path))
    }
    guard scope != 0, case .path(let path) = known else { return known }
    return .path(.init(path.names, scope: scope))
  }

  /// The operand of the attribute that a key path reads of the request's own row, worked out.
  private static func attribute(of path: any AnyKeyPath & Sendable) -> Operand? {
    (try? name(of: path)).map { .attribute($0) } ?? entity.linkKey(at: path)
  }

  private static func unknownAttribute(at path: AnyKeyPath) -> StoreError {
    var error = StoreError.notDeclared(path, "an attribute", entity: entity.description.name)
    if entity.embedded.contains(where: \.isOptional) {
      error.message += "; write a path through an optional struct with !, as in \\.address!.street"
    }
    return error
  }
}

extension StoreError {
  /// The error for a key path to a property that a model did not declare, `unknownAttribute`.
  package static func notDeclared(
    _ path: AnyKeyPath, _ what: String, entity: String
  ) -> StoreError {
    // The name of a computed property is not stored.
    let text = "\(path)"
    let name =
      text.firstRange(of: "<computed").map { text[..<$0.lowerBound] + "(a computed property)" }
      ?? text[...]
    return StoreError(
      .unknownAttribute, "\(name) is not \(what) of the entity", entity: entity)
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
