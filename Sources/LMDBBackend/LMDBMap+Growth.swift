internal import ORMStorage

/// Growing the map, where the system did not let us reserve enough address space.
///
/// The library moves the map when it grows, so no snapshot of this process may be open: new ones wait, and
/// growth waits for those that are open.
extension LMDBMap {
  /// Doubles the map when the file fills three quarters of it, or a batch found it full; leaves it
  /// as it is when snapshots do not end in time, or there is no more address space.
  func growIfNeeded(wait: Double) throws {
    let now = environment.information
    let used = try usedSize()
    guard used > now.mapSize / 4 * 3 || environment.hasRunOut, now.mapSize <= Int.max / 2,
      LMDBEnvironment.canReserve(now.mapSize * 2)
    else { return }
    do {
      try withoutSnapshots(wait: min(wait, options.wait)) {
        try environment.setMapSize(now.mapSize * 2)
      }
    } catch let error as StoreError where error.code == .busy {
      // The capacity may suffice; the batch finds out.
    }
  }

  /// Maps the file at the size to which another process has grown it.
  ///
  /// The library releases its map first, so a meta page that was damaged meanwhile is refused before.
  ///
  /// - Throws: `corrupt` where the file ends far before its last page, `busy`.
  func adoptMapSize() throws {
    let used = try usedSize()
    // Pages at the end may never have been written, where a transaction freed them again, but not
    // more than the file has otherwise.
    let size = environment.descriptor.flatMap { LMDBPlainFile.size(of: $0) }
    guard size.map({ used / 2 <= $0 + 32 << 20 }) ?? true else { throw lastPageError }
    try withoutSnapshots(wait: options.wait) { try environment.setMapSize(0) }
  }

  /// Returns the bytes up to the last page that a commit has used, by a meta page that may be damaged.
  private func usedSize() throws -> Int {
    let (pages, tooMany) = environment.information.lastPage.addingReportingOverflow(1)
    let (bytes, tooLarge) = pages.multipliedReportingOverflow(by: environment.pageSize)
    guard !tooMany, !tooLarge, bytes >= 0 else { throw lastPageError }
    return bytes
  }

  private var lastPageError: StoreError {
    StoreError(
      .corrupt,
      "\(file.path) is damaged: it ends far before its last page. Restore it from a backup.")
  }

  /// Runs `body` when no snapshot is open and none can be made; `busy` after `wait` seconds.
  private func withoutSnapshots(wait: Double, _ body: () throws -> Void) throws {
    var pause = LMDBPause(seconds: wait)
    while !(try beginGrowing()) {
      if !pause.next() { throw growthError }
    }
    defer { state.withLock { if $0.phase == .growing { $0.phase = .open } } }
    while state.withLock({ $0.snapshotCount }) > 0 {
      if !pause.next() { throw growthError }
    }
    do {
      try body()
    } catch {
      // The library has unmapped the file and not mapped it again: nothing can be read any more.
      state.withLock { $0.phase = .unmapped }
      throw error
    }
  }

  private func beginGrowing() throws -> Bool {
    try state.withLock { state in
      switch state.phase {
      case .closed, .unmapped: throw error(of: state.phase)
      case .growing: return false
      case .open:
        state.phase = .growing
        return true
      }
    }
  }

  private var growthError: StoreError {
    StoreError(.busy, "\(file.path) has to be mapped again, but snapshots are still open.")
  }
}
