internal import ORM
internal import ORMObservation

extension RandomRun {
  /// Writes to objects with relationships of every kind and every delete rule: the whole graph, read
  /// from either end, is that of the naive model after each step.
  public static let graphs = RandomRun("graphs", ["5.7", "5.8", "2.9"], usualCount: 400) { round in
    let models: [any Persistable.Type] = [
      Node.self, Badge.self, Circle.self, Remark.self, Mark.self,
    ]
    let store = try round.store(
      try Schema(Node.self, Badge.self, Circle.self, Remark.self, Mark.self), durability: .full)
    var graph = NaiveGraph()
    for number in 0..<round.repetitions(20, ofRows: 200) {
      var step = GraphStep.make(&round.random, over: graph)
      // A large round begins with nodes.
      if number == 0, round.size != nil {
        step = .plain(round.largeKeys.map { .init(entity: .node, id: Int64($0)) })
      }
      round.steps.append("\(step)")
      let expected = RandomRound.codes { try step.run(on: &graph) }
      try RandomDifference.check(codes: RandomRound.codes { try step.run(on: store) }, expected)
      try RandomDifference.check(
        lines: lines(of: store, byPages: round.readsPages(number)), lines(of: graph), "the graph")
      if number == 0 { try round.measure(store) }
    }
    try round.check(store, decoding: models)
  }

  /// The graph in words, an object a line, each link named at both ends.
  private static func lines(of graph: NaiveGraph) -> [String] {
    graph.labels.keys.sorted().map { object in
      var line = "\(object.entity.rawValue) \(object.id)"
      func owners(_ relationship: NaiveGraph.Relationship) -> [Int64] {
        graph.links.filter { $0.relationship == relationship && $0.target == object.id }
          .map(\.owner).sorted()
      }
      switch object.entity {
      case .node:
        line += " label \(graph.labels[object] ?? 0) parent \(owners(.children))"
        for relationship in NaiveGraph.Relationship.allCases {
          line += " \(relationship) \(graph.targets(relationship, of: object.id))"
        }
      case .badge: line += " referrer \(owners(.badge))"
      case .circle: line += " members \(owners(.circles))"
      case .note, .mark: break
      }
      return line
    }
  }

  /// The same read from a store.
  ///
  /// - Parameter byPages: whether as pages, whose links a store may read with their rows.
  private static func lines(of store: any Store, byPages: Bool) throws -> [String] {
    try store.read { tx in
      var lines: [(String, Int64, String)] = []
      func list(_ id: Int64?) -> [Int64] { id.map { [$0] } ?? [] }
      for badge in try tx.fetch(Badge.all) {
        lines.append(("Badge", badge.id, " referrer \(list(badge.referrer.id))"))
      }
      func rows<Model: Persistable>(_ query: Query<Model>) throws -> [Model] {
        try tx.fetch(byPages ? query.limit(1_000) : query)
      }
      for circle in try rows(Circle.all.prefetch(\.members)) {
        lines.append(
          ("Circle", circle.id, " members \((circle.members.ids ?? []).sorted())"))
      }
      for note in try tx.fetch(Remark.all) { lines.append(("Remark", note.id, "")) }
      for mark in try tx.fetch(Mark.all) { lines.append(("Mark", mark.id, "")) }
      let query = Node.all.prefetch(\.children, \.badge, \.circles, \.notes, \.marks)
      for node in try rows(query) {
        var text = " label \(node.label) parent \(list(node.parent.id))"
        text += " children \(node.children.ids ?? []) badge \(list(node.badge.id))"
        text += " circles \((node.circles.ids ?? []).sorted())"
        text += " notes \((node.notes.ids ?? []).sorted())"
        text += " marks \((node.marks.ids ?? []).sorted()) nulled \(list(node.nulled.id))"
        text += " following \(list(node.following.id)) denying \(list(node.denying.id))"
        text += " dangling \(list(node.dangling.id))"
        lines.append(("Node", node.id, text))
      }
      return lines.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map { "\($0.0) \($0.1)\($0.2)" }
    }
  }
}
