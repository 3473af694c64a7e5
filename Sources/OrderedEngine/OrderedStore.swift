/// An ordered map of byte strings with snapshots: everything that the engine needs of a key–value
/// store.
///
/// Keys order as unsigned bytes, a prefix before longer keys that it begins. A map holds any number of
/// independent maps, each a ``Keyspace``. A key–value store conforms to this protocol and its three
/// companions ``OrderedSnapshot``, ``OrderedCursor`` and ``OrderedBatch``; ``OrderedStoreEngine`` makes a
/// store of it. <doc:WritingAnOrderedMap> has the order in which to write them.
///
/// Any thread may call it. Every error that it throws should be a `StoreError` with the code of the
/// fault.
public protocol OrderedStore: AnyObject, Sendable {
  /// A consistent view of all keyspaces.
  associatedtype Snapshot: OrderedSnapshot
  /// The one write transaction.
  associatedtype Batch: OrderedBatch

  /// The longest key that ``OrderedBatch/put(_:_:in:)`` takes, in bytes; by default `Int.max`, for
  /// no limit.
  ///
  /// The engine never passes a longer key or an empty one. It shortens longer keys of tables and
  /// indexes and keeps the whole key in the value. A limit is 24 bytes at least. A store keeps the
  /// limit that it was made with, so that of a map must not shrink.
  var maximumKeyLength: Int { get }
  /// Opens a snapshot of the newest commit, fixed when this returns.
  ///
  /// It waits for no batch, and no batch waits for it. Readers open one for each transaction, so
  /// it should cost little.
  ///
  /// - Throws: `closed`, `corrupt`, `inputOutput`.
  func snapshot() throws -> Snapshot
  /// Begins the write transaction on the newest commit.
  ///
  /// The engine has one batch at a time in this process, and uses it on one thread to its end. The
  /// map waits for writers of other processes.
  ///
  /// - Parameter wait: the longest to wait, in seconds.
  /// - Throws: `busy` when the wait is over, `readOnly`, `closed`, `corrupt`, `inputOutput`.
  func batch(wait: Double) throws -> Batch
  /// Closes the map and frees everything. No snapshot or batch is open.
  ///
  /// - Throws: `busy` where a snapshot or batch is open after all.
  func close() throws
}

extension OrderedStore {
  /// No limit.
  public var maximumKeyLength: Int { .max }
}

/// The number of one of the independent maps of an ``OrderedStore``.
///
/// The engine keeps its catalog and its counters in keyspace 0, and numbers the keyspaces of tables and
/// indexes from 1 up.
public typealias Keyspace = UInt32

/// A consistent view of an ``OrderedStore``, unaffected by later commits.
///
/// It may move between threads, used by one at a time. A keyspace that was never written is empty.
public protocol OrderedSnapshot: AnyObject {
  /// A position in a keyspace.
  associatedtype Cursor: OrderedCursor

  /// Returns the value of a key, or nil where there is none.
  ///
  /// The bytes are valid until the snapshot ends; those of a batch until it writes, or ends. A map
  /// whose values do not stay where they are copies them into memory that the snapshot owns.
  ///
  /// - Throws: `corrupt`, `inputOutput`.
  func value(
    of key: UnsafeRawBufferPointer, in keyspace: Keyspace
  ) throws -> UnsafeRawBufferPointer?
  /// Opens a cursor that is not yet at an entry.
  ///
  /// Several may be open at once. The engine does not use one after its snapshot has ended, but may
  /// release it later.
  func cursor(in keyspace: Keyspace) throws -> Cursor
  /// Returns the exact number of entries of a keyspace.
  ///
  /// Planning and `count` of a whole table call it for each request, so it must not read the
  /// entries: a map without counts keeps one beside each keyspace, written in the same batch.
  func count(of keyspace: Keyspace) throws -> Int
  /// Returns about how many entries of a keyspace have keys from `lower` on and before `upper`.
  ///
  /// The planner chooses among indexes by it. It must cost less than a few look-ups. By default nil:
  /// the planner then counts the first entries of the range and supposes that keys are spread
  /// evenly.
  ///
  /// - Parameters:
  ///   - keyspace: the number of the keyspace.
  ///   - lower: the first key of the range; empty for the beginning of the keyspace.
  ///   - upper: the first key behind the range; nil for the end of the keyspace.
  func estimatedCount(
    of keyspace: Keyspace, from lower: UnsafeRawBufferPointer, to upper: UnsafeRawBufferPointer?
  ) throws -> Int?
  /// The number of the commit that the view shows, which no other commit of the map has; by default
  /// nil, for none.
  ///
  /// If other processes may write, the engine checks the schema once for each commit, or without
  /// numbers in every transaction. A batch has none. No number is 0.
  var commitNumber: UInt64? { get }
  /// Ends the view and releases its resources. A batch that has not committed rolls back.
  ///
  /// A second call does nothing.
  func end()
}

