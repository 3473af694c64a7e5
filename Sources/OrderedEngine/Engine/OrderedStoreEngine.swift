public import ORMCore
internal import Synchronization

/// A store over any ``OrderedStore``: keys and records, indexes, plans and cursors; everything but
/// the ordered map.
///
/// A store of one's own is a thin class around it that opens the map:
///
/// ```swift
/// let engine = try OrderedStoreEngine(MyMap(path: path), schema: schema, options: options)
/// ```
public final class OrderedStoreEngine: Store {
  /// The declared schema; when none was given, the one that the map holds.
  public let schema: StoredSchema
  /// What core keeps for the store.
  public let runtime: StoreRuntime
  private let map: any OrderedStore
  private let layouts: LayoutCache
  private let others = OthersCommits()
  private let fork = ForkGuard()
  /// True after the store was closed; set under `closing`.
  private let isClosed = Atomic(false)
  private let closing = Lock<Void>(())

  /// Opens the store that a map holds, and makes it where the map is empty.
  ///
  /// The schema is compared with the map's, and additions are made (see
  /// ``StoreOptions/SchemaPolicy``); without one, the map's is taken as it is. The engine owns the
  /// map from here on.
  ///
  /// - Parameters:
  ///   - hasChecksums: whether records of a new store carry checksums, which find damage wherever
  ///     it is; right for whatever comes from a disk.
  ///   - isShared: whether other processes may write to what the map holds.
  /// - Throws: `schemaMismatch`, `schemaTooNew`, `unsupportedVersion`, `corrupt`, `notADatabase` when there is neither a
  ///   store in the map nor a schema, and what the map throws. The map is left as it was.
  public init(
    _ map: any OrderedStore, schema: StoredSchema?, runtime: StoreRuntime = StoreRuntime(),
    hasChecksums: Bool = true, isShared: Bool = true
  ) throws {
    let opening = StoreOpening(map, runtime.options, hasChecksums: hasChecksums)
    let layout = try opening.run(declared: schema)
    self.schema = layout.declared
    self.runtime = runtime
    self.map = map
    let longKeys = try layout.catalog.longKeys(limit: map.maximumKeyLength)
    layouts = LayoutCache(layout, longKeys: longKeys, isShared: isShared)
    if isShared {
      runtime.watchOthers { [weak self] in try self?.othersCommits() }
    }
  }

  /// A number that changes when others have committed.
  private func othersCommits() throws -> UInt64 {
    try check()
    let snapshot = try map.snapshot()
    defer { snapshot.end() }
    return others.saw(try StoreCounters.commit(in: snapshot).stamp)
  }

  /// Opens a reader on the newest commit.
  public func reader(_ turn: borrowing ReadTurn) throws -> any StoreReader {
    try check()
    return OrderedStoreReader(StoreView(try map.snapshot(), layouts, isFixed: true))
  }

  /// Begins the write transaction; `readOnly` when the store was opened so.
  public func writer(_ turn: borrowing WriteTurn) throws -> any StoreWriter {
    try check()
    if runtime.options.isReadOnly { throw StoreError(.readOnly, "the store is read-only") }
    let batch = try map.batch(wait: runtime.options.writerWait.seconds)
    do {
      return try OrderedStoreWriter(batch, StoreView(batch, layouts), runtime.options, others)
    } catch {
      batch.end()
      throw error
    }
  }

  /// Closes the map; afterwards readers and writers throw `closed`.
  public func close(_ turn: borrowing CloseTurn) throws {
    try closing.withLock { _ in
      if isClosed.load(ordering: .acquiring) { return }
      try map.close()
      isClosed.store(true, ordering: .releasing)
    }
  }

  private func check() throws {
    try fork.check()
    if isClosed.load(ordering: .acquiring) { throw StoreError(.closed, "the store was closed") }
  }
}

extension Duration {
  /// The duration in seconds, as maps take it.
  var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }
}
