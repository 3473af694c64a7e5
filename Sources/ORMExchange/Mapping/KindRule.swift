internal import ORM

/// The kinds of records that a mapping is for.
struct KindRule: Sendable {
  let member: String
  /// The texts that stand for the mapping's own model, or for any of its models.
  let kinds: [String]
  let otherwise: JSONUnknownKind
  /// The models of the kinds; none for a mapping that reads records of one kind.
  var models: [KindModel] = []
}

/// One model of a mapping of several kinds.
struct KindModel: Sendable {
  let model: KindReference
  /// The texts that stand for it; the first is written.
  var kinds: [String]
}

/// A mapping that was given for the records of one kind.
struct KindMapping: Sendable {
  let model: KindReference
  let mapping: TargetMapping
}

/// A model of a kind as a rule names it: by its type, or as data.
enum KindReference: Sendable {
  case type(any PrimaryKeyed.Type)
  case name(String)

  /// The entity's name.
  var name: String {
    switch self {
    case .type(let type): Self.name(of: type)
    case .name(let name): name
    }
  }

  private static func name<Model: PrimaryKeyed>(of model: Model.Type) -> String {
    model.entity.written.name
  }
}

/// The members of records of a kind that its own mapping does not name.
struct MembersBeside: Sendable {
  /// The paths that are read elsewhere: relationships of the entities above.
  var read: [[PathStep]] = []
  /// The paths that other kinds alone are read from.
  var others: [[PathStep]] = []
  /// The paths that relationships of the entities above are written to, with their numbers.
  var written: [(path: [PathStep], link: Int)] = []
}

extension KindRule {
  /// A rule of several kinds, each model with its texts in the order in which they were given.
  init(
    member: String, _ pairs: [(text: String, model: KindReference)], otherwise: JSONUnknownKind
  ) {
    var models: [KindModel] = []
    for (text, model) in pairs {
      if let known = models.firstIndex(where: { $0.model.name == model.name }) {
        models[known].kinds.append(text)
      } else {
        models.append(KindModel(model: model, kinds: [text]))
      }
    }
    self.init(member: member, models, otherwise: otherwise)
  }

  init(member: String, _ models: [KindModel], otherwise: JSONUnknownKind) {
    self.init(
      member: member, kinds: models.flatMap(\.kinds), otherwise: otherwise, models: models)
  }
}
