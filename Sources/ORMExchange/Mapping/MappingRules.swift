internal import ORM

/// The rules of a mapping as they were declared, not checked yet.
struct MappingRules: Sendable {
  var names: NamingStrategy
  var unknown: UnknownMembers
  var fields: [FieldRule] = []
  var links: [LinkRule] = []
  var selections: [Selection] = []
  var kind: KindRule?
  /// The mappings of kinds, where they are neither their models' own nor made of this one.
  var kindMappings: [KindMapping] = []
  /// The models of entities that data names as kinds; nil without a store.
  var models: (@Sendable (String) -> (any PrimaryKeyed.Type)?)?
  /// The members that are read and written beside those of a kind.
  var beside = MembersBeside()
  var list = DynamicMapping.List.array
  var keyedBy: MappedProperty?
  var writesNulls = true
  var before: [@Sendable (inout JSONValue) throws -> JSONDecision] = []

  /// Properties that are left out, or the only ones that are not.
  struct Selection: Sendable {
    var properties: [MappedProperty]
    let isOnly: Bool
    let direction: JSONDirection

    init(
      _ paths: [any AnyKeyPath & Sendable], isOnly: Bool, _ direction: JSONDirection
    ) {
      self.init(properties: paths.map { .path($0) }, isOnly: isOnly, direction: direction)
    }

    init(properties: [MappedProperty], isOnly: Bool, direction: JSONDirection) {
      self.properties = properties
      self.isOnly = isOnly
      self.direction = direction
    }
  }
}

/// The closures of a mapping that take objects of its model.
struct MappingHooks<Model: Persistable>: Sendable {
  var after: [@Sendable (inout Model, JSONValue) throws -> JSONDecision] = []
  var afterWriting: [@Sendable (inout JSONValue, Model) throws -> Void] = []

  var isEmpty: Bool { after.isEmpty && afterWriting.isEmpty }
}

/// A property of a model as a rule names it: by its key path, or as data.
enum MappedProperty: Sendable {
  case path(any AnyKeyPath & Sendable)
  case name(String)

  /// The property in the words of errors.
  var description: String {
    switch self {
    case .path(let path): String(describing: path)
    case .name(let name): name
    }
  }

  /// The name; nil for a key path.
  var name: String? { if case .name(let name) = self { name } else { nil } }

  /// The property by its name; a key path that is no property of the model stays one.
  func named<Model: Persistable>(in model: Model.Type) -> MappedProperty {
    guard case .path(let path) = self else { return self }
    let name =
      Model.entity.name(of: path) ?? Model.embeddedStruct(at: path)?.name
      ?? Model.entity.relationship(at: path)?.declaration.name
    return name.map { .name($0) } ?? self
  }
}

extension MappingRules {
  /// The same rules, each with the name of its property.
  func named<Model: Persistable>(in model: Model.Type) -> MappingRules {
    var rules = self
    for index in fields.indices {
      rules.fields[index].property = fields[index].property.named(in: model)
    }
    for index in links.indices {
      rules.links[index].property = links[index].property.named(in: model)
    }
    for index in selections.indices {
      rules.selections[index].properties = selections[index].properties.map { $0.named(in: model) }
    }
    rules.keyedBy = keyedBy?.named(in: model)
    return rules
  }
}

/// A rule for an attribute.
struct FieldRule: Sendable {
  var property: MappedProperty
  /// The paths in JSON, the first that is there counts; empty for the attribute's own name.
  let sources: [String]
  let format: FieldFormat
  let onNull: JSONAbsence
  let onAbsent: JSONAbsence
  let direction: JSONDirection
}

/// A rule for a relationship.
struct LinkRule: Sendable {
  var property: MappedProperty
  let sources: [String]
  let form: LinkForm
  /// The mapping of the targets; nil for that of their model.
  let mapping: TargetMapping?
  var unlisted = JSONUnlisted.unlink
  var order = JSONListOrder.asStored
  let direction: JSONDirection

  /// True if the number of targets is written, and nothing else.
  var isCount: Bool { if case .count = form { true } else { false } }

  /// True if targets are written as objects, and not by their keys alone.
  var writesObjects: Bool {
    switch form {
    case .objects, .missingObjects, .linkedObjects: direction.writes
    case .keys, .attribute, .count, .standard: false
    }
  }
}

/// The mapping of the targets of a relationship as a rule has it.
enum TargetMapping: Sendable {
  /// A `JSONMapping` of their model.
  case mapping(any DataMapping)
  case data(DynamicMapping)
}

/// A mapping of any model that may be data.
protocol DataMapping: Sendable {
  /// The mapping as data without its closures, which are added to a list.
  ///
  /// - Throws: `invalidMapping` for a mapping with faults.
  func data(_ closures: inout [MappingClosure]) throws -> DynamicMapping
}

/// The form of a relationship in JSON.
enum LinkForm: Sendable {
  /// Objects, which are saved with the object that has the link; keys are read as well.
  case objects
  /// Objects, which are saved where no row has their key; keys are read as well.
  case missingObjects
  /// Objects of which the key alone is read; objects are written.
  case linkedObjects
  /// The keys of targets.
  case keys(FieldFormat)
  /// An attribute of the target, by which it is found in a store.
  case attribute(MappedProperty, FieldFormat)
  /// The number of targets.
  case count
  /// Objects or keys as they come, and a key when it is written.
  case standard
}
