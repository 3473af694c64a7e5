/// The objects of one model in a graph: each once and detached, at a position of its own.
///
/// The positions of keys are noted when a key is first looked up: most objects of a graph are reached by
/// their positions alone.
@usableFromInline
package struct FetchedObjects<Model: PrimaryKeyed>: Sendable {
  /// The objects by position, their links without a graph.
  @usableFromInline package var all: [Model] = []
  /// The positions of the objects by key, as far as their keys were noted.
  @usableFromInline var positions: KeyPositions<Model.ID>
  /// The number of objects, from the first on, that had their keys noted.
  @usableFromInline var indexed = 0

  package init() { positions = KeyPositions(of: Model.self) }

  /// True if Swift's equality distinguishes keys as stores do.
  @inlinable
  package var hasPlainKeys: Bool { positions.isPlain }

  /// True if all keys were noted.
  @inlinable
  var areIndexed: Bool { indexed == all.count }

  /// The position of a key that stands where the first object's key says: where keys are integers
  /// and each is one more than the one before, as generated ones mostly are when they are read in
  /// their order.
  ///
  /// Nil says nothing.
  ///
  /// It spares such objects the hashing of their keys.
  @inlinable
  func expectedPosition(of id: Model.ID) -> Int? {
    guard let key = id.integerKey, !all.isEmpty, let first = all[0].id.integerKey else {
      return nil
    }
    let (index, overflow) = key.subtractingReportingOverflow(first)
    guard !overflow, index >= 0, index < all.count, all[Int(index)].id.integerKey == key else {
      return nil
    }
    return Int(index)
  }

  /// Notes the positions of keys that were not noted yet.
  @inlinable
  mutating func index() {
    if indexed == all.count { return }
    positions.reserve(all.count)
    while indexed < all.count {
      _ = positions.insert(all[indexed].id, at: indexed)
      indexed += 1
    }
  }

  /// The position of a key; nil where it has none.
  @inlinable
  package mutating func position(of id: Model.ID) -> Int? {
    if let expected = expectedPosition(of: id) { return expected }
    index()
    return positions.position(of: id)
  }

  /// Returns whether the key's position is known, or that it has none.
  @inlinable
  package mutating func knows(_ id: Model.ID) -> Bool {
    if expectedPosition(of: id) != nil { return true }
    index()
    return positions.knows(id)
  }

  /// Takes an object, unless its key is there already; returns the position of the stored one.
  @inlinable
  package mutating func insert(_ object: Model) -> Int {
    index()
    let position = positions.insert(object.id, at: all.count)
    if position == all.count {
      all.append(object)
      indexed += 1
    }
    return position
  }

  /// Takes an object whose key is not there; gives its position.
  @inlinable
  package mutating func append(_ object: consuming Model) -> Int {
    all.append(object)
    return all.count - 1
  }

  /// Takes the first objects, whose keys differ.
  package mutating func begin(with objects: [Model]) { all = objects }

  /// Remembers that a key was looked for and not found.
  @inlinable
  package mutating func noteMissing(_ id: Model.ID) {
    index()
    positions.noteMissing(id)
  }

  /// Changes the object at a position, but for its key.
  package mutating func change(at position: Int, _ body: (inout Model) -> Void) {
    body(&all[position])
  }

  /// Reserves capacity for more objects.
  @inlinable
  package mutating func reserve(_ count: Int) { all.reserveCapacity(all.count + count) }
}
