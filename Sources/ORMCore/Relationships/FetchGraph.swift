/// What one fetch read beside its rows: every object once, and the links between them.
///
/// Immutable, and shared by the links of every object that came of the fetch. It holds its objects
/// bare, their links without a graph, and hands them out with their links attached to itself: so
/// nothing in it leads back to it, and a graph with cycles is freed with the last value that holds
/// it.
package final class FetchGraph: Sendable {
  /// The objects of one entity, and which of their relationships were read.
  package struct Table<Model: PrimaryKeyed>: Sendable {
    package var objects: [Model.ID: Model] = [:]
    /// The ends whose links are attached to what is handed out.
    package var ends: [any RelationshipEnd<Model>] = []

    package init() {}
  }

  /// The links of one relationship: the targets' keys of each owner, in order.
  package typealias Links<Owner: PrimaryKeyed, Target: PrimaryKeyed> = [Owner.ID: [Target.ID]]

  /// Tables by entity name, each a `Table` of its model.
  private let tables: [String: any Sendable]
  /// Links by entity and relationship name, each `Links` of its models.
  private let links: [LinkName: any Sendable]

  /// Which relationship of which entity.
  package struct LinkName: Hashable, Sendable {
    package var entity: String
    package var relationship: String

    package init(entity: String, relationship: String) {
      self.entity = entity
      self.relationship = relationship
    }
  }

  package init(tables: [String: any Sendable], links: [LinkName: any Sendable]) {
    self.tables = tables
    self.links = links
  }

  /// Whether objects of the model were read.
  package func holds<Model: PrimaryKeyed>(_ model: Model.Type) -> Bool {
    tables[Model.entity.declared.name] != nil
  }

  private func table<Model: PrimaryKeyed>(_ model: Model.Type) -> Table<Model>? {
    tables[Model.entity.declared.name] as? Table<Model>
  }

  /// The object with this key, its links attached.
  package func object<Model: PrimaryKeyed>(_ model: Model.Type, _ id: Model.ID) -> Model? {
    guard let table = table(model), let object = table.objects[id] else { return nil }
    return attached(object, table.ends)
  }

  /// The objects with these keys, their links attached; those that are not there are left out.
  package func objects<Model: PrimaryKeyed>(_ model: Model.Type, _ ids: [Model.ID]) -> [Model] {
    guard let table = table(model) else { return [] }
    return ids.compactMap { id in table.objects[id].map { attached($0, table.ends) } }
  }

  /// An object with the links that were read of it.
  package func attached<Model>(_ object: Model, _ ends: [any RelationshipEnd<Model>]) -> Model {
    var object = object
    for end in ends { end.attach(self, to: &object) }
    return object
  }

  /// The keys of an owner's targets; nil where its links were not read.
  package func targets<Owner: PrimaryKeyed, Target: PrimaryKeyed>(
    _ target: Target.Type, of owner: Owner.ID, _ model: Owner.Type, relationship: String
  ) -> [Target.ID]? {
    let name = LinkName(entity: Owner.entity.declared.name, relationship: relationship)
    return (links[name] as? Links<Owner, Target>).map { $0[owner] ?? [] }
  }
}
