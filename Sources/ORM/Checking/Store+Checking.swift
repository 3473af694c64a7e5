public import ORMCore

extension ReadTransaction {
  /// Checks the whole store and returns a report of its faults.
  ///
  /// ```swift
  /// let report = try tx.check(decoding: [Snack.self])
  /// print(report.isSound, report.faults)
  /// ```
  ///
  /// Every row decodes; every index entry has its row and every row its entries, as far as the store's
  /// engine can tell; every link leads to a row, except where the rule `noAction` left it, which is
  /// counted and no fault; counts hold; derived attributes equal the values computed from their targets,
  /// else the fault `wrongDerived` has the stored value and the expected one as its values. The cost is
  /// that of reading everything several times, in constant memory but for the rows' sort keys.
  ///
  /// - Parameter models: models into which their rows are decoded as well, to check rules that only Swift
  ///   types have (the cases of an enum).
  /// - Throws: nothing for a store that is damaged: its report has the faults.
  public func check(decoding models: [any Persistable.Type] = []) throws -> StoreReport {
    var check = StoreCheck(self)
    return try check.run(decoding: models)
  }
}

extension Store {
  /// Checks the whole store and returns a report of its faults.
  ///
  /// ```swift
  /// let report = try store.check(decoding: [Snack.self])
  /// print(report.isSound ? "sound" : "\(report.faultCount) faults")
  /// ```
  ///
  /// See ``ReadTransaction/check(decoding:)``.
  public func check(
    decoding models: [any Persistable.Type] = [], consistency: ReadConsistency = .afterPendingWrites
  ) throws -> StoreReport {
    try read(consistency: consistency) { try $0.check(decoding: models) }
  }

  /// Checks the whole store and returns a report of its faults.
  ///
  /// ```swift
  /// let report = try await store.check()
  /// print(report)
  /// ```
  ///
  /// Runs off the calling thread.
  public func check(
    decoding models: [any Persistable.Type] = [], consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> StoreReport {
    try await read(consistency: consistency) { try $0.check(decoding: models) }
  }
}
