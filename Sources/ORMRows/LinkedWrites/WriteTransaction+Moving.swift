internal import ORMStorage

extension WriteTransaction {
  /// Moves targets of an ordered to-many to positions one after another, the first at an index.
  ///
  /// It reads only the neighbours of the new position, and all targets only where no ordering keys
  /// are free between them.
  ///
  /// - Throws: `notFound`, `invalidValue`.
  package func move(_ keys: [[StoredValue]], to index: Int, _ delta: LinkDelta) throws {
    let rows = try delta.rows()
    guard let position = rows.position else {
      throw StoreError(
        .invalidValue,
        "the to-many is not ordered, so its targets cannot be moved; declare it "
          + "ordered", entity: delta.ownerEntity.modelName,
        key: delta.key, attributes: [delta.relationship])
    }
    guard index >= 0 else {
      throw StoreError(
        .invalidValue, "an index cannot be negative", entity: delta.ownerEntity.modelName,
        key: delta.key, attributes: [delta.relationship])
    }
    // This offset is past the end of any to-many, and can be added to.
    let index = Swift.min(index, Int(Int32.max))
    let moved = try keys.map { key in
      guard let row = try rows.linked(to: [key], in: self).first else {
        throw StoreError(
          .notFound, "this object is not a target of the to-many",
          entity: delta.targetEntity.modelName, key: key, attributes: [delta.relationship])
      }
      return row
    }
    let (before, after) = try neighbours(of: index, rows, position, without: moved)
    let start = before ?? 0
    let count = Int64(moved.count)
    // Null sorts first: only if no row with an ordering key comes before are keys free there.
    let step: Int64 =
      if let after { (after - start) / (count + 1) } else {
        start < Int64.max - OrderingKeys.gap * (count + 1) ? OrderingKeys.gap : 0
      }
    if step > 0, before != nil || index == 0 || after != nil {
      let orderingKeys = (1...count).map { start + step * $0 }
      try set(orderingKeys, of: moved, rows, position)
    } else {
      try rearrange(moved, to: index, rows, position)
    }
  }

  /// Returns the ordering keys around an index among the rows that do not move; nil where there is
  /// none.
  private func neighbours(
    of index: Int, _ rows: LinkRows, _ position: Int, without moved: [[StoredValue]]
  ) throws -> (before: Int64?, after: Int64?) {
    let others = moved.map { Condition.not(.all(rows.entity.equalities(rows.entity.key, $0))) }
    let request = rows.request(
      [position], where: .all([rows.condition] + others), orderedBy: position,
      limit: index > 0 ? 2 : 1, offset: Swift.max(index - 1, 0))
    var found = try live().rows(of: request)
    if index == 0 {
      found = [[.null]] + found
    } else if found.isEmpty {
      // Past the end: after the last.
      let last = try greatest(position, of: rows.entity, where: rows.ownerColumns, equal: rows.key)
      return (last, nil)
    }
    func value(_ index: Int) -> Int64? {
      guard found.indices.contains(index), case .int(let orderingKey)? = found[index].first else {
        return nil
      }
      return orderingKey
    }
    // A row without an ordering key, where one is needed, makes all of them be set anew.
    if found.count > 1, value(1) == nil { return (nil, 0) }
    return (value(0), found.count > 1 ? value(1) : nil)
  }

  /// Sets the ordering keys of all rows of an owner anew.
  private func rearrange(
    _ moved: [[StoredValue]], to index: Int, _ rows: LinkRows, _ position: Int
  ) throws {
    let stored = try live().rows(
      of: rows.request(
        rows.entity.key + [position], where: rows.condition, orderedBy: position))
    let isMoved = Set(moved.map { GroupKey($0) })
    var order = stored.map { Array($0.dropLast()) }.filter { !isMoved.contains(GroupKey($0)) }
    order.insert(contentsOf: moved, at: Swift.min(index, order.count))
    try set(
      OrderingKeys.arranged(Array(repeating: nil, count: order.count)), of: order, rows, position)
  }

  private func set(
    _ orderingKeys: [Int64], of keys: [[StoredValue]], _ rows: LinkRows, _ position: Int
  ) throws {
    try update(
      zip(keys, orderingKeys).map { $0 + [.int($1)] }, setting: [position], of: rows.entity)
  }
}
