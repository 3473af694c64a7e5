internal import ORM

extension RandomRun {
  /// Runs so many random sequences of writes, each over models whose relationships are made at
  /// random: of every kind, with every delete rule on either end, required, ordered, counted, to
  /// self, over composite and generated keys.
  ///
  /// The whole graph is compared with a naive model after each step, read from either end, and the
  /// store is checked at the end of each sequence. The same seed does the same.
  ///
  /// - Throws: `ConformanceFailure` naming the seed, the relationships and the steps.
  public static func shapes(
    _ count: Int, seed: UInt64, on provider: any StoreProvider
  ) async throws {
    try await offThePool {
      for round in 0..<UInt64(max(1, count)) { try shape(seed &+ round, provider) }
    }
  }

  private static func shape(_ seed: UInt64, _ provider: any StoreProvider) throws {
    var random = RandomSource(seed: seed)
    let number = random.next() % (GraphShape.count - 1) + 1
    try shape(GraphShape.tag(number), seed, random, provider)
  }

  private static func shape<S: ShapeTag>(
    _ tag: S.Type, _ seed: UInt64, _ random: RandomSource, _ provider: any StoreProvider
  ) throws {
    let run = try ShapeRun(tag, provider)
    do {
      try shape(run, seed, random, provider.name)
    } catch {
      try? run.store.close()
      throw error
    }
    try run.store.close()
  }

  private static func shape<S: ShapeTag>(
    _ run: ShapeRun<S>, _ seed: UInt64, _ random: RandomSource, _ name: String
  ) throws {
    var graph = ShapedGraph(run.shape)
    var maker = ShapeMaker(run.shape, random)
    var steps: [String] = []
    func failure(_ subject: String, expected: String, got: String) -> ConformanceFailure {
      ConformanceFailure(
        name: "random relationships, STRATA_SEED=\(seed)", clauses: ["5.7", "5.8"], store: name,
        subject: "\(run.shape)" + steps.map { "\n  \($0)" }.joined() + "\n  \(subject)",
        expected: expected, got: got, place: "RandomShapes")
    }
    for _ in 0..<15 {
      let step = maker.step(over: graph)
      steps.append(step.text(run.shape))
      let expected = codes { try step.run(on: &graph) }
      let got = codes { try run.run(step) }
      if !expected.isEmpty { steps[steps.count - 1] += " (refused)" }
      guard got.isEmpty ? expected.isEmpty : got.isSubset(of: expected) else {
        throw failure("outcome", expected: text(expected), got: text(got))
      }
      let wanted = graph.lines()
      let found = try run.lines()
      guard wanted == found else {
        let difference = zip(wanted, found).first { $0 != $1 }
        throw failure(
          "the graph", expected: difference?.0 ?? "\(wanted.count) objects",
          got: difference?.1 ?? "\(found.count) objects")
      }
    }
    let report = try run.store.check(decoding: ShapeRun<S>.models)
    guard report.isSound else {
      throw failure("check()", expected: "no faults", got: "\(report)")
    }
  }

  /// The codes of what a step is refused for; none where it is done.
  private static func codes(_ body: () throws -> Void) -> Set<StoreError.Code> {
    do {
      try body()
      return []
    } catch let refusal as ShapedGraph.Refusal {
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
}
