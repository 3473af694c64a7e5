#if Macros
  @_exported public import LMDBBackend
  @_exported public import MemoryBackend
  internal import ORM
  @_exported public import SQLiteBackend
  @_exported public import StrataTesting

  extension StoreKind {
    /// The kinds of stores that made models are tested on.
    static let everywhere = tested(.memory, .sqlite, .lmdb)
  }
#endif
