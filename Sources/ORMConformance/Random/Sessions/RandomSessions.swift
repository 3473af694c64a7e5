internal import ORM
internal import ORMSessions

extension RandomRun {
  /// Random sessions beside a naive one.
  ///
  /// The steps are edits, inserts, deletes, undo, redo, saves with each policy, rollback, children, and
  /// commits of others. A third of the seeds has a soft delete.
  static let sessions = RandomRun(
    "sessions", ["11.9", "11.10", "11.11", "11.12", "11.13"], usualCount: 300
  ) { round in
    let store = try round.store(Schema(models: [Snack.self, Article.self, Sketch.self]))
    switch round.seed % 3 {
    case 0: try run(RandomEditing<Snack>(round.random, store), round)
    case 1: try run(RandomEditing<Article>(round.random, store), round)
    default: try run(RandomEditing<Sketch>(round.random, store), round)
    }
  }

  /// Random sessions over a hierarchy with delete rules, beside a naive one.
  ///
  /// A row has several handles, and deletes cascade, clear links or are denied.
  static let sessionHerds = RandomRun(
    "session herds", ["5.7", "5.11", "11.9", "11.10", "11.11", "11.12", "11.13"], usualCount: 150
  ) { round in
    let store = try round.store(
      Schema(models: [Beast.self, Lion.self, Cub.self, Den.self, BeastTag.self]))
    let editing = try RandomHerdEditing(round.random, store, tags: round.largeKeys)
    try round.measure(store)
    for _ in 0..<round.repetitions(60, ofRows: 400) {
      round.steps.append(try editing.step())
      try editing.compare()
    }
    try editing.undoAll()
    try round.check(store)
  }

  private static func run<Model: BatchDraftable>(
    _ editing: RandomEditing<Model>, _ round: RandomRound
  ) throws {
    try editing.begin(with: round.largeKeys)
    try round.measure(editing.store)
    for _ in 0..<round.repetitions(60, ofRows: 400) {
      round.steps.append(try editing.step())
      try editing.compare()
    }
    try editing.undoAll()
  }
}
