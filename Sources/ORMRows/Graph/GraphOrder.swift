internal import ORMStorage

/// The order in which new objects are inserted: one whose generated key others hold comes first.
///
/// Kahn's algorithm (Topological sorting of large networks, 1962) over the links between new objects.
/// If no object is free, those that wait for optional links alone are taken: their links are set
/// afterwards. If objects still wait for required links then, these form a cycle.
struct GraphOrder {
  /// The objects to be inserted, one list an entity, those that need no other first.
  private(set) var levels: [[(table: Int, nodes: [Int])]] = []

  private let graph: RowGraph
  /// The new objects, numbered through, by table and node.
  private var objects: [(table: Int, node: Int)] = []
  private var numbers: [Int: [Int: Int]] = [:]
  /// The first edge of each object to a referrer that waits for it, or -1; `next` leads to the
  /// others.
  private var first: [Int] = []
  private var edges: [Edge] = []
  private var waitsForRequired: [Int] = []
  private var waitsForOptional: [Int] = []
  private var level: [Int] = []
  private var isDone: [Bool] = []

  private struct Edge {
    var referrer: Int
    var isRequired: Bool
    /// True if the owner's key is made by the store.
    var isKeyAwaited: Bool
    var next: Int
  }

  /// The order of a graph whose state is known.
  ///
  /// - Throws: `requiredCycle`.
  init(_ graph: RowGraph) throws {
    self.graph = graph
    for table in graph.ordered {
      for (node, object) in table.nodes.enumerated() where object.isNew {
        numbers[table.number, default: [:]][node] = objects.count
        objects.append((table.number, node))
      }
    }
    first = Array(repeating: -1, count: objects.count)
    waitsForRequired = Array(repeating: 0, count: objects.count)
    waitsForOptional = waitsForRequired
    level = waitsForRequired
    isDone = Array(repeating: false, count: objects.count)
    for (number, links) in graph.slots { addEdges(graph.layout.slots[number], links) }
    try sort()
    group()
  }

  private mutating func addEdges(_ slot: KeySlot, _ links: SlotLinks) {
    let owners = graph.table(slot.owner)
    for (referrer, owner) in links.owners {
      guard let owner, let before = numbers[slot.owner]?[owner],
        let after = numbers[slot.referrer]?[referrer]
      else { continue }
      let isKeyAwaited = owners.nodes[owner].key.isEmpty
      guard isKeyAwaited || slot.isRequired else { continue }
      edges.append(
        Edge(
          referrer: after, isRequired: slot.isRequired, isKeyAwaited: isKeyAwaited,
          next: first[before]))
      first[before] = edges.count - 1
      if slot.isRequired { waitsForRequired[after] += 1 } else { waitsForOptional[after] += 1 }
    }
  }

  private mutating func sort() throws {
    var ready = objects.indices.filter { waitsForRequired[$0] + waitsForOptional[$0] == 0 }
    // The objects that wait for optional links alone, now or at some time before.
    var optional = objects.indices.filter { waitsForRequired[$0] == 0 && waitsForOptional[$0] > 0 }
    var count = 0
    while count < objects.count {
      if ready.isEmpty {
        ready = optional.filter { !isDone[$0] }
        optional = []
        if ready.isEmpty { throw cycle() }
      }
      var next: [Int] = []
      for object in ready where !isDone[object] {
        isDone[object] = true
        count += 1
        release(object, ready: &next, optional: &optional)
      }
      ready = next
    }
  }

  private mutating func release(_ object: Int, ready: inout [Int], optional: inout [Int]) {
    var edge = first[object]
    while edge >= 0 {
      let referrer = edges[edge].referrer
      if !isDone[referrer] {
        level[referrer] = max(level[referrer], level[object] + (edges[edge].isKeyAwaited ? 1 : 0))
        if edges[edge].isRequired {
          waitsForRequired[referrer] -= 1
        } else {
          waitsForOptional[referrer] -= 1
        }
        if waitsForRequired[referrer] == 0 {
          if waitsForOptional[referrer] == 0 {
            ready.append(referrer)
          } else {
            optional.append(referrer)
          }
        }
      }
      edge = edges[edge].next
    }
  }

  /// The error of a circle: it names the first object that waits for a required link.
  private func cycle() -> StoreError {
    let stuck = objects.indices.first { !isDone[$0] } ?? 0
    let table = graph.table(objects[stuck].table)
    let node = objects[stuck].node
    let slot = graph.layout.held[table.number].first { number in
      guard graph.layout.slots[number].isRequired,
        let owner = graph.slots[number]?.claim(on: node) ?? nil
      else { return false }
      return numbers[graph.layout.slots[number].owner]?[owner].map { !isDone[$0] } ?? false
    }
    return StoreError(
      .requiredCycle,
      "required to-ones of new objects form a cycle, so none can be stored first; make one of "
        + "them optional",
      entity: table.entity.modelName, key: table.nodes[node].key,
      attributes: slot.map { [graph.layout.slots[$0].name] } ?? [])
  }

  private mutating func group() {
    var groups: [[Int: [Int]]] = []
    for (number, object) in objects.enumerated() {
      while groups.count <= level[number] { groups.append([:]) }
      groups[level[number]][object.table, default: []].append(object.node)
    }
    levels = groups.map { group in
      group.keys.sorted().map { (table: $0, nodes: group[$0] ?? []) }
    }
  }
}
