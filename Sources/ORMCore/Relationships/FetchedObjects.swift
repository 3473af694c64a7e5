/// The objects of one model in a graph: each once and bare, at a position of its own.
///
/// Where a key stands is noted when a key is looked for first: most objects of a graph are reached
/// by their positions alone.
@usableFromInline
package struct FetchedObjects<Model: PrimaryKeyed>: Sendable {
  /// The objects by position, their links without a graph.
  @usableFromInline package var all: [Model] = []
  /// Where the objects' keys stand, as far as they were noted.
  @usableFromInline var positions: KeyPositions<Model.ID>
  /// How many objects, from the first on, had their keys noted.
  @usableFromInline var indexed = 0

  package init() { positions = KeyPositions(of: Model.self) }

  /// Whether Swift's equality tells keys apart as stores do.
  @inlinable
  package var hasPlainKeys: Bool { positions.isPlain }

  /// Notes where the keys stand that were not noted yet.
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
    index()
    return positions.position(of: id)
  }

  /// Whether it is known where the key stands, or that it is not there.
  @inlinable
  package mutating func knows(_ id: Model.ID) -> Bool {
    index()
    return positions.knows(id)
  }

  /// Takes an object, unless its key is there already; gives the position of the one that is kept.
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

  /// Makes room for so many more objects.
  @inlinable
  package mutating func reserve(_ count: Int) { all.reserveCapacity(all.count + count) }
}
