internal import ORMStorage

/// An owner with the stored and the wanted values of the attributes derived of one to-many.
package struct DerivedOwner {
  package let key: [StoredValue]
  let known: [StoredValue]
  var wanted: [StoredValue]

  /// True if the stored values are the wanted ones; an equal number in another form will do.
  package var isRight: Bool { GroupKey(known) == GroupKey(wanted) }
}

extension DerivedLink {
  /// Owners by their keys.
  ///
  /// If `isAsked`, the wanted values are computed from the targets, nil for a sum that does not fit
  /// (clause 2.6); otherwise they are the stored ones.
  package func owners(
    _ keys: [[StoredValue]], asking isAsked: Bool, in reader: any StoreReader
  ) throws -> [DerivedOwner] {
    let stored = (owner.key + columns).map { Operand.attribute(owner.columns[$0].attribute) }
    let rows = try reader.rows(
      of: owner, where: owner.key, in: keys,
      giving: .values(stored + (isAsked ? attributes.map(\.operand) : [])))
    return rows.map { row in
      let known = Array(row[owner.key.count..<stored.count])
      return DerivedOwner(
        key: Array(row.prefix(owner.key.count)), known: known,
        wanted: isAsked ? Array(row[stored.count...]) : known)
    }
  }

  /// An owner whose values can be stored.
  ///
  /// - Throws: `overflow`.
  func checked(_ owner: DerivedOwner) throws -> DerivedOwner {
    for (value, attribute) in zip(owner.wanted, attributes)
    where value.isNull && !attribute.empty.isNull {
      throw StoreError(
        .overflow,
        "the sum over the targets overflows the attribute's type", entity: self.owner.modelName,
        key: owner.key, attributes: [self.owner.columns[attribute.column].attribute])
    }
    return owner
  }
}

extension DerivedLink {
  /// Returns a fault for each wrong attribute of an owner, with the stored and the expected value.
  package func faults(of owner: DerivedOwner) -> [StoreError] {
    attributes.indices.filter { GroupKey([owner.known[$0]]) != GroupKey([owner.wanted[$0]]) }
      .map { index in
        let column = self.owner.columns[attributes[index].column]
        return StoreError(
          .wrongDerived, "the stored value differs from \(attributes[index].value)",
          entity: self.owner.modelName,
          key: owner.key, attributes: [column.attribute],
          values: [owner.known[index], owner.wanted[index]])
      }
  }
}
