internal import ORMStorage

extension MigrationOutline.Version {
  /// Raises the versions that a store keeps, after the steps have run.
  func raise(_ schema: inout StoredSchema) {
    let known = aliased?.access(to: after) ?? .none
    let access = steps.reduce(known) { min($0, $1.effect.access) }
    schema.aliases = before.aliases
    schema.raise(to: version.number, keeping: access)
    schema.aliases = after.aliases
    schema.endAliases()
    if let compatibility = version.compatibility { schema.narrow(to: compatibility) }
  }
}

extension SchemaDraft {
  /// Returns whether a part of a schema got another stored name since an earlier state of the draft.
  ///
  /// - Parameters:
  ///   - schema: the schema.
  ///   - earlier: the earlier state.
  ///   - aliased: the parts that older programs find under their new names.
  func renames(
    partsOf schema: StoredSchema, since earlier: SchemaDraft, but aliased: AliasedParts?
  ) -> Bool {
    let (before, after) = (earlier.changes, changes)
    return after.renamedEntities.contains { name, origin in
      before.renamedEntities[name] != origin && schema[origin] != nil
        && aliased?.has(entity: origin, as: name) != true
    }
      || after.renamedColumns.contains { part, origin in
        let entity = after.renamedEntities[part.entity] ?? part.entity
        return before.renamedColumns[part] != origin
          && schema[entity]?.column(named: origin) != nil
          && aliased?.has(column: .init(entity, origin), as: part) != true
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
