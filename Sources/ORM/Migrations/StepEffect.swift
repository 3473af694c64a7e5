internal import ORMCore

/// The rows that a step reads and writes, what it loses, and the older programs that it admits.
///
/// Everything that is known of a step without data, beside the schema afterwards, is here.
struct StepEffect {
  /// The entities whose rows the step reads, writes or drops, by their names in the program before it.
  var rows: [String] = []
  /// The entities whose rows the step writes; nil for any.
  var written: [String]? = []
  /// True if something is lost of what the store held before the plan.
  var losesData = false
  /// The access that programs may keep that do not know of the step.
  ///
  /// Schemas alone do not say it: two attributes may exchange their names.
  var access = SchemaAccess.none

  /// A step that writes rows of the entities that it reads.
  fileprivate static func writing(
    _ entities: String..., losesData: Bool = false, access: SchemaAccess = .none
  ) -> Self {
    Self(rows: entities, written: entities, losesData: losesData, access: access)
  }
}

extension MigrationAction {
  /// Returns the effect of the step.
  ///
  /// - Parameter draft: the schema before the step, as a change of that before the plan.
  /// - Throws: `invalidPlan` for an attribute that the schema does not have.
  func effect(in draft: SchemaDraft) throws -> StepEffect {
    switch self {
    case .renameEntity, .renameAttribute, .renameRelationship:
      StepEffect(access: keepsAlias ? .writing : .none)
    case .makeOptional: StepEffect()
    case .addAttribute: StepEffect(access: .writing)
    case .dropEntity(let entity), .dropAttributes(_, let entity), .dropRelationship(_, let entity):
      StepEffect(rows: [entity], losesData: true)
    case .makeRequired(_, let entity, _): .writing(entity, access: .reading)
    case .changeType(_, _, let entity, _, _): .writing(entity, losesData: true)
    case .set(let name, let entity, _, _, _), .fill(let name, let entity, _):
      .writing(entity, losesData: try !draft.isAdded(name, in: entity), access: .writing)
    case .rows(let entity, _), .removeDuplicates(_, let entity, _):
      .writing(entity, losesData: true, access: .writing)
    case .run, .sql: StepEffect(written: nil, losesData: true, access: .writing)
    case .check(_, let entity): StepEffect(rows: [entity], access: .writing)
    case .moveLinks(_, let entity, let surplus):
      StepEffect(rows: [entity], losesData: surplus == .keepFirst)
    case .split(let split): .writing(split.entity)
    case .changeKey(let entity, _, _): .writing(entity)
    case .fold(let fold): .writing(fold.entity, losesData: true)
    case .move(let move): StepEffect(rows: [move.from], written: [move.to])
    case .merge(let merge):
      {
        let all = (merge.entities + [merge.into]).filter { draft.schema.entity(named: $0) != nil }
        return StepEffect(rows: all, written: all, losesData: true)
      }()
    case .inherit(let step):
      .writing(step.entity, step.parent, losesData: !step.keepsKeys)
    case .disinherit(let entity, let parent): .writing(entity, parent)
    }
  }
}

extension SchemaDraft {
  /// Returns whether a step of the plan has added an attribute.
  fileprivate func isAdded(_ attribute: String, in entity: String) throws -> Bool {
    let place = try place(attribute, of: entity)
    let (root, changes) = (schema.entities[place.root].name, changes)
    return changes.addedEntities.contains(root)
      || changes.addedColumns.contains(.init(root, place.name))
  }
}
