internal import ORMPlatform
internal import ORMStorage

/// A new file has its whole first page or is not there: the library would refuse a torn one for
/// ever. So it is made under another name, synced, and given its name at last.
extension LMDBFile {
  private var unfinished: String { path + Self.creationSuffix }

  /// Makes a file with one empty keyspace, 0, by which it is known for one of ours.
  ///
  /// Under the opening lock.
  func create() throws {
    try removeUnfinished()
    do {
      try makeUnfinished()
      guard rename(unfinished, path) == 0 else {
        throw StoreError(lmdb: errno, "make", at: path, during: .opening)
      }
    } catch {
      try? removeUnfinished()
      throw error
    }
    try location.synchronizeFolder()
  }

  /// Removes the file of a creation that was killed.
  func removeUnfinished() throws {
    if unlink(unfinished) != 0 && errno != ENOENT {
      throw StoreError(lmdb: errno, "remove", at: unfinished, during: .opening)
    }
  }

  private func makeUnfinished() throws {
    var settings = LMDBEnvironment.Settings()
    settings.usesLocks = false
    settings.mapSize = 1 << 20
    settings.maximumKeyspaces = 1
    let environment = try LMDBEnvironment(path: unfinished, settings: settings)
    defer { environment.close() }
    let writer = LMDBTransaction(writing: environment)
    try writer.beginWriting(.empty)
    do {
      _ = try writer.openHandle(of: 0, creates: true)
    } catch {
      writer.abort()
      throw error
    }
    try writer.commit()
    try environment.synchronize()
  }
}

extension LMDBPath {
  /// The stamp of a file that is not written any more, taken when a later change must give it another time:
  /// the times of many file systems are those of the last tick of a clock, some milliseconds.
  func settledStamp() throws -> Stamp? {
    guard let stamp = try stamp() else { return nil }
    #if os(Linux)
      // 100 ms are ten ticks of the slowest clock the kernel can be built with.
      for _ in 0..<100 {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &now)
        let latest = max(stamp.changed[0], stamp.modified[0])
        if Int64(now.tv_sec) > latest { break }
        let nanoseconds = max(stamp.changed[1], stamp.modified[1])
        if Int64(now.tv_sec) == latest && Int64(now.tv_nsec) > nanoseconds { break }
        var pause = timespec(tv_sec: 0, tv_nsec: 1_000_000)
        nanosleep(&pause, nil)
      }
    #endif
    return try self.stamp()
  }
}
