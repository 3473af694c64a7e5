public import ORMCore

extension Store {
  /// Removes the files of large values that no row refers to, and gives how many those were.
  ///
  /// Commits do so by themselves; this is for files that they left because others still read them,
  /// or used the store, and for those that a power cut or another copy of the folder left. What a
  /// reader of this or another process may still see stays. Of a store that keeps no value outside of
  /// its rows, or has no file, nothing is removed.
  ///
  /// - Throws: `reentrancy` inside a block of this store; `busy`, `closed`, `forked`, `readOnly`,
  ///   `cannotOpen`, `inputOutput`.
  @discardableResult
  public func sweepExternalData() throws -> Int {
    try runtime.gate.write { try self.sweep(in: $0) }
  }

  /// Removes the files of large values that no row refers to, off the cooperative pool.
  @discardableResult
  public func sweepExternalData() async throws -> Int {
    try await runtime.gate.write { try self.sweep(in: $0) }
  }

  private func sweep(in admission: TransactionGate.Admission) throws -> Int {
    guard case .outer(let block) = admission else {
      throw StoreError(.reentrancy, "files are not swept inside a block of their store")
    }
    if runtime.options.isReadOnly {
      throw StoreError(.readOnly, "the store was opened for reading alone")
    }
    guard let files = try layers()?.external?.files else { return 0 }
    let writer = try writer()
    defer { writer.end() }
    var removed = try files.sweep(by: writer)
    removed += try files.removeUnused(by: writer, keeping: [], waits: false)
    try block.beginCommit()
    try writer.commit()
    return removed
  }
}
