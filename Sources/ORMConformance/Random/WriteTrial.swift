internal import ORM

/// A sequence of writes on some rows of one model, which is run, compared and shrunk.
struct WriteTrial: Sendable {
  var entity: EntityDescription
  var rows: [NaiveRow]
  var steps: [RandomStep]

  /// Runs the trial on a new store, comparing the result of each step and the whole content after it; nil
  /// if the store agrees with the naive model.
  func mismatch(on provider: any StoreProvider) throws -> RandomMismatch? {
    try RandomEntity.$current.withValue(RandomEntity(entity)) {
      let run = try RandomStore(entity, provider)
      defer { run.closeQuietly() }
      var model = NaiveModel(entity)
      if let mismatch = try run.fill(rows, &model) { return mismatch }
      for (index, step) in steps.enumerated() {
        guard var mismatch = try run.mismatch(step, &model) else { continue }
        mismatch.subject = "step \(index + 1), \(mismatch.subject)"
        return mismatch
      }
      return nil
    }
  }
}

extension RandomStore {
  /// Does one step on the store and on the naive model.
  func mismatch(_ step: RandomStep, _ model: inout NaiveModel) throws -> RandomMismatch? {
    var found: RandomMismatch?
    switch step {
    case .reopen: try reopen()
    case .transaction(let steps, let isUndone):
      var copy = model
      do {
        try store.write { transaction in
          found = try run(steps, in: transaction, &copy)
          if isUndone || found != nil { throw RandomUndo() }
        }
        model = copy
      } catch is RandomUndo {}
    default:
      let expected = try RandomOutcome { try step.apply(to: &model) }
      let got = try RandomOutcome { try store.write { try step.run($0, entity) } }
      if !expected.admits(got) {
        found = RandomMismatch(subject: "\(step)", expected: expected, got: got)
      }
    }
    if let found { return found }
    guard var mismatch = try mismatch(with: model) else { return nil }
    mismatch.subject = "everything after \(step)"
    return mismatch
  }

  /// Does steps in one transaction; those that fail have changed nothing, and the next one comes.
  private func run(
    _ steps: [RandomStep], in transaction: WriteTransaction, _ model: inout NaiveModel
  ) throws -> RandomMismatch? {
    for step in steps {
      if case .savepoint(let steps, let isUndone) = step {
        var copy = model
        var found: RandomMismatch?
        do {
          try transaction.savepoint { transaction in
            found = try run(steps, in: transaction, &copy)
            if isUndone || found != nil { throw RandomUndo() }
          }
          model = copy
        } catch is RandomUndo {}
        if let found { return found }
        continue
      }
      let expected = try RandomOutcome { try step.apply(to: &model) }
      let got = try RandomOutcome { try step.run(transaction, entity) }
      if !expected.admits(got) {
        return RandomMismatch(subject: "\(step)", expected: expected, got: got)
      }
    }
    return nil
  }
}
