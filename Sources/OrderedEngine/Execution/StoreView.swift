internal import ORMStorage

/// A snapshot or write transaction, and the layout in which it is read.
///
/// While a row is tested, it answers the requests for related rows.
final class StoreView: StoreReader {
  let snapshot: any OrderedSnapshot
  /// The snapshot of a reader, if it can begin anew.
  private let restartable: (any RestartableSnapshot)?
  /// The layout in which requests are answered.
  let layout: StoreLayout
  /// True if the snapshot ends with the view.
  private let ownsSnapshot: Bool
  private var isOver = false
  /// The number of entries of keys and indexes that were looked at; an entry of an index and the row
  /// that it leads to are one.
  var rowsRead = 0
  /// Asks in the streams of the view whether the running operation is to end early.
  ///
  /// All streams share it: those of one row may be many and short.
  @exclusivity(unchecked) var stopCheck = StopCheck(every: 16)
  /// The request prepared last: the next is mostly of the same shape.
  private var lastPrepared: PreparedRequest?
  /// The access to the rows that were found by key last, if the layout does not have it.
  private(set) var keyLookup: KeyLookup?
  /// Pooled cursors of a fixed snapshot, for the next request.
  @exclusivity(unchecked) private var pooledCursors: [(keyspace: Keyspace, cursor: KeyCursor)] = []
  /// The cursor that answered the last request, for the next of its plan; nil while it is used.
  private var pooledStream: StreamingCursor?
  /// The values that conditions and orders found by paths, while they are in use.
  @exclusivity(unchecked) var relatedMemos = RelatedMemoPool()
  /// True if nothing is written through the snapshot: then cursors can be pooled, which end with
  /// savepoints otherwise.
  let isFixed: Bool
  /// True if records are tested by steps, and by core's evaluator only where there are none.
  let compilesConditions: Bool
  /// The most pooled cursors.
  private static let mostPooledCursors = 4

  /// A view in the layout that a snapshot has.
  init(
    _ snapshot: any OrderedSnapshot, _ layout: StoreLayout, isFixed: Bool = false,
    ownsSnapshot: Bool = true, compilesConditions: Bool = true
  ) {
    self.compilesConditions = compilesConditions
    self.snapshot = snapshot
    restartable = isFixed && ownsSnapshot ? snapshot as? any RestartableSnapshot : nil
    self.isFixed = isFixed
    self.layout = layout
    self.ownsSnapshot = ownsSnapshot
  }

  /// Keeps how rows of a shape are found by their key, for the next find.
  func remember(_ access: KeyLookup) {
    keyLookup = access
    layout.remember(access)
  }

  /// A cursor over a keyspace, whose keys have this form.
  ///
  /// A pooled one if there is one: opening and closing two was a sixth of a query of
  /// a few rows.
  func keyCursor(in keyspace: Keyspace, _ overflowKeys: OverflowKeys) throws -> KeyCursor {
    if let index = pooledCursors.firstIndex(where: { $0.keyspace == keyspace }) {
      return pooledCursors.remove(at: index).cursor
    }
    return KeyCursor(try snapshot.cursor(in: keyspace), overflowKeys)
  }

  /// Keeps a cursor that is not used any more.
  func keep(_ cursor: KeyCursor, in keyspace: Keyspace) {
    if isFixed, pooledCursors.count < Self.mostPooledCursors, !isOver {
      pooledCursors.append((keyspace, cursor))
    }
  }

  /// Returns a cursor for a request without another user: the pooled one if it can restart, or a new one.
  func stream(for request: FetchRequest, _ prepared: PreparedRequest) throws -> StreamingCursor {
    if let pooled = pooledStream {
      pooledStream = nil
      if try pooled.restart(prepared, request) { return pooled }
      pooled.finish()
    }
    return try StreamingCursor(self, prepared, request)
  }

  /// Keeps a cursor that is not used any more.
  func keep(_ stream: StreamingCursor) {
    if isOver { return }
    // A visitor may itself have asked something.
    pooledStream?.finish()
    pooledStream = stream
  }

  private func forgetCursors() {
    if pooledStream != nil { pooledStream = nil }
    if !pooledCursors.isEmpty { pooledCursors = [] }
    if !relatedMemos.isEmpty { relatedMemos = RelatedMemoPool() }
  }

  /// Returns the prepared request of a shape.
  @inline(__always)
  func prepared(_ shape: FetchShape) throws -> PreparedRequest {
    if let lastPrepared, lastPrepared.shape === shape { return lastPrepared }
    return try prepare(shape)
  }

  @inline(never)
  private func prepare(_ shape: FetchShape) throws -> PreparedRequest {
    let prepared = try layout.prepared(shape)
    lastPrepared = prepared
    return prepared
  }

  /// Throws once the view has ended.
  @inline(__always)
  func check() throws {
    if isOver { throw StoreError(.transactionEnded, "the transaction has ended") }
  }

  /// The greatest key that an entity ever had; 0 when there was none.
  func greatestKey(of name: String) throws -> Int64? {
    try check()
    let entity = try layout.entity(name)
    guard let keyspace = entity.keyspace, entity.declared.generatesKeys else { return 0 }
    return try KeyGenerator.greatest(of: entity, in: keyspace, from: snapshot)
  }

  /// Ends the view; safe to call twice.
  func end() {
    if isOver { return }
    isOver = true
    forgetCursors()
    if ownsSnapshot { snapshot.end() }
  }

  /// Begins a view that has ended anew, on the newest commit; false, and it has ended as before, if its
  /// snapshot cannot or the commit has another layout.
  ///
  /// The view must have no other user, since a former cursor would find it open again. After an error it is
  /// over, as before.
  func restart(_ layouts: LayoutCache) throws -> Bool {
    guard isOver, let restartable, try restartable.restart() else { return false }
    do {
      guard try layouts.layout(of: snapshot) === layout else {
        snapshot.end()
        return false
      }
    } catch {
      snapshot.end()
      throw error
    }
    rowsRead = 0
    isOver = false
    return true
  }

  /// Points a view of records at one that was found under a key; `corrupt` when it is damaged.
  @inline(__always)
  func open(
    _ record: UnsafeRawBufferPointer, under key: UnsafeRawBufferPointer,
    of entity: EntityStorage, in keyspace: Keyspace, _ view: inout RecordView
  ) throws {
    guard opens(record, under: key, of: entity, in: keyspace, &view) else {
      throw entity.damaged(key)
    }
  }

  /// Returns whether a record is whole and of a known shape: then the view points at it.
  @inline(__always)
  func opens(
    _ record: UnsafeRawBufferPointer, under key: UnsafeRawBufferPointer,
    of entity: EntityStorage, in keyspace: Keyspace, _ view: inout RecordView
  ) -> Bool {
    entity.layout.isWhole(record, under: key, in: keyspace) && view.move(to: record)
  }
}
