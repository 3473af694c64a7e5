internal import ORMCore

// Delete rules are worked out for the rows of a whole hierarchy together, in terms of its root: a row
// has one key and one kind, so that the rules of other kinds find nothing.

extension StoredSchema {
  /// Columns of an entity as those of the root of its hierarchy.
  package func rooted(_ columns: [Int], of entity: StoredEntity) -> [Int] {
    guard entity.parent != nil else { return columns }
    let root = root(of: entity)
    return columns.compactMap { root.column(named: entity.columns[$0].name) }
  }

  /// A link in terms of the roots on both sides.
  func rooted(_ link: DeleteLink, seenFrom entity: StoredEntity) -> DeleteLink {
    func position(_ column: Int?, of entity: StoredEntity) -> Int? {
      column.flatMap { rooted([$0], of: entity).first }
    }
    let location: LinkLocation
    switch link.location {
    case .here(let columns, let column):
      location = .here(rooted(columns, of: entity), position: position(column, of: entity))
    case .there(let columns, let column):
      location = .there(
        rooted(columns, of: link.other), position: position(column, of: link.other))
    case .between(let join, let here, let there):
      location = .between(
        root(of: join), here: rooted(here, of: join), there: rooted(there, of: join))
    }
    return link.with(
      link.rule, location, to: root(of: link.other), isNeeded: link.isNeeded,
      kind: link.other.parent == nil ? nil : link.other)
  }

  /// Columns of the root of a hierarchy as those of a subentity; nil where it has not all of them.
  func columns(_ columns: [Int], of root: StoredEntity, in kind: StoredEntity) -> [Int]? {
    let own = columns.compactMap { column in
      kind.columns.firstIndex { $0.name == root.columns[column].name }
    }
    return own.count == columns.count ? own : nil
  }

  /// An entity with those above and below it, whose rows may be its rows, by their names in the
  /// program.
  func kin(of entity: StoredEntity) -> Set<String> {
    let root = root(of: entity)
    guard !root.subentities.isEmpty else { return [entity.modelName] }
    if root.name == entity.name { return Set(root.subentities.map(\.modelName) + [root.modelName]) }
    let below = Set(root.kinds(of: entity))
    var names = Set(root.subentities.filter { below.contains($0.name) }.map(\.modelName))
    var parent = entity.parent
    while let name = parent, names.insert(name).inserted {
      parent = root.subentities.first { $0.modelName == name }?.parent
    }
    return names
  }
}
