/// An ordered map of byte strings with snapshots: all that the engine asks of a key–value store.
///
/// Keys order as unsigned bytes, a prefix before what it begins. A store holds any number of
/// independent maps, each a ``Space``. A new key–value engine conforms to this protocol and its
/// three companions, and gets everything else from `OrderedEngine`.
public protocol OrderedStore: AnyObject, Sendable {
  /// A consistent view of all spaces.
  associatedtype Snapshot: OrderedSnapshot
  /// The one write transaction.
  associatedtype Batch: OrderedBatch

  /// The longest key `put` takes, in bytes; `Int.max` for no limit. The engine never passes a
  /// longer or an empty one.
  var maximumKeyLength: Int { get }
  /// Opens a snapshot of the newest commit, fixed when this returns.
  func snapshot() throws -> Snapshot
  /// Begins the write transaction. The caller promises one at a time in this process, used on one
  /// thread to its end; writers of other processes are waited for, at most `wait` seconds, then
  /// `busy`.
  func batch(wait: Double) throws -> Batch
  /// Closes the store. No snapshot or batch is open.
  func close() throws
}

/// One of the independent maps of an ``OrderedStore``.
///
/// Space 0 is the engine's own.
public typealias Space = UInt32

/// A consistent view of an ``OrderedStore``: fixed when made, unaffected by later commits.
///
/// It may move between threads, used by one at a time. A space never written is empty.
public protocol OrderedSnapshot: AnyObject {
  /// A position in a space.
  associatedtype Cursor: OrderedCursor

  /// The value of a key, valid until the snapshot ends, or its batch writes; nil when there is none.
  func value(
    of key: UnsafeRawBufferPointer, in space: Space
  ) throws -> UnsafeRawBufferPointer?
  /// A cursor that stands nowhere yet.
  func cursor(in space: Space) throws -> Cursor
  /// How many entries the space has: exact, and cheap.
  func count(of space: Space) throws -> Int
  /// About how many entries of the space have keys from `lower` (empty: the first of all) on and
  /// before `upper` (nil: to the end); nil where only reading them would tell. Cheap.
  func estimatedCount(
    of space: Space, from lower: UnsafeRawBufferPointer, to upper: UnsafeRawBufferPointer?
  ) throws -> Int?
  /// Ends the view and frees what it holds; cursors of it must not be used afterwards. A batch
  /// that has not committed rolls back. Safe to call twice.
  func end()
}

extension OrderedSnapshot {
  /// Calls `body` with the value of a key; nil when there is none.
  @inlinable @inline(__always)
  public func get<R>(
    _ key: UnsafeRawBufferPointer, in space: Space,
    _ body: (UnsafeRawBufferPointer) throws -> R
  ) throws -> R? {
    guard let value = try value(of: key, in: space) else { return nil }
    return try body(value)
  }

  /// Not told.
  public func estimatedCount(
    of space: Space, from lower: UnsafeRawBufferPointer, to upper: UnsafeRawBufferPointer?
  ) throws -> Int? { nil }
}

/// A position in one space, moved both ways.
///
/// `key` and `value` are valid until the cursor moves, its batch writes, or its snapshot ends. In a
/// batch, a write to the space leaves the cursor standing nowhere until the next seek.
public protocol OrderedCursor: AnyObject {
  /// Moves to the first entry whose key is not less than `key` (an empty one: the first of all).
  /// False when there is none.
  func seek(_ key: UnsafeRawBufferPointer) throws -> Bool
  /// Moves to the last entry whose key is less than `key`. False when there is none.
  func seek(before key: UnsafeRawBufferPointer) throws -> Bool
  /// Moves to the last entry of all. False when the space is empty.
  func seekLast() throws -> Bool
  /// The value of a key, valid until the snapshot ends, or its batch writes; nil when there is none.
  /// It leaves the cursor standing anywhere or nowhere. For whoever looks up many keys, some near
  /// the ones before.
  func value(of key: UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer?
  /// Moves to the following entry. False, standing nowhere, at the end.
  func next() throws -> Bool
  /// Moves to the preceding entry. False, standing nowhere, at the beginning.
  func previous() throws -> Bool
  /// Moves on by so many entries, backwards by as many when negative, as `next` or `previous` would
  /// one after another. Gives how many it moved by: fewer than asked for, standing nowhere, when
  /// the entries end before.
  func move(by count: Int) throws -> Int
  /// Moves on, backwards unless `forwards`, by as many entries as it likes, at least one, at most
  /// as many as `entries` has room for, and puts each of them there. Several stay valid until the
  /// snapshot ends, or its batch writes; a map that cannot promise that gives one, valid until the
  /// cursor moves. Gives how many: 0, standing nowhere, at the end; else it stands on the last of
  /// them, or nowhere when that is the last of all. An error that comes after some is thrown at the
  /// next call. For whoever goes over many: a call and its checks are paid once for all of them.
  func read(
    _ entries: UnsafeMutableBufferPointer<OrderedEntry>, forwards: Bool
  ) throws -> Int
  /// The key of the entry; only while the cursor stands on one.
  var key: UnsafeRawBufferPointer { get }
  /// The value of the entry; only while the cursor stands on one.
  var value: UnsafeRawBufferPointer { get }
  /// Both at once.
  var entry: OrderedEntry { get }
}

/// The key and the value that a cursor stands on.
public struct OrderedEntry {
  /// The key.
  public var key: UnsafeRawBufferPointer
  /// The value.
  public var value: UnsafeRawBufferPointer

  /// Makes an entry of both.
  @inlinable
  public init(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    self.key = key
    self.value = value
  }

  /// Nothing.
  init() { self.init(key: .init(start: nil, count: 0), value: .init(start: nil, count: 0)) }
}

extension OrderedCursor {
  /// The key, and then the value.
  public var entry: OrderedEntry { OrderedEntry(key: key, value: value) }

  /// Moves one entry after another.
  public func move(by count: Int) throws -> Int {
    var moved = 0
    while moved < count.magnitude, try count < 0 ? previous() : next() { moved += 1 }
    return moved
  }

  /// One entry, since what is known of it is valid only until the next move.
  public func read(
    _ entries: UnsafeMutableBufferPointer<OrderedEntry>, forwards: Bool
  ) throws -> Int {
    guard try forwards ? next() : previous() else { return 0 }
    entries[0] = entry
    return 1
  }
}

/// The write transaction of an ``OrderedStore``: a view that sees its own writes.
public protocol OrderedBatch: OrderedSnapshot {
  /// Sets the value of a key.
  func put(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in space: Space) throws
  /// Sets the value of a key unless the key is there. False, with nothing changed, when it is.
  func insert(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in space: Space
  ) throws -> Bool
  /// Removes a key. False when it was not there.
  func remove(_ key: UnsafeRawBufferPointer, in space: Space) throws -> Bool
  /// Removes every entry of the space, at a cost that does not grow with each entry's handling.
  func removeAll(in space: Space) throws
  /// Runs `body`; when it throws, everything written in it is undone and the error rethrown. May
  /// nest. Cursors made before it stand nowhere after it began and after it ended.
  func savepoint(_ body: () throws -> Void) throws
  /// Makes everything written durable, as the store's durability says, and ends the batch. A
  /// commit that throws has rolled back.
  func commit() throws
}
