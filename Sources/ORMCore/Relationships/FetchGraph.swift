/// What one fetch read beside its rows: every object once, and the links between them.
///
/// Immutable, and shared by the links of every object that came of the fetch. It holds its objects
/// bare, their links without a graph, and hands them out with their links attached to itself: so
/// nothing in it leads back to it, and a graph with cycles is freed with the last value that holds
/// it.
@usableFromInline
package final class FetchGraph: Sendable {
  /// Of each model its `FetchTable`: few, so that the first that fits is found fastest.
  @usableFromInline let tables: [(model: ObjectIdentifier, table: any AnyObject & Sendable)]

  package init(tables: [(model: ObjectIdentifier, table: any AnyObject & Sendable)]) {
    self.tables = tables
  }

  /// The part that concerns a model; nil where none of its objects was looked for.
  @inlinable
  package func table<Model: PrimaryKeyed>(_ model: Model.Type) -> FetchTable<Model>? {
    for entry in tables where entry.model == ObjectIdentifier(model) {
      // A table stands under its own model, so that nothing is left to check.
      return unsafeDowncast(entry.table, to: FetchTable<Model>.self)
    }
    return nil
  }

  /// Whether the graph tells of a key: its object is there, or was looked for and not found.
  @inlinable
  package func knows<Model: PrimaryKeyed>(_ model: Model.Type, _ id: Model.ID) -> Bool {
    table(model)?.knows(id) == true
  }

  /// The object with this key, its links attached.
  @inlinable
  package func object<Model: PrimaryKeyed>(_ model: Model.Type, _ id: Model.ID) -> Model? {
    guard let table = table(model), let position = table.position(of: id) else { return nil }
    return table.object(at: position, in: self)
  }

  /// The targets of a link, their own links attached; those that are not there are left out.
  @inlinable
  package func objects<Model: PrimaryKeyed>(
    _ model: Model.Type, _ targets: LinkTargets<Model.ID>
  ) -> [Model] {
    guard let table = table(model) else { return [] }
    if let first = targets.first {
      return table.objects(from: first, count: targets.ids.count, in: self)
    }
    var objects: [Model] = []
    objects.reserveCapacity(targets.ids.count)
    for id in targets.ids {
      guard let position = table.position(of: id) else { continue }
      objects.append(table.object(at: position, in: self))
    }
    return objects
  }
}
