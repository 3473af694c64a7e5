internal import ORM

/// The rules of a mapping as they were declared, not checked yet.
struct MappingRules<Model: Persistable>: Sendable {
  var names: NamingStrategy
  var unknown: UnknownMembers
  var fields: [FieldRule] = []
  var links: [LinkRule] = []
  var selections: [Selection] = []
  var kind: KindRule?
  var list = ListForm.array
  var keyedBy: (any AnyKeyPath & Sendable)?
  var writesNulls = true
  var before: [@Sendable (inout JSONValue) throws -> JSONDecision] = []
  var after: [@Sendable (inout Model, JSONValue) throws -> JSONDecision] = []
  var afterWriting: [@Sendable (inout JSONValue, Model) throws -> Void] = []

  init(names: NamingStrategy, unknown: UnknownMembers) {
    self.names = names
    self.unknown = unknown
  }

  /// Properties that are left out, or the only ones that are not.
  struct Selection: Sendable {
    let paths: [any AnyKeyPath & Sendable]
    let isOnly: Bool
    let direction: JSONDirection
  }
}

/// A rule for an attribute.
struct FieldRule: Sendable {
  let path: any AnyKeyPath & Sendable
  /// The paths in JSON, the first that is there counts; empty for the attribute's own name.
  let sources: [String]
  let format: FieldFormat
  let onNull: JSONAbsence
  let onAbsent: JSONAbsence
  let direction: JSONDirection
}

/// A rule for a relationship.
struct LinkRule: Sendable {
  let path: any AnyKeyPath & Sendable
  let sources: [String]
  let form: LinkForm
  /// The mapping of the targets, a `JSONMapping` of their model; nil for that of the model.
  let mapping: (any Sendable)?
  let keepsOthers: Bool
  let direction: JSONDirection
}

/// The form of a relationship in JSON.
enum LinkForm: Sendable {
  /// Objects, which are saved with the object that has the link; keys are read as well.
  case objects
  /// Objects of which the key alone is read; objects are written.
  case linkedObjects
  /// The keys of targets.
  case keys(FieldFormat)
  /// The number of targets.
  case count
  /// Objects or keys as they come, and a key when it is written.
  case standard
}

/// The kind of record that a mapping is for.
struct KindRule: Sendable {
  let member: String
  let kinds: [String]
  let otherwise: JSONUnknownKind
}

/// The form of several objects in JSON.
enum ListForm: Sendable {
  case array
  case oneOrMany
  case keyed
}
