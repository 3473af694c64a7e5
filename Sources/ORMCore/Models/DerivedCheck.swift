internal import ORMStorage

/// The rules of derived attributes, checked when a schema is built.
struct DerivedCheck {
  let schema: StoredSchema

  /// Every broken rule.
  var failures: [StoreError] {
    schema.everyEntity.flatMap { entity in
      entity.columns.indices.flatMap { column -> [StoreError] in
        guard let derived = entity.columns[column].derived,
          schema.declaring(entity.columns[column].attribute, of: entity).name == entity.name
        else { return [] }
        return faults(of: derived, entity, column).map {
          StoreError(
            .invalidSchema, $0, entity: entity.modelName,
            attributes: [entity.columns[column].attribute])
        }
      }
    } + circles
  }

  private func faults(
    of derived: DerivedValue, _ entity: StoredEntity, _ position: Int
  ) -> [String] {
    let column = entity.columns[position]
    var faults: [String] = []
    if entity.key.contains(position) {
      faults.append(
        "a derived attribute cannot be part of the key")
    }
    if column.role != nil {
      faults.append(
        "a derived attribute cannot also be a managed attribute")
    }
    if column.isNormalized {
      faults.append(
        "a derived attribute cannot be normalized; normalize its source")
    }
    if entity.indexes.contains(where: { index in
      index.isUnique && index.terms.contains { $0.column == position }
    }) {
      faults.append("a derived attribute cannot be unique")
    }
    if entity.rules.contains(where: { $0.attributes.contains(column.attribute) }) {
      faults.append(
        "a validation rule cannot use a derived attribute, which changes without a save")
    }
    guard let relationship = entity.relationship(named: derived.relationship),
      relationship.isToMany
    else {
      return faults + [
        "it is derived from \(derived.relationship), which is not a to-many of the entity"
      ]
    }
    guard let target = schema.entity(named: relationship.target) else { return faults }
    guard let name = derived.attribute else {
      if derived.aggregate != .count {
        faults.append(
          "it must name the attribute of the targets to aggregate")
      }
      if column.type != .int64 || column.isOptional {
        faults.append("a count must be an Int or Int64, and not optional")
      }
      return faults
    }
    if derived.aggregate == .count {
      return faults + [
        "a count takes no attribute: it counts the targets"
      ]
    }
    guard let source = target.column(ofAttribute: name).map({ target.columns[$0] }),
      !source.isInternal
    else {
      return faults + ["it is derived from \(target.modelName).\(name), which is not an attribute"]
    }
    return faults + mismatches(of: derived, column, source, "\(target.modelName).\(name)")
  }

  /// Returns whether the source can be aggregated, and the result fits.
  private func mismatches(
    of derived: DerivedValue, _ column: StoredColumn, _ source: StoredColumn, _ path: String
  ) -> [String] {
    switch derived.aggregate {
    case .count: return []
    case .sum:
      guard source.type.kind.isNumber else {
        return [
          "only numbers can be summed, and \(path) is none"
        ]
      }
      let wide: AttributeType =
        switch source.type.kind {
        case .unsigned: .uint64
        case .double: .double
        case .decimal: .decimal
        default: .int64
        }
      return column.type == wide && !column.isOptional
        ? [] : ["the sum of \(path) must be declared as \(wide), not optional"]
    case .average:
      guard source.type.kind.isNumber else {
        return [
          "only numbers can be averaged, and \(path) is none"
        ]
      }
      return column.type == .double && column.isOptional
        ? [] : ["the average of \(path) must be declared as Double?"]
    case .minimum, .maximum:
      guard source.type.isScalar else {
        return [
          "\(path) cannot be ordered, so it has no minimum or maximum"
        ]
      }
      return column.type == source.type && column.isOptional
        ? [] : ["the minimum or maximum of \(path) must be declared as an optional \(source.type)"]
    }
  }

  /// Attributes that are derived of themselves, by however many steps.
  private var circles: [StoreError] {
    var failures: [StoreError] = []
    for entity in schema.everyEntity {
      for column in entity.columns
      where column.derived != nil
        && schema.declaring(column.attribute, of: entity).name == entity.name
      {
        var seen: Set<DerivedSource> = []
        var next: DerivedSource? = DerivedSource(
          entity: entity.modelName, attribute: column.attribute)
        while let source = next, seen.insert(source).inserted { next = schema.source(of: source) }
        guard let next, next.entity == entity.modelName, next.attribute == column.attribute else {
          continue
        }
        failures.append(
          StoreError(
            .invalidSchema, "it is derived from itself", entity: entity.modelName,
            attributes: [column.attribute]))
      }
    }
    return failures
  }
}

/// An attribute of an entity, by their names in the program.
private struct DerivedSource: Hashable {
  var entity: String
  var attribute: String
}

extension StoredSchema {
  /// Returns the attribute that a derived attribute is derived from; nil if there is none.
  fileprivate func source(of attribute: DerivedSource) -> DerivedSource? {
    guard let entity = entity(named: attribute.entity),
      let column = entity.column(ofAttribute: attribute.attribute),
      let derived = entity.columns[column].derived, let name = derived.attribute,
      let target = entity.relationship(named: derived.relationship)
        .flatMap({ self.entity(named: $0.target) })
    else { return nil }
    return DerivedSource(entity: declaring(name, of: target).modelName, attribute: name)
  }
}
