public import ORMCore

extension MigrationPlan {
  /// Returns whether steps lose values, rows or links, and the entities whose rows they write anew.
  ///
  /// Drops, other types, closures, folds, removed duplicates and surplus links lose something, and so
  /// does a value that is set over one from before the migration.
  ///
  /// - Throws: `invalidPlan`, `schemaTooNew`.
  public func extent(
    from stored: StoredSchema, to declared: StoredSchema
  ) throws -> MigrationExtent {
    var draft = SchemaDraft(stored)
    var extent = MigrationExtent(losesData: false, entities: [])
    for version in try versions(from: stored, to: declared) {
      draft.version = version.number
      for step in version.steps {
        if try step.action.losesData(in: draft) { extent.losesData = true }
        switch step.action.rewritten {
        case .nothing: break
        case .everything: extent.entities = nil
        case .entity(let name):
          if let before = try draft.nameBefore(of: name) { extent.entities?.insert(before) }
        }
        try step.action.apply(to: &draft)
      }
    }
    return extent
  }
}

extension MigrationAction {
  /// Returns whether the step loses something of what a store held before the plan.
  fileprivate func losesData(in draft: SchemaDraft) throws -> Bool {
    switch self {
    case .dropEntity, .dropAttributes, .dropRelationship, .changeType, .rows, .run,
      .removeDuplicates, .fold:
      true
    case .set(let name, let entity, _, _, _), .fill(let name, let entity, _):
      try !draft.isAdded(name, in: entity)
    case .moveLinks(_, _, let surplus): surplus == .keepFirst
    case .renameEntity, .renameAttribute, .renameRelationship, .addAttribute, .makeOptional,
      .makeRequired, .check, .split, .changeKey, .move:
      false
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
