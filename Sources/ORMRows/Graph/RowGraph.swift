package import FoundationEssentials
internal import ORMStorage

/// The rows that a save writes, with the links between them: a graph of objects without their types.
///
/// A row is known by the number of its table and by that of its node there.
package final class RowGraph {
  package let layout: LinkLayout
  /// The rows by entity.
  private(set) var tables: [Int: ObjectTable] = [:]
  package var slots: [Int: SlotLinks] = [:]
  package var joins: [Int: JoinLinks] = [:]
  /// The targets that were given an index in an ordered to-many, in order.
  package var insertions: [LinkInsertion] = []
  /// Keys of to-ones as they were fetched, which count where the row turns out to be new.
  package var fetched: [FetchedKey] = []
  /// The relationships that named objects by their keys.
  private(set) var names: [(entity: Int, relationship: String)] = []
  private var numbersOfNames: [String: Int] = [:]
  package let policy: GraphPolicy
  private let uuids: (@Sendable () -> UUID)?
  /// True if objects of a session are among them, which may have temporary keys.
  package var hasTemporaryKeys = false

  /// A to-one as it was fetched.
  package struct FetchedKey {
    let slot: Int
    let referrer: Int
    let key: [StoredValue]
    let name: Int

    /// A key that a referrer was fetched with; `name` is the number of the relationship's name.
    package init(slot: Int, referrer: Int, key: [StoredValue], name: Int) {
      self.slot = slot
      self.referrer = referrer
      self.key = key
      self.name = name
    }
  }

  /// Makes a graph without rows.
  ///
  /// - Parameter uuids: the program's own UUIDs, see `StoreOptions.uuids`.
  package init(layout: LinkLayout, policy: GraphPolicy, uuids: (@Sendable () -> UUID)?) {
    self.uuids = uuids
    self.layout = layout
    self.policy = policy
  }

  /// The rows of an entity.
  package func table(_ number: Int) -> ObjectTable {
    if let table = tables[number] { return table }
    let table = ObjectTable(number: number, layout: layout)
    tables[number] = table
    return table
  }

  /// The tables in the order of the schema.
  package var ordered: [ObjectTable] { tables.keys.sorted().compactMap { tables[$0] } }

  // MARK: - Rows

  /// Adds the row of an object that is to be saved; of two with one key the later counts.
  ///
  /// - Parameters:
  ///   - values: the values of the object's attributes.
  ///   - key: the key of the row that it goes into, where that is not its own.
  /// - Returns: the node.
  /// - Throws: `duplicate` if the row must be new and the graph has one with its key.
  package func addRoot(
    _ values: [StoredValue], demand: GraphNode.Demand, key: [StoredValue]?, to table: ObjectTable
  ) throws -> Int {
    var node = self.node(values, table, key: key)
    if demand != .none { node.demand = demand }
    guard !node.key.isEmpty, let known = table.node(node.key) else { return table.append(node) }
    if demand == .new {
      throw StoreError(
        .duplicate, "two objects of the batch have the same key", entity: table.entity.modelName,
        key: node.key, attributes: table.entity.key.map { table.entity.columns[$0].attribute },
        values: node.key)
    }
    table.nodes[known].values = node.values
    table.nodes[known].demand = node.demand
    return known
  }

  /// Adds the row of an object that a link leads to.
  ///
  /// - Returns: the node.
  /// - Throws: `conflictingLinks` if the graph has the object with other values.
  package func addLinked(_ values: [StoredValue], to table: ObjectTable) throws -> Int {
    let node = self.node(values, table, key: nil)
    guard !node.key.isEmpty, let known = table.node(node.key) else { return table.append(node) }
    if table.nodes[known].isWhole {
      try checkSame(table.nodes[known], node, table)
    } else {
      table.nodes[known].values = node.values
    }
    return known
  }

  /// Adds the row of an object that is named by its key.
  ///
  /// - Returns: the node.
  package func add(key: [StoredValue], to table: ObjectTable, namedBy name: LinkName? = nil) -> Int
  {
    let key = zip(key, table.entity.key).map { $0.normalized(for: table.entity.columns[$1]) }
    if let known = table.node(key) {
      if table.nodes[known].namedBy == nil { table.nodes[known].namedBy = name }
      return known
    }
    return table.append(GraphNode(key: key, namedBy: name))
  }

  /// The number of a relationship's name.
  package func name(_ relationship: String, of entity: Int) -> Int {
    let text = "\(entity).\(relationship)"
    if let known = numbersOfNames[text] { return known }
    names.append((entity, relationship))
    numbersOfNames[text] = names.count - 1
    return names.count - 1
  }

  private func node(
    _ given: [StoredValue], _ table: ObjectTable, key rowKey: [StoredValue]?
  ) -> GraphNode {
    var values = given
    if values.isEmpty { values = [.null] }
    let positions = table.entity.key
    var key = rowKey ?? positions.compactMap { values.indices.contains($0) ? values[$0] : nil }
    if rowKey == nil, !table.keySlots.isEmpty { key = ownersForm(of: key, table) }
    var demand = GraphNode.Demand.none
    let hasFreshKey = rowKey == nil && table.entity.keySource.isUnassigned(key)
    if hasFreshKey {
      key = UUIDGenerator.key(for: table.entity.keySource, by: uuids).map { [.uuid($0)] } ?? []
      demand = .new
    }
    for (part, position) in zip(key, positions) where values.indices.contains(position) {
      values[position] = part
    }
    // A key that its links do not make yet.
    if rowKey == nil, awaitsOwner(key, table) { key = [] }
    return GraphNode(
      key: key, values: values, demand: demand, hasFreshKey: hasFreshKey, keepsKey: rowKey != nil)
  }

  /// Two objects with one key must agree in every attribute that is no link.
  private func checkSame(_ a: GraphNode, _ b: GraphNode, _ table: ObjectTable) throws {
    let differing = a.values.indices.filter {
      !table.linkColumns.contains($0) && !a.values[$0].isIdentical(to: b.values[$0])
    }
    guard differing.isEmpty else {
      throw StoreError(
        .conflictingLinks, "the saved objects contain this object twice, with different values",
        entity: table.entity.modelName, key: a.key,
        attributes: differing.map { table.entity.columns[$0].attribute })
    }
  }
}

