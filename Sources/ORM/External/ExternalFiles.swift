internal import ORMCore

/// The contents beside a store's file: where they lie, who may still read them, and which may go.
final class ExternalFiles: Sendable {
  let folder: ExternalFolder
  let lock: ExternalLock
  private let options: StoreOptions
  private let state = Lock(State())

  private struct State {
    /// Whether contents may be noted that nothing refers to.
    var mayHaveUnused = true
    /// Whether files of such contents may be there, because of a commit of this process.
    var mayHaveFiles = false
  }

  /// Where a power cut may undo commits, contents are removed only when so many wait: before, all
  /// that was written must be made durable.
  private static let fewest = 64

  init(besides file: String, options: StoreOptions) {
    folder = ExternalFolder(besides: file, syncs: options.durability != .off)
    lock = ExternalLock(folder: folder.path, isReadOnly: options.isReadOnly)
    self.options = options
  }

  /// Whether there may be contents that wait to be removed.
  var mayHaveUnused: Bool { state.withLock { $0.mayHaveUnused } }

  /// Notes that there will be contents that nothing refers to.
  func noteUnused() { state.withLock { $0 = State(mayHaveUnused: true, mayHaveFiles: true) } }

  /// Removes contents that no row refers to since an earlier commit and nobody can see, in a write
  /// transaction, which forgets them.
  ///
  /// Nobody else can begin to refer to them meanwhile: that takes the transaction that this one is.
  ///
  /// - Parameter waits: whether those that would first have to be made durable may wait.
  /// - Returns: how many files were removed.
  @discardableResult
  func removeUnused(
    by writer: any StoreWriter, keeping kept: Set<SHA256>, waits: Bool
  ) throws -> Int {
    var waiting = 0
    var free: [SHA256] = []
    try ExternalCounts(writer).read(unused: true) { digest, count in
      if kept.contains(digest) { return }
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

  /// Removes, after a commit, the files that nobody can see; that nothing refers to them stays noted
  /// until the next transaction.
  ///
  /// Where others use the store as well it is left to that one, so that nobody waits for them.
  func removeUnusedNow(of store: any Store) throws {
    guard options.durability == .full, state.withLock({ $0.mayHaveFiles }), try lock.isAlone()
    else { return }
    let writer = try store.writer()
    defer { writer.end() }
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

  /// How many contents lie in the folder that no row refers to, as a view of the store tells.
  func countUnused(_ view: any StoreReader) throws -> Int {
    var unused = 0
    try folder.digests { digests in
      let known = try ExternalCounts(view).counts(of: digests)
      unused += digests.filter { known[$0].map { $0.references == 0 } ?? true }.count
    }
    return unused
  }

  /// Removes what killed processes left: files that no count knows, and what was begun.
  ///
  /// - Returns: how many contents were removed.
  @discardableResult
  func sweep(by writer: any StoreWriter) throws -> Int {
    let begun = try folder.newNames()
    var removed = 0
    try folder.digests { digests in
      let known = try ExternalCounts(writer).counts(of: digests)
      for digest in digests where known[digest] == nil {
        if try folder.remove(digest) { removed += 1 }
      }
    }
    for name in begun { try folder.removeNew(name) }
    return removed
  }
}
