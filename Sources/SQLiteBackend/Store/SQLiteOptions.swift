/// The options that only stores in SQLite files have, beside those of every store.
///
/// ```swift
/// var sqlite = SQLiteOptions()
/// sqlite.cacheSize = 8 << 20
/// let store = try SQLiteStore(path: "snacks.sqlite", schema: Schema(Snack.self), sqlite: sqlite)
/// ```
///
/// Sizes are in bytes; one below 0 counts as 0. They are no part of the file: each program that opens
/// it has its own. Checksums are part of the file.
public struct SQLiteOptions: Hashable, Sendable {
  /// The memory that a connection may use for pages (`PRAGMA cache_size`); 64 MiB unless set.
  ///
  /// It is taken as pages are read. A store has one connection that writes and at most
  /// `StoreOptions.readers` that read, each with a cache of its own. The default holds the inner
  /// pages of an index of some 10 million rows; the library's own default is 2 MiB.
  public var cacheSize = 64 << 20
  /// The part of the file that is read through a memory map (`PRAGMA mmap_size`); 1 GiB unless set.
  ///
  /// The map takes addresses and no memory of its own; pages beyond it are read into the cache. At 0 nothing
  /// is mapped, which is the library's default: an error of the disk is then `inputOutput`, where it would
  /// end the process in a mapped page.
  public var mapSize = 1 << 30
  /// The size that the log is cut back to after a checkpoint (`PRAGMA journal_size_limit`); 64 MiB
  /// unless set.
  ///
  /// While a write transaction runs, or readers keep an old snapshot, the log grows beyond it.
  public var logSize = 64 << 20

  /// True if each row gets a checksum, by which damage to its bytes is found; false unless set.
  ///
  /// SQLite checks the structure of its pages but not their content: if the disk changes a byte inside
  /// a value, reads give another value, and `check()` finds nothing. With checksums,
  ///
  /// - a fetch of objects, links or values verifies each row that it returns, and a write each row
  ///   that it changes: a damaged one is `corrupt`, with its entity and key. Opening with this off
  ///   reads it as it is, and it can be deleted;
  /// - `check()` verifies every row.
  ///
  /// Rows that a condition, an aggregate or a group reads are not verified, so a damaged row may be
  /// missing from a result, or counted. A row that was replaced by an older version of itself fits
  /// its checksum.
  ///
  /// A store without checksums gets them when it is opened with this on and a schema: one transaction
  /// writes every table anew, as it does later where attributes are added to an entity. The file then
  /// keeps them: programs that leave this off write them, and do not verify them on reads. Versions of
  /// this library that do not know them refuse the file (`schemaTooNew`). Other programs can read and
  /// delete rows, but not insert, update or `VACUUM`: SQLite then lacks the function that computes them.
  ///
  /// A row is about 9 bytes larger. For rows of eight attributes a scan takes about 1.5 × the
  /// instructions, a find by key 1.4 × and an insert 1.3 ×. Values that an index alone would give are
  /// read from the table.
  public var checksums = false

  /// True if statements call functions of core, and false to test the engine without them.
  ///
  /// Without them a filter by a folded text takes up to 1.4 × the instructions. An order by one takes 1.8 to
  /// 4.3 ×, an update 2.2 to 2.8 × and an upsert 3.1 × (decision 57). Checksums need it to be true.
  package var evaluatesInEngine = true

  /// The defaults.
  public init() {}
}
