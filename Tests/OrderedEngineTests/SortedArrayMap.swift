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

/// The entries of a space, in the order of their keys.
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
  private let newest = Mutex<[Space: Entries]>([:])

  func snapshot() -> ArraySnapshot { ArraySnapshot(newest.withLock { $0 }) }

  func batch(wait: Double) -> ArrayBatch { ArrayBatch(self, newest.withLock { $0 }) }

  func publish(_ spaces: [Space: Entries]) { newest.withLock { $0 = spaces } }

  func close() { publish([:]) }
}

/// The arrays of one commit, which keep every block that is handed out.
class ArraySnapshot: OrderedSnapshot {
  fileprivate(set) var spaces: [Space: Entries]

  init(_ spaces: [Space: Entries]) { self.spaces = spaces }

  func value(of key: UnsafeRawBufferPointer, in space: Space) -> UnsafeRawBufferPointer? {
    spaces[space].flatMap { entries in entries.index(of: key).map { entries[$0].value.bytes } }
  }

  func count(of space: Space) -> Int { spaces[space]?.count ?? 0 }

  func cursor(in space: Space) -> ArrayCursor { ArrayCursor(self, space) }

  func end() { spaces = [:] }

  /// A number that changes with each write to a space.
  fileprivate func changes(of space: Space) -> Int { 0 }
}

/// A position in the array of a space.
final class ArrayCursor: OrderedCursor {
  private let view: ArraySnapshot
  private let space: Space
  private var index = -1
  private var changes = 0

  init(_ view: ArraySnapshot, _ space: Space) { (self.view, self.space) = (view, space) }

  /// Moves to an index, and returns whether there is an entry.
  private func stand(_ next: Int) -> Bool {
    index = next >= 0 && next < view.count(of: space) ? next : -1
    changes = view.changes(of: space)
    return index >= 0
  }

  private var stands: Bool { index >= 0 && changes == view.changes(of: space) }

  func seek(_ key: UnsafeRawBufferPointer) -> Bool {
    stand(view.spaces[space]?.index(notBefore: key) ?? -1)
  }

  func seek(before key: UnsafeRawBufferPointer) -> Bool {
    stand((view.spaces[space]?.index(notBefore: key) ?? 0) - 1)
  }

  func seekLast() -> Bool { stand(view.count(of: space) - 1) }

  func next() -> Bool { stand(stands ? index + 1 : -1) }

  func previous() -> Bool { stand(stands ? index - 1 : -1) }

  func value(of key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    view.value(of: key, in: space)
  }

  var key: UnsafeRawBufferPointer { view.spaces[space]![index].key.bytes }

  var value: UnsafeRawBufferPointer { view.spaces[space]![index].value.bytes }
}

/// The write transaction: arrays of its own until it commits.
final class ArrayBatch: ArraySnapshot, OrderedBatch {
  private let map: SortedArrayMap
  private var changes: [Space: Int] = [:]
  private var savepoints = 0

  init(_ map: SortedArrayMap, _ spaces: [Space: Entries]) {
    self.map = map
    super.init(spaces)
  }

  fileprivate override func changes(of space: Space) -> Int {
    changes[space, default: 0] + savepoints
  }

  func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in space: Space) {
    let entry = (key: Block(key), value: Block(value))
    let index = spaces[space]?.index(notBefore: key) ?? 0
    let replaced = spaces[space]?.index(of: key) == nil ? 0 : 1
    spaces[space, default: []].replaceSubrange(
      index..<index + replaced, with: CollectionOfOne(entry))
    changes[space, default: 0] += 1
  }

  func remove(_ key: UnsafeRawBufferPointer, in space: Space) -> Bool {
    guard let index = spaces[space]?.index(of: key) else { return false }
    spaces[space]?.remove(at: index)
    changes[space, default: 0] += 1
    return true
  }

  func removeAll(in space: Space) {
    spaces[space] = nil
    changes[space, default: 0] += 1
  }

  func savepoint(_ body: () throws -> Void) throws {
    let before = spaces
    savepoints += 1
    defer { savepoints += 1 }
    do {
      try body()
    } catch {
      spaces = before
      throw error
    }
  }

  func commit() {
    map.publish(spaces)
    end()
  }
}