extension OrderedSnapshot {
  /// Calls `body` with the value of a key, and returns its result; nil where there is no value.
  @inlinable @inline(__always)
  public func get<R>(
    _ key: UnsafeRawBufferPointer, in keyspace: Keyspace,
    _ body: (UnsafeRawBufferPointer) throws -> R
  ) throws -> R? {
    guard let value = try value(of: key, in: keyspace) else { return nil }
    return try body(value)
  }

  /// Nil: the map counts no commits.
  public var commitNumber: UInt64? { nil }

  /// Returns nil: only a read of the entries would give the number.
  public func estimatedCount(
    of keyspace: Keyspace, from lower: UnsafeRawBufferPointer, to upper: UnsafeRawBufferPointer?
  ) throws -> Int? { nil }
}

/// A position in one keyspace, moved forwards and backwards.
///
/// A cursor is at an entry or at none. Its ``entry`` is valid until the cursor moves, its batch writes,
/// or its snapshot ends.
///
/// In a batch, a write to the keyspace of the cursor leaves it standing nowhere until the next seek. A
/// write to another keyspace leaves it where it stands. So do reads by others.
///
/// Each move may throw `corrupt` or `inputOutput`.
public protocol OrderedCursor: AnyObject {
  /// Moves to the first entry whose key is not less than `key`; to the first of all where `key` is
  /// empty. False, standing nowhere, where there is none.
  func seek(_ key: UnsafeRawBufferPointer) throws -> Bool
  /// Moves to the last entry whose key is less than `key`. False, standing nowhere, where there is
  /// none.
  func seek(before key: UnsafeRawBufferPointer) throws -> Bool
  /// Moves to the last entry of all. False where the keyspace is empty.
  func seekLast() throws -> Bool
  /// Returns the value of a key, or nil where there is none, and leaves the cursor standing anywhere
  /// or nowhere.
  ///
  /// The engine calls it for many keys, some of them near the keys before, so a map may begin the
  /// search at the cursor. The bytes are valid as long as those of
  /// ``OrderedSnapshot/value(of:in:)``, which a simple map calls here.
  func value(of key: UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer?
  /// Moves to the following entry. False, standing nowhere, at the end, and where the cursor stood
  /// nowhere.
  func next() throws -> Bool
  /// Moves to the preceding entry. False, standing nowhere, at the beginning, and where the cursor
  /// stood nowhere.
  func previous() throws -> Bool
  /// Moves by `count` entries, backwards where it is negative, and returns the number of entries
  /// that it moved by.
  ///
  /// Fewer than asked for where the entries end before; the cursor is then at no entry. By default
  /// it calls ``next()`` or ``previous()``. Pages by offset use it: a map that can pass over many
  /// entries at once saves most of their cost.
  func move(by count: Int) throws -> Int
  /// Moves on by several entries, puts each of them in `entries`, and returns their number.
  ///
  /// It moves by at least one entry and at most `entries.count`, as many as it likes. 0, standing
  /// nowhere, at the end. Afterwards the cursor stands on the last entry read, or nowhere where that
  /// is the last of all.
  ///
  /// Entries read together stay valid until the snapshot ends, or its batch writes. A map that cannot
  /// promise that reads one, valid until the cursor moves. This is the default.
  ///
  /// An error that comes after some entries is thrown by the next call.
  ///
  /// - Parameters:
  ///   - entries: uninitialized memory for one entry at least.
  ///   - forwards: the direction; false for the preceding entries.
  func read(
    _ entries: UnsafeMutableBufferPointer<OrderedEntry>, forwards: Bool
  ) throws -> Int
  /// The key and the value. The engine asks for them only while the cursor is at an entry.
  var entry: OrderedEntry { get }
}

/// A key and its value, in memory of the map.
///
/// The function that returns an entry documents how long its bytes are valid.
public struct OrderedEntry {
  /// The key.
  public var key: UnsafeRawBufferPointer
  /// The value.
  public var value: UnsafeRawBufferPointer

