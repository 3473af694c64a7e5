internal import ORMStorage

/// The effect of a step on data: the rows it reads and writes, the loss, and the older programs it
/// admits.
///
/// Everything that can be said of a step without data is here, except for the schema after it.
struct StepEffect {
  /// The entities whose rows the step reads, writes or drops, by their names in the program before it.
  var rows: [String] = []
  /// The entities whose rows the step writes; nil for any.
  var written: [String]? = []
  /// True if the step may lose data that the store held before the plan.
  var losesData = false
  /// True if the step does not treat every row by itself: it reads other rows, or writes them.
  var readsOthers = false
  /// The access that programs may keep that do not know of the step.
  ///
  /// Schemas alone do not say it: two attributes may exchange their names.
  var access = SchemaAccess.none

  /// A step that writes rows of the entities that it reads.
  fileprivate static func writing(
    _ entities: String..., losesData: Bool = false, readsOthers: Bool = false,
    access: SchemaAccess = .none
  ) -> Self {
    Self(
      rows: entities, written: entities, losesData: losesData, readsOthers: readsOthers,
      access: access)
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
    case .set(let name, let entity, let value, let condition, _):
      .writing(
        entity, losesData: try !draft.isAdded(name, in: entity),
        readsOthers: try draft.readsOthers(value, condition, in: entity), access: .writing)
    case .fill(let name, let entity, _):
      .writing(entity, losesData: try !draft.isAdded(name, in: entity), access: .writing)
    case .rows(let entity, _): .writing(entity, losesData: true, access: .writing)
    case .removeDuplicates(_, let entity, _):
      .writing(entity, losesData: true, readsOthers: true, access: .writing)
    case .run, .sql:
      StepEffect(written: nil, losesData: true, readsOthers: true, access: .writing)
    case .check(let condition, let entity):
      StepEffect(
        rows: [entity], readsOthers: try draft.readsOthers(nil, condition, in: entity),
        access: .writing)
    case .moveLinks(_, let entity, let surplus):
      StepEffect(rows: [entity], losesData: surplus == .keepFirst, readsOthers: true)
    case .split(let split): .writing(split.entity, readsOthers: true)
    case .changeKey(let entity, _, _): .writing(entity, readsOthers: true)
    case .fold(let fold): .writing(fold.entity, losesData: true, readsOthers: true)
    case .move(let move): StepEffect(rows: [move.from], written: [move.to], readsOthers: true)
    case .merge(let merge):
      {
        let all = (merge.entities + [merge.into]).filter { draft.schema.entity(named: $0) != nil }
        return StepEffect(rows: all, written: all, losesData: true, readsOthers: true)
      }()
    case .inherit(let step):
      .writing(step.entity, step.parent, losesData: !step.keepsKeys, readsOthers: true)
    case .disinherit(let entity, let parent): .writing(entity, parent, readsOthers: true)
    }
  }
}

extension SchemaDraft {
  /// Returns whether a step of the plan has added an attribute.
  fileprivate func isAdded(_ attribute: String, in entity: String) throws -> Bool {
    let location = try location(attribute, of: entity)
    let (root, changes) = (schema.entities[location.root].name, changes)
    return changes.addedEntities.contains(root)
      || changes.addedColumns.contains(.init(root, location.name))
  }

  /// Returns whether an expression or a condition of rows of an entity names anything but their own
  /// attributes.
  fileprivate func readsOthers(
    _ value: String?, _ condition: String?, in name: String
  ) throws -> Bool {
    try checkFormats(value, condition, in: name)
    let entity = try self.entity(name)
    var reads = false
    func note(_ path: Operand.Path) -> Operand.Path {
      if path.scope != 0 || path.names.count != 1
        || entity.column(ofAttribute: path.names[0]) == nil
      {
        reads = true
      }
      return path
    }
    if let value {
      var parser = try FormatParser(value, for: .stored(entity, schema))
      _ = try parser.operand().mappingPaths(note)
    }
    if let condition {
      var parser = try FormatParser(condition, for: .stored(entity, schema))
      _ = try parser.condition().mappingPaths(note)
    }
    return reads
  }
}
