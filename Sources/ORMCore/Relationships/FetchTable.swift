/// The part of a graph that concerns one model.
@usableFromInline
package final class FetchTable<Model: PrimaryKeyed>: Sendable {
  /// The objects as they were when the graph was frozen.
  @usableFromInline package let objects: FetchedObjects<Model>
  /// The links that are attached to what is handed out.
  @usableFromInline let links: [LinkAttachment<Model>]
  /// The same objects with all their keys noted, from when a key was looked for first.
  @usableFromInline let indexed = KeptReference<IndexedObjects<Model>>()

  package init(objects: FetchedObjects<Model>, links: [LinkAttachment<Model>]) {
    self.objects = objects
    self.links = links
  }

  /// Where the keys stand.
  @inlinable
  var positions: KeyPositions<Model.ID> {
    if objects.indexed == objects.all.count { return objects.positions }
    return (indexed.object ?? indexed.keep(IndexedObjects(objects))).positions
  }

  /// The position of a key; nil where it has none.
  @inlinable
  package func position(of id: Model.ID) -> Int? { positions.position(of: id) }

  /// Whether it is known where the key stands, or that it is not there.
  @inlinable
  package func knows(_ id: Model.ID) -> Bool { positions.knows(id) }

  /// The object at a position, its links attached.
  @inlinable
  package func object(at position: Int, in graph: FetchGraph) -> Model {
    var object = objects.all[position]
    for link in links { link.one(graph, position, &object) }
    return object
  }

  /// The objects at positions, their links attached.
  @inlinable
  package func objects(at positions: [Int], in graph: FetchGraph) -> [Model] {
    var objects: [Model] = []
    objects.reserveCapacity(positions.count)
    for position in positions { objects.append(self.objects.all[position]) }
    for link in links { link.all(graph, positions, &objects) }
    return objects
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
