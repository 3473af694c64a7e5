internal import ORMStorage

/// The rules that the relationships of a schema impose on the rows of one entity.
package struct EntityRules: Sendable {
  /// The entity.
  package let entity: StoredEntity
  /// The relationships through which deleting rows affects rows of other entities or of this one.
  package var links: [DeleteLink] = []
  /// The counts that change when rows go, come, or have their keys of others changed.
  package var counts: [CountLink] = []
  /// The to-ones whose keys its rows hold.
  package var targets: [TargetLink] = []
  /// The entity's to-manys that must have targets; a new row has none unless they are saved with it.
  package var minimums: [CountRule] = []
  /// The entity's to-manys that have a count.
  package var ownCounts: [CountRule] = []

  /// An entity of which nothing is known yet.
  init(_ entity: StoredEntity) { self.entity = entity }

  /// True if deleting rows concerns nothing but themselves.
  package var isDeletedAlone: Bool {
    links.isEmpty && counts.allSatisfy { $0.rule.range.minimum <= 0 }
  }

  /// True if hiding rows changes no others: `nullify`, and `cascade` to rows of entities without a soft
  /// delete, take effect when the rows are purged.
  package var isHiddenAlone: Bool {
    links.allSatisfy { link in
      link.rule == .nullify || link.rule == .cascade && link.other.deletedAt == nil
    } && counts.allSatisfy { $0.rule.range.minimum <= 0 }
  }

  /// Returns whether putting these columns concerns nothing but the row.
  package func isPutAlone(_ columns: [Int], _ mode: PutRequest.Mode) -> Bool {
    isWrittenAlone(columns) && (minimums.isEmpty || mode == .update)
  }

  /// Returns whether changing these columns concerns nothing but the row.
  package func isWrittenAlone(_ columns: [Int]) -> Bool {
    !mayHide(columns) && targets.allSatisfy { $0.columns.allSatisfy { !columns.contains($0) } }
      && counts.allSatisfy { $0.columns.allSatisfy { !columns.contains($0) } }
  }

  /// The columns of links and of their counts, which a put reads besides the key.
  package var linkColumns: [Int] { targets.flatMap(\.columns) + counts.flatMap(\.columns) }

  /// The columns read of a row before it is deleted.
  ///
  /// The key comes first, then the foreign keys that a rule needs, then the timestamp of the soft
  /// delete.
  package var readColumns: [Int] {
    var columns = entity.key
    func add(_ more: [Int]) {
      for column in more where !columns.contains(column) { columns.append(column) }
    }
    for link in links {
      if case .here(let own, position: _) = link.location { add(own) }
    }
    for link in counts where link.rule.range.minimum > 0 { add(link.columns) }
    if let deletedAt = entity.deletedAt { add([deletedAt]) }
    return columns
  }
}

// Rows that a save or an update hides or shows by assigning the attribute of the soft delete.
extension EntityRules {
  /// True if counts change when rows are hidden or shown.
  package var countsVisible: Bool {
    entity.deletedAt != nil && !(counts.isEmpty && ownCounts.isEmpty)
  }

  /// Returns whether writing these columns may hide or show rows that are counted.
  package func mayHide(_ columns: [Int]) -> Bool {
    entity.deletedAt.map { columns.contains($0) && countsVisible } ?? false
  }
}

/// One relationship that deleting rows concerns, seen from the entity of the rows.
package struct DeleteLink: Equatable, Sendable {
  /// The delete rule to apply; never `noAction`.
  package let rule: DeleteRule
  /// The location of the links.
  package let location: LinkLocation
  /// The entity of the rows linked.
  package let other: StoredEntity
  /// The subentity that the relationship leads to, as whose rows they are written; nil where that is
  /// `other`, which is the root of a hierarchy otherwise.
  package let kind: StoredEntity?
  /// The entity that declares the relationship, for errors.
  package let entity: String
  /// The relationship's name.
  package let relationship: String
  /// True if the other entity declares it, without an inverse.
  package let isOthers: Bool

  /// True if a row linked cannot be without the one that it leads to.
  ///
  /// The root of a hierarchy takes nil where a subentity does not, so that it is not asked.
  package let isNeeded: Bool

  init(
    rule: DeleteRule, location: LinkLocation, other: StoredEntity, entity: String,
    relationship: String,
    isOthers: Bool, isNeeded: Bool? = nil, kind: StoredEntity? = nil
  ) {
    self.rule = rule
    self.location = location
    self.other = other
    self.kind = kind
    self.entity = entity
    self.relationship = relationship
    self.isOthers = isOthers
    if let isNeeded {
      self.isNeeded = isNeeded
    } else if case .there(let columns, position: _) = location {
      self.isNeeded = columns.contains {
        !other.columns[$0].isOptional || other.key.contains($0)
      }
    } else {
      self.isNeeded = false
    }
  }

  /// True if linked rows lose the keys of deleted rows.
  package var isCleared: Bool { rule == .nullify || other.deletedAt != nil && !isNeeded }

  /// The same with another rule, and where that is said, for other rows.
  func with(
    _ rule: DeleteRule, _ location: LinkLocation? = nil, to other: StoredEntity? = nil,
    isNeeded: Bool? = nil, kind: StoredEntity? = nil
  ) -> DeleteLink {
    DeleteLink(
      rule: rule, location: location ?? self.location, other: other ?? self.other, entity: entity,
      relationship: relationship, isOthers: isOthers, isNeeded: isNeeded, kind: kind)
  }
}

/// One relationship whose targets are counted, seen from an entity with the rows that are its links,
/// or whose rows are its targets.
package struct CountLink: Hashable, Sendable {
  /// The rule for the number of targets.
  package let rule: CountRule
  /// The columns of the entity that hold the owner's key; empty where rows between the two do.
  package let columns: [Int]
}

/// A to-many with a count.
package struct CountRule: Hashable, Sendable {
  /// The entity that declares it.
  package let owner: StoredEntity
  /// The name of the relationship.
  package let relationship: String
  /// The number of targets.
  package let range: RelationshipDescription.CountRange
  /// The entity of the targets.
  package let target: StoredEntity
  /// The location of the links, seen from the owner.
  package let location: LinkLocation
}

/// A to-one whose key an entity's rows hold.
package struct TargetLink: Sendable {
  /// The name of the relationship.
  package let relationship: String
  /// The columns with the key.
  package let columns: [Int]
  /// The column with the row's ordering key among the targets of its owner, an ordered to-many.
  package let position: Int?
  /// The entity it leads to.
  package let target: StoredEntity
  /// True if one row alone may lead to a target: a one-to-one.
  package let isOne: Bool
}
