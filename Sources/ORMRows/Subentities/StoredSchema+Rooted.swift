internal import ORMStorage

extension StoredSchema {
  /// Columns of an entity as those of the root of its hierarchy.
  package func rooted(_ columns: [Int], of entity: StoredEntity) -> [Int] {
    guard entity.parent != nil else { return columns }
    let root = root(of: entity)
    return columns.compactMap { root.column(named: entity.columns[$0].name) }
  }

  /// Columns of the root of a hierarchy as those of a subentity; nil where it has not all of them.
  package func columns(_ columns: [Int], of root: StoredEntity, in kind: StoredEntity) -> [Int]? {
    let own = columns.compactMap { column in
      kind.columns.firstIndex { $0.name == root.columns[column].name }
    }
    return own.count == columns.count ? own : nil
  }

  /// An entity with those above and below it, whose rows may be its rows, by their names in the
  /// program.
  package func kin(of entity: StoredEntity) -> Set<String> {
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
