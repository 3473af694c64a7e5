public import ORMRows
internal import ORMStorage

/// One step of a migration, which changes a schema, rows, or both.
///
/// Each is a value that its name makes; ``MigrationPlan`` shows a plan of several.
///
/// ```swift
/// let step = MigrationStep.renameEntity("Snack", to: "Treat")
/// ```
public struct MigrationStep: Sendable {
  let action: MigrationAction
  /// The steps that lead back, if they were named.
  let undo: [MigrationStep]?

  init(_ action: MigrationAction, undo: [MigrationStep]? = nil) {
    self.action = action
    self.undo = undo
  }

  /// Returns the step with the steps that undo it, for a plan that leads back.
  ///
  /// ```swift
  /// let step = MigrationStep.changeType(of: "price", to: .decimal, in: "Snack")
  ///   .undone(by: [.changeType(of: "price", to: .double, in: "Snack")])
  /// ```
  ///
  /// The steps run in their order, and use the names after the step. An empty list says that nothing
  /// has to be undone.
  public func undone(by steps: [MigrationStep]) -> Self { Self(action, undo: steps) }
}

extension MigrationStep: CustomStringConvertible, Codable {
  /// The step in a few words: `rename Snack.flavour to taste`.
  public var description: String { action.description }

  /// Reads a step from JSON; closures are known by their names alone, and throw when they run.
  public init(from decoder: any Decoder) throws {
    action = try MigrationAction(from: decoder)
    undo = try decoder.container(keyedBy: CodingKeys.self)
      .decodeIfPresent([MigrationStep].self, forKey: .undo)
  }

  /// Writes the step as JSON, closures by name and revision.
  public func encode(to encoder: any Encoder) throws {
    try action.encode(to: encoder)
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encodeIfPresent(undo, forKey: .undo)
  }

  /// The name beside that of the action.
  private enum CodingKeys: String, CodingKey { case undo }
}

// Steps that change names and drop: no row is read.
extension MigrationStep {
  /// Gives an entity another name; rows, links, indexes and keys stay.
  ///
  /// ```swift
  /// let step = MigrationStep.renameEntity("Snack", to: "Treat")
  /// ```
  ///
  /// - Parameters:
  ///   - name: the entity.
  ///   - newName: its new name.
  ///   - alias: true to keep the old name for programs of the version before, which then go on reading
  ///     and writing until the next version.
  public static func renameEntity(
    _ name: String, to newName: String, alias: Bool = false
  ) -> Self {
    Self(.renameEntity(name: name, to: newName, alias: alias ? true : nil))
  }

  /// Gives an attribute another name; values and indexes stay.
  ///
  /// The name of an embedded struct renames its attributes too.
  ///
  /// ```swift
  /// let step = MigrationStep.renameAttribute("flavour", to: "taste", in: "Snack")
  /// ```
  ///
  /// - Parameters:
  ///   - name: the attribute.
  ///   - newName: its new name.
  ///   - entity: the entity that has it.
  ///   - alias: true to keep the old name for programs of the version before, which then go on reading
  ///     and writing until the next version.
  public static func renameAttribute(
    _ name: String, to newName: String, in entity: String, alias: Bool = false
  ) -> Self {
    Self(
      .renameAttribute(name: name, to: newName, entity: entity, alias: alias ? true : nil))
  }

  /// Gives a relationship another name; links stay.
  ///
  /// ```swift
  /// let step = MigrationStep.renameRelationship("team", to: "club", in: "Player")
  /// ```
  ///
  /// - Parameters:
  ///   - name: the relationship.
  ///   - newName: its new name.
  ///   - entity: the entity that has it.
  ///   - alias: true to keep the old name for programs of the version before, which then go on reading
  ///     and writing until the next version.
  public static func renameRelationship(
    _ name: String, to newName: String, in entity: String, alias: Bool = false
  ) -> Self {
    Self(
      .renameRelationship(name: name, to: newName, entity: entity, alias: alias ? true : nil))
  }

  /// Drops an entity with its rows, and the relationships that lead to it.
  ///
  /// ```swift
  /// let step = MigrationStep.dropEntity("Draft")
  /// ```
  public static func dropEntity(_ name: String) -> Self { Self(.dropEntity(name: name)) }

  /// Drops attributes with their values, and the indexes over them.
  ///
  /// ```swift
  /// let step = MigrationStep.dropAttributes(["first", "last"], in: "Player")
  /// ```
  public static func dropAttributes(_ names: [String], in entity: String) -> Self {
    Self(.dropAttributes(names: names, entity: entity))
  }

