internal import ORMCore

/// Growing the map, where the system did not let us reserve enough address space.
///
/// The library moves the map when it grows, so nobody in this process may have a snapshot: new ones
/// wait, and those that are open are waited for.
extension LMDBMap {
  /// Doubles the map when the file fills three quarters of it, or a batch found it full; leaves it
  /// as it is when snapshots do not end in time, or there is no more address space.
  func growIfNeeded(wait: Double) throws {
    let now = environment.information
    let used = (now.lastPage + 1) * environment.pageSize
    guard used > now.mapSize / 4 * 3 || environment.hasRunOut, now.mapSize <= Int.max / 2,
      LMDBEnvironment.canReserve(now.mapSize * 2)
    else { return }
    do {
      try withoutSnapshots(wait: min(wait, options.wait)) {
        try environment.setMapSize(now.mapSize * 2)
      }
    } catch let error as StoreError where error.code == .busy {
      // There may be room enough; the batch finds out.
    }
  }

  /// Maps what another process has grown the file to.
  func adoptMapSize() throws {
    try withoutSnapshots(wait: options.wait) { try environment.setMapSize(0) }
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
    StoreError(.busy, "\(file.path) must be mapped anew, and snapshots have not ended.")
  }
}
