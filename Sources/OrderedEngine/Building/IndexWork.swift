internal import ORMStorage

/// The keyspace of the work on an index that is being built: its state, sorted runs of entries, and the
/// marks that writers leave.
///
/// The first byte of a key is the kind of its entry:
///
/// | byte | rest of the key | value |
/// |---|---|---|
/// | 0 | – | the state, ``IndexWorkState`` |
/// | 1 | an entry that a writer has removed | – |
/// | 2 | the bytes of an entry that a unique rule compares, which several rows had | – |
/// | 3 | number of a run and of a block, 4 bytes each | entries in their order |
///
/// Runs hold entries as rows had them after the work began. A row that has changed since has its new
/// entry in the index, by its writer, and a mark for the old one. So the entries of all runs without
/// those that have marks, and those in the index, are the entries of all rows.
struct IndexWork: Sendable {
  let keyspace: Keyspace
  let overflowKeys: OverflowKeys

  private enum Kind: UInt8 { case state, removed, suspect, run }

  private static var nothing: UnsafeRawBufferPointer { .init(start: nil, count: 0) }

  init(_ keyspace: Keyspace, _ overflowKeys: OverflowKeys) {
    self.keyspace = keyspace
    self.overflowKeys = overflowKeys
  }

  private func key(_ kind: Kind, _ rest: UnsafeRawBufferPointer = nothing) -> ByteBuffer {
    var key = ByteBuffer(capacity: rest.count + 1)
    key.append(kind.rawValue)
    key.append(rest)
    return key
  }

  // MARK: Marks

  /// Notes that a writer has removed an entry, so that one in a run is no longer right.
  func noteRemoval(of entry: UnsafeRawBufferPointer, in batch: any OrderedBatch) throws {
    let key = key(.removed, entry)
    _ = try batch.set(key.bytes, Self.nothing, in: keyspace, overflowKeys, onlyNew: true)
  }

  /// Returns whether a writer has removed an entry since the work began.
  func wasRemoved(
    _ entry: UnsafeRawBufferPointer, in snapshot: any OrderedSnapshot
  ) throws -> Bool {
    let key = key(.removed, entry)
    return try snapshot.get(key.bytes, in: keyspace, overflowKeys) { _ in true } ?? false
  }

  /// Returns whether a writer has removed any entry since the work began.
  func hasRemovals(in snapshot: any OrderedSnapshot) throws -> Bool {
    try first(.removed, in: snapshot) != nil
  }

  /// Notes that several rows had the bytes of an entry that a unique rule compares.
  func noteSuspect(_ bytes: UnsafeRawBufferPointer, in batch: any OrderedBatch) throws {
    let key = key(.suspect, bytes)
    _ = try batch.set(key.bytes, Self.nothing, in: keyspace, overflowKeys, onlyNew: true)
  }

  /// Calls `body` with the bytes that several rows had, until it returns false.
  func forEachSuspect(
    in snapshot: any OrderedSnapshot, _ body: (UnsafeRawBufferPointer) throws -> Bool
  ) throws {
    guard let cursor = try first(.suspect, in: snapshot) else { return }
    while cursor.key.first == Kind.suspect.rawValue {
      guard try body(UnsafeRawBufferPointer(rebasing: cursor.key.dropFirst())), try cursor.next()
      else { return }
    }
  }

  /// A cursor at the first key of a kind; nil if there is none.
  private func first(_ kind: Kind, in snapshot: any OrderedSnapshot) throws -> KeyCursor? {
    let cursor = KeyCursor(try snapshot.cursor(in: keyspace), overflowKeys)
    let key = key(kind)
    guard try cursor.seek(key.bytes), cursor.key.first == kind.rawValue else { return nil }
    return cursor
  }

  // MARK: Runs

  /// Writes a block of a run.
  func write(
    _ block: UnsafeRawBufferPointer, run: Int, number: Int, in batch: any OrderedBatch
  ) throws {
    let key = blockKey(run, number)
    try batch.put(key.bytes, block, in: keyspace)
  }

  /// Returns a block of a run, valid as values of the snapshot are; nil after the last.
  func block(
    run: Int, number: Int, in snapshot: any OrderedSnapshot
  ) throws -> UnsafeRawBufferPointer? {
    let key = blockKey(run, number)
    return try snapshot.value(of: key.bytes, in: keyspace)
  }

