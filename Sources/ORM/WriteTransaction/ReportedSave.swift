public import ORMCore

/// A model as a save stored it, with the effect of the save on its row.
///
/// ```swift
/// let saved = try store.save(snack, as: ReportedSave.self)
/// if saved.outcome == .inserted { print("new: \(saved.model.id)") }
/// ```
public struct ReportedSave<Model: PrimaryKeyed>: Sendable {
  /// The model as stored, with its generated key.
  public var model: Model
  /// The effect on the model's own row: `.inserted`, `.updated` or `.unchanged`.
  public var outcome: PutOutcome
}

extension ReportedSave: Equatable where Model: Equatable {}
extension ReportedSave: Hashable where Model: Hashable {}

extension WriteTransaction {
  /// Saves the model, and reports if its row was inserted, updated or left unchanged.
  ///
  /// Of the objects that the model's links reach, none is counted: the outcome is that of the model's
  /// own row. A row that `.insertOnly` leaves alone is unchanged.
  ///
  /// ```swift
  /// let saved = try tx.save(Snack(id: 7, name: "Chips"), as: ReportedSave.self)
  /// saved.outcome                                                // .inserted
  /// try tx.save(saved.model, as: ReportedSave.self).outcome      // .unchanged
  /// ```
  ///
  /// - Throws: the errors of `save`.
  @discardableResult
  public func save<Model: PrimaryKeyed>(
    _ model: Model, merge: MergePolicy<Model> = .storeDefault, as report: ReportedSave<Model>.Type
  ) throws -> ReportedSave<Model> {
    let plan = try plan(of: Model.self)
    let merge = merge.resolved(in: store)
    if plan.hasLinks {
      let saved = try writeGraph([GraphRoot(model, demand: .none)], merge: merge, isReadAgain: true)
      return ReportedSave(
        model: try result(of: saved, for: model, merge: merge), outcome: saved.counts.single)
    }
    let result = try put([model], request(for: merge, plan: plan), plan: plan)
    let key = result.keys[0]
    if case .replace = merge.kind, !plan.isChangedByWrites {
      var model = model
      // An object of a class model was given its key already.
      if plan.givesKeys, !plan.isClass { model.id = key }
      return ReportedSave(
        model: plan.isNormalizing ? try model.asStored() : model, outcome: result.counts.single)
    }
    return ReportedSave(
      model: try stored(Model.self, key) ?? model, outcome: result.counts.single)
  }
}

extension SaveCounts {
  /// The outcome of the one object that was saved.
  fileprivate var single: PutOutcome {
    inserted > 0 ? .inserted : updated > 0 ? .updated : .unchanged
  }
}
