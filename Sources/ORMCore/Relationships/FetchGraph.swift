/// The objects that one fetch read beside its rows, each once, and the links between them.
///
/// Immutable, and shared by the links of every object that came of the fetch. It holds its objects
/// detached, their links without a graph, and returns copies with their links attached to itself. So
/// nothing in it refers back to it, and a graph with cycles is freed with the last value that holds it.
///
/// Objects of class models are shared instead of copied, so each has an instance apart from the detached
/// object (``Instances``). The links of the instances lead to a second graph, `inner`, which has the same
/// tables and does not keep the instances.
@usableFromInline
package final class FetchGraph: Sendable {
  /// The `FetchTable` of each model: few, so that a linear search is fastest.
  ///
  /// They live as long as the graph, and are reached without counting references: a link that is
  /// followed would pay for it each time.
  @usableFromInline let tables: [Entry]
  private let retained: [any AnyObject & Sendable]
  /// The graph that the links of instances lead to; nil in that graph, and without class models.
  let inner: FetchGraph?
  /// The owner of the instances; nil in the inner graph, and without class models.
  private let owner: InstanceOwner?
  /// The owner of the instances of the graph around this one, as long as it lives.
  private let outerOwner: WeakObject?

  @usableFromInline
  // No lock: it holds references that the graph, which does not change, keeps.
  struct Entry: @unchecked Sendable {
    @usableFromInline let model: ObjectIdentifier
    @usableFromInline let table: Unmanaged<AnyObject>
  }

  package typealias Table = (model: ObjectIdentifier, table: any AnyObject & Sendable)

  /// A graph without objects of class models.
  package convenience init(tables: [Table]) {
    self.init(tables: tables, inner: nil, owner: nil, outerOwner: nil)
  }

  /// A graph with objects of class models, whose instances an owner keeps alive.
  convenience init(tables: [Table], owner: InstanceOwner) {
    let inner = FetchGraph(
      tables: tables, inner: nil, owner: nil, outerOwner: WeakObject(owner))
    self.init(tables: tables, inner: inner, owner: owner, outerOwner: nil)
  }

  private init(
    tables: [Table], inner: FetchGraph?, owner: InstanceOwner?, outerOwner: WeakObject?
  ) {
    self.tables = tables.map { Entry(model: $0.model, table: .passUnretained($0.table)) }
    retained = tables.map(\.table)
    self.inner = inner
    self.owner = owner
    self.outerOwner = outerOwner
  }

  /// The owner of the instances, which lives as long as one of the objects that the fetch returned.
  var liveOwner: InstanceOwner? { owner ?? outerOwner?.object as? InstanceOwner }

  /// Hands the part that concerns a model to `body`; nil where none of its objects was looked for.
  @inlinable @inline(__always)
  func withTable<Model: PrimaryKeyed, R>(
    _ model: Model.Type, _ body: (FetchTable<Model>) -> R?
  ) -> R? {
    var index = 0
    while index < tables.count {
      if tables[index].model == ObjectIdentifier(model) {
        return tables[index].table._withUnsafeGuaranteedRef {
          // A table is entered under its own model, so that nothing is left to check.
          body(unsafeDowncast($0, to: FetchTable<Model>.self))
        }
      }
      index += 1
    }
    return nil
  }

  /// The part that concerns a model; nil where none of its objects was looked for.
  @inlinable
  package func table<Model: PrimaryKeyed>(_ model: Model.Type) -> FetchTable<Model>? {
    withTable(model) { $0 }
  }

  /// Returns whether the graph reports a key: its object is there, or was looked for and not found.
  @inlinable
  package func knows<Model: PrimaryKeyed>(_ model: Model.Type, _ id: Model.ID) -> Bool {
    table(model)?.knows(id) == true
  }

  /// The object with this key, its links attached.
  @inlinable
  package func object<Model: PrimaryKeyed>(_ model: Model.Type, _ id: Model.ID) -> Model? {
    withTable(model) { table in
      table.position(of: id).flatMap { table.object(at: $0, in: self) }
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
        guard let position = table.position(of: id),
          let object = table.object(at: position, in: self)
        else { continue }
        objects.append(object)
      }
      return objects
    } ?? []
  }
}
