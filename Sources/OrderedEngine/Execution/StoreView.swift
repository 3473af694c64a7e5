internal import ORMStorage

/// A snapshot or write transaction, and the layout in which it is read.
///
/// It is what requests for related rows are asked of, while a row is tested.
final class StoreView: StoreReader {
  let snapshot: any OrderedSnapshot
  /// The layout in which requests are answered.
  @exclusivity(unchecked) private(set) var layout: StoreLayout
  private let layouts: LayoutCache
  /// True if the layout is certain to be the snapshot's own.
  @exclusivity(unchecked) private var isSettled: Bool
  @exclusivity(unchecked) private var isOver = false
  /// The number of entries of keys and indexes that were looked at; an entry of an index and the row
  /// that it leads to are one.
  @exclusivity(unchecked) var rowsRead = 0
  /// The request prepared last: the next is mostly of the same shape.
  @exclusivity(unchecked) private var lastPrepared: PreparedRequest?
  /// The place of the rows that were found by key last, if the layout does not have it.
  @exclusivity(unchecked) private(set) var keyAccess: KeyAccess?
  /// The layouts there were: rows, and ``keyAccess``, may still point into them.
  private var formerLayouts: [StoreLayout] = []
  /// Cursors of a snapshot that nobody uses any more, for whoever asks for one next.
  @exclusivity(unchecked) private var spareCursors: [(keyspace: Keyspace, cursor: KeyCursor)] = []
  /// The cursor that answered the last request, for the next of its plan; nil while it is used.
  @exclusivity(unchecked) private var spareStream: StreamingCursor?
  /// True if nothing is written through the snapshot: then cursors can be kept, which end with
  /// savepoints otherwise.
  let isFixed: Bool
  /// The most spare cursors that are kept.
  private static let mostSpareCursors = 4

  init(_ snapshot: any OrderedSnapshot, _ layouts: LayoutCache, isFixed: Bool = false) {
    self.snapshot = snapshot
    self.isFixed = isFixed
    self.layouts = layouts
    layout = layouts.layout
    isSettled = !layouts.isShared
  }

  /// Makes the layout the snapshot's own, as indexes need it; rows tell by themselves when they
  /// are of a newer one.
  @inline(__always)
  func settle() throws {
    if !isSettled { try settleNow() }
  }

  @inline(never)
  private func settleNow() throws {
    let newest = try layouts.layout(of: snapshot, known: layout)
    if newest !== layout {
      // Whoever visits rows right now still reads them by the former one.
      formerLayouts.append(layout)
      layout = newest
      keyAccess = nil
      lastPrepared = nil
      forgetCursors()
    }
    isSettled = true
  }

  /// Keeps how rows of a shape are found by their key, for the next find.
  func remember(_ access: KeyAccess) {
    keyAccess = access
    layout.remember(access)
  }

  /// A cursor over a keyspace, whose keys are kept as it says.
  ///
  /// One that was kept, where there is: opening two and letting go of them was a sixth of a query of
  /// a few rows.
  func keyCursor(in keyspace: Keyspace, _ overflowKeys: OverflowKeys) throws -> KeyCursor {
    if let place = spareCursors.firstIndex(where: { $0.keyspace == keyspace }) {
      return spareCursors.remove(at: place).cursor
    }
    return KeyCursor(try snapshot.cursor(in: keyspace), overflowKeys)
  }

  /// Keeps a cursor that is not used any more.
  func keep(_ cursor: KeyCursor, in keyspace: Keyspace) {
    if isFixed, spareCursors.count < Self.mostSpareCursors, !isOver {
      spareCursors.append((keyspace, cursor))
    }
  }

  /// A cursor for a request, which nobody else has: the one that answered the last, if it can.
  func stream(for request: FetchRequest, _ prepared: PreparedRequest) throws -> StreamingCursor {
    if let spare = spareStream {
      spareStream = nil
      if try spare.restart(prepared, request) { return spare }
      spare.finish()
    }
    return try StreamingCursor(self, prepared, request)
  }

  /// Keeps a cursor that is not used any more.
  func keep(_ stream: StreamingCursor) {
    if isOver { return }
    // A visitor may itself have asked something.
    spareStream?.finish()
    spareStream = stream
  }

  private func forgetCursors() {
    spareStream = nil
    spareCursors = []
  }

  /// Returns the prepared request of a shape.
  @inline(__always)
  func prepared(_ shape: FetchShape) throws -> PreparedRequest {
    if let lastPrepared, lastPrepared.shape === shape { return lastPrepared }
    return try prepare(shape)
  }

  @inline(never)
  private func prepare(_ shape: FetchShape) throws -> PreparedRequest {
    var prepared = try layout.prepared(shape)
    if prepared.usesIndex && !isSettled {
      try settle()
      prepared = try layout.prepared(shape)
    }
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
    try settle()
    let entity = try layout.entity(name)
    guard let keyspace = entity.keyspace, entity.declared.generatesKeys else { return 0 }
    return try KeyGenerator.greatest(of: entity, in: keyspace, from: snapshot)
  }

  /// Ends the view; safe to call twice.
  func end() {
    if isOver { return }
    isOver = true
    forgetCursors()
    snapshot.end()
  }

  /// Points a view of records at one that was found under a key; `corrupt` when it is damaged.
  @inline(__always)
  func open(
    _ record: UnsafeRawBufferPointer, under key: UnsafeRawBufferPointer,
    of entity: EntityStorage, in keyspace: Keyspace, _ view: inout RecordView
  ) throws {
    guard opens(record, under: key, of: entity, in: keyspace, &view) else {
      return try openUnexpected(record, under: key, of: entity, in: keyspace, &view)
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

  /// A record that is damaged, or has columns that another process added since the layout was read.
  @inline(never)
  private func openUnexpected(
    _ record: UnsafeRawBufferPointer, under key: UnsafeRawBufferPointer,
    of entity: EntityStorage, in keyspace: Keyspace, _ view: inout RecordView
  ) throws {
    if RecordView.isNewer(record, than: entity.layout),
      entity.layout.isWhole(record, under: key, in: keyspace)
    {
      try settle()
      // The layout lives as long as this view has it, and columns never change their places.
      view = RecordView(try layout.entity(entity.declared.name).layout)
      if view.move(to: record) { return }
    }
    throw entity.damaged(key)
  }
}
