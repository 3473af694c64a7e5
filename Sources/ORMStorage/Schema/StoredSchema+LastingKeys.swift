extension StoredSchema {
  /// The attribute of an entity that holds an attribute of the key of a to-one's target, if its value
  /// alone says whether there is a target: no rule leaves keys behind, and no target is ever hidden
  /// (clause 2.9).
  ///
  /// - Parameters:
  ///   - name: the to-one.
  ///   - entity: the entity that has it.
  ///   - attribute: an attribute of the target's key.
  package func lastingKey(
    _ name: String, of entity: StoredEntity, holding attribute: String
  ) -> String? {
    guard let relationship = entity.relationship(named: name), !relationship.isToMany,
      case .own(let names, position: _) = relationship.storage,
      let target = self.entity(named: relationship.target),
      let index = target.keyAttributes.firstIndex(of: attribute), index < names.count
    else { return nil }
    return isLasting(relationship, to: target) ? names[index] : nil
  }

  /// Returns whether links of a relationship always lead to a target: no rule leaves links behind, and no
  /// target is ever hidden.
  func isLasting(_ relationship: RelationshipDescription, to target: StoredEntity) -> Bool {
    let inverse = relationship.inverse.flatMap { target.relationship(named: $0) }
    return (inverse?.deleteRule ?? relationship.targetDeleteRule) != .noAction
      && !hidesRows(of: target)
  }

  /// Returns whether a row of the hierarchy that an entity belongs to may be hidden.
  private func hidesRows(of entity: StoredEntity) -> Bool {
    let root = root(of: entity)
    return root.deletedAt != nil || root.subentities.contains { $0.deletedAt != nil }
  }
}
