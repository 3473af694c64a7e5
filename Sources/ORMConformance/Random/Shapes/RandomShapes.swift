internal import ORM

extension RandomRun {
  /// Writes over models whose relationships are made at random: of every kind, with every delete rule
  /// on either end, required, ordered, counted, to self, over composite and generated keys.
  ///
  /// The whole graph, read from either end, is that of the naive model after each step.
  public static let shapes = RandomRun(
    "shapes", ["5.6", "5.7", "5.8", "2.9"], usualCount: 400
  ) { round in
    let number = round.random.next() % (GraphShape.count - 1) + 1
    try run(GraphShape.tag(number), round)
  }

  private static func run<S: ShapeTag>(_ tag: S.Type, _ round: RandomRound) throws {
    let run = try ShapeRun(tag, round)
    var graph = ShapedGraph(run.shape)
    var maker = ShapeMaker(run.shape, round.random)
    round.steps.append("\(run.shape)")
    for number in 0..<15 {
      let step = maker.step(over: graph)
      let expected = RandomRound.codes { try step.run(on: &graph) }
      round.steps.append(step.text(run.shape) + (expected.isEmpty ? "" : " (refused)"))
      try RandomDifference.check(codes: RandomRound.codes { try run.run(step) }, expected)
      try RandomDifference.check(
        lines: run.lines(byPages: number.isMultiple(of: 2)), graph.lines(), "the graph")
    }
    try round.check(run.store, decoding: ShapeRun<S>.models)
  }
}
