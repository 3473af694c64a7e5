/// The options that only stores in SQLite files have, beside those of every store.
///
/// ```swift
/// var sqlite = SQLiteOptions()
/// sqlite.cacheSize = 8 << 20
/// let store = try SQLiteStore(path: "snacks.sqlite", schema: Schema(Snack.self), sqlite: sqlite)
/// ```
///
/// Sizes are in bytes; one below 0 counts as 0. They are no part of the file: each program that opens
/// it has its own.
public struct SQLiteOptions: Hashable, Sendable {
  /// The memory that a connection may use for pages (`PRAGMA cache_size`); 64 MiB unless set.
  ///
  /// It is taken as pages are read. A store has one connection that writes and at most
  /// `StoreOptions.readers` that read, each with a cache of its own. The default holds the inner
  /// pages of an index of some 10 million rows; the library's own default is 2 MiB.
  public var cacheSize = 64 << 20
  /// The part of the file that is read through a memory map (`PRAGMA mmap_size`); 1 GiB unless set.
  ///
  /// The map takes addresses and no memory of its own; what lies beyond it is read into the cache. At
  /// 0 nothing is mapped, which is the library's default: an error of the disk is then `inputOutput`,
  /// where it would end the process in a mapped page.
  public var mapSize = 1 << 30
  /// The size that the log is cut back to after a checkpoint (`PRAGMA journal_size_limit`); 64 MiB
  /// unless set.
  ///
  /// While a write transaction runs, or readers keep an old snapshot, the log grows beyond it.
  public var logSize = 64 << 20

  /// The defaults.
  public init() {}
}
