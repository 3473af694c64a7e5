internal import ORM

/// Random models, requests and sequences of writes: a store beside a naive model, which must give
/// the same values in the same order, to the last bit, and refuse the same things by the same codes.
///
/// What goes wrong is made smaller before it is told: fewer rows and steps, a smaller condition.
public enum RandomRun {
  /// Asks so many requests of a provider's stores, 100 over each random model and content.
  ///
  /// The same seed asks the same; each model has the next seed.
  ///
  /// - Throws: `ConformanceFailure` naming the seed, and the smallest rows and request found that
  ///   differ.
  public static func requests(
    _ count: Int, seed: UInt64, on provider: any StoreProvider
  ) async throws {
    try await offThePool {
      for round in 0..<UInt64(max(1, (count + 99) / 100)) {
        try ask(min(count, 100), seed &+ round, provider)
      }
    }
  }

  private static func ask(_ count: Int, _ seed: UInt64, _ provider: any StoreProvider) throws {
    var random = RandomSource(seed: seed)
    let entity = try RandomModel(&random).entity
    // Few rows: what differs between stores shows with a handful, and each is looked at often.
    let rows = (0..<random.number(0...30)).map { _ in entity.row(&random) }
    var requests = RandomConditions(entity: entity, random: random)
    let found = try RandomEntity.$current.withValue(RandomEntity(entity)) {
      () -> (RandomRequest, RandomMismatch)? in
      let run = try RandomStore(entity, provider)
      defer { run.closeQuietly() }
      var model = NaiveModel(entity)
      if let mismatch = try run.fill(rows, &model) { return (RandomRequest(), mismatch) }
      for _ in 0..<count {
        let request = requests.request(over: model.rows)
        if let mismatch = try run.mismatch(request, model) { return (request, mismatch) }
      }
      try run.close()
      return nil
    }
    guard let (request, mismatch) = found else { return }
    let trial = RequestTrial(entity: entity, rows: rows, request: request)
    throw try failure(of: trial, mismatch, seed, provider)
  }

  /// Runs so many random sequences of writes, comparing what each step gives and the whole content
  /// after it.
  ///
  /// - Throws: as `requests`.
  public static func sequences(
    _ count: Int, seed: UInt64, on provider: any StoreProvider
  ) async throws {
    try await offThePool {
      for round in 0..<UInt64(max(1, count)) { try write(seed &+ round, provider) }
    }
  }

  private static func write(_ seed: UInt64, _ provider: any StoreProvider) throws {
    var random = RandomSource(seed: seed)
    let entity = try RandomModel(&random).entity
    let rows = (0..<random.number(0...8)).map { _ in entity.row(&random) }
    var steps: [RandomStep] = []
    var maker = RandomConditions(entity: entity, random: random)
    let mismatch = try RandomEntity.$current.withValue(RandomEntity(entity)) {
      () -> RandomMismatch? in
      let run = try RandomStore(entity, provider)
      defer { run.closeQuietly() }
      var model = NaiveModel(entity)
      if let mismatch = try run.fill(rows, &model) { return mismatch }
      for _ in 0..<12 {
        let step = maker.step(over: model.rows)
        steps.append(step)
        if let mismatch = try run.mismatch(step, &model) { return mismatch }
      }
      try run.close()
      return nil
    }
    guard let mismatch else { return }
    let trial = WriteTrial(entity: entity, rows: rows, steps: steps)
    throw try failure(of: trial, mismatch, seed, provider)
  }

  /// The smallest trial that goes wrong as one did, as an error.
  private static func failure(
    of trial: some Shrinkable, _ mismatch: RandomMismatch, _ seed: UInt64,
    _ provider: any StoreProvider
  ) throws -> ConformanceFailure {
    guard let smallest = try trial.shrunk(on: provider) else {
      return trial.failure(mismatch, seed: seed, store: provider.name, isRepeatable: false)
    }
    return smallest.trial.failure(
      smallest.mismatch, seed: seed, store: provider.name, isRepeatable: true)
  }
}
