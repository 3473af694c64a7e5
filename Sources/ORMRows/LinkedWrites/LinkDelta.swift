internal import ORMStorage

/// One owner's to-many, to be changed link by link.
package struct LinkDelta {
  package let layout: LinkLayout
  package let end: LinkEnd
  /// The entity of the owner.
  package let owner: Int
  /// The entity of the targets.
  package let target: Int
  package let relationship: String
  package let key: [StoredValue]

  /// The to-many of an owner, by its key.
  package init(
    layout: LinkLayout, end: LinkEnd, owner: Int, target: Int, relationship: String,
    key: [StoredValue]
  ) {
    self.layout = layout
    self.end = end
    self.owner = owner
    self.target = target
    self.relationship = relationship
    self.key = key
  }

  package var ownerEntity: StoredEntity { layout.entities[owner] }
  var targetEntity: StoredEntity { layout.entities[target] }

  /// The links of this owner as rows.
  ///
  /// - Throws: `schemaMismatch` for a relationship that is not stored as a to-many.
  func rows() throws -> LinkRows {
    switch end {
    case .owner(let number):
      let slot = layout.slots[number]
      return LinkRows(
        entity: targetEntity, ownerColumns: slot.columns, targetColumns: targetEntity.key,
        targets: nil, position: slot.position, key: key)
    case .join(let number, let isFirst):
      let join = layout.joins[number]
      let side = join.side(isFirst: isFirst)
      return LinkRows(
        entity: layout.entities[join.entity], ownerColumns: side.columns,
        targetColumns: join.side(isFirst: !isFirst).columns, targets: targetEntity,
        position: side.position, key: key)
    case .referrer:
      throw StoreError(
        .schemaMismatch, "the store was opened with a schema in which this is a to-one",
        entity: ownerEntity.modelName, attributes: [relationship])
    }
  }
}

/// The rows that hold the links of one owner: rows of its targets or of a join entity that are visible
/// and lead to a visible target.
struct LinkRows {
  let entity: StoredEntity
  let ownerColumns: [Int]
  let targetColumns: [Int]
  /// The entity of the targets, where the rows are not their own.
  let targets: StoredEntity?
  let position: Int?
  let key: [StoredValue]

  /// The condition that holds for the owner's rows.
  var condition: Condition {
    var parts = entity.equalities(ownerColumns, key)
    if let targets, let attribute = targets.deletedAtAttribute {
      let links = zip(targets.keyAttributes, targetColumns).map {
        RelatedRows.Link($0, equals: .init([entity.columns[$1].attribute]))
      }
      parts.append(
        .exists(
          RelatedRows([
            .init(entity: targets.name, scope: 1, links: links, nullAttribute: attribute)
          ]), .constant(true)))
    }
    return entity.seeing(.hidden, where: .all(parts))
  }

  /// The request for some columns of rows, in the order of a column.
  func request(
    _ columns: [Int], where condition: Condition, orderedBy column: Int, limit: Int? = nil,
    offset: Int = 0
  ) -> FetchRequest {
    func operand(_ column: Int) -> Operand { .attribute(entity.columns[column].attribute) }
    return FetchRequest(
      entity: entity.name, output: .values(columns.map(operand)), condition: condition,
      sort: SortTerm.total([SortTerm(operand(column))], entity: entity), limit: limit,
      offset: offset)
  }

  /// The owner's rows that link to one of these targets: their primary keys.
  func linked(
    to targets: [[StoredValue]], in transaction: ReadTransaction
  ) throws -> [[StoredValue]] {
    var keys = targets
    if let entity = self.targets, entity.deletedAt != nil {
      let visible = try transaction.existingKeys(of: entity, among: targets, seeing: .hidden)
      keys = targets.filter { visible.contains(GroupKey($0)) }
    }
    // A join is looked up by both keys, whose values stand first in its primary key.
    let isTargetRow = targetColumns == entity.key
    let columns = isTargetRow ? targetColumns : ownerColumns + targetColumns
    let rows = try transaction.rows(
      of: entity, where: columns, in: isTargetRow ? keys : keys.map { key + $0 },
      output: entity.key + ownerColumns, seeing: .hidden)
    return rows.filter { row in
      zip(row[entity.key.count...], key).allSatisfy { StoredValue.equals($0, $1) }
    }.map { Array($0.prefix(entity.key.count)) }
  }
}
