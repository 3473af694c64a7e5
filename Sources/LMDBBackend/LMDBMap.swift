package import ORMStorage
internal import OrderedEngine

/// An ordered map in one LMDB file.
///
/// `path` is the data file; beside it are the library's lock file, `-lock`, and the ``LMDBLockFile``'s,
/// `-guard`, both of which may be deleted while the store is not open. A file is open once in a process: a
/// second opening, by any path, throws `alreadyOpen`. Any number of processes may have it open; a process
/// that was forked throws `forked` and opens the file anew.
package final class LMDBMap: OrderedStore {
  /// The options with which a map is opened.
  package struct Options: Sendable {
    /// The durability of a commit.
    ///
    /// A killed process loses nothing with any. With `.normal` and `.off`, which are the same here,
    /// a power cut may lose the last commit, and never the file's consistency.
    package var durability: StoreOptions.Durability = .full
    /// True if nothing may be written; the file must exist.
    package var isReadOnly = false
    /// The policy that decides at opening whether the structure of the file is checked.
    package var verification: StoreOptions.Verification = .afterUncleanClose
    /// The most bytes of a file that is checked before the first write, though it was closed
    /// cleanly; see ``StoreOptions/Verification``.
    package var checkedSize = 64 << 20
    /// The number of seconds to wait for other processes, when opening and when the map must be
    /// grown.
    package var wait: Double = 30
    /// The address space to reserve, in bytes: the size the file may reach before the map must
    /// grow.
    ///
    /// To grow the map, all snapshots must have ended. Less is reserved where the system refuses.
    package var reservedSize = 1 << 40
    /// The number of snapshots all processes together may have open.
    package var maximumReaders = 1024
    /// The number of keyspaces the file may have.
    package var maximumKeyspaces = 4096
    /// The number of keyspaces to reserve capacity for in a file that has few, less than two fifths
    /// of it: the library copies its table of them at each write transaction, and clears it for
    /// each savepoint, which is most of the cost of a savepoint.
    ///
    /// Keyspaces that other processes add beyond it are `full` until the file is opened anew.
    package var usualKeyspaces = 4096
    /// True if the system reads ahead; not worth it when the file is larger than the memory.
    package var readsAhead = true
    /// True if snapshots read the mapped pages; ``LMDBLibraryMap`` sets it to false.
    var readsPagesDirectly = true

    /// The defaults.
    package init() {}
  }

  /// Pooled readers for the next snapshots; more are closed.
  static let idleReaders = 64

  let options: Options
  let file: LMDBFile
  let environment: LMDBEnvironment
  let forkGeneration: UInt64
  /// The longest key `put` takes: 511 bytes, or less where the library is built so.
  package let maximumKeyLength: Int
  let state: Lock<State>
  /// A lock held while handles of keyspaces are opened or published: the library gives handles their slots
  /// without a lock.
  ///
  /// Taken before `state`, never while it is held.
  let handleLock = Lock<Void>(())
  /// The one writer, used again by each batch.
  let writer: LMDBTransaction

  /// Opens the file, and makes it and its folders where they are missing.
  ///
  /// Throws `cannotOpen`, `alreadyOpen`, `busy`, `notADatabase`, `corrupt`, `unsupportedVersion`; a file
  /// that is refused is left as it was.
  package init(path: String, options: Options = Options()) throws {
    forkGeneration = ForkGeneration.current
    self.options = options
    file = try LMDBFile(path: path, options: options)
    do {
      environment = try options.environment(at: file.path)
    } catch {
      file.close(isClean: false)
      throw error
    }
    maximumKeyLength = min(environment.maximumKeyLength, LMDBFormat.maximumKeySize)
    writer = LMDBTransaction(writing: environment)
    state = Lock(State())
    do {
      try environment.freeDeadReaders()
      try openHandles()
      try file.noteLocks()
      if options.readsPagesDirectly { try findMapping() }
      file.finishOpening()
    } catch {
      // A map that failed here is released as well, and must not be closed a second time.
      state.withLock { $0.phase = .closed }
      environment.close()
      file.close(isClean: false)
      throw error
    }
  }

  deinit { try? close() }

  /// The state that the threads of this process share.
  struct State {
    enum Phase {
      case open
      /// Snapshots wait until the map is larger.
      case growing
      /// The file could not be mapped again: there is nothing to read.
      case unmapped
      case closed
    }

    var phase = Phase.open
    /// Readers that are reset and wait for the next snapshot.
    var idle: [LMDBReader] = []
    var snapshotCount = 0
    /// True if a batch is open, or waits to be.
    var isWriting = false
    /// True if it has begun, and may open handles.
    ///
    /// Changed under `handleLock`.
    var hasBegunWriting = false
    var table = LMDBKeyspaceTable.empty
  }

  /// Closes the file; `busy` while a snapshot or a batch is open.
  ///
  /// Safe to call twice.
  package func close() throws {
    // Everything belongs to the parent, of which another thread may have held the lock.
    if ForkGeneration.current != forkGeneration { return }
    let readers = try state.withLock { state -> [LMDBReader]? in
      if state.phase == .closed { return nil }
      guard state.snapshotCount == 0, !state.isWriting, state.phase != .growing else {
        throw StoreError(.busy, "\(file.path) cannot be closed while it is being read or written.")
      }
      state.phase = .closed
      defer { state.idle = [] }
      return state.idle
    }
    guard let readers else { return }
    for reader in readers { reader.close() }
    let synced = Result { if !options.isReadOnly { try environment.synchronize() } }
    environment.close()
    file.close(isClean: (try? synced.get()) != nil)
    try synced.get()
  }

  /// Throws unless the map can be used in this process.
  @inline(__always)
  func checkProcess() throws {
    if ForkGeneration.current != forkGeneration {
      throw StoreError(.forked, "\(file.path) was opened before this process was forked.")
    }
  }

  func error(of phase: State.Phase) -> StoreError {
    phase == .unmapped
      ? StoreError(
        .inputOutput,
        "\(file.path) could not be mapped again; close the store and open it again.")
      : StoreError(.closed, "\(file.path) was closed.")
  }
}

extension LMDBMap.Options {
  /// Opens the environment, with capacity for as many keyspaces as the file needs.
  fileprivate func environment(at path: String) throws -> LMDBEnvironment {
    var settings = settings
    if usualKeyspaces < maximumKeyspaces {
      settings.maximumKeyspaces = usualKeyspaces
      let environment = try LMDBEnvironment(path: path, settings: settings)
      if let count = try? environment.keyspaceCount(), count * 5 < usualKeyspaces * 2 {
        return environment
      }
      environment.close()
      settings.maximumKeyspaces = maximumKeyspaces
    }
    return try LMDBEnvironment(path: path, settings: settings)
  }

  private var settings: LMDBEnvironment.Settings {
    LMDBEnvironment.Settings(
      isReadOnly: isReadOnly, durability: durability, readsAhead: readsAhead,
      mapSize: reservedSize, maximumReaders: maximumReaders, maximumKeyspaces: maximumKeyspaces)
  }
}
