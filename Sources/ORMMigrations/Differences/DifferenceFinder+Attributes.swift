internal import FoundationEssentials
internal import ORMStorage

extension DifferenceFinder {
  /// Compares the attributes that an entity declares itself.
  mutating func compareAttributes(_ held: StoredEntity, _ entity: StoredEntity) {
    let before = old.declaredAttributes(of: held)
    let after = new.declaredAttributes(of: entity)
    // Attributes that a new parent declares are inherited.
    let inherited = Set(
      held.parent == entity.parent ? [] : entity.columns.map(\.attribute))
    let dropped = before.filter { column in
      !after.contains { $0.attribute == column.attribute } && !inherited.contains(column.attribute)
    }
    let added = after.filter { column in !before.contains { $0.attribute == column.attribute } }
    var open: Set<String> = []
    for column in dropped {
      let others = added.filter { $0.type == column.type }.map(\.attribute)
      if ask(.attribute, entity.modelName, column.attribute, others) { open.formUnion(others) }
    }
    for column in dropped {
      let keepsValues =
        held.keyAttributes.contains(column.attribute) && !canBecomeKey(of: entity, in: held)
      drop(column, of: held, isOpen: isAsked(.attribute, held, column), keepsValues: keepsValues)
    }
    for column in added {
      var change = Change(
        kind: .added, part: .attribute, entity: entity.modelName, name: column.attribute,
        detail: column.typeText)
      if !column.canBeAdded {
        change.steps = [
          .addAttribute(
            column.attribute, column.type, in: entity.modelName, default: column.type.kind.zero)
        ]
        change.remark = "the default for rows that are there is a guess"
        change.isOpen = open.contains(column.attribute)
      }
      changes.append(change)
    }
    for column in after {
      if let other = before.first(where: { $0.attribute == column.attribute }) {
        compare(other, column, of: entity, isKey: held.keyAttributes.contains(column.attribute))
      }
    }
  }

  private mutating func drop(
    _ column: StoredColumn, of entity: StoredEntity, isOpen: Bool, keepsValues: Bool
  ) {
    var change = Change(
      kind: .dropped, part: .attribute, entity: entity.modelName, name: column.attribute,
      detail: column.typeText)
    change.isOpen = isOpen
    if keepsValues {
      change.isUnsupported = true
      change.remark = "no step drops a part of a primary key"
    } else {
      change.steps = [.dropAttributes([column.attribute], in: entity.modelName)]
      change.remark = column.derived == nil ? "its values are lost" : nil
    }
    changes.append(change)
  }

  private mutating func compare(
    _ held: StoredColumn, _ column: StoredColumn, of entity: StoredEntity, isKey: Bool
  ) {
    var details: [String] = []
    var change = Change(
      kind: .changed, part: .attribute, entity: entity.modelName, name: column.attribute)
    let name = column.attribute
    if held.isOptional, !column.isOptional {
      details.append("optional → required")
    } else if !held.isOptional, column.isOptional {
      details.append("required → optional")
      change.steps.append(.makeOptional(name, in: entity.modelName))
    }
    if held.type != column.type {
      details.append("\(held.type) → \(column.type)")
      change.steps.append(.changeType(of: name, to: column.type, in: entity.modelName))
      change.remark =
        "values that do not fit stop the migration, unless by: or onFailure: says more"
    }
    if held.isOptional, !column.isOptional {
      change.steps.append(.makeRequired(name, in: entity.modelName))
      change.remark =
        change.remark ?? "rows where it is nil stop the migration, unless default: is set"
    }
    if column.derived != nil, !change.steps.isEmpty {
      change.steps = [.dropAttributes([name], in: entity.modelName)]
      change.remark = "it is worked out again"
    }
    if isKey, !change.steps.isEmpty { unsupport(&change, "no step changes a primary key") }
    if held.isNormalized != column.isNormalized {
      details.append(held.isNormalized ? "normalized → as it comes" : "as it comes → normalized")
      unsupport(&change, "no step changes the normalization")
    }
    if (held.externalThreshold == nil) != (column.externalThreshold == nil) {
      details.append(
        held.externalThreshold == nil
          ? "stored in rows → stored externally" : "stored externally → stored in rows")
      unsupport(&change, "no step changes where values are stored")
    }
    if held.defaultValue != column.defaultValue || held.computedDefault != column.computedDefault {
      details.append("another default")
    }
    if held.derived != column.derived { details.append("derived otherwise") }
    if held.role != column.role { details.append("managed otherwise") }
    if held.ownName != column.ownName {
      details.append("stored as \(held.ownName) → \(column.ownName)")
      change.remark = change.remark ?? "a plan renames it in the store by itself"
    }
    if details.isEmpty { return }
    change.detail = details.joined(separator: ", ")
    changes.append(change)
  }

  private func unsupport(_ change: inout Change, _ remark: String) {
    change.steps = []
    change.isUnsupported = true
    change.remark = remark
  }

  private func isAsked(
    _ part: SchemaDifference.Part, _ entity: StoredEntity, _ column: StoredColumn
  ) -> Bool {
    questions.contains {
      $0.part == part && $0.entity == entity.modelName && $0.name == column.attribute
    }
  }
}

extension StoredColumn {
  /// The type, with a question mark where nil is allowed.
  fileprivate var typeText: String { "\(type)\(isOptional ? "?" : "")" }
}
