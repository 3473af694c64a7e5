internal import ORMStorage

/// A plan that was followed without data: each step with its effect, and the schema to which they lead.
struct MigrationOutline {
  /// The versions whose steps a store needs.
  private(set) var versions: [Version] = []
  /// The schema after the last step, as a change of that before the plan; links have not moved yet.
  private(set) var draft: SchemaDraft
  /// The entities that have other columns, indexes or names afterwards or meanwhile, by their stored
  /// names before the plan.
  private(set) var changed: Set<String> = []

  /// The entities whose links are moved to where the declared schema has them, by their stored names
  /// before the plan.
  private var moved: [String] = []

  /// A version with the schemas before and after its steps.
  struct Version {
    var version: MigrationVersion
    var before: StoredSchema
    var after: StoredSchema
    /// The schema before, in which entities and properties that keep an alias have their new names; nil
    /// if older programs cannot follow the renames.
    var aliased: StoredSchema?
    var steps: [Step] = []
  }

  /// A step with its effect, and the stored names before the plan of the entities that it concerns.
  ///
  /// Entities that the plan has added have none.
  struct Step {
    var step: MigrationStep
    var effect: StepEffect
    var rows: [String]
    var written: [String]
    /// The steps that lead back, in the names after the step; nil if there are none.
    var inverse: [MigrationStep]?
  }

  /// Follows versions from a schema.
  ///
  /// - Throws: `invalidPlan` for steps that the schema does not allow.
  init(_ versions: [MigrationVersion], from stored: StoredSchema) throws {
    draft = SchemaDraft(stored)
    let everything = stored.entities.filter { !$0.isBookkeeping }.map(\.name)
    for version in versions {
      draft.version = version.number
      var followed = Version(version: version, before: draft.schema, after: draft.schema)
      for step in version.steps {
        let effect = try step.action.effect(in: draft)
        let rows = try effect.rows.compactMap { try draft.nameBefore(of: $0) }
        let written = try effect.written?.compactMap { try draft.nameBefore(of: $0) } ?? everything
        followed.steps.append(
          Step(
            step: step, effect: effect, rows: rows, written: written,
            inverse: try step.undo ?? step.action.inverse(in: draft)))
        try step.action.apply(to: &draft)
        changed.formUnion(draft.changes.entitiesBefore)
      }
      followed.after = draft.schema
      followed.aliased = followed.before.renamed(by: version)
      self.versions.append(followed)
    }
  }

  /// The steps of every version.
  var steps: [Step] { versions.flatMap(\.steps) }

  /// Throws `invalidPlan`, naming the first step that does not treat every row by itself.
  func checkRowByRow() throws {
    for followed in versions {
      guard let step = followed.steps.firstIndex(where: \.effect.readsOthers) else { continue }
      throw StoreError(
        .invalidPlan,
        "version \(followed.version.number), step \(step + 1) "
          + "(\(followed.steps[step].step.action)) needs more than the row that it changes, so that no "
          + "other program may write while it runs: migrate with the access \"exclusive\"")
    }
  }

  /// The entities whose rows are written, each as often as a step does, by their stored names before
  /// the plan.
  var written: [String] { steps.flatMap(\.written) + moved }

  /// The entities and subentities afterwards whose rows were written or are new, by their names in the
  /// program.
  var entitiesWritten: Set<String> {
    let written = Set(written)
    let entities = draft.schema.entities.filter { entity in
      guard !entity.isBookkeeping, let before = try? draft.nameBefore(of: entity.modelName) else {
        return !entity.isBookkeeping
      }
      return written.contains(before)
    }
    return Set(entities.flatMap { [$0] + $0.subentities }.map(\.modelName))
  }

  /// Moves links and names to where a declared schema has them.
  ///
  /// - Returns: true if a part of the schema before the plan gets another stored name by it.
  /// - Throws: `invalidPlan`.
  @discardableResult
  mutating func finish(
    as declared: StoredSchema, from stored: StoredSchema
  ) throws -> Bool {
    try draft.moveLinks(to: declared) { draft, copy in
      let names = [
        copy.move.entity, copy.old.relationship.target, copy.old.relationship.through,
        copy.new.relationship.through,
      ]
      for name in names.compactMap({ $0 }) {
        if let before = try? draft.nameBefore(of: name) { moved.append(before) }
      }
    }
    let unaligned = draft
    try draft.align(with: declared)
    // Names that follow the declaration change too, and have to change back between transactions.
    changed.formUnion(unaligned.changes.entitiesBefore.union(draft.changes.entitiesBefore))
    let aliased = versions.last.flatMap {
      draft.aliasedNames(of: $0.before, before: $0.version.number)
    }
    return draft.renames(partsOf: stored, since: unaligned, but: aliased)
  }
}

extension StoredSchema {
  /// Returns the schema after those steps of a version alone that rename and keep an alias; nil if it
  /// does not allow them, or the store keeps records with the names of before.
  fileprivate func renamed(by version: MigrationVersion) -> StoredSchema? {
    let renames = version.steps.map(\.action).filter(\.keepsAlias)
    if renames.isEmpty { return self }
    if keepsNames { return nil }
    var draft = SchemaDraft(self)
    draft.version = version.number
    do { for rename in renames { try rename.apply(to: &draft) } } catch { return nil }
    return draft.schema
  }
}

extension SchemaChanges {
  /// The entities that change, by their stored names before.
  fileprivate var entitiesBefore: Set<String> {
    let parts =
      addedColumns + addedIndexes + droppedIndexes + droppedColumns + alteredColumns
      + Array(renamedColumns.keys) + Array(renamedIndexes.keys)
    let names = parts.map(\.entity) + renamedEntities.keys
    return Set(names.compactMap { nameBefore(ofEntity: $0) } + droppedEntities)
  }
}
