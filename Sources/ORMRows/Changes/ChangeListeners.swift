internal import ORMStorage
internal import Synchronization

/// The levels at which changes of entities are asked for.
package struct ChangeLevels: Sendable {
  /// The level at which all entities are asked for.
  private var all: ChangeLevel?
  private var byName: [String: ChangeLevel] = [:]

  package init(_ asked: some Sequence<(names: Set<String>?, level: ChangeLevel)>) {
    for (names, level) in asked {
      guard let names else {
        all = max(all ?? level, level)
        continue
      }
      for name in names { byName[name] = max(byName[name] ?? level, level) }
    }
  }

  /// The levels with one more that asks.
  package func adding(_ asked: (names: Set<String>?, level: ChangeLevel)) -> ChangeLevels {
    var levels = self
    guard let names = asked.names else {
      levels.all = max(all ?? asked.level, asked.level)
      return levels
    }
    for name in names {
      levels.byName[name] = max(byName[name] ?? asked.level, asked.level)
    }
    return levels
  }

  /// The level of an entity of the program; nil if no listener asks for it.
  func level(of name: String) -> ChangeLevel? {
    guard let own = byName[name] else { return all }
    return max(own, all ?? own)
  }

  /// The level at which rows are recorded; nil if no listener asks for their keys.
  func level(of recorded: RecordedEntity) -> ChangeLevel? {
    recorded.entities.compactMap { level(of: $0) }.max().flatMap { $0 < .keys ? nil : $0 }
  }
}

/// The listeners to the changes of a store.
package final class ChangeListeners: Sendable {
  private struct Guarded {
    var asked: [UInt64: (names: Set<String>?, level: ChangeLevel)] = [:]
    var ends: [UInt64: @Sendable () -> Void] = [:]
    var levels: ChangeLevels?
    var isClosed = false
  }

  private let guarded = Lock(Guarded())
  /// The greatest level of all listeners; negative if there are none.
  private let greatest = Atomic<Int>(-1)

  /// True if there are listeners.
  package var isListening: Bool { greatest.load(ordering: .acquiring) >= 0 }

  /// The levels at which a transaction that begins now is recorded; nil if it is not.
  ///
  /// Costs one load while no listener asks for more than entities.
  @inline(__always)
  package var recording: ChangeLevels? {
    greatest.load(ordering: .acquiring) >= ChangeLevel.keys.rawValue
      ? guarded.withLock { $0.levels } : nil
  }

  /// Adds a listener under its number.
  ///
  /// - Parameter end: called once if the store is closed before the listener goes.
  /// - Throws: `closed`.
  func add(
    _ id: UInt64, names: Set<String>?, level: ChangeLevel, end: @escaping @Sendable () -> Void
  ) throws {
    try guarded.withLock { guarded in
      if guarded.isClosed { throw StoreError(.closed, "the store was closed") }
      guarded.asked[id] = (names, level)
      guarded.ends[id] = end
      update(&guarded)
    }
  }

  /// Changes the entities and the level that a listener asks for.
  func set(_ id: UInt64, names: Set<String>?, level: ChangeLevel) {
    guarded.withLock { guarded in
      guard guarded.asked[id] != nil else { return }
      guarded.asked[id] = (names, level)
      update(&guarded)
    }
  }

  /// Removes a listener.
  func remove(_ id: UInt64) {
    let end = guarded.withLock { guarded in
      guarded.asked[id] = nil
      update(&guarded)
      return guarded.ends.removeValue(forKey: id)
    }
    withExtendedLifetime(end) {}
  }

  /// Ends every listener, and lets none come any more.
  func close() {
    let ends = guarded.withLock { guarded in
      guarded.isClosed = true
      guarded.asked = [:]
      update(&guarded)
      defer { guarded.ends = [:] }
      return Array(guarded.ends.values)
    }
    for end in ends { end() }
  }

  private func update(_ guarded: inout Guarded) {
    guarded.levels = guarded.asked.isEmpty ? nil : ChangeLevels(guarded.asked.values)
    let greatest = guarded.asked.values.map(\.level).max()
    self.greatest.store(greatest?.rawValue ?? -1, ordering: .releasing)
  }
}
