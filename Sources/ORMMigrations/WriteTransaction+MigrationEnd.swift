internal import ORMRows
internal import ORMStorage

// The end of a migration: links that lead nowhere, and rows that break rules.
extension WriteTransaction {
  /// Finds links of columns that lead nowhere, and removes them if that is asked for.
  ///
  /// - Throws: `missingTarget`, naming up to 100 rows.
  func checkLinks(of slot: LinkColumns, _ treatment: MigrationOptions.Links) throws {
    let entity = try EntityPlan(slot.referrer.modelName, in: store).entity
    let owner = try EntityPlan(slot.owner.modelName, in: store).entity
    let names = slot.columns.map { slot.referrer.columns[$0].attribute }
    let isRequired = slot.columns.contains { !slot.referrer.columns[$0].isOptional }
    let isLink = entity.isInternal
    let isWhole = Condition.all(
      names.map { .compare(.attribute($0), .notEqual, .value(.null), []) })
    var failures: [StoreError] = []
    try migrationBatches(of: entity, where: isWhole) { rows in
      let existing = try existingKeys(of: owner, among: rows.map { row in names.map { row[$0] } })
      let dangling = rows.filter { row in !existing.contains(GroupKey(names.map { row[$0] })) }
      if dangling.isEmpty { return }
      let keys = dangling.map { row in entity.keyAttributes.map { row[$0] } }
      if treatment == .clear, isLink {
        let isOne = Condition.isOne(of: keys, entity.keyAttributes)
        _ = try writing().apply(
          .delete(
            try EntityPlan(entity.modelName, in: store).request(
              DynamicQuery(entity.modelName, where: isOne))))
      } else if treatment == .clear, !isRequired {
        try rewrite(
          dangling.map { row in
            var new = DynamicRow(entity.modelName, row.key(of: entity))
            for name in names { new[name] = .null }
            return new
          }, of: entity)
      } else {
        // The rest is looked through for other links, and the transaction fails.
        (store as? MigrationStore)?.parts?.mayPause = false
        failures += keys.prefix(Self.namedRows - failures.count).map { key in
          StoreError(
            .missingTarget,
            "\(slot.entity).\(slot.relationship): the \(slot.owner.modelName) does not exist",
            entity: entity.modelName, key: key,
            attributes: entity.modelName == slot.entity ? [slot.relationship] : names)
        }
      }
    }
    guard failures.isEmpty else {
      throw StoreError(
        .missingTarget, "links of \(slot.entity).\(slot.relationship) lead nowhere",
        entity: slot.entity, attributes: [slot.relationship], failures: failures)
    }
  }

  /// The errors of up to 100 rows that break a rule; none for a rule on attributes that the store gets
  /// only after the migration.
  func rows(of entity: StoredEntity, breaking rule: ValidationRule) throws -> [StoreError] {
    guard let held = store.schema.entity(named: entity.modelName),
      let condition = try? rule.condition(for: .stored(held, store.schema))
    else { return [] }
    var query = DynamicQuery(entity.modelName, where: .not(condition), deleted: .included)
    query.limit = Self.namedRows
    return try fetch(query).map { row in
      StoreError(
        .validationFailed, rule.message, entity: entity.modelName,
        key: held.keyAttributes.map { row[$0] }, attributes: rule.attributes, rule: rule.name)
    }
  }
}