  /// Drops a relationship and its inverse, with the links.
  ///
  /// ```swift
  /// let step = MigrationStep.dropRelationship("rivals", in: "Team")
  /// ```
  public static func dropRelationship(_ name: String, in entity: String) -> Self {
    Self(.dropRelationship(name: name, entity: entity))
  }
}

// Steps that change attributes.
extension MigrationStep {
  /// Adds an attribute before the end, for steps that set it; others are added by themselves.
  ///
  /// ```swift
  /// let step = MigrationStep.addAttribute("cents", .int64, in: "Snack", default: .int(0))
  /// ```
  ///
  /// - Parameters:
  ///   - name: the attribute.
  ///   - type: its type.
  ///   - entity: the entity that gets it.
  ///   - value: the value of the rows that are there, and the default in the store; without one the
  ///     attribute is optional.
  public static func addAttribute(
    _ name: String, _ type: AttributeType, in entity: String, default value: StoredValue? = nil
  ) -> Self {
    Self(.addAttribute(name: name, type: type, entity: entity, value: value))
  }

  /// Allows an attribute to be nil.
  ///
  /// ```swift
  /// let step = MigrationStep.makeOptional("price", in: "Snack")
  /// ```
  public static func makeOptional(_ name: String, in entity: String) -> Self {
    Self(.makeOptional(name: name, entity: entity))
  }

  /// Forbids an attribute to be nil.
  ///
  /// ```swift
  /// let step = MigrationStep.makeRequired("price", in: "Snack", default: .double(0))
  /// ```
  ///
  /// - Parameters:
  ///   - name: the attribute.
  ///   - entity: the entity that has it.
  ///   - value: the value for rows where it is nil; without one they stop the migration with
  ///     `migrationFailed` and `missingValue`, naming up to 100 keys.
  public static func makeRequired(
    _ name: String, in entity: String, default value: StoredValue? = nil
  ) -> Self {
    Self(.makeRequired(name: name, entity: entity, value: value))
  }

  /// Gives an attribute another type; each value is mapped.
  ///
  /// ```swift
  /// let step = MigrationStep.changeType(of: "price", to: .decimal, in: "Snack")
  /// ```
  ///
  /// - Parameters:
  ///   - name: the attribute.
  ///   - type: its new type.
  ///   - entity: the entity that has it.
  ///   - mapping: the value of the new type for each value; null stays null.
  ///   - failure: the outcome for values that cannot be mapped.
  public static func changeType(
    of name: String, to type: AttributeType, in entity: String, by mapping: ValueMapping = .exact,
    onFailure failure: MappingFailure = .throw
  ) -> Self {
    Self(.changeType(name: name, type: type, entity: entity, mapping: mapping, failure: failure))
  }
}

// Steps that change rows.
extension MigrationStep {
  /// Sets an attribute to a value worked out of each row.
  ///
  /// ```swift
  /// let step = MigrationStep.set("cents", in: "Snack", to: "price * 100", where: "price != nil")
  /// ```
  ///
  /// - Parameters:
  ///   - name: the attribute.
  ///   - entity: the entity that has it.
  ///   - value: an expression in the language of predicate formats; paths may go through to-ones.
  ///   - condition: a predicate format for the rows; nil for all.
  ///   - mapping: the mapping from the expression's value to the attribute's type. Values of the same
  ///     kind are assigned in one change of all rows, others row by row.
  public static func set(
    _ name: String, in entity: String, to value: String, where condition: String? = nil,
    by mapping: ValueMapping = .exact
  ) -> Self {
    Self(.set(name: name, entity: entity, value: value, condition: condition, mapping: mapping))
  }

  /// Gives each row of an entity to a closure, which changes its values by name.
  ///
  /// ```swift
  /// let step = MigrationStep.rows(of: "Player", named: "full names", revision: 1) { row in
  ///   if case (.string(let first), .string(let last)) = (row["first"], row["last"]) {
  ///     row["name"] = .string("\(first) \(last)")
  ///   }
  /// }
  /// ```
  ///
  /// Rows come in the order of the key. Keys cannot be changed. If the migration fails or is killed, the
  /// closure runs again at the next opening.
  ///
  /// - Parameters:
  ///   - entity: the entity whose rows change.
  ///   - name: a name for the closure, which the store keeps instead of its code.
  ///   - revision: a number that is raised when the closure changes its meaning.
  ///   - body: called with each row, whose values it may change.
  public static func rows(
    of entity: String, named name: String, revision: Int,
    _ body: @escaping @Sendable (inout DynamicRow) throws -> Void
  ) -> Self {
    Self(.rows(entity: entity, closure: .init(name: name, revision: revision, body: body)))
  }

