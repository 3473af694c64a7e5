internal import ORM

extension RandomRun {
  /// Runs so many random sequences of writes to objects with relationships of every kind and every
  /// delete rule, comparing the whole graph after each step with a naive model, read from either
  /// end, and checking the store at the end of each sequence.
  ///
  /// - Throws: `ConformanceFailure` naming the seed and the steps.
  public static func graphs(_ count: Int, seed: UInt64, on provider: any StoreProvider) async throws
  {
    try await offThePool {
      for round in 0..<UInt64(max(1, count)) { try graph(seed &+ round, provider) }
    }
  }

  private static func graph(_ seed: UInt64, _ provider: any StoreProvider) throws {
    var random = RandomSource(seed: seed)
    let schema = try Schema(Node.self, Badge.self, Circle.self, Remark.self, Mark.self)
    let store = try provider.make(schema: schema, options: StoreOptions())
    var graph = NaiveGraph()
    var steps: [GraphStep] = []
    func failure(_ subject: String, expected: String, got: String) -> ConformanceFailure {
      ConformanceFailure(
        name: "random graph, STRATA_SEED=\(seed)", clauses: ["5.7", "5.8"], store: provider.name,
        subject: steps.map { "\n  \($0)" }.joined() + "\n  \(subject)", expected: expected,
        got: got, place: "RandomGraphs")
    }
    do {
      for _ in 0..<20 {
        let step = GraphStep.make(&random, over: graph)
        steps.append(step)
        let expected = Self.codes { try step.run(on: &graph) }
        let got = Self.codes { try step.run(on: store) }
        guard got.isEmpty ? expected.isEmpty : got.isSubset(of: expected) else {
          throw failure("outcome", expected: Self.text(expected), got: Self.text(got))
        }
        let wanted = Self.lines(of: graph)
        let found = try Self.lines(of: store)
        guard wanted == found else {
          let difference = zip(wanted, found).first { $0 != $1 }
          throw failure(
            "the graph", expected: difference?.0 ?? "\(wanted.count) objects",
            got: difference?.1 ?? "\(found.count) objects")
        }
      }
      let report = try store.check(
        decoding: [Node.self, Badge.self, Circle.self, Remark.self, Mark.self])
      guard report.isSound else {
        throw failure("check()", expected: "no faults", got: "\(report)")
      }
    } catch {
      try? store.close()
      throw error
    }
    try store.close()
  }

  /// The codes of what a step is refused for; none where it is done.
  private static func codes(_ body: () throws -> Void) -> Set<StoreError.Code> {
    do {
      try body()
      return []
    } catch let refusal as NaiveGraph.Refusal {
      return refusal.codes
    } catch let error as StoreError {
      return [error.code]
    } catch {
      return [StoreError.Code(rawValue: "\(error)")]
    }
  }

  private static func text(_ codes: Set<StoreError.Code>) -> String {
    codes.isEmpty ? "done" : codes.map(\.rawValue).sorted().joined(separator: " or ")
  }

  /// The graph in words, an object a line, each link told from both ends.
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
      case .badge: line += " holder \(owners(.badge))"
      case .circle: line += " members \(owners(.circles))"
      case .note, .mark: break
      }
      return line
    }
  }

  /// The same read from a store.
  private static func lines(of store: any Store) throws -> [String] {
    try store.read { tx in
      var lines: [(String, Int64, String)] = []
      func list(_ id: Int64?) -> [Int64] { id.map { [$0] } ?? [] }
      for badge in try tx.fetch(Badge.all) {
        lines.append(("Badge", badge.id, " holder \(list(badge.holder.id))"))
      }
      for circle in try tx.fetch(Circle.all.prefetch(\.members)) {
        lines.append(
          ("Circle", circle.id, " members \((circle.members.ids ?? []).sorted())"))
      }
      for note in try tx.fetch(Remark.all) { lines.append(("Remark", note.id, "")) }
      for mark in try tx.fetch(Mark.all) { lines.append(("Mark", mark.id, "")) }
      let query = Node.all.prefetch(\.children, \.badge, \.circles, \.notes, \.marks)
      for node in try tx.fetch(query) {
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
