/// A cache of values by key with a capacity: the value used longest ago is removed first.
///
/// Made for statements, of which a program has few and uses them often: a look-up costs a hash, and
/// only a miss of a full cache looks at every entry.
package struct StatementCache<Key: Hashable, Value: AnyObject> {
  private var entries: [Key: Entry] = [:]
  private var clock = 0
  private var newest: (key: Key, value: Value)?
  private let capacity: Int

  private final class Entry {
    let value: Value
    var lastUse: Int
    init(_ value: Value, _ use: Int) {
      self.value = value
      lastUse = use
    }
  }

  /// An empty cache.
  package init(capacity: Int) { self.capacity = max(1, capacity) }

  /// The number of values.
  package var count: Int { entries.count }

  /// The value of a key.
  package mutating func value(for key: Key) -> Value? {
    if let newest, newest.key == key { return newest.value }
    guard let entry = entries[key] else { return nil }
    clock += 1
    entry.lastUse = clock
    newest = (key, entry.value)
    return entry.value
  }

  /// Keeps a value, and releases the one used longest ago when there are too many.
  package mutating func insert(_ value: Value, for key: Key) {
    clock += 1
    entries[key] = Entry(value, clock)
    newest = (key, value)
    guard entries.count > capacity,
      let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
    else { return }
    entries[oldest.key] = nil
  }

  /// Releases everything.
  package mutating func removeAll() {
    entries.removeAll()
    newest = nil
  }
}
