public import ORMStorage
internal import Synchronization

/// A store over any ``OrderedStore``: keys and records, indexes, plans and cursors; everything but
/// the ordered map.
///
/// A store of one's own is a thin class around it, which opens the map and passes turns along:
///
/// ```swift
/// let runtime = StoreRuntime(schema: schema, options: options, file: path)
/// let engine = try OrderedStoreEngine(
///   try MyMap(path: path), schema: schema.stored, runtime: runtime)
/// ```
///
/// A store that was closed throws `closed`, and one that a forked process inherits throws `forked`:
/// the map need not look for either in readers and writers.
public final class OrderedStoreEngine: Store {
  /// The declared schema; when none was given, the one that the map holds.
  public let schema: StoredSchema
  /// The scheduler, limits and caches that the library keeps for the store.
  public let runtime: StoreRuntime
  private let source: ReaderSource
  private let others = OthersCommits()
  private let closing = Lock<Void>(())

  /// Opens the store that a map holds, and creates it where the map is empty.
  ///
  /// The schema is compared with the map's, and additions are made (see
  /// `StoreOptions.SchemaPolicy`), by the policy after a migration; without one, the map's is taken
  /// as it is. The engine closes the map when the store is closed. Where this throws, the caller closes the map.
  ///
  /// - Parameters:
  ///   - map: the map, which nothing else may use.
  ///   - schema: the declared schema; nil for the schema that the map holds.
  ///   - runtime: the runtime of the store, made with its options and its file or name.
  ///   - hasChecksums: whether records of a new store carry checksums, which find damage wherever it is.
  ///     False for a map in memory, and for one whose library checks the pages that it reads from a disk.
  ///   - isShared: whether other processes may write to the map's contents.
  ///   - file: the file of the map, which is copied before a migration loses data; nil if it has none.
  /// - Throws: `schemaMismatch`, `schemaTooNew`, `unsupportedVersion`, `corrupt`, `notADatabase`
  ///   where there is neither a store in the map nor a schema, and the errors of the migration and of
  ///   the map. The map is left as it was.
  public convenience init(
    _ map: any OrderedStore, schema: StoredSchema?, runtime: StoreRuntime,
    hasChecksums: Bool = true, isShared: Bool = true, file: (any StoreFile)? = nil
  ) throws {
    try self.init(
      map, schema: schema, runtime: runtime, hasChecksums: hasChecksums, isShared: isShared,
      file: file, compilesConditions: true)
  }

  /// Opens the store that a map holds, as the public initializer does.
  ///
  /// - Parameter compilesConditions: whether records are tested by the steps of `RecordCondition`. With
  ///   false, core's evaluator tests them: a filter by a scan takes 1.6 × the instructions on LMDB and
  ///   2.1 × in memory, a count 1.7 × and 2.3 ×.
  package init(
    _ map: any OrderedStore, schema: StoredSchema?, runtime: StoreRuntime,
    hasChecksums: Bool = true, isShared: Bool = true, file: (any StoreFile)? = nil,
    compilesConditions: Bool
  ) throws {
    let opening = StoreOpening(
      map, schema, runtime.options, hasChecksums: hasChecksums, isShared: isShared, file: file)
    let layout = try opening.run()
    self.schema = layout.declared
    self.runtime = runtime
    let overflowKeys = try layout.catalog.overflowKeys(limit: map.maximumKeyLength)
    source = ReaderSource(
      map,
      LayoutCache(
        layout, overflowKeys: overflowKeys, isShared: isShared,
        isReadOnly: runtime.options.isReadOnly), compilesConditions: compilesConditions)
    if isShared {
      runtime.watchOthers { [weak self] in try self?.othersCommits() }
    }
  }

  /// A number that changes when others have committed.
  private func othersCommits() throws -> UInt64 {
    try source.check()
    let snapshot = try source.map.snapshot()
    defer { snapshot.end() }
    return others.saw(try StoreCounters.commit(in: snapshot).stamp)
  }

  /// Opens a reader on the newest commit.
  ///
  /// - Throws: `schemaMismatch` and `schemaTooNew` where another process has changed the schema to one
  ///   that the declared schema does not fit.
  public func reader(_ turn: borrowing ReadTurn) throws -> any StoreReader {
    try source.reader()
  }

  /// Begins the write transaction; `readOnly` when the store was opened so.
  ///
  /// - Throws: as ``reader(_:)`` does.
  public func writer(_ turn: borrowing WriteTurn) throws -> any StoreWriter {
    try source.check()
    if runtime.options.isReadOnly { throw StoreError(.readOnly, "the store was opened read-only") }
    let batch = try source.map.batch(wait: runtime.options.writerWait.seconds)
    do {
      let layout = try source.layouts.layout(of: batch)
      if layout.refusesWriters { throw StoredSchema.isBeingMigrated }
      let view = StoreView(batch, layout, compilesConditions: source.compilesConditions)
      return OrderedStoreWriter(batch, view, runtime.options, others)
    } catch {
      batch.end()
      throw error
    }
  }

  /// Closes the map.
  ///
  /// Afterwards readers and writers throw `closed`. A second call does nothing.
  public func close(_ turn: borrowing CloseTurn) throws {
    try closing.withLock { _ in
      if source.isClosed.load(ordering: .acquiring) { return }
      try source.map.close()
      source.isClosed.store(true, ordering: .releasing)
    }
  }
}

/// The source of an engine's readers, from which those that have ended begin anew.
///
/// It refers to the map alone and not to the engine, whose runtime keeps readers for the next reads.
final class ReaderSource: Sendable {
  let map: any OrderedStore
  let layouts: LayoutCache
  /// True after the store was closed; set under the engine's `closing`.
  let isClosed = Atomic(false)
  /// True if readers test records by steps.
  let compilesConditions: Bool
  private let fork = ForkCheck()

  init(_ map: any OrderedStore, _ layouts: LayoutCache, compilesConditions: Bool) {
    self.map = map
    self.layouts = layouts
    self.compilesConditions = compilesConditions
  }

  /// A new reader on the newest commit.
  func reader() throws -> OrderedStoreReader {
    try check()
    let snapshot = try map.snapshot()
    do {
      let layout = try layouts.layout(of: snapshot)
      let view = StoreView(
        snapshot, layout, isFixed: true, compilesConditions: compilesConditions)
      return OrderedStoreReader(view, self)
    } catch {
      snapshot.end()
      throw error
    }
  }

  /// Throws `forked` or `closed` where the store cannot be used.
  func check() throws {
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
