internal import ORMRows
internal import ORMStorage

/// An entity that becomes a subentity of another.
struct Inheritance: Codable, Sendable {
  var entity: String
  var parent: String
  var keepsKeys: Bool
}

extension SchemaDraft {
  /// Makes an entity a subentity, and its rows rows of the root by the passes.
  mutating func inherit(_ step: Inheritance, _ pass: Pass) throws {
    let (source, parent) = (try entity(step.entity), try entity(step.parent))
    let root = schema.root(of: parent)
    guard source.parent == nil, source.subentities.isEmpty, source.name != root.name else {
      throw fault("an entity without subentities of its own becomes a subentity", step.entity)
    }
    try checkIsNoLink(source)
    guard source.keyTypes == root.keyTypes else {
      throw fault(
        "\(root.modelName) has another primary key; rename or change it in a step before",
        step.entity, source.keyAttributes)
    }
    let makesKeys = root.generatesKeys && !step.keepsKeys
    var transfer = RowTransfer(
      source: step.entity, target: root.modelName, matching: [], makesKeys: makesKeys,
      keys: makesKeys ? root.keyAttributes.map { "\($0)$merged" } : root.keyAttributes)
    try moveKeys(transfer, isIndexed: false, pass)
    let own = try addColumns(of: entity(step.entity), below: parent, &transfer)
    transfer.kind = (try addKind(to: root), source.name)
    try pass(&self) { tx in try transfer.copyRows(in: tx) }
    try replaceRoot(try entity(step.entity), below: parent, own)
  }

  /// Adds the attributes that a new subentity has beside those of its parent, and notes the attributes
  /// of the root that get the values of each.
  ///
  /// - Returns: the columns that the parent lacks, as the subentity has them.
  private mutating func addColumns(
    of source: StoredEntity, below parent: StoredEntity, _ transfer: inout RowTransfer
  ) throws -> [StoredColumn] {
    let root = schema.root(of: parent)
    guard let position = schema.index(of: root.name) else { return [] }
    let visible = parent.ownColumns.map { parent.columns[$0] }
    for column in visible where source.column(ofAttribute: column.attribute) == nil {
      if column.isOptional || column.defaultValue != nil || column.isInternal { continue }
      throw fault(
        "it lacks an attribute that \(parent.modelName) requires; add it in a step before",
        source.modelName, [column.attribute])
    }
    var own: [StoredColumn] = []
    for (index, column) in source.columns.enumerated()
    where !source.key.contains(index) && !transfer.keys.contains(column.attribute) {
      let name = column.attribute
      try checkMoves(column, of: source)
      if column.isInternal {
        throw fault(
          "a to-many without an inverse leads to it; add an inverse in a version before",
          source.modelName)
      }
      if let held = visible.first(where: { $0.attribute == name }) {
        if held.type != column.type || held.externalThreshold != nil {
          throw fault("it is of another type in \(parent.modelName)", source.modelName, [name])
        }
        if column.isOptional, !held.isOptional {
          throw fault(
            "it is required in \(parent.modelName); make it required in a step before",
            source.modelName, [name])
        }
        guard let inRoot = root.column(named: held.name) else { continue }
        transfer.columns.append((name, root.columns[inRoot].attribute))
        continue
      }
      var added = column
      added.name = "\(source.name).\(column.name)"
      own.append(added)
      added.attribute = "\(source.modelName)$\(name)"
      added.isOptional = true
      added.isInternal = true
      added.defaultValue = nil
      added.computedDefault = nil
      added.role = nil
      added.derived = nil
      try add(added, to: position)
      transfer.columns.append((name, added.attribute))
    }
    return own
  }

  /// Adds the column with the kind of a row to a root without subentities; returns its attribute.
  private mutating func addKind(to root: StoredEntity) throws -> String {
    let attribute = "\(root.modelName)$kind"
    guard root.subentities.isEmpty, let position = schema.index(of: root.name) else {
      return attribute
    }
    try add(
      StoredColumn(
        root.kindName, .string, attribute: attribute, isOptional: true, isInternal: true),
      to: position)
    return attribute
  }

  /// Removes a root whose rows have moved, and adds the subentity.
  private mutating func replaceRoot(
    _ source: StoredEntity, below former: StoredEntity, _ own: [StoredColumn]
  ) throws {
    let parent = try entity(former.modelName)
    try moveRelationships(of: source.modelName, to: parent.modelName, isInherited: true)
    let remaining = try entity(source.modelName).relationships
    if let position = schema.index(of: source.name) { removeRoot(at: position) }
    let visible = parent.ownColumns.map { parent.columns[$0] }.filter { !$0.isInternal }
    var view = StoredEntity(
      name: source.name, modelName: source.modelName, columns: visible + own,
      key: parent.keyAttributes.compactMap { name in
        visible.firstIndex { $0.attribute == name }
      }, keySource: parent.keySource, relationships: parent.relationships + remaining,
      templates: source.templates,
      rules: parent.rules + source.rules.filter { !parent.rules.contains($0) })
    view.parent = parent.modelName
    let root = schema.root(of: parent).name
    describe { schema in
      guard let position = schema.index(of: root) else { return }
      schema.entities[position].subentities.append(view)
    }
  }

  // MARK: Back

