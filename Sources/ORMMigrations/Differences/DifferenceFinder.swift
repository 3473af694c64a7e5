internal import ORMCore
internal import ORMRows
internal import ORMStorage

/// The comparison of two schemas for a ``SchemaDifference``.
struct DifferenceFinder {
  typealias Change = SchemaDifference.Change
  typealias Question = SchemaDifference.RenameQuestion

  let old: StoredSchema
  let new: StoredSchema
  var changes: [Change] = []
  var questions: [Question] = []
  /// Returns the likeness of the values of an attribute before and of one afterwards, by entity and
  /// names; nil where there are none to compare.
  var likenessOfValues: (String, String, String) -> Double? = { _, _, _ in nil }
  /// The relationships whose steps take care of their inverses.
  var settled: Set<RelationshipEnd> = []

  /// A relationship of an entity.
  struct RelationshipEnd: Hashable {
    var entity: String
    var name: String
  }

  init(_ old: StoredSchema, _ new: StoredSchema) {
    self.old = old
    self.new = new
  }

  /// Finds the differences and the questions.
  mutating func run() {
    let before = old.everyEntity.filter { !$0.isInternal && !$0.isBookkeeping }
    let after = new.everyEntity.filter { !$0.isInternal && !$0.isBookkeeping }
    let dropped = before.filter { new.entity(named: $0.modelName) == nil }
    let added = after.filter { old.entity(named: $0.modelName) == nil }
    findRenamedEntities(dropped, added)
    for entity in after {
      if let held = old.entity(named: entity.modelName) {
        compare(held, entity)
      } else {
        changes.append(Change(kind: .added, part: .entity, entity: entity.modelName))
      }
    }
    for entity in dropped { drop(entity) }
  }

  private mutating func drop(_ entity: StoredEntity) {
    var change = Change(kind: .dropped, part: .entity, entity: entity.modelName)
    if entity.parent != nil || !entity.subentities.isEmpty {
      change.isUnsupported = true
      change.remark = "no step drops a part of a hierarchy"
    } else {
      change.steps = [.dropEntity(entity.modelName)]
      change.remark = "its rows are lost"
    }
    change.isOpen = questions.contains { $0.part == .entity && $0.entity == entity.modelName }
    changes.append(change)
  }

  private mutating func compare(_ held: StoredEntity, _ entity: StoredEntity) {
    func differ(_ detail: String, _ remark: String, isUnsupported: Bool) {
      changes.append(
        Change(
          kind: .changed, part: .entity, entity: entity.modelName, detail: detail, remark: remark,
          isUnsupported: isUnsupported))
    }
    if held.parent == nil, entity.parent == nil, held.name != entity.name {
      differ(
        "stored as \(held.name) → \(entity.name)", "a plan renames it in the store by itself",
        isUnsupported: false)
    }
    if held.parent != entity.parent {
      differ(
        "parent \(held.parent ?? "none") → \(entity.parent ?? "none")",
        "no step changes a hierarchy", isUnsupported: true)
      switch (held.parent, entity.parent) {
      case (nil, let parent?):
        support(
          .inherit(entity.modelName, from: parent), "rows get new keys, unless keepingKeys: is set")
      case (let parent?, nil):
        support(
          .disinherit(entity.modelName, from: parent),
          "a link to a row as to one of \(parent) stops the migration")
      default: break
      }
    }
    let start = changes.count
    compareAttributes(held, entity)
    if let key = keyDifference(held, entity) {
      differ("key \(key)", "no step makes such a primary key", isUnsupported: true)
      if canBecomeKey(of: entity, in: held) {
        // Attributes of the former key can be dropped only afterwards.
        var change = changes.removeLast()
        change.isUnsupported = false
        change.steps = [.changeKey(of: entity.modelName, to: entity.keyAttributes)]
        change.remark = "rows without a value, or with the same as another, stop the migration"
        changes.insert(change, at: start)
      }
    }
    compareRelationships(held, entity)
    if entity.parent == nil { compareIndexes(held, entity) }
  }

  /// Gives the last change a step.
  private mutating func support(_ step: MigrationStep, _ remark: String) {
    guard let last = changes.indices.last else { return }
    changes[last].isUnsupported = false
    changes[last].steps = [step]
    changes[last].remark = remark
  }

