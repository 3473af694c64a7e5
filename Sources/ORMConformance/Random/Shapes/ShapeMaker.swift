/// A source of steps that fit the stored rows, more or less.
struct ShapeMaker {
  let shape: GraphShape
  var random: SeededGenerator

  init(_ shape: GraphShape, _ random: SeededGenerator) {
    self.shape = shape
    self.random = random
  }

  /// The next step.
  mutating func step(over graph: ShapedGraph) -> ShapeStep {
    let kind = random.pick(GraphShape.kinds)
    switch random.number(0...19) {
    case 0...7:
      var used: Set<ShapedGraph.Object> = []
      guard let first = draft(kind, over: graph, &used, depth: random.number(0...2)) else { break }
      var drafts = [first]
      while random.chance(3), let next = draft(kind, over: graph, &used, depth: 0) {
        drafts.append(next)
      }
      let demand: ShapedGraph.Demand =
        !random.chance(4) ? .none : random.chance(2) ? .new : .stored
      return .save(drafts, demand)
    case 8:
      let object = ShapedGraph.Object(kind: kind, id: known(kind, graph))
      return .resave(object, label: random.number(0...9))
    case 9:
      let ends = shape.ends[kind].filter { holdsKey($0) }
      var links: [(GraphShape.Reference, Int?)] = []
      for end in ends where isNeeded(end) ? !random.chance(8) : random.chance(2) {
        links.append((end, random.chance(4) ? nil : known(target(end), graph)))
      }
      return .row(
        .init(kind: kind, id: known(kind, graph)), label: random.number(0...9), links)
    case 10:
      guard let end = pick(keyed) else { break }
      return .update(
        end, below: random.number(0...9), to: random.chance(4) ? nil : known(target(end), graph))
    case 11...12:
      guard let end = pick(toMany) else { break }
      return .attach(end, several(target(end), graph), to: known(source(end), graph))
    case 13:
      guard let end = pick(toMany) else { break }
      let owner = known(source(end), graph)
      let there = graph.others(end, of: owner, dangling: true)
      let some = there.filter { _ in random.chance(2) }
      return .detach(end, random.chance(3) ? several(target(end), graph) : some, from: owner)
    case 14:
      guard let end = pick(toMany) else { break }
      var used: Set<ShapedGraph.Object> = []
      guard let made = draft(target(end), over: graph, &used, depth: 0, besides: end.bond)
      else { break }
      return .insert(made, end, into: known(source(end), graph))
    case 15:
      guard let end = pick(ordered) else { break }
      let owner = known(source(end), graph)
      let there = graph.others(end, of: owner)
      // The order of targets that do not exist is not defined: such owners are left out.
      if there.count < graph.others(end, of: owner, dangling: true).count { break }
      let target = there.isEmpty ? known(target(end), graph) : random.pick(there)
      return .move(end, target, to: random.number(0...4), in: owner)
    case 16: return .delete(kind: kind, several(kind, graph))
    case 17: return .deleteSome(kind: kind, below: random.number(0...5))
    case 18: if random.chance(4) { return .deleteAll(kind: kind) }
    default: break
    }
    return .delete(kind: kind, [known(kind, graph)])
  }

  // MARK: Objects

  /// An object with links that are set, to keys or to objects that are in no other part of the
  /// graph.
  private mutating func draft(
    _ kind: Int, over graph: ShapedGraph, _ used: inout Set<ShapedGraph.Object>, depth: Int,
    besides bond: Int? = nil
  ) -> ShapeDraft? {
    guard let id = newID(kind, over: graph, used) else { return nil }
    used.insert(.init(kind: kind, id: id))
    let isNew = kind == 0 && shape.isGenerated && id == graph.nextKey
    var draft = ShapeDraft(kind: kind, id: isNew ? nil : id, label: random.number(0...9))
    for reference in shape.ends[kind] where reference.bond != bond {
      guard let end = shape.end(reference) else { continue }
      let isStored = graph.contains(kind, id)
      guard isNeeded(reference) && !isStored ? !random.chance(12) : random.chance(4) else {
        continue
      }
      let count =
        if end.isToMany {
          end.count.map { random.number($0.lowerBound...min($0.upperBound, 3)) }
            ?? random.number(0...3)
        } else {
          end.isRequired || !random.chance(4) ? 1 : 0
        }
      let areObjects = depth > 0 && random.chance(2)
      var elements: [ShapeDraft.Element] = []
      for _ in 0..<count {
        if areObjects {
          // The one back is set by this one.
          let besides = random.chance(10) ? nil : reference.bond
          let other = self.draft(
            end.target, over: graph, &used, depth: depth - 1, besides: besides)
          if let other { elements.append(.object(other)) }
        } else {
          elements.append(.key(known(end.target, graph, used)))
        }
      }
      draft.sets.append((reference, elements))
    }
    return draft
  }