  /// Makes a subentity an entity of its own, and its rows rows of it by the passes.
  mutating func disinherit(_ name: String, from parentName: String, _ pass: Pass) throws {
    let (view, parent) = (try entity(name), try entity(parentName))
    let root = schema.root(of: view)
    guard view.parent == parentName, !root.subentities.contains(where: { $0.parent == name }) else {
      throw fault("it is no subentity of \(parentName) without subentities of its own", name)
    }
    let kind = "\(root.modelName)$kind"
    let departure = Departure(
      draft: KeyChange.draft(of: name), root: root.modelName,
      isOfKind: .compare(.attribute(kind), .equal, .value(.string(view.name)), []),
      links: linksToAncestors(of: view),
      columns: view.columns.compactMap { column in
        root.column(named: column.name).map { (root.columns[$0].attribute, column.attribute) }
      })
    var alone = StoredEntity(
      name: KeyChange.draft(of: view.name), modelName: departure.draft, columns: view.columns,
      key: view.key, keySource: root.keySource)
    for position in alone.columns.indices {
      alone.columns[position].name = alone.columns[position].ownName
      // Derived attributes are computed at the end.
      alone.columns[position].derived = nil
    }
    try add(alone)
    try pass(&self) { tx in try departure.check(in: tx) }
    try pass(&self) { tx in try departure.copyRows(in: tx) }
    try pass(&self) { tx in try departure.deleteRows(in: tx) }
    let inherited = Set(parent.ownColumns.map { parent.columns[$0].name })
    for column in view.columns where !inherited.contains(column.name) {
      remove(try location(column.attribute, of: name))
    }
    describe { schema in
      guard let position = schema.index(of: root.name) else { return }
      schema.entities[position].subentities.removeAll { $0.name == view.name }
    }
    if root.subentities.count == 1, let position = schema.index(of: root.name) {
      remove(ColumnLocation(root: position, name: root.kindName, owner: root.modelName))
    }
    try renameEntity(departure.draft, to: name)
    describe { schema in
      schema.editEntities { entity in
        if entity.modelName != name { return }
        entity.rules = view.rules
        entity.templates = view.templates
        entity.relationships = view.relationships.compactMap { relationship in
          guard parent.relationship(named: relationship.name) != nil else { return relationship }
          guard case .own = relationship.storage else { return nil }
          var retained = relationship
          retained.inverse = nil
          return retained
        }
      }
    }
  }

  /// The columns that may hold keys of a subentity's rows by relationships that lead to entities above
  /// it, by attributes of the roots.
  private func linksToAncestors(of view: StoredEntity) -> [(entity: String, names: [String])] {
    var links: [(entity: String, names: [String])] = []
    var name = view.parent
    while let current = name, let ancestor = schema.entity(named: current) {
      for referrer in keyReferrers(of: current) {
        guard let entity = schema.entity(named: referrer.entity) else { continue }
        let root = schema.root(of: entity)
        let names = referrer.names.compactMap { name in
          entity.column(ofAttribute: name).flatMap { root.column(named: entity.columns[$0].name) }
        }.map { root.columns[$0].attribute }
        // A join between rows of one entity holds the key at both ends.
        for start in stride(from: 0, to: names.count, by: max(1, view.key.count)) {
          links.append(
            (root.modelName, Array(names[start..<min(start + view.key.count, names.count)])))
        }
      }
      name = ancestor.parent
    }
    return links
  }
}

/// Rows of a subentity that become rows of an entity of their own.
private struct Departure {
  /// The entity that gets them, under a name for the time being.
  let draft: String
  /// The root that has them.
  let root: String
  let isOfKind: Condition
  /// The columns by which other rows may lead to them as rows of an entity above.
  let links: [(entity: String, names: [String])]
  /// The attributes in the root, and those of the entity.
  let columns: [(from: String, to: String)]

  /// Throws `validationFailed` for links that would lead nowhere.
  func check(in tx: WriteTransaction) throws {
    let entity = try EntityPlan(root, in: tx.store).entity
    let visible = Set(columns.map(\.from))
    // Links of to-manys without an inverse that lead to entities above.
    let hidden = entity.columns.filter {
      $0.isInternal && !$0.isOfSubentities && !visible.contains($0.attribute)
    }
    if !hidden.isEmpty {
      let isLinked = Condition.any(
        hidden.map { .compare(.attribute($0.attribute), .notEqual, .value(.null), []) })
      try tx.expectNone(
        DynamicQuery(root, where: .all([isOfKind, isLinked])), .validationFailed,
        "a to-many leads to it as to a row of \(root), and the link would be lost",
        entity.keyAttributes)
    }
    if links.isEmpty { return }
    try tx.migrationBatches(of: entity, where: isOfKind) { rows in
      let keys = rows.map { row in entity.keyAttributes.map { row[$0] } }
      for (entity, names) in links {
        try tx.expectNone(
          DynamicQuery(entity, where: .isOne(of: keys, names)), .validationFailed,
          "it leads to a row that leaves \(root), and the link would be lost", names)
      }
    }
  }

  /// Copies the rows, and the greatest key.
  func copyRows(in tx: WriteTransaction) throws {
    let from = try EntityPlan(root, in: tx.store).entity
    let to = try EntityPlan(draft, in: tx.store).entity
    try tx.migrationBatches(of: from, where: isOfKind) { rows in
      try tx.copy(
        rows.map { row in
          var new = DynamicRow(draft)
          for (name, other) in columns { new[other] = row[name] }
          return new
        })
    }
    if to.generatesKeys, let greatest = try tx.live().greatestKey(of: from.name) {
      try tx.writing().raiseGreatestKey(of: to.name, to: greatest)
    }
  }

  /// Deletes the rows from the root, and nothing with them.
  func deleteRows(in tx: WriteTransaction) throws {
    let plan = try EntityPlan(root, in: tx.store)
    _ = try tx.writing().apply(
      .delete(try plan.request(DynamicQuery(root, where: isOfKind, deleted: .included))))
  }
}
