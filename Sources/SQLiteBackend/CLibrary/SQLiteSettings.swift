internal import CSQLite
package import ORMStorage

/// The settings of a file's connections.
package struct SQLiteSettings: Sendable {
  /// The time at which a commit is safe from a power cut.
  package var durability: StoreOptions.Durability
  /// The time that a writer waits for locks of other processes before `busy`.
  package var wait: Duration
  /// The time that a reader waits for locks of other processes before `busy`.
  package var readerWait: Duration
  /// The sizes of caches, map and log.
  package var sizes: SQLiteOptions

  /// The settings that the options of a store ask for.
  package init(
    _ options: StoreOptions = StoreOptions(), _ sizes: SQLiteOptions = SQLiteOptions()
  ) {
    self.sizes = sizes
    durability = options.durability
    wait = options.writerWait
    readerWait = options.readerWait
  }
}

extension SQLiteConnection {
  /// Sets rights, limits and sizes.
  ///
  /// Reads the file's schema, so damage may show here.
  func configure(_ settings: SQLiteSettings) throws {
    let switches: [(option: Int32, on: Int32)] = [
      (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
      (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0), (SQLITE_DBCONFIG_ENABLE_FKEY, 1),
      // A misspelled name in double quotes is an error, not a text.
      (SQLITE_DBCONFIG_DQS_DDL, 0), (SQLITE_DBCONFIG_DQS_DML, 0),
    ]
    for (option, on) in switches {
      try handle.check(strata_sqlite3_switch(handle.database, option, on))
    }
    // The greatest number there is; the library's compile-time limit bounds it.
    for limit in [
      SQLITE_LIMIT_VARIABLE_NUMBER, SQLITE_LIMIT_EXPR_DEPTH, SQLITE_LIMIT_LENGTH,
      SQLITE_LIMIT_SQL_LENGTH, SQLITE_LIMIT_COMPOUND_SELECT, SQLITE_LIMIT_COLUMN,
    ] {
      sqlite3_limit(handle.database, limit, .max)
    }
    // Secure deletion FAST erases deleted data wherever a page is written anyway, which costs nothing
    // measurable; Debian's library would by default write more pages to erase them all.
    try execute(
      """
      PRAGMA temp_store = MEMORY;
      PRAGMA cache_size = \(-max(0, settings.sizes.cacheSize) / 1024);
      PRAGMA mmap_size = \(max(0, settings.sizes.mapSize));
      PRAGMA journal_size_limit = \(max(0, settings.sizes.logSize));
      PRAGMA secure_delete = FAST;
      PRAGMA synchronous = \(settings.synchronous);
      PRAGMA fullfsync = \(settings.durability == .full ? 1 : 0);
      PRAGMA checkpoint_fullfsync = 1;
      """)
  }
}

extension SQLiteSettings {
  /// The library's word for the durability.
  ///
  /// With a log, NORMAL syncs only at checkpoints, so commits cost no sync already. OFF would gain
  /// little and let a power cut damage the file, where `.off` may lose commits alone.
  fileprivate var synchronous: String {
    switch durability {
    case .full: "FULL"
    case .normal, .off: "NORMAL"
    }
  }
}
