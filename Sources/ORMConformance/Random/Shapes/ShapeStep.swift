internal import ORM
internal import ORMObservation

/// One write to a graph of a random shape.
enum ShapeStep {
  /// Saves objects of one entity with the objects they reach, as one operation.
  case save([ShapeDraft], ShapedGraph.Demand)
  /// Fetches an object with its links and saves it with another label: the links stay.
  case resave(ShapedGraph.Object, label: Int)
  /// Writes attributes and keys of to-ones by names.
  case row(ShapedGraph.Object, label: Int, [(GraphShape.Reference, Int?)])
  /// Sets a to-one of every object of an entity below a number.
  case update(GraphShape.Reference, below: Int, to: Int?)
  /// Changes of links without loading them.
  case attach(GraphShape.Reference, [Int], to: Int)
  case detach(GraphShape.Reference, [Int], from: Int)
  case insert(ShapeDraft, GraphShape.Reference, into: Int)
  case move(GraphShape.Reference, Int, to: Int, in: Int)
  /// Deletes rows.
  case delete(kind: Int, [Int])
  case deleteSome(kind: Int, below: Int)
  case deleteAll(kind: Int)
}

extension ShapeStep {
  /// Returns the step in words.
  func text(_ shape: GraphShape) -> String {
    func name(_ reference: GraphShape.Reference) -> String {
      guard let end = shape.end(reference) else { return "?" }
      return "\(GraphShape.names[end.kind]).\(end.name)"
    }
    switch self {
    case .save(let drafts, let demand):
      let operation =
        switch demand {
        case .none: "save"
        case .new: "insert"
        case .stored: "update"
        }
      return "\(operation) " + drafts.map { $0.text(shape) }.joined(separator: ", ")
    case .resave(let object, let label):
      return "fetch \(GraphShape.names[object.kind])(\(object.id)) and save it with label \(label)"
    case .row(let object, let label, let links):
      let keys = links.map { ", \(name($0)): \($1.map(String.init) ?? "nil")" }.joined()
      return "save row \(GraphShape.names[object.kind])(\(object.id), label \(label)\(keys))"
    case .update(let end, let bound, let id):
      return "update \(name(end)) = \(id.map(String.init) ?? "nil") where label < \(bound)"
    case .attach(let end, let ids, let owner): return "attach \(ids) to \(owner) \(name(end))"
    case .detach(let end, let ids, let owner): return "detach \(ids) from \(owner) \(name(end))"
    case .insert(let draft, let end, let owner):
      return "insert \(draft.text(shape)) into \(owner) \(name(end))"
    case .move(let end, let id, let index, let owner):
      return "move \(id) to \(index) in \(owner) \(name(end))"
    case .delete(let kind, let ids): return "delete \(GraphShape.names[kind]) \(ids)"
    case .deleteSome(let kind, let bound):
      return "delete \(GraphShape.names[kind]) with label < \(bound)"
    case .deleteAll(let kind): return "delete every \(GraphShape.names[kind])"
    }
  }
}

extension ShapeStep {
  /// Does the step to the naive model; a step that is refused leaves it as it was.
  func run(on graph: inout ShapedGraph) throws {
    var copy = graph
    switch self {
    case .save(let drafts, let demand): try copy.save(drafts, demand: demand)
    case .resave(let object, let label):
      if copy.labels[object] != nil { copy.put(object, label: label) }
    case .row(let object, let label, let links):
      var draft = ShapeDraft(kind: object.kind, id: object.id, label: label)
      // A key that the row has already may lead nowhere.
      draft.sets = links.filter { end, id in
        id.map { copy.others(end, of: object.id, dangling: true) != [$0] } ?? true
      }.map { ($0, $1.map { [.key($0)] } ?? []) }
      try copy.save([draft], areRows: true)
    case .update(let end, let bound, let id):
      if id == nil, copy.shape.end(end)?.isRequired == true {
        throw ShapedGraph.Refusal(.missingValue)
      }
      let kind = copy.shape.bonds[end.bond].kind(ofSource: end.isSource)
      let drafts = copy.ids(kind, below: bound).map { number in
        ShapeDraft(
          kind: kind, id: number, label: copy.labels[.init(kind: kind, id: number)] ?? 0,
          sets: [(end, id.map { [.key($0)] } ?? [])])
      }
      do {
        if !drafts.isEmpty { try copy.save(drafts, areRows: true) }
      } catch let refusal as ShapedGraph.Refusal {
        // A target of two owners in a graph is `conflictingLinks`; in a change of rows it is a duplicate.
        let isGivenTwice = refusal.codes.contains(.conflictingLinks)
        throw ShapedGraph.Refusal(refusal.codes.union(isGivenTwice ? [.duplicate] : []))
      }
    case .attach(let end, let ids, let owner):
      if ids.isEmpty { break }
      try copy.attach(end, ids, to: owner)
    case .detach(let end, let ids, let owner):
      for id in ids {
        let removed = Self.link(end, owner, id)
        copy.unlink(end.bond) { $0 == removed }
      }
      try Self.check(copy)
    case .insert(let draft, let end, let owner): try copy.save([draft], into: (end, owner))
    case .move(let end, let id, let index, let owner):
      var list = copy.others(end, of: owner)
      guard let former = list.firstIndex(of: id) else { throw ShapedGraph.Refusal(.notFound) }
      list.remove(at: former)
      list.insert(id, at: min(index, list.count))
      copy.order(end, of: owner, list)
    case .delete(let kind, let ids): try copy.delete(Set(ids.map { .init(kind: kind, id: $0) }))
    case .deleteSome(let kind, let bound):
      try copy.delete(Set(copy.ids(kind, below: bound).map { .init(kind: kind, id: $0) }))
    case .deleteAll(let kind):
      try copy.delete(Set(copy.ids(kind).map { .init(kind: kind, id: $0) }))
    }
    graph = copy
  }

  static func link(
    _ end: GraphShape.Reference, _ owner: Int, _ other: Int
  ) -> ShapedGraph.Link {
    end.isSource ? .init(source: owner, target: other) : .init(source: other, target: owner)
  }

  private static func check(_ graph: ShapedGraph) throws {
    if !graph.faults.isEmpty { throw ShapedGraph.Refusal(graph.faults) }
  }
}

extension ShapedGraph {
  /// Makes stored objects targets of an owner, by key.
  fileprivate mutating func attach(
    _ end: GraphShape.Reference, _ ids: [Int], to owner: Int
  ) throws {
    let bond = shape.bonds[end.bond]
    var codes: Set<StoreError.Code> = []
    if !contains(bond.kind(ofSource: end.isSource), owner) { codes.insert(.notFound) }
    for id in ids where !contains(bond.kind(ofSource: !end.isSource), id) {
      codes.insert(.missingTarget)
    }
    for id in ids { link(ShapeStep.link(end, owner, id), end.bond) }
    codes.formUnion(faults)
    if !codes.isEmpty { throw Refusal(codes) }
  }
}
