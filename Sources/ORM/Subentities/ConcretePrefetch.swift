public import ORMCore

/// The relationships that are fetched with objects of one model, in a fetch of objects of several models.
///
/// ```swift
/// let vehicles = try store.fetchConcrete(
///   Vehicle.all.prefetch(\.owner),                // of those that are vehicles and no more
///   with: .kind(Car.self) { $0.prefetch(\.owner, \.drivers) },
///   .kind(Bicycle.self) { $0.prefetch(\.owner) })
/// ```
public struct ConcretePrefetch: Sendable {
  private let model: any Persistable.Type
  private let tree: PrefetchTree

  init(_ model: any Persistable.Type, _ tree: PrefetchTree) {
    self.model = model
    self.tree = tree
  }

  /// These relationships of the objects of a model; of those alone that are just that, since objects of
  /// its subentities do not have them.
  public static func kind<Model: Persistable>(
    _ model: Model.Type, _ relationships: (Prefetch<Model>) -> Prefetch<Model>
  ) -> ConcretePrefetch {
    ConcretePrefetch(model, relationships(Prefetch<Model>()).tree)
  }

  /// Throws the faults of the relationships, and `invalidCondition` for a model whose objects are not
  /// among an entity's.
  func check(within entity: StoredEntity, of store: any Store) throws {
    try check(model, within: entity, of: store)
  }

  private func check<Model: Persistable>(
    _ model: Model.Type, within entity: StoredEntity, of store: any Store
  ) throws {
    try tree.check(for: model)
    let kind = try store.plan(of: model).entity
    let root = store.schema.root(of: entity)
    let isBelow =
      entity.parent == nil
      ? store.schema.root(of: kind).name == root.name
      : root.kinds(of: entity).contains(kind.name)
    guard isBelow else {
      throw StoreError(
        .invalidCondition,
        "it is not a \(entity.modelName) or a subentity of it, so this prefetch can match "
          + "nothing",
        entity: kind.modelName)
    }
  }

  /// Attaches the relationships to those objects that are of the model.
  func attach(
    to objects: inout [any Persistable], in transaction: ReadTransaction, deleted: DeletedRows
  ) throws {
    if !tree.isEmpty { try attach(model, to: &objects, in: transaction, deleted: deleted) }
  }

  private func attach<Model: Persistable>(
    _ model: Model.Type, to objects: inout [any Persistable], in transaction: ReadTransaction,
    deleted: DeletedRows
  ) throws {
    var indexes: [Int] = []
    var rows: [Model] = []
    for (index, object) in objects.enumerated() {
      guard let row = object as? Model else { continue }
      indexes.append(index)
      rows.append(row)
    }
    let whole = try transaction.prefetching(
      tree, of: rows, reader: transaction.live(), deleted: deleted)
    for (index, row) in zip(indexes, whole) { objects[index] = row }
  }
}
