internal import ORMStorage

/// The contents beside a store's file: their locations, their readers, and their removal.
///
/// A commit that failed may have happened: an engine whose sync fails has written the commit, and the
/// next opening after a crash may find it. It is known that a later commit, once it succeeded, has either
/// found it or undone it. So a file is removed only if
///
/// 1. no row refers to it as of a commit that succeeded, which counts it with no references, and
/// 2. no transaction since then that may have happened refers to it. A transaction that begins to refer
///    to a content which nothing referred to leaves a mark in the folder before it commits, and removes
///    it once the commit has succeeded. While there is a mark of another transaction, no file is removed:
///    the next commit counts files without a count, and removes the marks.
package final class ExternalFiles: Sendable {
  let folder: ExternalFolder
  let lock: ExternalLock
  private let options: StoreOptions
  private let state = Lock(State())

  private struct State {
    /// True if contents may be noted that nothing refers to.
    var mayHaveUnused = true
    /// True if files of such contents may be there, because of a commit of this process.
    var mayHaveFiles = false
  }

  /// The least number of unused contents to remove at once where a power cut may undo commits.
  ///
  /// Before they are removed, everything written so far must be made durable.
  private static let fewest = 64

  init(besides file: String, options: StoreOptions) {
    folder = ExternalFolder(besides: file, syncs: options.durability != .off)
    lock = ExternalLock(folder: folder.path, isReadOnly: options.isReadOnly)
    self.options = options
  }

  /// True if there may be contents that wait to be removed.
  var mayHaveUnused: Bool { state.withLock { $0.mayHaveUnused } }

  /// Notes that there will be contents that nothing refers to.
  func noteUnused() { state.withLock { $0 = State(mayHaveUnused: true, mayHaveFiles: true) } }

  /// Removes contents that no row refers to since an earlier commit and no reader can see, in a write
  /// transaction, which deletes their counts.
  ///
  /// No other transaction can begin to refer to them meanwhile, since writers come one at a time.
  ///
  /// - Parameter waits: whether those that would first have to be made durable may wait.
  /// - Returns: how many files were removed.
  @discardableResult
  func removeUnused(
    by writer: any StoreWriter, keeping retained: Set<SHA256>, waits: Bool
  ) throws -> Int {
    var waiting = 0
    var free: [SHA256] = []
    try ExternalCounts(writer).read(unused: true) { digest, count in
      if retained.contains(digest) { return }
      if try lock.hasReaders(upTo: count.epoch) { waiting += 1 } else { free.append(digest) }
    }
    if options.durability != .full {
      if waits, free.count < Self.fewest {
        state.withLock { $0.mayHaveUnused = waiting + free.count > 0 }
        return 0
      }
      if !free.isEmpty { folder.syncAll() }
    }
    var removed = 0
    for digest in free where try folder.remove(digest) { removed += 1 }
    try ExternalCounts.remove(free, by: writer)
    state.withLock { $0 = State(mayHaveUnused: waiting > 0, mayHaveFiles: waiting > 0) }
    return removed
  }

  /// Removes, after a commit, the files that no reader can see; their counts of 0 remain until the next
  /// transaction.
  ///
  /// If others use the store too, it is left to the next transaction, so that no caller waits for them.
  func removeUnusedNow(of store: any Store) throws {
    guard options.durability == .full, state.withLock({ $0.mayHaveFiles }), try lock.isAlone()
    else { return }
    let writer = try store.writer(WriteTurn())
    defer { writer.end() }
    // Another process may have opened and closed the store, and left a commit that no one has
    // noticed.
    guard try folder.newNames().isEmpty else { return }
    var waiting = 0
    try ExternalCounts(writer).read(unused: true) { digest, count in
      if try lock.hasReaders(upTo: count.epoch) {
        waiting += 1
      } else {
        try folder.remove(digest)
      }
    }
    state.withLock { $0.mayHaveFiles = waiting > 0 }
  }

  /// Returns the number of contents in the folder that no row refers to, by the counts of a view.
  package func countUnused(_ view: any StoreReader) throws -> Int {
    var unused = 0
    try folder.digests { digests in
      let known = try ExternalCounts(view).counts(of: digests)
      unused += digests.count { known[$0].map { $0.references == 0 } ?? true }
    }
    return unused
  }

  /// The contents in the folder that a view of the store does not count: left by killed processes, and by
  /// commits that failed.
  func uncounted(_ view: any StoreReader) throws -> [SHA256] {
    var uncounted: [SHA256] = []
    try folder.digests { digests in
      let known = try ExternalCounts(view).counts(of: digests)
      uncounted += digests.filter { known[$0] == nil }
    }
    return uncounted
  }

  /// Counts contents that no row refers to, so that a later transaction removes their files.
  func noteUnused(_ digests: [SHA256], by writer: any StoreWriter) throws {
    if digests.isEmpty { return }
    try folder.make()
    let epoch = try lock.raise()
    try ExternalCounts.write(
      digests.map { ($0, .init(length: 0, references: 0, epoch: epoch)) }, by: writer)
    noteUnused()
  }

  /// Removes files that earlier transactions have begun and not ended.
  func removeBegun(_ names: [String]) throws {
    for name in names { try folder.removeNew(name) }
  }
}
