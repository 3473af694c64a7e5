/// What one fetch read beside its rows: every object once, and the links between them.
///
/// Immutable, and shared by the links of every object that came of the fetch. It holds its objects
/// bare, their links without a graph, and hands them out with their links attached to itself: so
/// nothing in it leads back to it, and a graph with cycles is freed with the last value that holds
/// it.
package final class FetchGraph: Sendable {
  /// Of each model its `FetchTable`.
  private let tables: [ObjectIdentifier: any AnyObject & Sendable]

  package init(tables: [ObjectIdentifier: any AnyObject & Sendable]) { self.tables = tables }

  /// The part that concerns a model; nil where none of its objects was looked for.
  package func table<Model: PrimaryKeyed>(_ model: Model.Type) -> FetchTable<Model>? {
    tables[ObjectIdentifier(model)] as? FetchTable<Model>
  }

  /// Whether the graph tells of a key: its object is there, or was looked for and not found.
  package func knows<Model: PrimaryKeyed>(_ model: Model.Type, _ id: Model.ID) -> Bool {
    table(model)?.objects.positions.knows(id) == true
  }

  /// The object with this key, its links attached.
  package func object<Model: PrimaryKeyed>(_ model: Model.Type, _ id: Model.ID) -> Model? {
    guard let table = table(model), let position = table.objects.positions.position(of: id) else {
      return nil
    }
    return table.object(at: position, in: self)
  }

  /// The objects with these keys, their links attached; those that are not there are left out.
  package func objects<Model: PrimaryKeyed>(_ model: Model.Type, _ ids: [Model.ID]) -> [Model] {
    guard let table = table(model) else { return [] }
    var objects: [Model] = []
    objects.reserveCapacity(ids.count)
    for id in ids {
      guard let position = table.objects.positions.position(of: id) else { continue }
      objects.append(table.object(at: position, in: self))
    }
    return objects
  }
}
