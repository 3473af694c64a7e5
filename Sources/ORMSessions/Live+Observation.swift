public import Observation

extension Live: Observable {}

// The tracking of an object's reads, by attribute.
extension Live {
  /// The number that stands for the whole object.
  static var wholeUnit: Int { -1 }
  /// The number that stands for the object's state.
  static var stateUnit: Int { -2 }

  /// Stands for an attribute in the registrar of observations.
  private subscript(unit number: Int) -> Int { number }

  /// The key paths that stand for the state, for the whole object, and for units and attributes.
  static func unitPaths(_ count: Int) -> [any KeyPath<Live, Int> & Sendable] {
    (stateUnit..<count).map { number in \Live.[unit: number] }
  }

  private func path(_ number: Int) -> any KeyPath<Live, Int> & Sendable {
    shape.unitPaths[number - Self.stateUnit]
  }

  /// Notes that a part of the object was read.
  func track(_ number: Int) {
    isTracked = true
    registrar.access(self, keyPath: path(number))
  }

  /// Notes that a property of the object was read.
  func track(_ path: any AnyKeyPath & Sendable) {
    (shape.observedNumbers(at: path) ?? [Self.wholeUnit]).forEach(track)
  }

  /// Makes a change, and notifies the observers of the properties that it changes.
  func mutate(_ body: () -> Void) {
    stamp += 1
    if !isTracked { return body() }
    let old = (current, isRemoved, isStored, newer)
    let wasStale = newer != nil && pending != .none
    body()
    let isStale = newer != nil && pending != .none
    let new = (current, isRemoved, isStored, newer)
    let changes = knownChanges
    let (first, second) = (shape.row(of: old.0), shape.row(of: new.0))
    let units = shape.difference(old.0, first, new.0, second)
    let isSameState = old.1 == new.1 && old.2 == new.2 && wasStale == isStale
    let numbers =
      units + shape.ownedDifference(first, second) + [Self.wholeUnit]
      + (isSameState ? [] : [Self.stateUnit])
    let paths = numbers.map(path)
    // Observers expect to be called before the change.
    (current, isRemoved, isStored, newer) = old
    for path in paths { registrar.willSet(self, keyPath: path) }
    (current, isRemoved, isStored, newer) = new
    knownChanges = changes
    for path in paths { registrar.didSet(self, keyPath: path) }
  }
}
