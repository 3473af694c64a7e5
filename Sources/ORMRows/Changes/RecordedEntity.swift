internal import ORMStorage

/// The parts of a stored entity that a change log needs, made once for each store.
package final class RecordedEntity: Sendable {
  /// An entity of the program whose rows are rows of the stored entity.
  package final class View: Sendable {
    let entity: String
    let parents: [String]
    /// The value in the column of the kind; null for the root of a hierarchy.
    let kind: StoredValue
    /// The attributes in the order in which rows have them, and their positions in an image.
    let names: [String]
    let positions: [Int]
    /// The positions of the key in an image are its first.
    let keyCount: Int

    init(
      entity: String, parents: [String], kind: StoredValue, names: [String], positions: [Int],
      keyCount: Int
    ) {
      self.entity = entity
      self.parents = parents
      self.kind = kind
      self.names = names
      self.positions = positions
      self.keyCount = keyCount
    }
  }

  /// A relationship whose links are the rows of the stored entity.
  struct Link: Sendable {
    let owner: String
    let relationship: String
    /// The positions of both keys in an image.
    let here: [Int]
    let there: [Int]
    /// True if the rows have a position in the relationship's order.
    let isOrdered: Bool
  }

  package let entity: StoredEntity
  /// The columns of an image below level `attributes`, and of most inserts below level `values`: the
  /// key, the kind and the timestamp of a soft delete.
  let keyColumns: [Int]
  /// The columns of other images: the key, then all others.
  let allColumns: [Int]
  let views: [View]
  let links: [Link]
  /// The positions of the kind and of the timestamp of a soft delete in images of both forms.
  private let kindPositions: (keys: Int?, all: Int?)
  private let hiddenPositions: (keys: Int?, all: Int?)

  init(_ entity: StoredEntity, _ schema: StoredSchema) {
    self.entity = entity
    let kindColumn = entity.subentities.isEmpty ? nil : entity.column(named: entity.kindName)
    let more = [kindColumn, entity.deletedAt].compactMap(\.self).filter { !entity.key.contains($0) }
    let keys = entity.key + more
    let all = entity.key + entity.columns.indices.filter { !entity.key.contains($0) }
    func positions(_ column: Int?) -> (keys: Int?, all: Int?) {
      (column.flatMap { keys.firstIndex(of: $0) }, column.flatMap { all.firstIndex(of: $0) })
    }
    keyColumns = keys
    allColumns = all
    kindPositions = positions(kindColumn)
    hiddenPositions = positions(entity.deletedAt)
    func view(_ own: StoredEntity, _ columns: [Int], _ names: [String]) -> View {
      var parents: [String] = []
      var above = own.parent
      while let name = above, !parents.contains(name) {
        parents.append(name)
        above = schema.entity(named: name)?.parent
      }
      return View(
        entity: own.modelName, parents: parents,
        kind: own.parent == nil ? .null : .string(own.name), names: names,
        positions: columns.compactMap { all.firstIndex(of: $0) }, keyCount: entity.key.count)
    }
    let own = entity.ownColumns
    let ownNames = own.map { entity.columns[$0].attribute }
    var views = entity.isInternal ? [] : [view(entity, own, ownNames)]
    for subentity in entity.subentities {
      let columns = schema.rooted(Array(subentity.columns.indices), of: subentity)
      // Columns that core keeps in the root for links are those of every row.
      let rest = own.filter { !columns.contains($0) }
      views.append(
        view(
          subentity, columns + rest,
          subentity.columns.map(\.attribute) + rest.map { entity.columns[$0].attribute }))
    }
    self.views = views
    links = entity.isInternal ? Self.links(of: entity, schema, all) : []
  }

  private static func links(
    of join: StoredEntity, _ schema: StoredSchema, _ columns: [Int]
  ) -> [Link] {
    schema.everyEntity.flatMap { owner in
      owner.relationships.compactMap { relationship in
        guard
          case .between(let entity, let here, let there) = schema.location(
            of: relationship, in: owner),
          entity.name == join.name,
          case .join(entity: _, own: _, target: _, let position) = relationship.storage
        else { return nil }
        return Link(
          owner: owner.modelName, relationship: relationship.name,
          here: here.compactMap { columns.firstIndex(of: $0) },
          there: there.compactMap { columns.firstIndex(of: $0) }, isOrdered: position != nil)
      }
    }
  }

  /// The entities of the program whose changes the rows are.
  package var entities: [String] {
    entity.isInternal ? links.map(\.owner) : views.map(\.entity)
  }

  /// The columns of an image at a level.
  func columns(at level: ChangeLevel) -> [Int] { level < .attributes ? keyColumns : allColumns }

  /// The view of a row by its image; nil for a kind that the program does not declare.
  func view(of image: ArraySlice<StoredValue>, at level: ChangeLevel) -> View? {
    guard let position = level < .attributes ? kindPositions.keys : kindPositions.all else {
      return views.first
    }
    let kind = image[image.startIndex + position]
    return views.first { $0.kind == kind }
  }

  /// The position of the timestamp of a soft delete in an image.
  func hiddenPosition(at level: ChangeLevel) -> Int? {
    level < .attributes ? hiddenPositions.keys : hiddenPositions.all
  }
}

/// The recorded entities of a store, by their names in the store.
package final class RecordedSchema: Sendable {
  package let entities: [String: RecordedEntity]
  /// The entities of the program in the order of the schema, with those that each is a subentity of.
  package let names: [String]
  package let parents: [String: [String]]

  package init(_ schema: StoredSchema) {
    var entities: [String: RecordedEntity] = [:]
    var names: [String] = []
    var parents: [String: [String]] = [:]
    for entity in schema.entities where !entity.isBookkeeping {
      let recorded = RecordedEntity(entity, schema)
      entities[entity.name] = recorded
      for view in recorded.views {
        names.append(view.entity)
        parents[view.entity] = view.parents
      }
    }
    self.entities = entities
    self.names = names
    self.parents = parents
  }

  /// The entities whose rows are objects of a model, by its name.
  package func names(of model: String) -> [String] {
    names.filter { $0 == model || parents[$0]?.contains(model) == true }
  }

  /// The changes of entities of which nothing is known but their names.
  package func unknown(_ entities: Set<String>?, isEverything: Bool = true) -> [EntityChanges] {
    names.filter { entities?.contains($0) ?? true }.map {
      EntityChanges(entity: $0, parents: parents[$0] ?? [], isEverything: isEverything)
    }
  }
}

extension Store {
  /// Returns the parts of the schema that change logs need.
  package func recordedSchema() throws -> RecordedSchema {
    try runtime.plan(for: RecordedSchema.self) { RecordedSchema(schema) }
  }
}
