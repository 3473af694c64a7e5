public import ORMStorage

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
    let steps = try MigrationOutline(versions(from: stored, to: declared), from: stored).steps
    return MigrationExtent(
      losesData: steps.contains(where: \.effect.losesData),
      entities: steps.contains { $0.effect.written == nil } ? nil : Set(steps.flatMap(\.written)))
  }
}
