internal import ORMCore

extension MigrationVersion {
  /// Raises the versions that a store keeps, after the steps have run.
  func raise(_ kept: inout StoredSchema, from before: StoredSchema, to after: StoredSchema) {
    kept.raise(to: number, keeping: access(from: before, to: after))
    if let compatibility { kept.narrow(to: compatibility) }
  }

  /// The access of programs of the version before, by the steps and by both schemas.
  private func access(from before: StoredSchema, to after: StoredSchema) -> SchemaAccess {
    steps.reduce(before.access(to: after)) { min($0, $1.action.access) }
  }
}

extension MigrationAction {
  /// The access that programs may keep that do not know of the step.
  ///
  /// Schemas alone do not say it: two attributes may exchange their names.
  var access: SchemaAccess {
    switch self {
    case .renameEntity, .renameAttribute, .renameRelationship, .dropEntity, .dropAttributes,
      .dropRelationship, .makeOptional, .changeType, .moveLinks, .split, .changeKey,
      .fold, .move:
      .none
    case .makeRequired: .reading
    case .addAttribute, .set, .rows, .run, .fill, .check, .removeDuplicates: .writing
    }
  }
}

extension SchemaDraft {
  /// Returns whether a part of a schema got another stored name since an earlier state of the draft.
  func renames(partsOf schema: StoredSchema, since earlier: SchemaDraft) -> Bool {
    let (before, after) = (earlier.changes, changes)
    return after.renamedEntities.contains { name, origin in
      before.renamedEntities[name] != origin && schema[origin] != nil
    }
      || after.renamedColumns.contains { part, origin in
        let entity = after.renamedEntities[part.entity] ?? part.entity
        return before.renamedColumns[part] != origin
          && schema[entity]?.column(named: origin) != nil
      }
  }
}

extension StoredSchema {
  /// Admits no more older programs than a plan says.
  mutating func narrow(to limit: MigrationCompatibility) {
    guard let version else { return }
    let readers = minimumReader ?? version
    switch limit {
    case .writing(let since):
      self.limit(
        writers: max(minimumWriter ?? version, since), readers: max(readers, since))
    case .reading(let since): self.limit(writers: version, readers: max(readers, since))
    }
  }
}
