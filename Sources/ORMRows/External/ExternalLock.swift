internal import ORMStorage
internal import ORMPlatform

/// The lock by which readers of all processes protect contents that no row refers to any longer.
///
/// The file `lock` begins with a number, the epoch. A reader looks at it and locks the byte of that
/// number, shared, before its snapshot begins, until it ends. A transaction that takes the last
/// reference to a content away raises the epoch before it commits and notes the new one with the
/// content: every snapshot that sees the reference belongs to a reader which locked a byte up to
/// that number. Locks belong to the open file and go with the process, however it ends.
final class ExternalLock: Sendable {
  /// The offset in the file at which the bytes of the epochs begin.
  private static let epochs: off_t = 8
  /// The byte that every process locks while it has the file open; beyond all epochs.
  private static let presence = off_t(ExternalContents.presence)
  private static let lastEpoch = UInt64(presence) - 16

  private let path: String
  private let isReadOnly: Bool
  private let generation = ForkGeneration.current
  private let state = Lock(State())

  private struct State {
    var descriptor: Int32 = -1
    /// The readers of this process that have locked each byte.
    var readers: [UInt64: Int] = [:]
  }

  /// The lock of a folder.
  init(folder: String, isReadOnly: Bool) {
    path = folder + "/lock"
    self.isReadOnly = isReadOnly
  }

  deinit {
    let descriptor = state.withLock { $0.descriptor }
    if descriptor >= 0 { _ = close(descriptor) }
  }

  /// Keeps all contents that rows refer to now until `leave` is called with the returned number; nil if
  /// no content was ever stored outside.
  func enter() throws -> UInt64? {
    try checkFork()
    return try state.withLock { state in
      guard try open(&state, creating: false) else { return nil }
      let epoch = try read(state.descriptor)
      if state.readers[epoch] == nil {
        try set(F_RDLCK, Self.epochs + off_t(epoch), state.descriptor)
      }
      state.readers[epoch, default: 0] += 1
      return epoch
    }
  }

  /// Ends the protection that `enter` began.
  func leave(_ epoch: UInt64) {
    guard generation == ForkGeneration.current else { return }
    state.withLock { state in
      guard let count = state.readers[epoch] else { return }
      if count > 1 {
        state.readers[epoch] = count - 1
      } else {
        state.readers[epoch] = nil
        try? set(F_UNLCK, Self.epochs + off_t(epoch), state.descriptor)
      }
    }
  }

  /// Makes the file where it is missing, and locks the byte of presence.
  func make() throws {
    try checkFork()
    _ = try state.withLock { try open(&$0, creating: true) }
  }

  /// Raises the epoch and gives the new one; the store must be open for writing.
  func raise() throws -> UInt64 {
    try state.withLock { state in
      _ = try open(&state, creating: true)
      let epoch = min(try read(state.descriptor) + 1, Self.lastEpoch)
      var bytes = epoch.littleEndian
      guard pwrite(state.descriptor, &bytes, 8, 0) == 8 else {
        throw StoreError(system: errno, "write", path)
      }
      return epoch
    }
  }

  /// Returns whether a reader that entered at this epoch or before may still be there.
  func hasReaders(upTo epoch: UInt64) throws -> Bool {
    try state.withLock { state in
      if state.readers.keys.contains(where: { $0 <= epoch }) { return true }
      guard try open(&state, creating: false) else { return false }
      return try isLocked(
        from: Self.epochs, count: off_t(min(epoch, Self.lastEpoch)) + 1, state.descriptor)
    }
  }

  /// Returns whether no other process, and no other store of this one, has used the folder so far.
  func isAlone() throws -> Bool {
    try state.withLock { state in
      guard state.descriptor >= 0 else { return false }
      return try !isLocked(from: Self.presence, count: 1, state.descriptor)
    }
  }

  // MARK: The file

  private func checkFork() throws {
    guard generation == ForkGeneration.current else {
      throw StoreError(.forked, "the store was opened before this process was forked")
    }
  }

  private func open(_ state: inout State, creating: Bool) throws -> Bool {
    if state.descriptor >= 0 { return true }
    let access = isReadOnly ? O_RDONLY : O_RDWR
    var descriptor = Self.posixOpen(
      path, access | O_CLOEXEC | O_NOFOLLOW | (creating ? O_CREAT : 0))
    if descriptor < 0, !creating, errno == EACCES || errno == EROFS {
      descriptor = Self.posixOpen(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    }
    if descriptor < 0 {
      if !creating, errno == ENOENT || errno == ENOTDIR { return false }
      throw StoreError(system: errno, "open", path)
    }
    do {
      try set(F_RDLCK, Self.presence, descriptor)
    } catch {
      _ = close(descriptor)
      throw error
    }
    state.descriptor = descriptor
    return true
  }

  private static func posixOpen(_ path: String, _ flags: Int32) -> Int32 {
    ORMPlatform.open(path, flags, 0o666)
  }

  /// The epoch; 0 in a file that was made just now.
  private func read(_ descriptor: Int32) throws -> UInt64 {
    var epoch: UInt64 = 0
    guard pread(descriptor, &epoch, 8, 0) >= 0 else {
      throw StoreError(system: errno, "read", path)
    }
    return min(UInt64(littleEndian: epoch), Self.lastEpoch)
  }

  private func set(_ type: Int32, _ offset: off_t, _ descriptor: Int32) throws {
    guard FileSystem.setLock(type, from: Int(offset), count: 1, descriptor) else {
      throw StoreError(system: errno, "lock", path)
    }
  }

  private func isLocked(from start: off_t, count: off_t, _ descriptor: Int32) throws -> Bool {
    guard let isLocked = FileSystem.isLocked(from: Int(start), count: Int(count), descriptor) else {
      throw StoreError(system: errno, "look at the locks of", path)
    }
    return isLocked
  }
}
