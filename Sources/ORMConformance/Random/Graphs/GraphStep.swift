/// One write to a graph: made at random, done to the naive model and to a store.
enum GraphStep: CustomStringConvertible {
  /// Saves a node with links that the program sets, by key where the object is there already and
  /// as new objects where not.
  case save(Int64, label: Int, [(NaiveGraph.Relationship, [Int64])])
  /// Saves a node with objects at its links, which are saved with it: children with their labels
  /// and a note each, a badge, circles.
  case graph(Int64, children: [Int64], label: Int, badge: Int64?, circles: [Int64])
  /// Saves objects without links.
  case plain([NaiveGraph.Object])
  /// Sets a link from the other end: a node's parent, a badge's referrer, a circle's members.
  case parent(of: Int64, Int64?)
  case referrer(of: Int64, Int64?)
  case members(of: Int64, [Int64])
  /// Changes of links without loading them.
  case attach(NaiveGraph.Relationship, [Int64], to: Int64)
  case detach(NaiveGraph.Relationship, [Int64], from: Int64)
  /// Saves a node with changes of a to-many, those of the children with an index where there is one.
  case change(NaiveGraph.Relationship, [Change], of: Int64, label: Int)
  /// Deletes rows.
  case delete(NaiveGraph.Object)
  case deleteSome(NaiveGraph.Entity, below: Int64)
  case deleteAll(NaiveGraph.Entity)

  /// A change of one target, each named once.
  enum Change {
    case append(Int64)
    case insert(Int64, at: Int)
    case remove(Int64)

    var target: Int64 {
      switch self {
      case .append(let id), .insert(let id, _), .remove(let id): id
      }
    }
  }

  /// A step that fits the stored rows, more or less.
  static func make(_ random: inout SeededGenerator, over graph: NaiveGraph) -> GraphStep {
    func id(_ random: inout SeededGenerator) -> Int64 { Int64(random.number(1...6)) }
    func ids(_ random: inout SeededGenerator) -> [Int64] {
      var list: [Int64] = []
      for _ in 0..<random.number(0...3) {
        let new = id(&random)
        if !list.contains(new) { list.append(new) }
      }
      return list
    }
    /// Mostly the key of a stored row, so that few steps are refused.
    func known(_ entity: NaiveGraph.Entity, _ random: inout SeededGenerator) -> Int64 {
      let there = graph.labels.keys.filter { $0.entity == entity }.map(\.id).sorted()
      return there.isEmpty || random.chance(20) ? id(&random) : random.pick(there)
    }
    func known(
      several entity: NaiveGraph.Entity, _ random: inout SeededGenerator
    ) -> [Int64] {
      var list: [Int64] = []
      for _ in 0..<random.number(0...3) {
        let new = known(entity, &random)
        if !list.contains(new) { list.append(new) }
      }
      return list
    }
    switch random.number(0...16) {
    case 15...16:
      let relationship = random.pick(NaiveGraph.Relationship.allCases.filter { !$0.isToOne })
      let changes = known(several: relationship.target, &random).map { id -> Change in
        if random.chance(3) { return .remove(id) }
        return relationship.isOrdered && random.chance(2)
          ? .insert(id, at: random.number(0...4)) : .append(id)
      }
      return .change(
        relationship, changes, of: known(.node, &random), label: random.number(0...9))
    case 14:
      let root = id(&random)
      return .graph(
        root, children: ids(&random).filter { $0 != root }, label: random.number(0...9),
        badge: random.chance(2) ? nil : id(&random), circles: ids(&random))
    case 0...2:
      var sets: [(NaiveGraph.Relationship, [Int64])] = []
      for relationship in NaiveGraph.Relationship.allCases where random.chance(4) {
        let targets = known(several: relationship.target, &random)
        sets.append((relationship, relationship.isToOne ? Array(targets.prefix(1)) : targets))
      }
      return .save(id(&random), label: random.number(0...9), sets)
    case 3...4:
      return .plain(
        (0..<random.number(1...4)).map { _ in
          NaiveGraph.Object(entity: random.pick(NaiveGraph.Entity.allCases), id: id(&random))
        })
    case 5:
      return .parent(
        of: known(.node, &random), random.chance(3) ? nil : known(.node, &random))
    case 6:
      return .referrer(
        of: known(.badge, &random), random.chance(3) ? nil : known(.node, &random))
    case 7: return .members(of: known(.circle, &random), known(several: .node, &random))
    case 8...9:
      let relationship = random.pick(NaiveGraph.Relationship.allCases.filter { !$0.isToOne })
      return .attach(
        relationship, known(several: relationship.target, &random), to: known(.node, &random))
    case 10:
      let relationship = random.pick(NaiveGraph.Relationship.allCases.filter { !$0.isToOne })
      return .detach(
        relationship, known(several: relationship.target, &random), from: known(.node, &random))
    case 11:
      let entity = random.pick(NaiveGraph.Entity.allCases)
      return .delete(NaiveGraph.Object(entity: entity, id: known(entity, &random)))
    case 12: return .deleteSome(random.pick(NaiveGraph.Entity.allCases), below: id(&random))
    default:
      // Rarely everything, or little would ever be there.
      let entity = random.pick(NaiveGraph.Entity.allCases)
      return random.chance(4)
        ? .deleteAll(entity) : .plain(ids(&random).map { .init(entity: entity, id: $0) })
    }
  }

