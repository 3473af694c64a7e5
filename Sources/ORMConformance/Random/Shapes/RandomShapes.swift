internal import ORM

extension RandomRun {
  /// Writes over models whose relationships are made at random: of every kind, with every delete rule
  /// on either end, required, ordered, counted, to self, over composite and generated keys.
  ///
  /// The whole graph, read from either end, is that of the naive model after each step.
  public static let shapes = RandomRun(
    "shapes", ["5.6", "5.7", "5.8", "2.9"], usualCount: 400
  ) { round in
    var number = round.random.next() % (GraphShape.count - 1) + 1
    // A large round begins with objects that have no links: none may be required.
    while round.size != nil, ShapedGraph(ShapeTable.shape(number)).lonelyKind == nil {
      number = round.random.next() % (GraphShape.count - 1) + 1
    }
    try run(GraphShape.tag(number), round)
  }

  private static func run<S: ShapeTag>(_ tag: S.Type, _ round: RandomRound) throws {
    let run = try ShapeRun(tag, round)
    var graph = ShapedGraph(run.shape)
    var maker = ShapeMaker(run.shape, round.random)
    round.steps.append("\(run.shape)")
    for number in 0..<round.repetitions(15, ofRows: 200) {
      var step = maker.step(over: graph)
      if number == 0, round.size != nil, let kind = graph.lonelyKind {
        step = .save(
          round.largeKeys.map { ShapeDraft(kind: kind, id: $0, label: $0 % 10) }, .none)
      }
      let expected = RandomRound.codes { try step.run(on: &graph) }
      round.steps.append(step.text(run.shape) + (expected.isEmpty ? "" : " (refused)"))
      try RandomDifference.check(codes: RandomRound.codes { try run.run(step) }, expected)
      try RandomDifference.check(
        lines: run.lines(byPages: round.readsPages(number)), graph.lines(), "the graph")
      if number == 0 { try round.measure(run.store) }
    }
    try round.check(run.store, decoding: ShapeRun<S>.models)
  }
}

extension ShapedGraph {
  /// A kind whose objects can be saved without links; nil if there is none.
  fileprivate var lonelyKind: Int? {
    GraphShape.kinds.first { kind in
      var copy = self
      let draft = ShapeDraft(kind: kind, id: RandomSizes.firstKey, label: 0)
      return RandomRound.codes { try copy.save([draft]) }.isEmpty
    }
  }
}
