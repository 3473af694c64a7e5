import Foundation
import MemoryBackend
import ORM
import ORMCore
import Testing

/// A tree of nodes, mapped by hand; the initialiser does not name the to-many.
private struct Node: Persistable, PrimaryKeyed, Hashable {
  var id: String
  var parent: ToOne<Node> = ToOne()
  var children: ToMany<Node> = ToMany()
  static let entity = Entity<Node>("Node") {
    .key("id", \.id)
      .relationship("parent", \.parent)
      .relationship("children", \.children, inverse: \Node.parent)
  }

  init(_ id: String, parent: ToOne<Node> = ToOne()) {
    self.id = id
    self.parent = parent
  }
  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    parent = try row.toOne(0, of: Node.self)
  }
  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(parent, toOne: 0, of: Node.self)
  }
}

/// An initialiser that does not read its to-one.
private struct Careless: Persistable, PrimaryKeyed {
  var id: Int64
  var node: ToOne<Node> = nil
  static let entity = Entity<Careless>("Careless") {
    .key("id", \.id)
      .relationship("node", \.node)
  }

  init(id: Int64) { self.id = id }
  init<R: RowReader & ~Copyable>(row: borrowing R) throws { id = try row[0] }
  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(node, toOne: 0, of: Careless.self)
  }
}

/// Without a key of its own.
private struct Mark: Persistable, Codable {
  var text: String
  var node: ToOne<Node>
  static let entity = Entity<Mark>("Mark") {
    .attribute("text", \.text)
      .relationship("node", \.node)
  }
}

/// One-way relationships: targets of one referrer, and shared ones.
private struct Referrer: Persistable, PrimaryKeyed, Codable {
  var id: Int64
  var own: ToMany<Node> = ToMany()
  var shared: ToMany<Node> = ToMany()
  static let entity = Entity<Referrer>("Referrer") {
    .key("id", \.id)
      .relationship("own", \.own, ordered: true)
      .relationship("shared", \.shared, ordered: true, shared: true)
  }
}

@Suite struct LoadingTests {
  private func open(_ store: StoreKind = .memory) throws -> any Store {
    try store.makeStore(Schema(Node.self, Careless.self, Mark.self, Referrer.self))
  }

  @Test("5.8: a thousand cyclic graphs, fetched and dropped, leave none behind")
  func graphsAreFreed() throws {
    final class Reference { weak var graph: FetchGraph? }
    let store = try open()
    try store.insert([Node("a", parent: .key("b")), Node("b", parent: .key("a"))])
    var references: [Reference] = []
    var kept: Node?
    for _ in 0..<1000 {
      let reference = Reference()
      let nodes = try store.fetch(Node.all.prefetch(\.children, \.parent))
      #expect(nodes[0].children.loaded?.first?.children.loaded?.first?.id == "a")
      guard case .fetched(_, let graph) = nodes[0].children.state else {
        Issue.record("the links were not fetched")
        return
      }
      reference.graph = graph
      references.append(reference)
      kept = nodes[1]
    }
    #expect(references.count { $0.graph != nil } == 1)
    #expect(kept?.parent.loaded?.parent.loaded?.id == "b")
    kept = nil
    #expect(references.allSatisfy { $0.graph == nil })
  }

  @Test(
    "5.8: a to-many that a row initialiser leaves out is not loaded, and not cleared by a save",
    arguments: StoreKind.everywhere)
  func linksLeftOut(on tested: StoreKind) throws {
    let store = try open(tested)
    try store.insert([Node("a"), Node("b", parent: .key("a"))])
    let a = try #require(try store.find(Node.self, "a"))
    #expect(a.children.ids == nil)
    #expect(try store.fetch(Node.all).allSatisfy { $0.children.ids == nil })
    try store.save(a)
    #expect(try store.load(a, \.children).map(\.id) == ["b"])
    #expect(try store.fetch(Node.all.prefetch(\.children))[0].children.ids == ["b"])
    try store.insert(Careless(id: 1))
    #expect(fault { _ = try store.find(Careless.self, 1) } == "decoding node")
    #expect(fault { _ = try store.fetch(Careless.all) } == "decoding node")
  }

  @Test(
    "2.3: keys that Swift takes for equal texts are two objects of a graph",
    arguments: StoreKind.everywhere)
  func textKeys(on tested: StoreKind) throws {
    let store = try open(tested)
    let composed = "caf\u{e9}"
    let decomposed = "cafe\u{301}"
    #expect(composed == decomposed)
    try store.insert([Node(composed), Node(decomposed)])
    try store.insert([
      Node("x", parent: .key(composed)), Node("y", parent: .key(decomposed)),
    ])
    let nodes = try store.fetch(Node.all.prefetch(\.children, \.parent))
    // By code point: "cafe…" before "café".
    #expect(nodes.map { $0.children.loaded?.map(\.id) } == [["y"], ["x"], [], []])
    let scalars = nodes.suffix(2).map { $0.parent.loaded?.id.unicodeScalars.count }
    #expect(scalars == [4, 5])
  }