  /// Returns a key that the graph does not have yet, or, as often, that of an object to save again.
  private mutating func newID(
    _ kind: Int, over graph: ShapedGraph, _ used: Set<ShapedGraph.Object>
  ) -> Int? {
    let next = graph.nextKey
    let isGiven = kind == 0 && shape.isGenerated
    let free = (1...9).filter {
      !used.contains(.init(kind: kind, id: $0)) && !(isGiven && $0 == next)
    }
    let some = random.chance(3) ? free : Array(free.prefix(5))
    guard isGiven else { return some.isEmpty ? nil : random.pick(some) }
    // Which key the store gives depends on those that the same operation brings.
    let isFirst = !used.contains { $0.kind == kind && $0.id >= next }
    if isFirst, random.chance(2) { return next }
    let old = used.contains(.init(kind: kind, id: next)) ? some.filter { $0 < next } : some
    return old.isEmpty ? nil : random.pick(old)
  }

  // MARK: Existing objects

  /// The number of an object, mostly of one that is there.
  private mutating func known(
    _ kind: Int, _ graph: ShapedGraph, _ used: Set<ShapedGraph.Object> = []
  ) -> Int {
    if random.chance(25) { return missing(kind, graph) }
    // The objects that the same graph saves, but for a key that is not known to the program yet.
    let new = used.filter {
      $0.kind == kind && !(kind == 0 && shape.isGenerated && $0.id == graph.nextKey)
    }
    let there = Set(graph.ids(kind)).union(new.map(\.id)).sorted()
    return there.isEmpty ? missing(kind, graph) : random.pick(there)
  }

  /// The number of an object that need not be there; never the key that the store gives next.
  private mutating func missing(_ kind: Int, _ graph: ShapedGraph) -> Int {
    let id = random.number(1...6)
    return kind == 0 && shape.isGenerated && id == graph.nextKey ? 99 : id
  }

  private mutating func several(_ kind: Int, _ graph: ShapedGraph) -> [Int] {
    var list: [Int] = []
    for _ in 0..<random.number(0...3) {
      let id = known(kind, graph)
      if !list.contains(id) { list.append(id) }
    }
    return list
  }

  private mutating func pick(_ ends: [GraphShape.Reference]) -> GraphShape.Reference? {
    ends.isEmpty ? nil : random.pick(ends)
  }

  private var keyed: [GraphShape.Reference] { shape.ends.joined().filter { holdsKey($0) } }

  private var toMany: [GraphShape.Reference] {
    shape.ends.joined().filter { shape.end($0)?.isToMany == true }
  }

  private var ordered: [GraphShape.Reference] {
    shape.ends.joined().filter { shape.end($0)?.isOrdered == true }
  }

  private func holdsKey(_ end: GraphShape.Reference) -> Bool {
    shape.end(end)?.isToMany == false && shape.bonds[end.bond].holdsKey(atSource: end.isSource)
  }

  /// Returns whether an object cannot be without.
  private func isNeeded(_ end: GraphShape.Reference) -> Bool {
    shape.end(end).map { $0.isRequired || ($0.count?.lowerBound ?? 0) > 0 } ?? false
  }

  private func source(_ end: GraphShape.Reference) -> Int {
    shape.bonds[end.bond].kind(ofSource: end.isSource)
  }

  private func target(_ end: GraphShape.Reference) -> Int {
    shape.bonds[end.bond].kind(ofSource: !end.isSource)
  }
}
