internal import ORM
internal import ORMCore
internal import ORMObservation

extension RandomRun {
  /// Sequences of writes and reopenings, with a listener and a history at the same level.
  ///
  /// After each step, the history after the last token has the sets that the listener got. In the end,
  /// that after the first token has all of them.
  static let history = RandomRun("history", ["11.4", "11.5"], usualCount: 150) { round in
    let (entity, rows) = try round.entity(rows: 0...8)
    let level = round.random.pick(ChangeLevel.allCases.filter { $0 > .entities })
    var maker = RandomConditions(entity: entity, random: round.random)
    try RandomEntity.$current.withValue(RandomEntity(entity)) {
      let run = try RandomStore(
        entity, round.provider, history: .retained(atMost: 1_000_000, level: level))
      defer { run.closeQuietly() }
      var model = NaiveModel(entity)
      let start = try run.store.historyToken
      var token = start
      var live = try ChangeSets(run.store, level: level)
      var all: [ChangeSet] = []
      func check(_ subject: String) throws {
        let got = live.take()
        all += got
        let stored = try run.store.history(after: token)
        try same(stored, got, "\(subject): the history after \(token)")
        token = try run.store.historyToken
      }
      _ = try run.fill(rows, &model)
      try check("the first rows")
      try round.measure(run.store)
      for _ in 0..<round.repetitions(12, ofRows: 200) {
        let step = maker.step(over: model.rows)
        round.steps.append("\(step)")
        // Another run compares the store with the naive model.
        _ = try run.mismatch(step, &model)
        if case .reopen = step { live = try ChangeSets(run.store, level: level) }
        try check("the step")
      }
      try same(try run.store.history(after: start), all, "the whole history")
      try run.close()
    }
  }

  private static func same(
    _ stored: [ChangeSet], _ live: [ChangeSet], _ subject: String
  ) throws {
    try RandomDifference.check(
      lines: stored.map { "\($0.commit.number) \($0.entities)" },
      live.map { "\($0.commit.number) \($0.entities)" }, subject)
  }
}