  /// Does the step as the contract says.
  func run(on graph: inout NaiveGraph) throws {
    var copy = graph
    switch self {
    case .save(let id, let label, let sets):
      copy.save(.init(entity: .node, id: id), label: label)
      for (relationship, targets) in sets { try copy.set(relationship, of: id, to: targets) }
    case .graph(let root, let children, let label, let badge, let circles):
      copy.save(.init(entity: .node, id: root), label: label)
      for child in children {
        copy.save(.init(entity: .node, id: child), label: label)
        copy.save(.init(entity: .note, id: child))
        try copy.set(.notes, of: child, to: [child])
      }
      if let badge { copy.save(.init(entity: .badge, id: badge)) }
      for circle in circles { copy.save(.init(entity: .circle, id: circle)) }
      try copy.set(.children, of: root, to: children)
      try copy.set(.badge, of: root, to: badge.map { [$0] } ?? [])
      try copy.set(.circles, of: root, to: circles)
    case .plain(let objects):
      for object in objects { copy.save(object) }
    case .parent(let child, let parent):
      try setOther(.children, child, to: parent, in: &copy)
    case .referrer(let badge, let node):
      try setOther(.badge, badge, to: node, in: &copy)
    case .members(let circle, let members):
      let object = NaiveGraph.Object(entity: .circle, id: circle)
      copy.save(object)
      copy.links.removeAll { $0.relationship == .circles && $0.target == circle }
      for member in members {
        guard copy.labels[.init(entity: .node, id: member)] != nil else {
          throw NaiveGraph.Refusal.missingTarget
        }
        try copy.add(.circles, circle, to: member)
      }
    case .attach(let relationship, let targets, let owner):
      if targets.isEmpty { break }
      guard copy.labels[.init(entity: .node, id: owner)] != nil else {
        let areThere = targets.allSatisfy {
          copy.labels[.init(entity: relationship.target, id: $0)] != nil
        }
        throw areThere ? NaiveGraph.Refusal.notFound : NaiveGraph.Refusal.missingEither
      }
      for target in targets { try copy.add(relationship, target, to: owner) }
    case .detach(let relationship, let targets, let owner):
      for target in targets { copy.remove(relationship, target, from: owner) }
    case .change(let relationship, let changes, let owner, let label):
      copy.save(.init(entity: .node, id: owner), label: label)
      // In the order of a save: removals, additions, then positions.
      for case .remove(let id) in changes { copy.remove(relationship, id, from: owner) }
      for change in changes {
        if case .remove = change { continue }
        try copy.add(relationship, change.target, to: owner)
      }
      for case .insert(let id, let index) in changes {
        copy.move(relationship, id, to: index, of: owner)
      }
    case .delete(let object): try copy.delete([object])
    case .deleteSome(let entity, let bound):
      try copy.delete(Set(copy.labels.keys.filter { $0.entity == entity && $0.id < bound }))
    case .deleteAll(let entity):
      try copy.delete(Set(copy.labels.keys.filter { $0.entity == entity }))
    }
    graph = copy
  }

  /// Saves a target with its one owner, or none.
  private func setOther(
    _ relationship: NaiveGraph.Relationship, _ target: Int64, to owner: Int64?,
    in graph: inout NaiveGraph
  ) throws {
    graph.save(.init(entity: relationship.target, id: target))
    guard let owner else {
      graph.links.removeAll { $0.relationship == relationship && $0.target == target }
      return
    }
    guard graph.labels[.init(entity: .node, id: owner)] != nil else {
      throw NaiveGraph.Refusal.missingTarget
    }
    try graph.add(relationship, target, to: owner)
  }

  var description: String {
    switch self {
    case .save(let id, let label, let sets):
      let links = sets.map { " \($0.0) = \($0.1)" }.joined(separator: ",")
      return "save Node \(id) label \(label)\(links)"
    case .graph(let root, let children, let label, let badge, let circles):
      return "save graph of Node \(root) label \(label), children \(children), badge "
        + "\(badge.map(String.init) ?? "nil"), circles \(circles)"
    case .plain(let objects):
      return "save " + objects.map { "\($0.entity.rawValue) \($0.id)" }.joined(separator: ", ")
    case .parent(let child, let parent):
      return "save Node \(child) parent \(parent.map(String.init) ?? "nil")"
    case .referrer(let badge, let node):
      return "save Badge \(badge) referrer \(node.map(String.init) ?? "nil")"
    case .members(let circle, let members): return "save Circle \(circle) members \(members)"
    case .attach(let relationship, let targets, let owner):
      return "attach \(targets) to Node \(owner) \(relationship)"
    case .detach(let relationship, let targets, let owner):
      return "detach \(targets) from Node \(owner) \(relationship)"
    case .change(let relationship, let changes, let owner, let label):
      let words = changes.map { change in
        switch change {
        case .append(let id): "append \(id)"
        case .insert(let id, let index): "insert \(id) at \(index)"
        case .remove(let id): "remove \(id)"
        }
      }
      return "save Node \(owner) label \(label), \(relationship): "
        + words.joined(separator: ", ")
    case .delete(let object): return "delete \(object.entity.rawValue) \(object.id)"
    case .deleteSome(let entity, let bound): return "delete \(entity.rawValue) with id < \(bound)"
    case .deleteAll(let entity): return "delete every \(entity.rawValue)"
    }
  }
}
