internal import ORM
internal import ORMCore

/// A difference of a store from the naive model.
struct RandomMismatch {
  var subject: String
  var expected: RandomOutcome
  var got: RandomOutcome

  /// Returns whether two mismatches are of one nature, so that shrinking does not wander off to
  /// another.
  func isLike(_ other: RandomMismatch) -> Bool { nature == other.nature }

  private var nature: [String] {
    [expected, got].map { outcome in
      if case .refused(let faults) = outcome { "\(faults.map(\.code.rawValue))" } else { "values" }
    }
  }
}

/// One request over some rows of one model, which is run, compared and shrunk.
struct RequestTrial: Sendable {
  var entity: EntityDescription
  var rows: [NaiveRow]
  var request: RandomRequest

  /// Runs the trial on a new store; nil when the store answers as the naive model does.
  func mismatch(on provider: any StoreProvider) throws -> RandomMismatch? {
    try RandomEntity.$current.withValue(RandomEntity(entity)) {
      let run = try RandomStore(entity, provider)
      defer { run.closeQuietly() }
      var model = NaiveModel(entity)
      if let mismatch = try run.fill(rows, &model) { return mismatch }
      return try run.mismatch(request, model)
    }
  }
}

/// A store of a random model under trial.
final class RandomStore {
  let entity: EntityDescription
  let provider: any StoreProvider
  private let schema: Schema
  private(set) var store: any Store
  private var options = StoreOptions()

  init(
    _ entity: EntityDescription, _ provider: any StoreProvider, history: HistoryPolicy = .asStored
  ) throws {
    self.entity = entity
    self.provider = provider
    schema = try RandomModel(entity).schema
    // These trials do not depend on the disk.
    options.durability = .off
    options.history = history
    store = try provider.make(schema: schema, options: options)
  }

  /// Saves rows one by one, as far as unique rules let them; many of them together.
  func fill(_ rows: [NaiveRow], _ model: inout NaiveModel) throws -> RandomMismatch? {
    try store.write { transaction in
      let isLarge = rows.count >= RandomSizes.thresholds.last ?? .max
      for rows in isLarge ? [rows] : rows.map({ [$0] }) {
        let step = RandomStep.put(.upsert, rows)
        let expected = try RandomOutcome { try step.apply(to: &model) }
        let got = try RandomOutcome { try step.run(transaction, entity) }
        guard expected.admits(got) else {
          return RandomMismatch(subject: "\(step)", expected: expected, got: got)
        }
      }
      return nil
    }
  }

  /// Returns the difference of the whole content; nil if there is none.
  func mismatch(with model: NaiveModel) throws -> RandomMismatch? {
    try mismatch(RandomRequest(), model)
  }

  func mismatch(_ request: RandomRequest, _ model: NaiveModel) throws -> RandomMismatch? {
    let expected = try RandomOutcome { try request.ask(model) }
    let got = try RandomOutcome { try store.read { try request.ask($0, entity) } }
    return expected.admits(got)
      ? nil : RandomMismatch(subject: "", expected: expected, got: got)
  }

  func reopen() throws { store = try provider.reopen(store, schema: schema, options: options) }

  func close() throws { try store.close() }

  func closeQuietly() { try? store.close() }
}
