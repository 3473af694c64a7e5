internal import ORMStorage

// Primary keys that to-ones make.
extension RowGraph {
  /// A key with the parts that are to-ones in the form that the owners' keys have.
  func ownersForm(of key: [StoredValue], _ table: ObjectTable) -> [StoredValue] {
    var key = key
    for number in table.keySlots {
      let slot = layout.slots[number]
      let owner = layout.entities[slot.owner]
      for (column, ownerColumn) in zip(slot.columns, owner.key) {
        guard let part = table.entity.key.firstIndex(of: column) else { continue }
        key[part] = key[part].normalized(for: owner.columns[ownerColumn])
      }
    }
    return key
  }

  /// Returns whether a part of a key is not known: a to-one that is not set, or that leads to an
  /// object without a key.
  func awaitsOwner(_ key: [StoredValue], _ table: ObjectTable) -> Bool {
    table.keySlots.contains { number in
      let slot = layout.slots[number]
      let part = slot.columns.compactMap { column in
        table.entity.key.firstIndex(of: column).map { key[$0] }
      }
      let owners = self.table(slot.owner)
      return part.contains(where: \.isNull) || owners.entity.keySource.isUnassigned(part)
        || isTemporary(part, owners) || awaitsOwner(part, owners)
    }
  }

  /// Returns whether a key is one of a session that stands for a key that the store gives.
  private func isTemporary(_ key: [StoredValue], _ table: ObjectTable) -> Bool {
    guard hasTemporaryKeys, table.entity.generatesKeys, key.count == 1,
      case .int(let value) = key[0]
    else { return false }
    return TemporaryKeys.contains(value)
  }

  /// Computes the keys that consist of links, where the owners have theirs; the others are known when
  /// their owners have been inserted.
  ///
  /// - Throws: `missingValue` for a to-one of a key that leads nowhere, `invalidValue` for a link that
  ///   would change a key, `conflictingLinks` for two objects with one key.
  func resolveKeys() throws {
    let linked = ordered.filter { !$0.keySlots.isEmpty }
    if linked.isEmpty { return }
    for table in linked { try checkKeys(of: table) }
    // An owner may have such a key itself.
    var isChanged = true
    while isChanged {
      isChanged = false
      for table in linked {
        for node in table.nodes.indices where table.nodes[node].key.isEmpty {
          guard let key = key(of: node, in: table) else { continue }
          guard table.setKey(key, of: node) else {
            throw StoreError(
              .conflictingLinks, "the saved objects contain two objects with this key",
              entity: table.entity.modelName, key: key)
          }
          isChanged = true
        }
      }
    }
    for table in linked {
      for node in table.nodes.indices where table.nodes[node].key.isEmpty {
        table.nodes[node].hasFreshKey = true
      }
    }
  }

  /// Checks that links agree with the keys that objects have, and that every part of a key leads
  /// somewhere.
  private func checkKeys(of table: ObjectTable) throws {
    for number in table.keySlots {
      let slot = layout.slots[number]
      let owners = self.table(slot.owner)
      for (index, node) in table.nodes.enumerated() {
        let claim = slots[number]?.claim(on: index)
        if node.key.isEmpty {
          guard claim ?? nil == nil else { continue }
          if claim != nil || slot.columns.contains(where: { node.values[$0].isNull }) {
            throw StoreError.withoutTarget(slot.name, of: table.entity, key: [])
          }
        } else if let owner = claim ?? nil {
          let part = slot.columns.compactMap { column in
            table.entity.key.firstIndex(of: column).map { node.key[$0] }
          }
          guard GroupKey(part) == GroupKey(owners.nodes[owner].key) else {
            throw StoreError(
              .invalidValue, "a primary key cannot be changed; delete the row and insert another",
              entity: table.entity.modelName, key: node.key, attributes: [slot.name])
          }
        }
      }
    }
  }

  /// The key of an object whose owners have theirs; nil where one has none yet.
  private func key(of node: Int, in table: ObjectTable) -> [StoredValue]? {
    var values = table.nodes[node].values
    for number in table.keySlots {
      guard let owner = slots[number]?.claim(on: node) ?? nil else { continue }
      let key = self.table(layout.slots[number].owner).nodes[owner].key
      if key.isEmpty { return nil }
      for (column, part) in zip(layout.slots[number].columns, key) { values[column] = part }
    }
    return table.entity.key.map { values[$0].normalized(for: table.entity.columns[$0]) }
  }
}

extension ObjectTable {
  /// Returns whether an end of a relationship is part of the primary key.
  package func isKey(_ end: LinkEnd) -> Bool {
    if case .referrer(let slot) = end { keySlots.contains(slot) } else { false }
  }
}
