internal import ORMStorage

/// One object of a graph that is being saved.
package struct GraphNode {
  /// The primary key; empty until the store gives it.
  package var key: [StoredValue]
  /// The attributes as the object has them, those that hold keys of to-ones among them; empty for
  /// an object that is named by its key alone.
  package var values: [StoredValue] = []
  /// The requirement that its row must meet before the save.
  package var demand = Demand.none
  /// The stored values of the row's link columns; nil if there is no row.
  var stored: [StoredValue]?
  /// True if the row was soft-deleted.
  var isHidden = false
  /// The link that named it by its key.
  var namedBy: LinkName?
  /// True if the save gives it its key, so that nothing stored can lead to it.
  package var hasFreshKey = false
  /// True if the row that it is saved into keeps its own key, even where the object has another.
  package var keepsKey = false
  /// The outcome of the put of its row; nil if there was none.
  package var outcome: PutOutcome?

  /// A requirement that a row must meet before the save.
  package enum Demand {
    case none
    /// The row must not exist.
    case new
    /// The row must exist.
    case stored
  }

  /// True if the object is there with its attributes.
  package var isWhole: Bool { !values.isEmpty }
  /// True if a row is to be inserted.
  var isNew: Bool { isWhole && stored == nil }
}

/// A link of an object in a graph.
package struct LinkName {
  /// The relationship, as a number of the graph's names.
  var relationship: Int
  /// The object that has it.
  var referrer: Int

  /// The link of a referrer by the number of its relationship's name.
  package init(relationship: Int, referrer: Int) {
    self.relationship = relationship
    self.referrer = referrer
  }
}

/// The objects of one entity in a graph, each key once.
///
/// A graph belongs to one operation, and code that changes nodes calls nothing that reads the table
/// meanwhile. So exclusive access is not checked at run time.
package final class ObjectTable {
  package let number: Int
  package let entity: StoredEntity
  /// The columns that hold links, ascending.
  let linkColumns: [Int]
  package var nodes: [GraphNode] = []
  private var numbers = KeyTable()
  /// The links that are parts of the primary key.
  package let keySlots: [Int]

  init(number: Int, layout: LinkLayout) {
    self.number = number
    entity = layout.entities[number]
    keySlots = layout.held[number].filter { layout.slots[$0].isKey }
    linkColumns = layout.held[number].flatMap { layout.slots[$0].linkColumns }.sorted()
  }

  /// The node with a key.
  func node(_ key: [StoredValue]) -> Int? { numbers.position(of: key) }

  /// Adds a node; one with a key must be the first of it.
  func append(_ node: GraphNode) -> Int {
    nodes.append(node)
    if !node.key.isEmpty { alias(node.key, of: nodes.count - 1) }
    return nodes.count - 1
  }

  /// Gives a node the key that its links make.
  ///
  /// - Returns: whether no other node has it.
  func setKey(_ key: [StoredValue], of node: Int) -> Bool {
    if self.node(key) != nil { return false }
    nodes[node].key = key
    alias(key, of: node)
    return true
  }

  /// Makes a node found by a key that stands for its own, which the store gives it later.
  package func alias(_ key: [StoredValue], of node: Int) { numbers.set(node, for: key) }

  /// Returns the stored value of a link column of an object's row; null if there is no row.
  package func stored(_ column: Int, of node: Int) -> StoredValue {
    guard let stored = nodes[node].stored, let index = linkColumns.firstIndex(of: column),
      stored.indices.contains(index)
    else { return .null }
    return stored[index]
  }
}
