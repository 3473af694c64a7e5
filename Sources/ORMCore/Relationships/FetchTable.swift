internal import ORMStorage

/// The part of a graph that concerns one model.
@usableFromInline
package final class FetchTable<Model: PrimaryKeyed>: Sendable {
  /// The objects as they were when the graph was frozen.
  @usableFromInline package let objects: FetchedObjects<Model>
  /// The links that are attached to objects when they are returned.
  @usableFromInline let links: [LinkAttachment<Model>]
  /// The instances that are handed out in the objects' stead; nil unless the model is a class.
  @usableFromInline let instances: Instances<Model>?
  /// The same objects with all their keys noted, from when a key was looked for first.
  @usableFromInline let indexed = OnceReference<IndexedObjects<Model>>()

  package init(
    objects: FetchedObjects<Model>, links: [LinkAttachment<Model>],
    instances: Instances<Model>? = nil
  ) {
    self.objects = objects
    self.links = links
    self.instances = instances
  }

  /// The position of a key; nil where it has none.
  @inlinable
  package func position(of id: Model.ID) -> Int? {
    if let expected = objects.expectedPosition(of: id) { return expected }
    if objects.areIndexed { return objects.positions.position(of: id) }
    return allIndexed.positions.position(of: id)
  }

  /// Returns whether the key's position is known, or that it has none.
  @inlinable
  package func knows(_ id: Model.ID) -> Bool {
    if objects.expectedPosition(of: id) != nil { return true }
    return (objects.areIndexed ? objects.positions : allIndexed.positions).knows(id)
  }

  @inlinable
  var allIndexed: IndexedObjects<Model> {
    indexed.object ?? indexed.keep(IndexedObjects(objects))
  }

  /// The object at a position, its links attached; nil where an instance cannot be made.
  @inlinable
  package func object(at position: Int, in graph: FetchGraph) -> Model? {
    if let instances { return instances.object(at: position, of: self, in: graph) }
    var object = objects.all[position]
    for link in links { link.one(graph, position, &object) }
    return object
  }

  /// The consecutive objects from a position on, their links attached.
  @inlinable
  package func objects(from first: Int, count: Int, in graph: FetchGraph) -> [Model] {
    if instances != nil { return shared(Array(first..<first + count), in: graph) }
    let all = objects.all[first..<first + count]
    return Array(unsafeUninitializedCapacity: count) { buffer, filled in
      guard let start = buffer.baseAddress else { return }
      for object in all {
        (start + filled).initialize(to: object)
        filled += 1
      }
      let models = UnsafeMutableBufferPointer(start: start, count: filled)
      for link in links { link.run(graph, first, models) }
    }
  }

  /// The objects at positions, their links attached.
  @inlinable
  package func objects(at positions: [Int], in graph: FetchGraph) -> [Model] {
    if instances != nil { return shared(positions, in: graph) }
    var objects: [Model] = []
    objects.reserveCapacity(positions.count)
    for position in positions { objects.append(self.objects.all[position]) }
    for link in links { link.all(graph, positions, &objects) }
    return objects
  }

  /// The instances at positions.
  @usableFromInline @inline(never)
  func shared(_ positions: [Int], in graph: FetchGraph) -> [Model] {
    positions.compactMap { object(at: $0, in: graph) }
  }
}

/// The objects of a table with all their keys noted.
@usableFromInline
final class IndexedObjects<Model: PrimaryKeyed>: Sendable {
  @usableFromInline let positions: KeyPositions<Model.ID>

  @inlinable
  init(_ objects: FetchedObjects<Model>) {
    var objects = objects
    objects.index()
    positions = objects.positions
  }
}