  @Test("5.8: a model without a key prefetches its to-ones", arguments: StoreKind.everywhere)
  func keyless(on tested: StoreKind) throws {
    let store = try open(tested)
    try store.insert([Node("a"), Node("b", parent: .key("a"))])
    try store.insert([
      Mark(text: "1", node: .key("b")), Mark(text: "2", node: nil),
    ])
    let marks = try store.fetch(Mark.all.prefetch(\.node) { $0.prefetch(\.parent, \.children) })
    #expect(marks.map { $0.node.loaded?.id } == ["b", nil])
    #expect(marks.map(\.node.isLoaded) == [true, true])
    #expect(marks[0].node.loaded?.parent.loaded?.id == "a")
    #expect(marks[0].node.loaded?.children.loaded == [])
    let plain = try store.fetch(Mark.all)
    #expect(try store.load(plain, \.node).map { $0.node.loaded?.id } == ["b", nil])
    #expect(try store.load(plain[0], \.node)?.id == "b")
  }

  @Test(
    "5.8: one-way relationships, held by the targets and shared, in their order",
    arguments: StoreKind.everywhere)
  func oneWay(on tested: StoreKind) throws {
    let store = try open(tested)
    try store.insert(["a", "b", "c"].map { Node($0) })
    try store.save([
      Referrer(id: 1, own: .keys(["c", "a"]), shared: .keys(["c", "b", "a"])),
      Referrer(id: 2, own: .keys(["b"]), shared: .keys(["b", "c"])),
    ])
    let referrers = try store.fetch(Referrer.all.prefetch(\.own, \.shared))
    #expect(referrers.map(\.own.ids) == [["c", "a"], ["b"]])
    #expect(referrers.map(\.shared.ids) == [["c", "b", "a"], ["b", "c"]])
    #expect(referrers[1].shared.loaded?.map(\.id) == ["b", "c"])
  }

  @Test(
    "7.4: a prefetch that cannot be made throws its error before a store is asked",
    arguments: StoreKind.everywhere)
  func faults(on tested: StoreKind) throws {
    let store = try open(tested)
    let text = #"{"branches":[{"relationship":"nobody","then":{"branches":[]}}]}"#
    var query = Node.all
    query.prefetches = try JSONDecoder().decode(PrefetchTree.self, from: Data(text.utf8))
    #expect(fault { _ = try store.fetch(query) } == "unknownAttribute nobody")
    #expect(fault { _ = try store.first(query) } == "unknownAttribute nobody")
    #expect(
      fault { _ = try store.fetch(Node.all.prefetch(\.children, depth: -1)) } == "invalidCondition")
    #expect(
      fault { _ = try store.fetch(Node.all.prefetch(\.children, depth: 201)) } == "tooComplex")
    try store.insert(Node("a"))
    #expect(try store.fetch(Node.all.prefetch(\.children, depth: 200)).count == 1)
    #expect(try store.fetch(Node.all.prefetch(\.children, depth: 0))[0].children.ids == nil)
  }

  @Test("a query with a prefetch is a value: equal, printed, and stored as JSON")
  func values() throws {
    let query = Node.all.prefetch(\.parent) { $0.prefetch(\.children) }.prefetch(\.children)
    #expect(
      query
        == Node.all.prefetch(\.parent).prefetch(\.parent) { $0.prefetch(\.children) }
        .prefetch(\.children))
    #expect(query != Node.all.prefetch(\.parent, \.children))
    #expect("\(query)" == "Node prefetching parent { children }, children")
    #expect(
      "\(Node.all.prefetch(\.children, depth: 2))" == "Node prefetching children { children }")
    let copy = try JSONDecoder().decode(Query<Node>.self, from: JSONEncoder().encode(query))
    #expect(copy == query)
    #expect(copy.hashValue == query.hashValue)
    let plain = try JSONEncoder().encode(Node.all)
    #expect(!String(decoding: plain, as: UTF8.self).contains("prefetches"))
    #expect(try JSONDecoder().decode(Query<Node>.self, from: plain) == Node.all)
  }

  @Test("5.8: objects that the program linked are taken into a graph as if they had been fetched")
  func graphOfGivenObjects() throws {
    let store = try open()
    try store.insert([Node("a"), Node("b", parent: .key("a")), Node("c", parent: .key("a"))])
    var root = Node("a")
    root.children = [Node("other")]
    let tree = Prefetch<Node>().prefetch(\.children).tree
    let roots = try store.read { tx in
      try tx.loadGraph(roots: [root, Node("b", parent: .to(root)), root], tree: tree)
    }
    #expect(roots.map(\.id) == ["a", "b", "a"])
    #expect(roots.map(\.children.ids) == [["b", "c"], [], ["b", "c"]])
    #expect(roots[1].parent.loaded?.children.ids == ["b", "c"])
    #expect(roots[0].children.loaded?.map { $0.parent.loaded?.id } == ["a", "a"])
  }

  @Test("the operations on models, through the default store")
  func defaultStore() async throws {
    let store = try open()
    try await store.insert([Node("a"), Node("b", parent: .key("a"))])
    try await Persistence.with(store) {
      let a = try await Node.find("a", prefetch: \.children, \.parent)
      #expect(a?.children.ids == ["b"])
      let nodes = try await Node.fetch()
      #expect(try await store.load(nodes, \.children).map(\.children.ids) == [["b"], []])
      #expect(try await nodes[0].load(\.children).map(\.id) == ["b"])
      #expect(try await nodes[1].load(\.parent)?.id == "a")
      let found = try await store.find(Node.self, ["b"], prefetch: \.parent)
      #expect(found.first?.parent.loaded?.id == "a")
    }
  }
}
