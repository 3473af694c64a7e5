internal import ORMStorage

/// The work before and after the engine's commit.
extension ExternalWriter {
  /// Makes counts and files agree with the rows as they will be after the commit.
  func settle(_ ledger: ExternalLedger) throws {
    var touched = ledger.entries.filter { digest, entry in
      entry.change != 0 || ledger.embedded.contains(digest)
    }
    for (digest, reference) in written where touched[digest] == nil {
      touched[digest] = .init(length: reference.length, change: 0)
    }
    let orphans = try begun.isEmpty ? [] : layer.files?.uncounted(base) ?? []
    if touched.isEmpty, orphans.isEmpty { return }
    let before = try ExternalCounts(base).counts(of: touched.keys)
    var counts: [(SHA256, ExternalCounts.Count)] = []
    var used: Set<SHA256> = []
    /// The contents without references before the transaction.
    var new: [SHA256] = []
    var unused: [SHA256] = []
    for (digest, entry) in touched {
      let old = before[digest]
      let references = max(0, (old?.references ?? 0) + entry.change)
      if references > 0 {
        used.insert(digest)
        if old?.references ?? 0 == 0 { new.append(digest) }
        if references == old?.references { continue }
        counts.append((digest, .init(length: entry.length, references: references, epoch: 0)))
      } else if let old, old.references > 0 || layer.files == nil {
        unused.append(digest)
      }
    }
    guard let files = layer.files else {
      try ExternalCounts.write(counts, by: base)
      return try ExternalCounts.remove(unused, by: base)
    }
    unused += orphans.filter { !used.contains($0) }
    try publish(used, new, in: files)
    if !unused.isEmpty {
      try files.folder.make()
      let epoch = try files.lock.raise()
      for digest in unused {
        let length = touched[digest]?.length ?? 0
        counts.append((digest, .init(length: length, references: 0, epoch: epoch)))
      }
    }
    try ExternalCounts.write(counts, by: base)
    if files.mayHaveUnused, begun.isEmpty {
      try files.removeUnused(by: base, keeping: used.union(unused), waits: true)
    }
    if !unused.isEmpty { files.noteUnused() }
  }

  /// Gives the contents that rows refer to their names, and removes the others.
  private func publish(_ used: Set<SHA256>, _ new: [SHA256], in files: ExternalFiles) throws {
    if !new.isEmpty { try leaveMark(in: files) }
    var named: [(name: String, digest: SHA256)] = []
    for digest in written.keys {
      if used.contains(digest) {
        named.append((name(of: digest), digest))
      } else {
        try files.folder.removeNew(name(of: digest))
      }
    }
    // If the commit fails, the mark leads to the files that have their names already.
    hasPublished = !named.isEmpty
    try files.folder.publish(named)
    // Left by a transaction that may have failed before it synced them.
    try files.folder.makeDurable(new.filter { written[$0] == nil })
    written = [:]
  }

  /// Removes the files of the transaction when it is rolled back.
  func abandon() {
    guard let files = layer.files, !mark.isEmpty else { return }
    // The next transaction finds a file that cannot be removed here, by its mark.
    do {
      for digest in written.keys { try files.folder.removeNew(name(of: digest)) }
      if !hasPublished { try files.folder.removeNew(mark) }
    } catch {
      store.runtime.report(error)
    }
  }

  /// Removes the mark of a committed transaction with those that it settled, and contents that no reader
  /// can see any longer.
  func finish() {
    guard let files = layer.files else { return }
    do {
      if !mark.isEmpty { try files.folder.removeNew(mark) }
      try files.removeBegun(begun)
      try files.removeUnusedNow(of: store)
    } catch {
      store.runtime.report(error)
    }
  }
}
