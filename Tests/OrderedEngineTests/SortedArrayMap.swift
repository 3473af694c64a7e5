import ORMStorage
import OrderedEngine
import Synchronization

/// Bytes at an address that does not change.
// They are written once, before anybody else has the object.
final class Block: @unchecked Sendable {
  let bytes: UnsafeRawBufferPointer

  init(_ source: UnsafeRawBufferPointer) {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: source.count, alignment: 1)
    copy.copyMemory(from: source)
    bytes = UnsafeRawBufferPointer(copy)
  }

  deinit { bytes.deallocate() }
}

/// The entries of a keyspace, in the order of their keys.
typealias Entries = [(key: Block, value: Block)]

extension Entries {
  /// The index of the first entry whose key is not less than `key`.
  func index(notBefore key: UnsafeRawBufferPointer) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      let isBefore = self[middle].key.bytes.lexicographicallyPrecedes(key)
      if isBefore { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The index of the entry with this key.
  func index(of key: UnsafeRawBufferPointer) -> Int? {
    let index = index(notBefore: key)
    return index < count && self[index].key.bytes.elementsEqual(key) ? index : nil
  }
}

/// An ordered map in memory, over sorted arrays.
final class SortedArrayMap: OrderedStore {
  private let newest = Mutex<[Keyspace: Entries]>([:])

  func snapshot() -> ArraySnapshot { ArraySnapshot(newest.withLock { $0 }) }

  func batch(wait: Double) -> ArrayBatch { ArrayBatch(self, newest.withLock { $0 }) }

  func publish(_ keyspaces: [Keyspace: Entries]) { newest.withLock { $0 = keyspaces } }

  func close() { publish([:]) }
}

/// The arrays of one commit, which keep every block that is handed out.
class ArraySnapshot: OrderedSnapshot {
  fileprivate(set) var keyspaces: [Keyspace: Entries]

  init(_ keyspaces: [Keyspace: Entries]) { self.keyspaces = keyspaces }

  func value(of key: UnsafeRawBufferPointer, in keyspace: Keyspace) -> UnsafeRawBufferPointer? {
    guard let entries = keyspaces[keyspace], let index = entries.index(of: key) else { return nil }
    return entries[index].value.bytes
  }

  func count(of keyspace: Keyspace) -> Int { keyspaces[keyspace]?.count ?? 0 }

  func cursor(in keyspace: Keyspace) -> ArrayCursor { ArrayCursor(self, keyspace) }

  func end() { keyspaces = [:] }

  /// A number that changes with each write to a keyspace.
  fileprivate func changes(of keyspace: Keyspace) -> Int { 0 }
}

/// A position in the array of a keyspace.
final class ArrayCursor: OrderedCursor {
  private let view: ArraySnapshot
  private let keyspace: Keyspace
  private var index = -1
  private var changes = 0

  init(_ view: ArraySnapshot, _ keyspace: Keyspace) {
    (self.view, self.keyspace) = (view, keyspace)
  }

  /// Moves to an index, and returns whether there is an entry.
  private func stand(_ next: Int) -> Bool {
    index = next >= 0 && next < view.count(of: keyspace) ? next : -1
    changes = view.changes(of: keyspace)
    return index >= 0
  }

  private var stands: Bool { index >= 0 && changes == view.changes(of: keyspace) }

  func seek(_ key: UnsafeRawBufferPointer) -> Bool {
    stand(view.keyspaces[keyspace]?.index(notBefore: key) ?? -1)
  }

  func seek(before key: UnsafeRawBufferPointer) -> Bool {
    stand((view.keyspaces[keyspace]?.index(notBefore: key) ?? 0) - 1)
  }

  func seekLast() -> Bool { stand(view.count(of: keyspace) - 1) }

  func next() -> Bool { stand(stands ? index + 1 : -1) }

  func previous() -> Bool { stand(stands ? index - 1 : -1) }

  func value(of key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    view.value(of: key, in: keyspace)
  }

  var entry: OrderedEntry {
    let (key, value) = view.keyspaces[keyspace]![index]
    return OrderedEntry(key: key.bytes, value: value.bytes)
  }
}

/// The write transaction: arrays of its own until it commits.
final class ArrayBatch: ArraySnapshot, OrderedBatch {
  private let map: SortedArrayMap
  private var changes: [Keyspace: Int] = [:]
  private var savepoints = 0

  init(_ map: SortedArrayMap, _ keyspaces: [Keyspace: Entries]) {
    self.map = map
    super.init(keyspaces)
  }

  fileprivate override func changes(of keyspace: Keyspace) -> Int {
    changes[keyspace, default: 0] + savepoints
  }

  func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in keyspace: Keyspace) {
    let entry = (key: Block(key), value: Block(value))
    let index = keyspaces[keyspace]?.index(notBefore: key) ?? 0
    let replaced = keyspaces[keyspace]?.index(of: key) == nil ? 0 : 1
    keyspaces[keyspace, default: []].replaceSubrange(
      index..<index + replaced, with: CollectionOfOne(entry))
    changes[keyspace, default: 0] += 1
  }

  func remove(_ key: UnsafeRawBufferPointer, in keyspace: Keyspace) -> Bool {
    guard let index = keyspaces[keyspace]?.index(of: key) else { return false }
    keyspaces[keyspace]?.remove(at: index)
    changes[keyspace, default: 0] += 1
    return true
  }

  func removeAll(in keyspace: Keyspace) {
    keyspaces[keyspace] = nil
    changes[keyspace, default: 0] += 1
  }

  func savepoint(_ body: () throws -> Void) throws {
    let before = keyspaces
    savepoints += 1
    defer { savepoints += 1 }
    do {
      try body()
    } catch {
      keyspaces = before
      throw error
    }
  }

  func commit() {
    map.publish(keyspaces)
    end()
  }
}
