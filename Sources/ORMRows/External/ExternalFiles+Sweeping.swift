internal import ORMStorage

extension ExternalFiles {
  /// Removes the files that no row refers to, in write transactions of its own; gives their number.
  package func sweep(_ store: any Store) throws -> Int {
    try note(in: store)
    let writer = try store.writer(WriteTurn())
    defer { writer.end() }
    // Another process may have failed to commit meanwhile.
    guard try folder.newNames().isEmpty else { return 0 }
    let removed = try removeUnused(by: writer, keeping: [], waits: false)
    try writer.commit()
    return removed
  }

  /// Counts the contents that no count knows, and those again that a failed commit may have begun to
  /// refer to: once this is committed, that commit has either been found or undone.
  private func note(in store: any Store) throws {
    let writer = try store.writer(WriteTurn())
    defer { writer.end() }
    let begun = try folder.newNames()
    var unused = try uncounted(writer)
    if !begun.isEmpty {
      try ExternalCounts(writer).read(unused: true) { digest, _ in unused.append(digest) }
    }
    if !unused.isEmpty {
      try noteUnused(unused, by: writer)
      try writer.commit()
    }
    try removeBegun(begun)
  }
}
