internal import ORMStorage

/// Links of a many-to-many that are rows of both keys and nothing else: where both ends are there,
/// they are put as they are named, without a graph of the objects.
package struct PlainLinks {
  private let delta: LinkDelta
  /// The entity of the rows.
  private let entity: StoredEntity
  private let isOwnerFirst: Bool

  /// Makes the links of a delta; nil if they are stored elsewhere, or hold more than keys.
  package init?(_ delta: LinkDelta) {
    guard case .join(let number, let isFirst) = delta.end else { return nil }
    let slot = delta.layout.joins[number]
    entity = delta.layout.entities[slot.entity]
    // The stored values need not be those that were named.
    let isNormalized = [delta.ownerEntity, delta.targetEntity].contains { end in
      end.key.contains { end.columns[$0].isNormalized }
    }
    guard entity.isInternal, entity.keySource == .program, !isNormalized,
      (slot.first.columns + slot.second.columns).elementsEqual(entity.columns.indices)
    else { return nil }
    self.delta = delta
    isOwnerFirst = isFirst
  }

  /// Adds links to targets, by their keys; gives how many are new.
  ///
  /// Nil, with nothing done, where as many rows as keys are not there: the graph finds out which. A
  /// target that is named twice and counted twice, in two lists, is linked once.
  package func insert(to targets: [[StoredValue]], in transaction: WriteTransaction) throws -> Int?
  {
    guard
      try transaction.count(of: delta.ownerEntity, among: [delta.key], seeing: .hidden) == 1,
      try transaction.count(of: delta.targetEntity, among: targets, seeing: .hidden)
        == targets.count
    else { return nil }
    let request = PutRequest(entity: entity.name, mode: .insertMissing, reports: .outcomes)
    var source = LinkSource(
      owner: delta.key, targets: targets, isOwnerFirst: isOwnerFirst,
      types: entity.columns.map(\.type))
    return try transaction.operation { transaction in
      let put = try transaction.put(from: &source, request, entity: entity)
      try transaction.checkCounts(after: delta, targets: targets, CountedOwners())
      return put.inserted
    }
  }
}

/// Gives links to a put: the owner's key and that of each target, in the order of their columns.
private struct LinkSource: RowSource {
  let owner: [StoredValue]
  let targets: [[StoredValue]]
  let isOwnerFirst: Bool
  let types: [AttributeType]
  var position = 0

  mutating func next<W: RowWriter & ~Copyable>(into row: inout W) throws -> Bool {
    guard position < targets.count else { return false }
    if isOwnerFirst { try write(owner, from: 0, into: &row) }
    try write(targets[position], from: isOwnerFirst ? owner.count : 0, into: &row)
    if !isOwnerFirst { try write(owner, from: targets[position].count, into: &row) }
    position += 1
    return true
  }

  private func write<W: RowWriter & ~Copyable>(
    _ key: [StoredValue], from column: Int, into row: inout W
  ) throws {
    for part in key.indices {
      try row.set(value: key[part], at: column + part, type: types[column + part])
    }
  }

  mutating func rewind() { position = 0 }
}
