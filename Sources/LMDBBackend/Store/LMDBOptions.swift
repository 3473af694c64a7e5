/// The options that only stores in LMDB files have, beside those of every store.
///
/// ```swift
/// var lmdb = LMDBOptions()
/// lmdb.readsPagesDirectly = false
/// let store = try LMDBStore(path: "snacks.lmdb", schema: Schema(Snack.self), lmdb: lmdb)
/// ```
///
/// They are no part of the file: each program that opens it has its own.
public struct LMDBOptions: Hashable, Sendable {
  /// True if readers read the mapped pages of the file themselves; true unless set.
  ///
  /// With false they ask the LMDB library for each entry. Both ways return the same rows, and both
  /// take their snapshots from the library. The store knows the pages of LMDB's data format, which
  /// every library of version 0.9 writes, and checks each offset in a page before it uses it.
  ///
  /// With false,
  ///
  /// - a scan, a filter or a find by key takes about 1.4 × the instructions, and a group over an index
  ///   about 4 ×;
  /// - damage that the checks at opening did not see can end the process when it is read, where it
  ///   would throw `corrupt`; see <doc:DamagedFiles>;
  /// - the planner counts the first entries of a range where it would estimate from the pages.
  ///
  /// Turn it off to rule out the store's page reader when you look for the cause of a fault. Writes,
  /// and reads in a write transaction, use the library either way.
  public var readsPagesDirectly = true
  /// True if records are tested by steps; see `OrderedStoreEngine`.
  package var compilesConditions = true

  /// The defaults.
  public init() {}
}
