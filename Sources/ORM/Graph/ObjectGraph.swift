internal import ORMCore

/// The objects that a save reaches through links that the program set, with the graph of their rows.
///
/// Collected without a recursion and without asking the store, so that a graph may be of any depth.
package final class ObjectGraph {
  /// The rows of the objects, and the links between them.
  package let rows: RowGraph
  /// The objects of class models that get their keys by the save.
  private(set) var unkeyed: [(object: any PrimaryKeyed, entity: Int, node: Int)] = []
  /// The nodes of objects of class models: one that is reached twice is one row.
  ///
  /// They are retained, so that no other object can have their address.
  private var nodesOfObjects: [ObjectIdentifier: (node: Int, object: AnyObject)] = [:]
  private var waiting: [any GraphObject] = []
  /// The objects whose links were followed; noted where the paths are.
  private(set) var walked: [any GraphObject] = []
  /// The relationships that were set, from the objects that were given on; where they are to be
  /// read again.
  var paths: LinkPaths?

  /// Makes a graph without objects for a save in a store.
  package init(in store: any Store, policy: GraphPolicy) throws {
    rows = RowGraph(
      layout: try store.linkLayout(), policy: policy, uuids: store.runtime.options.uuids)
  }

  /// Adds objects that are to be saved; of two with one key the later counts.
  ///
  /// - Returns: the node of each.
  package func addRoots<Model: Persistable>(_ roots: [GraphRoot<Model>]) throws -> [Int] {
    let table = rows.table(try rows.number(of: Model.self))
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
      let node = try rows.addRoot(
        Mapper.attributeValues(of: root.model), demand: root.demand, key: root.key, to: table)
      if last.updateValue(root.model, forKey: node) == nil { order.append(node) }
      nodes.append(node)
      if root.key == nil { note(root.model, at: node, in: table) }
    }
    for node in order {
      if let model = last[node] { waiting.append(RootObject(model: model, node: node)) }
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
      rows.checkInvariants()
    #endif
  }

  /// The node of an object that a link leads to.
  private func add<Model: PrimaryKeyed>(_ model: Model, level: Int?) throws -> Int {
    if let known = knownNode(of: model) { return known }
    let table = rows.table(try rows.number(of: Model.self))
    let node = try rows.addLinked(Mapper.attributeValues(of: model), to: table)
    note(model, at: node, in: table)
    waiting.append(LinkedObject(model: model, node: node, level: level))
    return node
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
}

extension RowGraph {
  /// The number of a model's entity.
  package func number<Model: Persistable>(of model: Model.Type) throws -> Int {
    try layout.number(of: model.entity.declared.name)
  }
}

// MARK: - Links

extension ObjectGraph {
  /// Notes the links of an object, and adds their targets.
  fileprivate func walk<Model: Persistable>(_ model: Model, node: Int, level: Int?) throws {
    let entity = try rows.number(of: Model.self)
    let linked = rows.table(entity)
    for end in Model.entity.relationships {
      let name = end.declaration.name
      let isKey =
        try !linked.keySlots.isEmpty && linked.isKey(rows.layout.end(name, of: entity))
      // A to-one that is part of the key is followed under every policy.
      let isFollowed =
        isKey
        ? !linked.nodes[node].keepsKey
        : rows.policy.follows(name, of: Model.entity.declared.name)
      guard isFollowed else { continue }
      try follow(end, of: model, node: node, entity: entity, level: level)
    }
  }

  private func follow<End: RelationshipEnd>(
    _ end: End, of model: End.Model, node: Int, entity: Int, level: Int?
  ) throws {
    let location = try rows.layout.end(end.declaration.name, of: entity)
    guard let elements = end.change(of: model) else {
      if let steps = end.steps(of: model) {
        return try follow(steps, of: end, at: location, node: node, entity: entity)
      }
      if case .referrer(let slot) = location, let id = end.ids(of: model)?.first {
        rows.fetched.append(
          RowGraph.FetchedKey(
            slot: slot, referrer: node, key: try id.keyValues(),
            name: rows.name(end.declaration.name, of: entity)))
      }
      return
    }
    let targets = rows.table(try rows.number(of: End.Target.self))
    let next =
      elements.isEmpty ? nil : level.flatMap { paths?.step(end.declaration.name, from: $0) }
    var list: [Int] = []
    list.reserveCapacity(elements.count)
    for element in elements {
      list.append(
        try add(element, of: end, to: targets, node: node, entity: entity, level: next))
    }
    try rows.note(list, at: location, of: node)
  }

  /// Notes the changes of a to-many, and adds their targets.
  private func follow<End: RelationshipEnd>(
    _ steps: [LinkStep<End.Target>], of end: End, at location: LinkEnd, node: Int, entity: Int
  ) throws {
    let targets = rows.table(try rows.number(of: End.Target.self))
    func take(_ element: LinkElement<End.Target>, at index: Int?) throws {
      let number = try add(
        element, of: end, to: targets, node: node, entity: entity, level: nil)
      try rows.link(number, to: node, at: location)
      guard let index else { return }
      rows.insertions.append(
        LinkInsertion(
          end: location, relationship: end.declaration.name, owner: (entity, node),
          target: (targets.number, number), index: index))
    }
    for step in steps {
      switch step {
      case .append(let element, let index):
        try take(element, at: end.declaration.isOrdered ? index : nil)
      case .insert(let element, let index): try take(element, at: index)
      case .remove(let id):
        let removed = rows.add(key: try id.keyValues(), to: targets)
        rows.unlink(removed, from: node, at: location)
      }
    }
  }

  /// The node of a target of a link, which is an object or named by its key.
  private func add<End: RelationshipEnd>(
    _ element: LinkElement<End.Target>, of end: End, to targets: ObjectTable, node: Int,
    entity: Int, level: Int?
  ) throws -> Int {
    switch element {
    case .object(let target): try add(target, level: level)
    case .key(let id):
      rows.add(
        key: try id.keyValues(), to: targets,
        namedBy: LinkName(
          relationship: rows.name(end.declaration.name, of: entity), referrer: node))
    }
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
