internal import CSQLite
internal import ORMPlatform

/// The library's layer above the operating system (its VFS) as connections use it: the default one,
/// with shorter pauses.
///
/// A connection whose lock is refused while it begins to read tries a hundred times without asking its busy
/// handler. Its pauses grow to a third of a second and add up to ten. Then it fails with `SQLITE_PROTOCOL`.
/// With pauses of at most a millisecond it fails within a tenth of a second, and
/// ``SQLiteWait/retrying(limit:after:unless:_:)`` tries again until the connection's wait ends.
enum SQLiteSystem {
  /// The name to open connections with; nil for the default, where no other could be registered.
  static let name: String? = register()

  /// The longest pause, in microseconds.
  private static let longestPause: Int32 = 1000

  private static func register() -> String? {
    let name = "strata"
    guard let standard = sqlite3_vfs_find(nil), let copy = strdup(name) else { return nil }
    // The library keeps both for the life of the process. Its functions ask the layer that they are
    // given for its data, which the copy shares.
    let own = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    own.initialize(to: standard.pointee)
    own.pointee.pNext = nil
    own.pointee.zName = UnsafePointer(copy)
    own.pointee.xSleep = { _, pause in
      usleep(UInt32(min(max(pause, 0), SQLiteSystem.longestPause)))
      return pause
    }
    return sqlite3_vfs_register(own, 0) == SQLITE_OK ? name : nil
  }
}
