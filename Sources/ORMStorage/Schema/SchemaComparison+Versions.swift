internal import ORMValues

extension SchemaComparison {
  /// Refuses a program that is older than the last one that opened the store, unless its version is
  /// admitted.
  ///
  /// It may declare parts that a newer program has renamed or dropped, and would add them again, empty. A
  /// program that counts no versions is older than any that does.
  mutating func compareVersions() throws {
    guard let held = stored.version else {
      if let version = declared.version {
        refuseIfStrict("the store has no version, the program has version \(version)")
      }
      return
    }
    let version = declared.version ?? 0
    if version < held {
      guard stored.admitsAsOlder(declared.version, isReadOnly: isReadOnly) else {
        throw StoreError(.schemaTooNew, refusal(held))
      }
      let renamed = stored.keepsNames ? stored.aliases?.map(\.version).max() : nil
      if let renamed, renamed > version {
        throw StoreError(
          .schemaTooNew,
          "parts of the store have other names since version \(renamed), and so have the changes "
            + "that it keeps; version \(renamed) and later may open it")
      }
      isOlder = true
    }
    if version != held {
      refuseIfStrict("the store has version \(held), the program has version \(version)")
    }
  }

  /// The message for a program that is too old, with the versions that would do.
  private func refusal(_ held: Int) -> String {
    let program = declared.version.map { "version \($0)" } ?? "none"
    let message =
      "a program whose schema has version \(held) has opened the store; this program's schema has "
      + program
    let writer = stored.minimumWriter ?? held
    let reader = stored.minimumReader ?? held
    if !isReadOnly, stored.access(ofVersion: declared.version) == .reading {
      return "\(message); it may only read (isReadOnly), version \(writer) and later may write"
    }
    if reader < writer, !isReadOnly {
      return "\(message); version \(writer) and later may write, version \(reader) and later read"
    }
    return "\(message); version \(isReadOnly ? reader : writer) and later may open it"
  }

  /// True for an older program that the store admits, and that only reads.
  var isReader: Bool { isOlder && isReadOnly }

  /// True for an older program, and for one that only reads.
  var addsNothing: Bool { isOlder || isReadOnly }

  /// Returns whether nil is allowed in one of two columns alone.
  ///
  /// A program that only reads may expect nil where the store has none.
  func differsInOptionality(_ old: StoredColumn, _ new: StoredColumn) -> Bool {
    isReader ? old.isOptional && !new.isOptional : old.isOptional != new.isOptional
  }

  /// Refuses the additions of an older program, which must not change a newer store's schema, and of
  /// one that only reads.
  ///
  /// An index that the store lacks costs time alone, but for a unique rule.
  mutating func refuseAdditions() {
    guard addsNothing else { return }
    let advice =
      isOlder
      ? "; an older program adds nothing"
      : "; the store is opened read-only, open it once for writing"
    for entity in declared.everyEntity where stored[entity.name] == nil {
      refuse("the store lacks an entity that the program declares" + advice, entity)
    }
    for entity in declared.entities {
      func refuseParts(_ parts: [SchemaChanges.Part], _ message: String) {
        for part in parts where part.entity == entity.name {
          let names = entity.column(named: part.name).map { [entity.columns[$0].attribute] }
          refuse(message + advice, entity, names ?? [])
        }
      }
      refuseParts(
        changes.addedColumns, "the store lacks an attribute that the program declares")
      refuseParts(
        changes.derivedColumns, "the store does not keep this derived attribute as declared")
      for index in entity.indexes
      where index.isUnique && changes.addedIndexes.contains(.init(entity.name, index.name)) {
        refuse(
          "the store lacks the unique constraint \(index.name)" + advice, entity,
          index.terms.map { entity.columns[$0.column].attribute })
      }
    }
  }
}