  /// Runs a closure with the store as it is at this version.
  ///
  /// ```swift
  /// let step = MigrationStep.run(named: "defaults", revision: 1) { tx in
  ///   try tx.insert([DynamicRow("Setting", ["name": .string("unit"), "value": .string("EUR")])])
  /// }
  /// ```
  ///
  /// If the migration fails or is killed, the closure runs again at the next opening: it should do
  /// nothing outside of the transaction.
  ///
  /// Entities and attributes have the names of this version. Operations on models work where the
  /// entity has its declared shape by now.
  public static func run(
    named name: String, revision: Int,
    _ body: @escaping @Sendable (WriteTransaction) throws -> Void
  ) -> Self {
    Self(.run(closure: .init(name: name, revision: revision, body: body)))
  }

  /// Stops the migration unless every row fits a condition.
  ///
  /// ```swift
  /// let step = MigrationStep.check("cents >= 0", in: "Snack")
  /// ```
  ///
  /// The error is `migrationFailed` with `validationFailed`, and names up to 100 keys.
  public static func check(_ condition: String, in entity: String) -> Self {
    Self(.check(condition: condition, entity: entity))
  }

  /// Deletes all rows but one of those that agree in attributes, so that a unique rule can be added.
  ///
  /// ```swift
  /// let step = MigrationStep.removeDuplicates(of: ["email"], in: "Player", keeping: .first)
  /// ```
  ///
  /// Rows with nil among the attributes agree with none. Rows are deleted by the delete rules.
  public static func removeDuplicates(
    of names: [String], in entity: String, keeping: RetainedDuplicate = .first
  ) -> Self {
    Self(.removeDuplicates(names: names, entity: entity, keeping: keeping))
  }

  /// Moves the links of a relationship to where the declared schema stores them: after an inverse,
  /// sharing or a linking model was added or taken away.
  ///
  /// ```swift
  /// let step = MigrationStep.moveLinks(of: "players", in: "Team")
  /// ```
  ///
  /// Links keep their order. A relationship that alone gets an order, or loses it, needs no step.
  ///
  /// - Parameters:
  ///   - name: the relationship.
  ///   - entity: the entity that has it.
  ///   - surplus: the outcome where an object has several targets and the declared relationship takes
  ///     one.
  public static func moveLinks(
    of name: String, in entity: String, surplus: SurplusLinks = .throw
  ) -> Self {
    Self(.moveLinks(name: name, entity: entity, surplus: surplus))
  }

  /// Moves attributes of an entity into rows of a new one, and adds a to-one that leads there.
  ///
  /// ```swift
  /// let step = MigrationStep.split(
  ///   "Player", into: "Address", moving: ["street", "city"], link: "address")
  /// ```
  ///
  /// The new entity has generated keys. A row whose values are all nil gets no target.
  ///
  /// - Parameters:
  ///   - entity: the entity that is split.
  ///   - new: the name of the new entity.
  ///   - names: the attributes that move.
  ///   - link: the name of the to-one.
  ///   - key: the name of the new entity's key.
  public static func split(
    _ entity: String, into new: String, moving names: [String], link: String, key: String = "id"
  ) -> Self {
    Self(.split(split: .init(entity: entity, into: new, names: names, link: link, key: key)))
  }

  /// Makes other attributes the primary key of an entity; links to its rows follow.
  ///
  /// ```swift
  /// let step = MigrationStep.changeKey(of: "Airport", to: ["code"])
  /// ```
  ///
  /// The attributes of the former key stay. Each row must have a value for the attributes, and no
  /// other row the same: otherwise the migration stops with `missingValue` or `duplicate`.
  ///
  /// - Parameters:
  ///   - entity: the entity.
  ///   - names: the attributes of the new key.
  ///   - isGenerated: true for one `int64` attribute whose values the store makes from then on, each
  ///     greater than those that are there.
  public static func changeKey(
    of entity: String, to names: [String], isGenerated: Bool = false
  ) -> Self {
    Self(.changeKey(entity: entity, names: names, isGenerated: isGenerated ? true : nil))
  }

  /// The row that ``removeDuplicates(of:in:keeping:)`` keeps.
  public enum RetainedDuplicate: String, Codable, Sendable {
    /// The row with the least key.
    case first
    /// The row with the greatest key.
    case last
  }

  /// The outcome where ``moveLinks(of:in:surplus:)`` meets more targets than there may be.
  public enum SurplusLinks: String, Codable, Sendable {
    /// The migration stops with `countOutOfRange`.
    case `throw`
    /// The first target in order, or by key, stays.
    case keepFirst
  }
}