  /// The old and the new primary key, unless they agree or a rename may be all that differs.
  private func keyDifference(_ held: StoredEntity, _ entity: StoredEntity) -> String? {
    func text(_ entity: StoredEntity) -> String {
      let names = entity.key.map { entity.columns[$0].attribute }.joined(separator: ", ")
      return entity.keySource == .hidden
        ? "hidden" : entity.generatesKeys ? "\(names), generated" : names
    }
    let before = held.key.map { held.columns[$0].attribute }
    let after = entity.key.map { entity.columns[$0].attribute }
    let isRename =
      before.count == after.count
      && zip(before, after).allSatisfy { name, other in
        name == other
          || questions.contains {
            $0.part == .attribute && $0.entity == entity.modelName && $0.name == name
              && $0.candidates.contains { $0.name == other }
          }
      }
    let isSameSource =
      held.generatesKeys || entity.generatesKeys ? held.keySource == entity.keySource : true
    return isRename && isSameSource ? nil : "\(text(held)) → \(text(entity))"
  }

  /// Returns whether the attributes of a key are attributes that the store has, and nothing makes keys.
  func canBecomeKey(of entity: StoredEntity, in held: StoredEntity) -> Bool {
    entity.keySource == .program && entity.parent == nil && entity.subentities.isEmpty
      && entity.key.allSatisfy { position in
        let column = entity.columns[position]
        return held.columns.contains {
          $0.attribute == column.attribute && $0.type == column.type && !$0.isInternal
        }
      }
  }

  // MARK: Indexes

  private mutating func compareIndexes(_ held: StoredEntity, _ entity: StoredEntity) {
    let before = old.visibleIndexes(of: held)
    let after = new.visibleIndexes(of: entity)
    for index in before where !after.contains(index) {
      // An index over a dropped attribute goes with it.
      guard index.attributes.allSatisfy({ entity.column(ofAttribute: $0) != nil }) else { continue }
      changes.append(index.change(.dropped, entity.modelName))
    }
    for index in after where !before.contains(index) {
      var change = index.change(.added, entity.modelName)
      if index.isUnique, index.attributes.allSatisfy({ held.column(ofAttribute: $0) != nil }) {
        let names = index.attributes.joined(separator: ", ")
        change.remark = "rows that agree in \(names) stop the opening; see removeDuplicates"
      }
      changes.append(change)
    }
  }
}

/// An index by names in the program.
struct VisibleIndex: Hashable {
  var isUnique: Bool
  var attributes: [String]
  var terms: [String]

  func change(_ kind: SchemaDifference.Kind, _ entity: String) -> SchemaDifference.Change {
    SchemaDifference.Change(
      kind: kind, part: .index, entity: entity, name: terms.joined(separator: ", "),
      detail: isUnique ? "unique" : "index")
  }
}

extension StoredSchema {
  /// The indexes of a root that a program declares: those of links are the relationships' own.
  fileprivate func visibleIndexes(of entity: StoredEntity) -> [VisibleIndex] {
    let links = linkAttributes(of: entity)
    return entity.indexes.compactMap { index in
      let columns = index.terms.map { entity.columns[$0.column] }
      guard !columns.contains(where: { $0.isInternal || links.contains($0.attribute) }) else {
        return nil
      }
      return VisibleIndex(
        isUnique: index.isUnique, attributes: columns.map(\.attribute),
        terms: zip(index.terms, columns).map { term, column in
          column.attribute + (term.form == .value ? "" : " (\(term.form.rawValue))")
            + (term.isDescending ? " descending" : "")
        })
    }
  }

  /// The attributes of an entity that hold the links of its to-ones.
  func linkAttributes(of entity: StoredEntity) -> Set<String> {
    Set(
      entity.relationships.flatMap { relationship -> [String] in
        guard case .own(let names, let position) = relationship.storage else { return [] }
        return names + [position].compactMap { $0 }
      })
  }

  /// The attributes that an entity declares itself: no inherited ones, links or hidden keys.
  func declaredAttributes(of entity: StoredEntity) -> [StoredColumn] {
    let links = linkAttributes(of: entity)
    return entity.columns.enumerated().filter { position, column in
      !column.isInternal && !links.contains(column.attribute)
        && !(entity.keySource == .hidden && entity.key.contains(position))
        && declaring(column.attribute, of: entity).modelName == entity.modelName
    }.map(\.element)
  }

  /// The relationships that an entity declares itself.
  func declaredRelationships(of entity: StoredEntity) -> [RelationshipDescription] {
    let parent = entity.parent.flatMap { self.entity(named: $0) }
    return entity.relationships.filter { parent?.relationship(named: $0.name) == nil }
  }
}
