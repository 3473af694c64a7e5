internal import ORMStorage

/// The objects of a class model that a graph returns, by position, as long as they live.
///
/// The graph's own objects are never returned: their links would lead to the graph, and the graph
/// to them. Each has an instance beside it, which is shared by all links that lead there. When an instance
/// has been released, following a link to it makes a new one.
@usableFromInline
package final class Instances<Model: PrimaryKeyed>: Sendable {
  private let living: Lock<[WeakObject]>

  /// Instances that were made already.
  init(_ objects: [Model]) { living = Lock(objects.map { WeakObject($0 as AnyObject) }) }

  /// The instance at a position; nil where it cannot be made.
  ///
  /// Model code runs outside of the lock. Of two threads that make an instance at the same time,
  /// both get the one that was finished first.
  @usableFromInline
  func object(at position: Int, of table: FetchTable<Model>, in graph: FetchGraph) -> Model? {
    let known = living.withLock { StrongObject($0[position].object) }
    if let object = known.object as? Model { return object }
    guard var new = try? table.objects.all[position].duplicate() else { return nil }
    for link in table.links { link.one(graph.inner ?? graph, position, &new) }
    let made = WeakObject(new as AnyObject)
    let earlier = living.withLock { living in
      let earlier = StrongObject(living[position].object)
      if earlier.object == nil { living[position] = made }
      return earlier
    }
    if let object = earlier.object as? Model { return object }
    graph.liveOwner?.retain([new])
    return new
  }
}

/// A reference that does not keep its object.
// No lock: it is not changed after it was made, and the runtime reads weak references atomically.
struct WeakObject: @unchecked Sendable {
  private(set) weak var object: AnyObject?

  init(_ object: AnyObject) { self.object = object }
}

/// A reference on its way out of a lock, so that no object is freed while the lock is held.
// No lock: it is not changed after it was made.
private struct StrongObject: @unchecked Sendable {
  let object: AnyObject?

  init(_ object: AnyObject?) { self.object = object }
}

/// The owner of a graph's instances, which lives as long as one of the objects that the fetch returned.
///
/// Those objects refer to the owner, the instances do not, so no instance keeps itself alive.
package final class InstanceOwner: Sendable {
  private let objects = Lock<[any Sendable]>([])

  /// Keeps further instances alive.
  func retain(_ new: [any Sendable]) { objects.withLock { $0 += new } }
}
