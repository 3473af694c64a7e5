internal import ORMValues

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
      let place = target.keyAttributes.firstIndex(of: attribute), place < names.count
    else { return nil }
    let inverse = relationship.inverse.flatMap { target.relationship(named: $0) }
    guard (inverse?.deleteRule ?? relationship.targetDeleteRule) != .noAction else { return nil }
    return hidesRows(of: target) ? nil : names[place]
  }

  /// Returns whether a row of the hierarchy that an entity belongs to may be hidden.
  private func hidesRows(of entity: StoredEntity) -> Bool {
    let root = root(of: entity)
    return root.deletedAt != nil || root.subentities.contains { $0.deletedAt != nil }
  }
}