  private func blockKey(_ run: Int, _ number: Int) -> ByteBuffer {
    var key = key(.run)
    key.append(bigEndian: UInt32(truncatingIfNeeded: run))
    key.append(bigEndian: UInt32(truncatingIfNeeded: number))
    return key
  }

  // MARK: The state

  /// Returns the state.
  ///
  /// - Throws: `corrupt` if there is none.
  func state(in snapshot: any OrderedSnapshot) throws -> IndexWorkState {
    let key = key(.state)
    let state = try snapshot.get(key.bytes, in: keyspace) { value -> IndexWorkState? in
      guard let sum = value.integer(UInt64.self, at: 0),
        let content = value.part(from: 8, to: value.count),
        Checksum.of(content, under: key.bytes, in: keyspace) == sum
      else { return nil }
      return IndexWorkState(content)
    }
    guard let state = state ?? nil else { throw Catalog.damaged }
    return state
  }

  /// Sets the state.
  func set(_ state: IndexWorkState, in batch: any OrderedBatch) throws {
    let key = key(.state)
    var content = ByteBuffer()
    state.append(to: &content)
    var value = ByteBuffer(capacity: content.count + 8)
    value.append(littleEndian: Checksum.of(content.bytes, under: key.bytes, in: keyspace))
    value.append(content.bytes)
    try batch.put(key.bytes, value.bytes, in: keyspace)
  }

  /// Begins the work anew, where every row is deleted at once.
  func clear(in batch: any OrderedBatch) throws {
    let state = try state(in: batch)
    try batch.removeAll(in: keyspace)
    try set(IndexWorkState(epoch: state.epoch &+ 1), in: batch)
  }
}

/// The state of the work on an index, as far as it was done and committed.
struct IndexWorkState: Equatable {
  /// A number that no earlier work in the keyspace had, so that work of before is noticed.
  var epoch: UInt64
  /// The part of the work that comes next.
  var phase = Phase.sorting
  /// The number of runs.
  var runs = 0
  /// The key of the last row whose entries are in a run; empty before the first.
  var lastRow: [UInt8] = []
  /// The position in each run from which its entries are not in the index yet.
  var positions: [Position] = []

  /// The parts of the work.
  enum Phase: UInt8 {
    /// Rows are read in the order of their keys, and their entries are written in sorted runs.
    case sorting
    /// Entries of all runs go to the index in their order.
    case merging
    /// The index has the entries of all rows.
    case complete
  }

  /// A position in a run.
  struct Position: Equatable {
    var block = 0
    var offset = 0
  }

  init(epoch: UInt64) { self.epoch = epoch }

  /// Reads a state; nil where the bytes are none.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard let epoch = bytes.integer(UInt64.self, at: 0), let first = bytes.part(from: 8, to: 9),
      let phase = Phase(rawValue: first[0]), let runs = bytes.integer(UInt32.self, at: 9),
      let length = bytes.integer(UInt32.self, at: 13),
      let key = bytes.part(from: 17, to: 17 + Int(length))
    else { return nil }
    self.epoch = epoch
    self.phase = phase
    self.runs = Int(runs)
    lastRow = Array(key)
    var offset = 17 + Int(length)
    while offset < bytes.count {
      guard let block = bytes.integer(UInt32.self, at: offset),
        let start = bytes.integer(UInt32.self, at: offset + 4)
      else { return nil }
      positions.append(Position(block: Int(block), offset: Int(start)))
      offset += 8
    }
    guard positions.count == (phase == .merging ? self.runs : 0) else { return nil }
  }

  func append(to buffer: inout ByteBuffer) {
    buffer.append(littleEndian: epoch)
    buffer.append(phase.rawValue)
    buffer.append(littleEndian: UInt32(truncatingIfNeeded: runs))
    buffer.append(littleEndian: UInt32(truncatingIfNeeded: lastRow.count))
    lastRow.withUnsafeBytes { buffer.append($0) }
    for position in positions {
      buffer.append(littleEndian: UInt32(truncatingIfNeeded: position.block))
      buffer.append(littleEndian: UInt32(truncatingIfNeeded: position.offset))
    }
  }
}