// MARK: - Links

extension RowGraph {
  /// Notes that a relationship was set to these targets.
  package func note(_ targets: [Int], at end: LinkEnd, of node: Int) throws {
    switch end {
    case .referrer(let number):
      if let owner = targets.first {
        try link(node, to: owner, slot: number)
      } else if !policy.keepsNil {
        slots[number, default: SlotLinks()].free(node)
      }
    case .owner(let number):
      let slot = layout.slots[number]
      if targets.isEmpty, slot.isOne, policy.keepsNil { return }
      let list = Self.distinct(targets)
      guard slots[number, default: SlotLinks()].set(node, to: list) else {
        throw setTwice(table(slot.owner), node, slot.ownerName)
      }
      for referrer in list { try give(referrer, to: node, slot: number) }
    case .join(let number, let isFirst):
      let list = Self.distinct(targets)
      guard joins[number, default: JoinLinks()].set(node, to: list, isFirst: isFirst) else {
        let side = layout.joins[number].side(isFirst: isFirst)
        throw setTwice(table(side.entity), node, side.name)
      }
    }
  }

  /// Nodes in their order, each once.
  static func distinct(_ targets: [Int]) -> [Int] {
    var seen: Set<Int> = []
    return targets.filter { seen.insert($0).inserted }
  }

  /// Notes that an object becomes one more target of a to-many.
  package func link(_ target: Int, to owner: Int, at end: LinkEnd) throws {
    switch end {
    case .owner(let number): try link(target, to: owner, slot: number)
    case .join(let number, let isFirst):
      joins[number, default: JoinLinks()].add(.init(owner, target, isFirst: isFirst))
    case .referrer: break
    }
  }

  /// Notes that an object is taken out of a to-many.
  package func unlink(_ target: Int, from owner: Int, at end: LinkEnd) {
    switch end {
    case .owner(let number): slots[number, default: SlotLinks()].remove(target, from: owner)
    case .join(let number, let isFirst):
      joins[number, default: JoinLinks()].remove(.init(owner, target, isFirst: isFirst))
    case .referrer: break
    }
  }

  /// Gives a referrer to an owner, besides those of its list.
  func link(_ referrer: Int, to owner: Int, slot number: Int) throws {
    try give(referrer, to: owner, slot: number)
    slots[number]?.add(referrer, to: owner)
  }

  /// Notes that a referrer belongs to an owner.
  private func give(_ referrer: Int, to owner: Int, slot number: Int) throws {
    let slot = layout.slots[number]
    let fits = slots[number, default: SlotLinks()].give(referrer, to: owner, isOne: slot.isOne)
    guard !fits else { return }
    if let other = slots[number]?.claim(on: referrer) ?? nil, other != owner {
      throw conflict(
        "the saved objects link two owners to this object, which can have one",
        table(slot.referrer), referrer, slot.name)
    }
    throw conflict(
      "the saved objects link two objects to this one, which can have one", table(slot.owner),
      owner, slot.ownerName)
  }

  private func setTwice(_ table: ObjectTable, _ node: Int, _ relationship: String?) -> StoreError {
    conflict(
      "the saved objects contain this object twice, with different links", table, node,
      relationship)
  }

  private func conflict(
    _ message: String, _ table: ObjectTable, _ node: Int, _ relationship: String?
  ) -> StoreError {
    StoreError(
      .conflictingLinks, message, entity: table.entity.modelName, key: table.nodes[node].key,
      attributes: relationship.map { [$0] } ?? [])
  }

  /// The owner's key that a row holds; nil for none.
  package func key(of node: Int, slot number: Int, in table: ObjectTable) -> [StoredValue]? {
    let slot = layout.slots[number]
    if let claim = slots[number]?.claim(on: node) {
      return claim.map { self.table(slot.owner).nodes[$0].key }
    }
    let stored = slot.columns.map { table.stored($0, of: node) }
    return stored.contains(where: \.isNull) ? nil : stored
  }
}

/// A target that was given an index in an ordered to-many.
package struct LinkInsertion {
  let end: LinkEnd
  let relationship: String
  /// The owner and the target: the numbers of their tables and nodes.
  let owner: (table: Int, node: Int)
  let target: (table: Int, node: Int)
  let index: Int

  package init(
    end: LinkEnd, relationship: String, owner: (table: Int, node: Int),
    target: (table: Int, node: Int), index: Int
  ) {
    self.end = end
    self.relationship = relationship
    self.owner = owner
    self.target = target
    self.index = index
  }
}
