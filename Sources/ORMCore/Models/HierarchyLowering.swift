internal import ORMStorage

/// A lowering of entities side by side to roots that hold their subentities.
enum HierarchyLowering {
  /// The schema with every subentity folded into the root of its hierarchy.
  ///
  /// The entities were checked.
  static func folded(_ flat: StoredSchema) -> StoredSchema {
    guard flat.entities.contains(where: { $0.parent != nil }) else { return flat }
    let children = Dictionary(grouping: flat.entities) { $0.parent ?? "" }
    var schema = StoredSchema(entities: flat.entities.filter { $0.parent == nil })
    for position in schema.entities.indices {
      let root = schema.entities[position]
      guard children[root.modelName] != nil else { continue }
      var fold = Fold(root: root, children: children)
      fold.add(childrenOf: root)
      schema.entities[position] = fold.whole
    }
    return schema
  }

  /// One hierarchy being folded.
  private struct Fold {
    var root: StoredEntity
    let children: [String: [StoredEntity]]
    var views: [StoredEntity] = []

    /// The root with its subentities and the kind of its rows.
    var whole: StoredEntity {
      var whole = root
      let kind = whole.columns.count
      whole.columns.append(
        StoredColumn(
          whole.kindName, .string, attribute: "\(whole.modelName)$kind", isOptional: true,
          isInternal: true))
      whole.indexes.append(StoredIndex("\(whole.name).\(whole.kindName)", [.init(kind)]))
      whole.subentities = views
      return whole
    }

    mutating func add(childrenOf parent: StoredEntity) {
      for child in children[parent.modelName] ?? [] {
        let view = view(of: child, below: parent)
        views.append(view)
        add(childrenOf: view)
      }
    }

    /// A subentity whose columns have the names of the root's.
    private mutating func view(
      of child: StoredEntity, below parent: StoredEntity
    ) -> StoredEntity {
      var view = child
      view.keySource = root.keySource
      view.rules = parent.rules + child.rules.filter { !parent.rules.contains($0) }
      for (position, column) in child.columns.enumerated() {
        if let inherited = parent.column(ofAttribute: column.attribute) {
          view.columns[position] = parent.columns[inherited]
        } else {
          view.columns[position].name = "\(child.name).\(column.name)"
          root.columns.append(held(view.columns[position], of: child))
        }
      }
      let inherited = parent.indexes.compactMap { $0.moved(from: parent, to: view) }
      view.indexes = inherited
      for index in child.indexes
      where !inherited.contains(where: { $0.terms == index.terms && $0.isUnique == index.isUnique })
      {
        view.indexes.append(index)
        if let own = index.moved(from: view, to: root) { root.indexes.append(own) }
      }
      return view
    }

    /// A column of a subentity as the root holds it for all its rows: those of other kinds have nil.
    private func held(_ column: StoredColumn, of entity: StoredEntity) -> StoredColumn {
      var held = column
      held.attribute = "\(entity.modelName)$\(column.attribute)"
      held.isOptional = true
      held.isInternal = true
      held.role = nil
      held.derived = nil
      // Rows that are there get the timestamp; new ones that of their own insert, above the seam.
      if held.computedDefault == .uuid { held.computedDefault = nil }
      return held
    }
  }
}

extension StoredIndex {
  /// The index with its positions counted in the columns of another entity of the hierarchy; nil
  /// where that lacks one of them.
  fileprivate func moved(from entity: StoredEntity, to other: StoredEntity) -> StoredIndex? {
    var moved = self
    for position in terms.indices {
      guard let column = other.column(named: entity.columns[terms[position].column].name) else {
        return nil
      }
      moved.terms[position].column = column
    }
    return moved
  }
}
