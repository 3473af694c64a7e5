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
    try note(in: files)
    let writer = try writer(WriteTurn())
    defer { writer.end() }
    // Another process may have failed to commit meanwhile.
    guard try files.folder.newNames().isEmpty else { return 0 }
    let removed = try files.removeUnused(by: writer, keeping: [], waits: false)
    try writer.commit()
    return removed
  }

  /// Counts the contents that no count knows, and those again that a failed commit may have begun to
  /// refer to: once this is committed, that commit has either been found or undone.
  private func note(in files: ExternalFiles) throws {
    let writer = try writer(WriteTurn())
    defer { writer.end() }
    let begun = try files.folder.newNames()
    var unused = try files.uncounted(writer)
    if !begun.isEmpty {
      try ExternalCounts(writer).read(unused: true) { digest, _ in unused.append(digest) }
    }
    if !unused.isEmpty {
      try files.noteUnused(unused, by: writer)
      try writer.commit()
    }
    try files.removeBegun(begun)
  }
}
