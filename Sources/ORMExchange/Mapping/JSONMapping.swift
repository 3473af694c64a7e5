public import ORM

/// A mapping between JSON objects and models, in both directions.
///
/// ```swift
/// let mapping = JSONMapping(Snack.self, names: .snakeCase)
///   .field(\.name, from: "title", "info.name")
///   .field(\.added, as: .date(.iso8601, .milliseconds))
///   .leaveOut(\.stock, when: .writing)
///
/// let snacks = try mapping.decode(#"{"title": "Chips", "price": 2.5}"#)
/// let text = try mapping.encode(snacks)
/// ```
///
/// A mapping is a value: each function returns another one, and the first stays as it is. Every
/// attribute that it does not mention is read and written under its own name, which `names` forms
/// the JSON name of. A to-one is read from an object under its name or from its key under
/// `team_id`, and written as its key; a to-many is read from an array of objects or of keys, and
/// not written. Derived attributes are written and not read.
///
/// A mapping is checked when it is first used, since its model may still be being initialized when it is
/// made. Every fault of a mapping is in the failures of one `invalidMapping`; ``check()`` throws it in a
/// test.
public struct JSONMapping<Model: Persistable>: Sendable {
  let rules: MappingRules
  let hooks: MappingHooks<Model>
  private let compiled = CompiledMapping<Model>()

  /// Makes a mapping in which every attribute has its own name.
  ///
  /// - Parameters:
  ///   - model: the model.
  ///   - names: the strategy that forms JSON names from the names of attributes.
  ///   - unknown: the treatment of members that the mapping does not name.
  public init(
    _ model: Model.Type = Model.self, names: NamingStrategy = .asIs,
    unknown: UnknownMembers = .ignore
  ) {
    self.init(MappingRules(names: names, unknown: unknown))
  }

  init(_ rules: MappingRules, _ hooks: MappingHooks<Model> = MappingHooks()) {
    (self.rules, self.hooks) = (rules, hooks)
  }

  /// The same mapping with one more rule.
  func adding(_ change: (inout MappingRules) -> Void) -> JSONMapping {
    var rules = rules
    change(&rules)
    return JSONMapping(rules, hooks)
  }

  /// The same mapping with one more hook.
  func hooking(_ change: (inout MappingHooks<Model>) -> Void) -> JSONMapping {
    var hooks = hooks
    change(&hooks)
    return JSONMapping(rules, hooks)
  }

  /// Returns whether two values are the same mapping, and not two that say the same.
  func isSame(as other: JSONMapping) -> Bool { compiled === other.compiled }

  /// The object that is the same for the same mapping.
  var identity: AnyObject { compiled }

  /// The compiled form.
  ///
  /// - Throws: `invalidMapping`.
  var plan: MappingPlan<Model> {
    get throws { try compiled.plan(of: self) }
  }

  /// Throws every fault of the mapping.
  ///
  /// ```swift
  /// try JSONMapping(Snack.self).field(\.name, from: "title").check()
  /// ```
  ///
  /// - Throws: `invalidMapping`: a key path that is no attribute, two rules for one attribute in
  ///   one direction, or a transform of another type. So it is for a path that cannot be read, and
  ///   for two attributes written to one path.
  public func check() throws { _ = try plan }
}

/// A treatment of members of a JSON object that a mapping does not name.
public enum UnknownMembers: String, Hashable, Codable, Sendable {
  /// Unknown members are ignored.
  case ignore
  /// Unknown members are faults, and so is a member that comes twice.
  case refuse
}

/// The directions in which a rule of a mapping holds.
public enum JSONDirection: String, Hashable, Codable, Sendable {
  /// Both directions.
  case always
  /// From JSON to models.
  case reading
  /// From models to JSON.
  case writing

  var reads: Bool { self != .writing }
  var writes: Bool { self != .reading }
}

/// A treatment of a member that is null, or absent.
public enum JSONAbsence: String, Hashable, Codable, Sendable {
  /// The attribute becomes nil; where it may not be nil, this is a fault.
  case setNil
  /// The attribute keeps its value; in a new object it has its default.
  case keep
  /// The attribute gets its default, or nil where it has none and may be nil.
  case useDefault
  /// This is a fault.
  case refuse
}

/// The decision of a hook about a record.
public enum JSONDecision: Hashable, Sendable {
  /// The record is used.
  case keep
  /// The record is left out.
  case skip
  /// The record is a fault, for this reason.
  case fail(String)
}

/// The mapping of a model, compiled at its first use.
final class CompiledMapping<Model: Persistable>: Sendable {
  private let cached = OnceReference<MappingPlan<Model>>()

  func plan(of mapping: JSONMapping<Model>) throws -> MappingPlan<Model> {
    if let plan = cached.object { return plan }
    return cached.keep(try MappingPlan(mapping.rules, mapping.hooks))
  }
}
