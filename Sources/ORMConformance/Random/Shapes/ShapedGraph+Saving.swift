internal import ORM
internal import ORMObservation

extension ShapedGraph {
  /// A precondition on the objects that are given to an operation.
  enum Demand { case none, new, stored }

  /// Saves objects with all that they reach, and makes some of them targets of an owner as well;
  /// rows that are written by names may lead to each other in a circle.
  mutating func save(
    _ drafts: [ShapeDraft], demand: Demand = .none,
    into delta: (end: GraphShape.Reference, owner: Int)? = nil, areRows: Bool = false
  ) throws {
    var collection = DraftCollection(self, drafts)
    if let delta {
      for id in collection.roots { collection.add(delta.end, owner: delta.owner, id) }
    }
    var codes = collection.conflicts(shape)
    // A key that this save generates is not known yet.
    for (object, name) in collection.named where collection.drafts[object]?.id == nil {
      if labels[object] == nil { codes.insert(name) }
    }
    if let delta {
      let owner = Object(
        kind: shape.bonds[delta.end.bond].kind(ofSource: delta.end.isSource),
        id: delta.owner)
      // An object of the graph will do, unless it gets its key by the same save.
      if labels[owner] == nil, collection.drafts[owner]?.id == nil { codes.insert(.notFound) }
    }
    for id in collection.roots {
      let object = Object(kind: drafts[0].kind, id: id)
      if demand == .new, labels[object] != nil { codes.insert(.duplicate) }
      if demand == .stored, labels[object] == nil { codes.insert(.notFound) }
    }
    if !areRows, collection.hasRequiredCycle(self) { codes.insert(.requiredCycle) }
    for (object, draft) in collection.drafts { put(object, label: draft.label) }
    collection.apply(to: &self)
    codes.formUnion(faults)
    // An existing row is reported, and so are the values that it would lack.
    if codes.contains(.duplicate) { codes.formUnion([.missingValue, .validationFailed]) }
    if !codes.isEmpty { throw Refusal(codes) }
  }
}

/// The objects that a save reaches, with their links.
private struct DraftCollection {
  typealias Object = ShapedGraph.Object
  typealias Link = ShapedGraph.Link

  /// An owner whose links were set whole.
  private struct Owner: Hashable {
    var end: GraphShape.Reference
    var id: Int
  }

  private(set) var drafts: [Object: ShapeDraft] = [:]
  /// The objects that are named by their keys, each with the code of the error if it is missing.
  private(set) var named: [(Object, StoreError.Code)] = []
  /// The numbers of the objects that were given.
  private(set) var roots: [Int] = []
  private var sets: [(owner: Owner, list: [Int])] = []
  /// The links that are to be, in the order in which they are said.
  private var wanted: [[Link]]
  private let nextKey: Int

  init(_ graph: ShapedGraph, _ given: [ShapeDraft]) {
    wanted = Array(repeating: [], count: graph.shape.bonds.count)
    nextKey = graph.nextKey
    var waiting = given
    for draft in given { roots.append(take(draft)) }
    // Level by level, as links are followed.
    while !waiting.isEmpty {
      let round = waiting
      waiting = []
      for draft in round {
        let id = draft.id ?? nextKey
        for (end, elements) in draft.sets.sorted(by: { order($0.end, graph) < order($1.end, graph) }
        ) {
          var list: [Int] = []
          for element in elements {
            let other: Int
            switch element {
            case .key(let id):
              other = id
              let bond = graph.shape.bonds[end.bond]
              // A row that holds the key already keeps it, wherever it leads (clause 2.9).
              let held = ShapeStep.link(end, draft.id ?? nextKey, other)
              if !bond.holdsKey(atSource: end.isSource) || !graph.isLinked(held, end.bond) {
                let kind = bond.kind(ofSource: !end.isSource)
                named.append((Object(kind: kind, id: id), .missingTarget))
              }
            case .object(let draft):
              other = take(draft)
              waiting.append(draft)
            }
            if !list.contains(other) { list.append(other) }
          }
          sets.append((Owner(end: end, id: id), list))
          for other in list { add(end, owner: id, other) }
        }
      }
    }
  }

  /// The index of a relationship among those of its entity.
  private func order(_ end: GraphShape.Reference, _ graph: ShapedGraph) -> Int {
    let kind = graph.shape.bonds[end.bond].kind(ofSource: end.isSource)
    return graph.shape.ends[kind].firstIndex(of: end) ?? 0
  }

  private mutating func take(_ draft: ShapeDraft) -> Int {
    let id = draft.id ?? nextKey
    drafts[Object(kind: draft.kind, id: id)] = draft
    return id
  }

  /// Says that a link is to be.
  mutating func add(_ end: GraphShape.Reference, owner: Int, _ other: Int) {
    let link =
      end.isSource ? Link(source: owner, target: other) : Link(source: other, target: owner)
    if !wanted[end.bond].contains(link) { wanted[end.bond].append(link) }
  }

  /// Returns whether an object with room for one is given to two.
  func conflicts(_ shape: GraphShape) -> Set<StoreError.Code> {
    for (bond, links) in wanted.enumerated() {
      if shape.bonds[bond].isTargetOne, Set(links.map(\.target)).count < links.count {
        return [.conflictingLinks]
      }
      if shape.bonds[bond].isSourceOne, Set(links.map(\.source)).count < links.count {
        return [.conflictingLinks]
      }
    }
    return []
  }

  /// Returns whether new objects wait for one another by required to-ones.
  func hasRequiredCycle(_ graph: ShapedGraph) -> Bool {
    var waits: [Object: Set<Object>] = [:]
    for (bond, links) in wanted.enumerated() {
      for isSource in [true, false]
      where graph.shape.bonds[bond].end(ofSource: isSource)?.isRequired == true {
        for link in links {
          let referrer = graph.object(link, bond, atSource: isSource)
          let owner = graph.object(link, bond, atSource: !isSource)
          if graph.labels[referrer] == nil, graph.labels[owner] == nil, drafts[referrer] != nil,
            drafts[owner] != nil
          {
            waits[referrer, default: []].insert(owner)
          }
        }
      }
    }
    while let free = waits.first(where: { $0.value.allSatisfy { waits[$0] == nil } }) {
      waits[free.key] = nil
    }
    return !waits.isEmpty
  }

  func apply(to graph: inout ShapedGraph) {
    for (bond, links) in wanted.enumerated() {
      let kind = graph.shape.bonds[bond]
      let set = sets.filter { $0.owner.end.bond == bond }
      let sources = Set(set.filter(\.owner.end.isSource).map(\.owner.id))
      let targets = Set(set.filter { !$0.owner.end.isSource }.map(\.owner.id))
      graph.unlink(bond) { link in
        !links.contains(link)
          && (sources.contains(link.source) || targets.contains(link.target)
            || kind.isSourceOne && links.contains { $0.source == link.source }
            || kind.isTargetOne && links.contains { $0.target == link.target })
      }
      for link in links { graph.link(link, bond) }
      for (owner, list) in set {
        let added = links.filter { $0.id(atSource: owner.end.isSource) == owner.id }
          .map { $0.id(atSource: !owner.end.isSource) }.filter { !list.contains($0) }
        graph.order(owner.end, of: owner.id, list + added)
      }
    }
  }
}
