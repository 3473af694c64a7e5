public import ORMCore

/// The form of a fetch that returns each object as an instance of its own subentity.
///
/// It may name relationships to fetch with the objects of each model:
///
/// ```swift
/// let vehicles = try store.fetch(
///   Vehicle.all.prefetch(\.owner),  // with vehicles of no subentity
///   as: .concrete
///     .prefetch(for: Car.self) { $0.prefetch(\.owner, \.drivers) }
///     .prefetch(for: Bicycle.self) { $0.prefetch(\.owner) })
/// ```
public struct ConcreteModels: Sendable {
  /// Each object as an instance of its own subentity, without relationships.
  public static let concrete = ConcreteModels()

  private var kinds: [Kind] = []

  private init() {}

  /// Adds relationships to fetch with the objects of a model.
  ///
  /// Objects of its subentities do not have these relationships.
  public func prefetch<Model: Persistable>(
    for model: Model.Type, _ relationships: (Prefetch<Model>) -> Prefetch<Model>
  ) -> ConcreteModels {
    adding(model, relationships(Prefetch<Model>()).tree)
  }

  /// A copy with relationships of a model.
  func adding(_ model: any Persistable.Type, _ tree: PrefetchTree) -> ConcreteModels {
    var copy = self
    copy.kinds.append(Kind(model: model, tree: tree))
    return copy
  }

  /// Throws the errors of the relationships, and `invalidCondition` for a model whose objects are
  /// not among those of an entity.
  func check(within entity: StoredEntity, of store: any Store) throws {
    for kind in kinds { try kind.check(kind.model, within: entity, of: store) }
  }

  /// Attaches the relationships to the objects of each model.
  func attach(
    to objects: inout [any Persistable], in transaction: ReadTransaction, deleted: DeletedRows
  ) throws {
    for kind in kinds where !kind.tree.isEmpty {
      try kind.attach(kind.model, to: &objects, in: transaction, deleted: deleted)
    }
  }

  /// The relationships that are fetched with the objects of a model.
  private struct Kind {
    let model: any Persistable.Type
    let tree: PrefetchTree

    func check<Model: Persistable>(
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

    func attach<Model: Persistable>(
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
}
