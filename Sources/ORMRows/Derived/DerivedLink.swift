internal import ORMStorage

/// One to-many that attributes of its owner are derived of.
package final class DerivedLink: Sendable {
  /// The entity that declares it; it may be a subentity, as may those of targets and links.
  package let owner: StoredEntity
  /// The entity of the targets.
  let target: StoredEntity
  /// The location of the links, seen from the owner; never in the owner's own row.
  let location: LinkLocation
  /// The attributes that are derived from it.
  let attributes: [DerivedAttribute]
  /// Adds to every attribute by parameters, those after the key's, where all of them are integers
  /// that a difference says everything of; nil elsewhere.
  let addition: (shape: FetchShape, assignments: [StoreChange.Assignment])?

  init(
    owner: StoredEntity, target: StoredEntity, location: LinkLocation,
    attributes: [DerivedAttribute]
  ) {
    self.owner = owner
    self.target = target
    self.location = location
    self.attributes = attributes
    // Of a subentity it is not certain that no required attribute is null afterwards.
    guard owner.parent == nil, attributes.allSatisfy(\.isAddedUp) else {
      addition = nil
      return
    }
    let parts = owner.key.enumerated().map { slot, position in
      let column = owner.columns[position]
      return Condition.compare(
        .attribute(column.attribute), .equal, .parameter(slot, column.type.kind), [])
    }
    addition = (
      FetchShape(
        entity: owner.name, condition: parts.count == 1 ? parts[0] : .all(parts),
        sort: SortTerm.total([], entity: owner)),
      attributes.enumerated().map { index, attribute in
        StoreChange.Assignment(
          column: attribute.column,
          value: .arithmetic(
            .add, .attribute(owner.columns[attribute.column].attribute),
            .parameter(owner.key.count + index, .int)))
      }
    )
  }

  /// Columns of the owner that are derived of it.
  var columns: [Int] { attributes.map(\.column) }
}

/// One derived attribute.
struct DerivedAttribute: Sendable {
  /// The attribute's column in the owner.
  let column: Int
  /// The attribute's type.
  let type: AttributeType
  /// The definition of the value that it holds.
  let value: DerivedValue
  /// The column of the targets that it is derived of; nil for a count.
  let source: Int?
  /// The same as a request for owners asks for it.
  let operand: Operand

  /// True if a difference of integers says everything of a change, in 64 bits.
  var isAddedUp: Bool {
    value.aggregate == .count || value.aggregate == .sum && type == .int64
  }

  /// The value over no targets.
  var empty: StoredValue { value.empty(type) }
}