  /// Creates an entry of a key and its value.
  @inlinable
  public init(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    self.key = key
    self.value = value
  }

  /// An entry without bytes.
  init() { self.init(key: .init(start: nil, count: 0), value: .init(start: nil, count: 0)) }
}

extension OrderedCursor {
  /// The key of the entry.
  @inlinable @inline(__always)
  public var key: UnsafeRawBufferPointer { entry.key }

  /// The value of the entry.
  @inlinable @inline(__always)
  public var value: UnsafeRawBufferPointer { entry.value }

  /// Moves by one entry after another.
  public func move(by count: Int) throws -> Int {
    var moved = 0
    while moved < count.magnitude, try count < 0 ? previous() : next() { moved += 1 }
    return moved
  }

  /// Reads one entry, whose bytes are valid only until the next move.
  public func read(
    _ entries: UnsafeMutableBufferPointer<OrderedEntry>, forwards: Bool
  ) throws -> Int {
    guard try forwards ? next() : previous() else { return 0 }
    entries[0] = entry
    return 1
  }
}

/// The write transaction of an ``OrderedStore``: a view that sees its own writes.
///
/// Each write may throw `full`, `corrupt` or `inputOutput`. A write ends the validity of bytes and cursors
/// that the batch returned. Copy the key and the value first and free memory afterwards: they may lie in it.
public protocol OrderedBatch: OrderedSnapshot {
  /// Sets the value of a key.
  func put(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in keyspace: Keyspace) throws
  /// Sets the value of a key unless the key is there. False, with nothing changed, where it is.
  ///
  /// By default a look-up and ``put(_:_:in:)``.
  func insert(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in keyspace: Keyspace
  ) throws -> Bool
  /// Removes a key. False where it was not there.
  func remove(_ key: UnsafeRawBufferPointer, in keyspace: Keyspace) throws -> Bool
  /// Removes every entry of the keyspace, which may be written again afterwards.
  ///
  /// By default it removes one entry after another. A map that can drop a range at once should do
  /// so: rows that are deleted all together, and indexes that are no longer declared, are removed by it.
  func removeAll(in keyspace: Keyspace) throws
  /// Runs `body`. Where it throws, undoes everything that was written in it and rethrows the error.
  ///
  /// Savepoints nest. Cursors that were opened before stand nowhere after it began and after it
  /// ended. A savepoint that succeeds should cost little, for each operation inside a transaction is
  /// one.
  func savepoint(_ body: () throws -> Void) throws
  /// Makes everything written durable, as the durability of the store asks, and ends the batch.
  ///
  /// All of it becomes visible to later snapshots at once. A commit that throws has rolled back.
  ///
  /// - Throws: `full`, `inputOutput`.
  func commit() throws
}

extension OrderedBatch {
  /// Sets the value of a key unless a look-up finds the key.
  public func insert(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in keyspace: Keyspace
  ) throws -> Bool {
    if try self.value(of: key, in: keyspace) != nil { return false }
    try put(key, value, in: keyspace)
    return true
  }

  /// Removes one entry after another.
  public func removeAll(in keyspace: Keyspace) throws {
    let cursor = try cursor(in: keyspace)
    while try cursor.seekLast() {
      // The key's bytes are valid only until the batch writes.
      _ = try Array(cursor.key).withUnsafeBytes { try remove($0, in: keyspace) }
    }
  }
}
