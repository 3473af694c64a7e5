/// What one fetch read beside its rows: every object once, and the links between them.
///
/// Immutable, and shared by the links of every object that came of the fetch. It holds its objects
/// bare, their links without a graph, and hands them out with their links attached to itself: so
/// nothing in it leads back to it, and a graph with cycles is freed with the last value that holds
/// it.
@usableFromInline
package final class FetchGraph: Sendable {
  /// Of each model its `FetchTable`: few, so that the first that fits is found fastest.
  ///
  /// They live as long as the graph, and are reached without counting references: a link that is
  /// followed would pay for it each time.
  @usableFromInline let tables: [Entry]
  private let kept: [any AnyObject & Sendable]

  @usableFromInline
  // No lock: it holds references that the graph, which does not change, keeps.
  struct Entry: @unchecked Sendable {
    @usableFromInline let model: ObjectIdentifier
    @usableFromInline let table: Unmanaged<AnyObject>
  }

  package init(tables: [(model: ObjectIdentifier, table: any AnyObject & Sendable)]) {
    self.tables = tables.map { Entry(model: $0.model, table: .passUnretained($0.table)) }
    kept = tables.map(\.table)
  }

  /// Hands the part that concerns a model to `body`; nil where none of its objects was looked for.
  @inlinable @inline(__always)
  func withTable<Model: PrimaryKeyed, R>(
    _ model: Model.Type, _ body: (FetchTable<Model>) -> R?
  ) -> R? {
    var place = 0
    while place < tables.count {
      if tables[place].model == ObjectIdentifier(model) {
        return tables[place].table._withUnsafeGuaranteedRef {
          // A table stands under its own model, so that nothing is left to check.
          body(unsafeDowncast($0, to: FetchTable<Model>.self))
        }
      }
      place += 1
    }
    return nil
  }

  /// The part that concerns a model; nil where none of its objects was looked for.
  @inlinable
  package func table<Model: PrimaryKeyed>(_ model: Model.Type) -> FetchTable<Model>? {
    withTable(model) { $0 }
  }

  /// Whether the graph tells of a key: its object is there, or was looked for and not found.
  @inlinable
  package func knows<Model: PrimaryKeyed>(_ model: Model.Type, _ id: Model.ID) -> Bool {
    table(model)?.knows(id) == true
  }

  /// The object with this key, its links attached.
  @inlinable
  package func object<Model: PrimaryKeyed>(_ model: Model.Type, _ id: Model.ID) -> Model? {
    withTable(model) { table in
      table.position(of: id).map { table.object(at: $0, in: self) }
    }
  }

  /// The targets of a link, their own links attached; those that are not there are left out.
  @inlinable
  package func objects<Model: PrimaryKeyed>(
    _ model: Model.Type, _ targets: LinkTargets<Model.ID>
  ) -> [Model] {
    withTable(model) { table in
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
    } ?? []
  }
}
