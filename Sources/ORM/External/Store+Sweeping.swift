public import ORMCore

extension Store {
  /// Removes the files of large values that no row refers to, and gives how many those were.
  ///
  /// ```swift
  /// let removed = try store.sweepExternalData()
  /// ```
  ///
  /// Commits do so by themselves; this is for files that they left because others still read them,
  /// or used the store, and for those that a power cut or another copy of the folder left. Files
  /// that a reader of this or another process may still see stay. Of a store that keeps no value
  /// outside of its rows, or has no file, nothing is removed.
  ///
  /// - Throws: `reentrancy` inside a block of this store; `busy`, `closed`, `forked`, `readOnly`,
  ///   `cannotOpen`, `inputOutput`.
  @discardableResult
  public func sweepExternalData() throws -> Int {
    try runtime.transactions.write { try self.sweep(in: $0) }
  }

  /// Removes the files of large values that no row refers to, off the cooperative pool.
  ///
  /// ```swift
  /// let removed = try await store.sweepExternalData()
  /// ```
  @discardableResult
  public func sweepExternalData() async throws -> Int {
    try await runtime.transactions.write { try self.sweep(in: $0) }
  }

  private func sweep(in admission: TransactionScheduler.Admission) throws -> Int {
    guard case .outer(let block) = admission else {
      throw StoreError(
        .reentrancy,
        "unused files cannot be swept inside a block of their store; sweep after it")
    }
    if runtime.options.isReadOnly {
      throw StoreError(.readOnly, "the store was opened read-only")
    }
    guard let files = try layers()?.external?.files else { return 0 }
    try block.beginCommit()
    return try files.sweep(self)
  }
}
