package import FoundationEssentials
internal import ORMCore

/// The objects that a save reaches through links that the program set, with these links.
///
/// Collected without a recursion and without asking the store, so that a graph may be of any depth.
package final class ObjectGraph {
  let layout: LinkLayout
  /// The objects by entity.
  private(set) var tables: [Int: ObjectTable] = [:]
  var slots: [Int: SlotLinks] = [:]
  var joins: [Int: JoinLinks] = [:]
  /// The targets that were given an index in an ordered to-many, in order.
  var insertions: [LinkInsertion] = []
  /// Keys of to-ones as they were fetched, which count where the row turns out to be new.
  private(set) var fetched: [FetchedKey] = []
  /// The relationships that named objects by their keys.
  private(set) var names: [(entity: Int, relationship: String)] = []
  /// The objects of class models that get their keys by the save.
  private(set) var unkeyed: [(object: any PrimaryKeyed, entity: Int, node: Int)] = []
  /// The nodes of objects of class models: one that is reached twice is one row.
  ///
  /// They are retained, so that no other object can have their address.
  private var nodesOfObjects: [ObjectIdentifier: (node: Int, object: AnyObject)] = [:]
  private var numbersOfNames: [String: Int] = [:]
  private var waiting: [any GraphObject] = []
  /// The objects whose links were followed; noted where the paths are.
  private(set) var walked: [any GraphObject] = []
  let policy: GraphPolicy
  private let uuids: (@Sendable () -> UUID)?
  /// True if objects of a session are among them, which may have temporary keys.
  package var hasTemporaryKeys = false
  /// The relationships that were set, from the objects that were given on; where they are to be
  /// read again.
  var paths: LinkPaths?

  /// A to-one as it was fetched.
  struct FetchedKey {
    var slot: Int
    var referrer: Int
    var key: [StoredValue]
    var name: Int
  }

  /// Makes a graph without objects.
  ///
  /// - Parameter uuids: the program's own UUIDs, see `StoreOptions.uuids`.
  package init(layout: LinkLayout, policy: GraphPolicy, uuids: (@Sendable () -> UUID)?) {
    self.uuids = uuids
    self.layout = layout
    self.policy = policy
  }

  /// The objects of an entity.
  package func table(_ number: Int) -> ObjectTable {
    if let table = tables[number] { return table }
    let table = ObjectTable(number: number, layout: layout)
    tables[number] = table
    return table
  }

  /// True if objects replace stored rows and links.
  var isReplacing: Bool { if case .replace = policy.kind { true } else { false } }

  /// The tables in the order of the schema.
  var ordered: [ObjectTable] { tables.keys.sorted().compactMap { tables[$0] } }

  /// The number of an entity's model.
  package func number<Model: Persistable>(of model: Model.Type) throws -> Int {
    try layout.number(of: model.entity.declared.name)
  }

  /// Adds objects that are to be saved; of two with one key the later counts.
  ///
  /// - Returns: the node of each.
  package func addRoots<Model: Persistable>(_ roots: [GraphRoot<Model>]) throws -> [Int] {
    let table = table(try number(of: Model.self))
    var nodes: [Int] = []
    nodes.reserveCapacity(roots.count)
    var last: [Int: Model] = [:]
    var order: [Int] = []
    var check = StopCheck()
    for root in roots {
      try check.step()
      if root.key == nil, let known = knownNode(of: root.model) {
        nodes.append(known)
        continue
      }
      var node = try self.node(of: root.model, table, key: root.key)
      if root.demand != .none { node.demand = root.demand }
      if !node.key.isEmpty, let known = table.node(node.key) {
        if root.demand == .new { throw duplicate(node.key, table) }
        if table.nodes[known].isWhole, last[known] == nil {
          // Reached through a link before; roots come first, so that this is a second call.
          try checkSame(table.nodes[known], node, table)
        }
        table.nodes[known].values = node.values
        table.nodes[known].demand = node.demand
        last[known] = root.model
        nodes.append(known)
      } else {
        let number = table.append(node)
        last[number] = root.model
        order.append(number)
        nodes.append(number)
      }
      if root.key == nil { note(root.model, at: nodes[nodes.count - 1], in: table) }
    }
    for number in order {
      if let model = last[number] { waiting.append(RootObject(model: model, node: number)) }
    }
    return nodes
  }

  /// Follows every link that was set, from the objects added so far.
  package func collect() throws {
    var check = StopCheck()
    while !waiting.isEmpty {
      let round = waiting
      waiting = []
      for object in round {
        try check.step()
        try object.walk(self)
      }
      if paths != nil { walked += round }
    }
    #if DEBUG
      checkInvariants()
    #endif
  }

  /// The node of an object that a link leads to.
  func add<Model: PrimaryKeyed>(_ model: Model, level: Int?) throws -> Int {
    let table = table(try number(of: Model.self))
    if let known = knownNode(of: model) { return known }
    let node = try self.node(of: model, table, key: nil)
    var number = node.key.isEmpty ? nil : table.node(node.key)
    if let number {
      if table.nodes[number].isWhole {
        try checkSame(table.nodes[number], node, table)
      } else {
        table.nodes[number].values = node.values
      }
    } else {
      number = table.append(node)
    }
    let nodeNumber = number ?? 0
    note(model, at: nodeNumber, in: table)
    waiting.append(LinkedObject(model: model, node: nodeNumber, level: level))
    return nodeNumber
  }

  /// The node of an object of a class model that was reached before.
  private func knownNode<Model: Persistable>(of model: Model) -> Int? {
    Model.isClass ? nodesOfObjects[ObjectIdentifier(model as AnyObject)]?.node : nil
  }

  /// Notes that an object of a class model was reached, for it to be walked and keyed once.
  private func note<Model: Persistable>(_ model: Model, at node: Int, in table: ObjectTable) {
    guard Model.isClass else { return }
    nodesOfObjects[ObjectIdentifier(model as AnyObject)] = (node, model as AnyObject)
    if let object = model as? any PrimaryKeyed,
      table.nodes[node].key.isEmpty || table.nodes[node].hasFreshKey
    {
      unkeyed.append((object, table.number, node))
    }
  }

  /// The node of an object that is named by its key.
  func add(key: [StoredValue], to table: ObjectTable, namedBy name: LinkName? = nil) -> Int {
    let key = zip(key, table.entity.key).map { $0.normalized(for: table.entity.columns[$1]) }
    if let known = table.node(key) {
      if table.nodes[known].namedBy == nil { table.nodes[known].namedBy = name }
      return known
    }
    return table.append(GraphNode(key: key, namedBy: name))
  }

  /// The number of a relationship's name.
  func name(_ relationship: String, of entity: Int) -> Int {
    let text = "\(entity).\(relationship)"
    if let known = numbersOfNames[text] { return known }
    names.append((entity, relationship))
    numbersOfNames[text] = names.count - 1
    return names.count - 1
  }

  private func node<Model: Persistable>(
    of model: Model, _ table: ObjectTable, key given: [StoredValue]?
  ) throws -> GraphNode {
    var values = try Mapper.attributeValues(of: model)
    if values.isEmpty { values = [.null] }
    let positions = table.entity.key
    var key = given ?? positions.compactMap { values.indices.contains($0) ? values[$0] : nil }
    if given == nil, !table.keySlots.isEmpty { key = ownersForm(of: key, table) }
    var demand = GraphNode.Demand.none
    let hasFreshKey = given == nil && table.isUnassigned(key)
    if hasFreshKey {
      key = UUIDGenerator.key(for: table.entity.keySource, by: uuids).map { [.uuid($0)] } ?? []
      demand = .new
    }
    for (part, position) in zip(key, positions) where values.indices.contains(position) {
      values[position] = part
    }
    // A key that its links do not make yet.
    if given == nil, awaitsOwner(key, table) { key = [] }
    return GraphNode(
      key: key, values: values, demand: demand, hasFreshKey: hasFreshKey, keepsKey: given != nil)
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

  private func duplicate(_ key: [StoredValue], _ table: ObjectTable) -> StoreError {
    StoreError(
      .duplicate, "two objects of the batch have the same key", entity: table.entity.modelName,
      key: key, attributes: table.entity.key.map { table.entity.columns[$0].attribute },
      values: key)
  }
}

// MARK: Links

extension ObjectGraph {
  /// Notes the links of an object, and adds their targets.
  fileprivate func walk<Model: Persistable>(_ model: Model, node: Int, level: Int?) throws {
    let entity = try number(of: Model.self)
    let linked = table(entity)
    for end in Model.entity.relationships {
      let name = end.declaration.name
      let isKey = try !linked.keySlots.isEmpty && linked.isKey(layout.end(name, of: entity))
      // A to-one that is part of the key is followed under every policy.
      let isFollowed =
        isKey ? !linked.nodes[node].keepsKey : policy.follows(name, of: Model.entity.declared.name)
      guard isFollowed else { continue }
      try follow(end, of: model, node: node, entity: entity, level: level)
    }
  }

  private func follow<End: RelationshipEnd>(
    _ end: End, of model: End.Model, node: Int, entity: Int, level: Int?
  ) throws {
    let location = try layout.end(end.declaration.name, of: entity)
    guard let elements = end.change(of: model) else {
      if let steps = end.steps(of: model) {
        return try follow(steps, of: end, at: location, node: node, entity: entity)
      }
      if case .referrer(let slot) = location, let id = end.ids(of: model)?.first {
        fetched.append(
          FetchedKey(
            slot: slot, referrer: node, key: try id.keyValues(),
            name: name(end.declaration.name, of: entity)))
      }
      return
    }
    let targets = table(try number(of: End.Target.self))
    let next =
      elements.isEmpty ? nil : level.flatMap { paths?.step(end.declaration.name, from: $0) }
    var list: [Int] = []
    list.reserveCapacity(elements.count)
    for element in elements {
      switch element {
      case .object(let target): list.append(try add(target, level: next))
      case .key(let id):
        list.append(
          add(
            key: try id.keyValues(), to: targets,
            namedBy: LinkName(
              relationship: name(end.declaration.name, of: entity), referrer: node)))
      }
    }
    try note(list, at: location, of: node)
  }

  /// Notes that a relationship was set to these targets.
  func note(_ targets: [Int], at end: LinkEnd, of node: Int) throws {
    switch end {
    case .referrer(let number):
      if let owner = targets.first {
        try give(node, to: owner, slot: number)
        slots[number, default: SlotLinks()].add(node, to: owner)
      } else if !policy.keepsNil {
        slots[number, default: SlotLinks()].free(node)
      }
    case .owner(let number):
      if targets.isEmpty, layout.slots[number].isOne, policy.keepsNil { return }
      var seen: Set<Int> = []
      let list = targets.filter { seen.insert($0).inserted }
      guard slots[number, default: SlotLinks()].set(node, to: list) else {
        throw conflict(
          "the saved objects contain this object twice, with different links",
          table(layout.slots[number].owner), node, layout.slots[number].ownerName)
      }
      for referrer in list { try give(referrer, to: node, slot: number) }
    case .join(let number, let isFirst):
      var seen: Set<Int> = []
      let list = targets.filter { seen.insert($0).inserted }
      guard joins[number, default: JoinLinks()].set(node, to: list, isFirst: isFirst) else {
        let side = layout.joins[number].side(isFirst: isFirst)
        throw conflict(
          "the saved objects contain this object twice, with different "
            + "links", table(side.entity), node,
          side.name)
      }
    }
  }

  /// Notes that a referrer belongs to an owner.
  func give(_ referrer: Int, to owner: Int, slot number: Int) throws {
    let slot = layout.slots[number]
    let fits = slots[number, default: SlotLinks()].give(referrer, to: owner, isOne: slot.isOne)
    guard !fits else { return }
    if let other = slots[number]?.claim(on: referrer) ?? nil, other != owner {
      throw conflict(
        "the saved objects link two owners to this object, which can have "
          + "one", table(slot.referrer), referrer, slot.name)
    }
    throw conflict(
      "the saved objects link two objects to this one, which can have "
        + "one", table(slot.owner), owner,
      slot.ownerName)
  }

  private func conflict(
    _ message: String, _ table: ObjectTable, _ node: Int, _ relationship: String?
  ) -> StoreError {
    StoreError(
      .conflictingLinks, message, entity: table.entity.modelName, key: table.nodes[node].key,
      attributes: relationship.map { [$0] } ?? [])
  }
}

/// An object of a graph, of any model.
protocol GraphObject {
  /// Follows its links.
  func walk(_ graph: ObjectGraph) throws
  /// Puts it into the graph of a save's result, where it is on a path that is read again.
  func take(into builder: GraphBuilder, of written: WrittenGraph) throws
}

/// An object that was given.
private struct RootObject<Model: Persistable>: GraphObject {
  let model: Model
  let node: Int

  func walk(_ graph: ObjectGraph) throws { try graph.walk(model, node: node, level: 0) }
  func take(into builder: GraphBuilder, of written: WrittenGraph) {}
}

/// An object that a link leads to.
private struct LinkedObject<Model: PrimaryKeyed>: GraphObject {
  let model: Model
  let node: Int
  /// The index among the graph's paths; nil where they are not recorded, or too long.
  let level: Int?

  func walk(_ graph: ObjectGraph) throws { try graph.walk(model, node: node, level: level) }

  func take(into builder: GraphBuilder, of written: WrittenGraph) throws {
    if level != nil { try written.take(model, node: node, into: builder) }
  }
}
