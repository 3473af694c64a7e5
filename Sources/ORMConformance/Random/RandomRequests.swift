internal import ORM

extension RandomRun {
  /// Requests over random models and rows: the same values in the same order, bit for bit.
  ///
  /// A difference is reduced to the fewest rows and the smallest condition that show it.
  public static let requests = RandomRun(
    "requests", ["2.1", "3.1", "4.1"], usualCount: 20_000, trialsPerSeed: 100
  ) { round in
    let (entity, rows) = try round.entity(rows: 0...30)
    var requests = RandomConditions(entity: entity, random: round.random)
    let found = try RandomEntity.$current.withValue(RandomEntity(entity)) {
      () -> (RandomRequest, RandomMismatch)? in
      let run = try RandomStore(entity, round.provider)
      defer { run.closeQuietly() }
      var model = NaiveModel(entity)
      if let mismatch = try run.fill(rows, &model) { return (RandomRequest(), mismatch) }
      try round.measure(run.store)
      for _ in 0..<round.repetitions(round.count) {
        let request = requests.request(over: model.rows)
        if let mismatch = try run.mismatch(request, model) { return (request, mismatch) }
      }
      try run.close()
      return nil
    }
    guard let (request, mismatch) = found else { return }
    let trial = RequestTrial(entity: entity, rows: rows, request: request)
    throw try round.failure(of: trial, mismatch)
  }

  /// Sequences of writes: each step gives the same and leaves the same content, and is refused by
  /// the same codes.
  ///
  /// A difference is reduced to the fewest rows and steps that show it.
  public static let sequences = RandomRun("sequences", ["5.1"], usualCount: 1_000) { round in
    let (entity, rows) = try round.entity(rows: 0...8)
    var steps: [RandomStep] = []
    var maker = RandomConditions(entity: entity, random: round.random)
    let mismatch = try RandomEntity.$current.withValue(RandomEntity(entity)) {
      () -> RandomMismatch? in
      let run = try RandomStore(entity, round.provider)
      defer { run.closeQuietly() }
      var model = NaiveModel(entity)
      if let mismatch = try run.fill(rows, &model) { return mismatch }
      try round.measure(run.store)
      for _ in 0..<round.repetitions(12, ofRows: 200) {
        let step = maker.step(over: model.rows)
        steps.append(step)
        if let mismatch = try run.mismatch(step, &model) { return mismatch }
      }
      try run.close()
      return nil
    }
    guard let mismatch else { return }
    throw try round.failure(of: WriteTrial(entity: entity, rows: rows, steps: steps), mismatch)
  }
}

extension EntityDescription {
  /// True if rows of random values get along with each other, but for the first part of the key.
  fileprivate var takesManyRows: Bool {
    guard !indexes.contains(where: \.isUnique) else { return false }
    guard let first = key.first else { return true }
    return attributes.contains {
      $0.name == first && ($0.type == .int64 || $0.type == .string)
    }
  }
}

extension RandomRound {
  /// Makes a random entity, and the rows that the round begins with.
  ///
  /// In a large round, the entity has keys of which there are enough, and no unique rule.
  func entity(rows small: ClosedRange<Int>) throws -> (EntityDescription, [NaiveRow]) {
    var entity = try RandomModel(&random).entity
    while size != nil, !entity.takesManyRows { entity = try RandomModel(&random).entity }
    var rows = (0..<rows(small)).map { _ in entity.row(&random) }
    if size != nil, let key = entity.key.first {
      let isText = entity.attributes.first { $0.name == key }?.type == .string
      for number in rows.indices {
        rows[number][key] = isText ? .string("k\(number)") : .int(Int64(number + 1))
      }
    }
    return (entity, rows)
  }

  /// The smallest trial that goes wrong as one did, as an error.
  fileprivate func failure(
    of trial: some Shrinkable, _ mismatch: RandomMismatch
  ) throws -> ConformanceFailure {
    guard let smallest = try trial.shrunk(on: provider) else {
      return trial.failure(mismatch, seed: seed, store: provider.name, isRepeatable: false)
    }
    return smallest.trial.failure(
      smallest.mismatch, seed: seed, store: provider.name, isRepeatable: true)
  }
}
