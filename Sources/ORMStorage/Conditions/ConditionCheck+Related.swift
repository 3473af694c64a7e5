internal import ORMValues

extension ConditionCheck {
  /// A path of relationships, resolved so far: its steps and the row that they lead to.
  struct ResolvedPath {
    var steps: [RelatedRows.Step] = []
    var row: RelatedRow
    var hasToMany = false
    /// True if the last step leads from the rows of links to targets that are surely there.
    var endsInLinks = false
  }

  /// The row of a scope.
  func row(_ scope: Int) throws -> RelatedRow {
    if scope == 0, !outputs.isEmpty {
      throw fault(
        .invalidCondition,
        "a group has only its keys and aggregates; aggregate this attribute, or group by it")
    }
    if scope == 0 { return RelatedRow(scope: 0, entity: entity) }
    guard let row = rows[scope] else {
      throw fault(
        .invalidCondition, "a row is used outside the condition that it belongs to")
    }
    return row
  }

  private mutating func newScope() -> Int {
    scopeCount += 1
    return scopeCount
  }

  /// A path: an attribute of a row, or of the row that to-ones lead to.
  mutating func check(
    _ path: Operand.Path, _ operand: Operand, depth: Int, mayNameExternal: Bool
  ) throws -> Typed {
    let start = try row(path.scope)
    guard let last = path.names.last else {
      throw fault(.invalidCondition, "a path without a name")
    }
    if path.names.count == 1, let column = start.entity.column(ofAttribute: last) {
      let kind = start.entity.columns[column].type.kind
      try checkNameable(start.entity.columns[column], of: start.entity, mayNameExternal)
      return path.scope == start.scope
        ? (operand, kind) : (.path(.init([last], scope: start.scope)), kind)
    }
    try checkDepth(depth + path.names.count - 1)
    var resolved = ResolvedPath(row: start)
    var referrer = resolved
    for name in path.names.dropLast() {
      referrer = resolved
      try follow(name, onlyToOne: true, &resolved)
    }
    var link = path.names.dropLast().last
    let attribute: String
    if resolved.row.entity.relationship(named: last) != nil {
      referrer = resolved
      link = last
      try follow(last, onlyToOne: true, &resolved)
      guard let key = resolved.row.entity.onlyKeyAttribute else {
        throw StoreError(
          .invalidCondition,
          "the key of \(resolved.row.entity.modelName) has several attributes; name one of them",
          entity: start.entity.modelName, attributes: [last])
      }
      attribute = key
    } else {
      attribute = last
    }
    guard let column = resolved.row.entity.column(ofAttribute: attribute) else {
      throw StoreError(
        .unknownAttribute, "the entity has no attribute or relationship of this name",
        entity: resolved.row.entity.modelName, attributes: [attribute])
    }
    let kind = resolved.row.entity.columns[column].type.kind
    if let link,
      let own = schema?.lastingKey(link, of: referrer.row.entity, holding: attribute)
    {
      let key = Operand.path(.init([own], scope: referrer.row.scope))
      return (
        referrer.steps.isEmpty ? key : .relatedValue(key, RelatedRows(referrer.steps)), kind
      )
    }
    try checkNameable(resolved.row.entity.columns[column], of: resolved.row.entity, mayNameExternal)
    return (
      .relatedValue(
        .path(.init([attribute], scope: resolved.row.scope)), RelatedRows(resolved.steps)), kind
    )
  }

  /// The column that a path of one or several names leads to, if it does.
  func column(of path: Operand.Path) -> StoredColumn? {
    guard let last = path.names.last, let start = try? row(path.scope) else { return nil }
    var copy = self
    var resolved = ResolvedPath(row: start)
    for name in path.names.dropLast() {
      guard (try? copy.follow(name, onlyToOne: true, &resolved)) != nil else { return nil }
    }
    return resolved.row.entity.column(ofAttribute: last).map { resolved.row.entity.columns[$0] }
  }

  /// Goes one relationship further.
  ///
  /// Every path ends in rows of the target, so that a key which points at nothing leads nowhere
  /// (clause 2.9). ``Elements`` of which nothing is asked may end in the rows of their links.
  mutating func follow(_ name: String, onlyToOne: Bool, _ resolved: inout ResolvedPath) throws {
    let entity = resolved.row.entity
    guard let relationship = entity.relationship(named: name) else {
      let isAttribute = entity.column(ofAttribute: name) != nil
      throw StoreError(
        isAttribute ? .invalidCondition : .unknownAttribute,
        isAttribute
          ? "an attribute leads to no other row; only a relationship can be "
            + "followed" : "the entity has no relationship of this name",
        entity: entity.modelName, attributes: [name])
    }
    if relationship.isToMany, onlyToOne {
      throw StoreError(
        .invalidCondition,
        "it is a to-many: use any, all or none of its targets, or an aggregate",
        entity: entity.modelName, attributes: [name])
    }
    guard let schema, let target = schema.entity(named: relationship.target),
      let storage = relationship.storage
    else {
      throw StoreError(
        .invalidCondition, "a condition on related objects needs the store that holds them",
        entity: entity.modelName, attributes: [name])
    }
    if relationship.isToMany { resolved.hasToMany = true }
    resolved.endsInLinks = false
    switch storage {
    case .own(let names, position: _):
      append(target, target.keyAttributes, equal: names, &resolved)
    case .target(let names, position: _):
      append(target, names, equal: entity.keyAttributes, &resolved)
    case .join(let join, let own, let others, position: _):
      guard let join = schema.entity(named: join) else {
        throw StoreError(
          .invalidCondition, "the store lacks the entity that holds this relationship's links",
          entity: entity.modelName, attributes: [name])
      }
      append(join, own, equal: entity.keyAttributes, &resolved)
      append(target, target.keyAttributes, equal: others, &resolved)
      resolved.endsInLinks = join.isInternal && schema.isLasting(relationship, to: target)
    }
  }

  private mutating func append(
    _ entity: StoredEntity, _ attributes: [String], equal others: [String],
    _ resolved: inout ResolvedPath
  ) {
    let before = resolved.row.scope
    let row = RelatedRow(scope: newScope(), entity: entity)
    resolved.steps.append(
      RelatedRows.Step(
        entity: entity.name, scope: row.scope,
        links: zip(attributes, others).map { .init($0, equals: .init([$1], scope: before)) },
        nullAttribute: seesDeleted ? nil : entity.deletedAtAttribute))
    resolved.row = row
  }

  /// Checks the path to the elements of a to-many, and passes on the rows they are, and the rows of their
  /// links if each of these leads to an element; else the elements again.
  mutating func withRows<Result>(
    of elements: Elements, depth: Int,
    _ body: (inout ConditionCheck, RelatedRows, _ links: RelatedRows) throws -> Result
  ) throws -> Result {
    let resolved = try resolve(elements, depth: depth)
    let rows = RelatedRows(resolved.steps)
    let links = resolved.endsInLinks ? RelatedRows(resolved.steps.dropLast()) : rows
    return try within([elements.scope: resolved.row]) { try body(&$0, rows, links) }
  }

  /// Follows the path to the elements of a to-many.
  private mutating func resolve(_ elements: Elements, depth: Int) throws -> ResolvedPath {
    try checkDepth(depth + elements.path.names.count)
    var resolved = ResolvedPath(row: try row(elements.path.scope))
    for name in elements.path.names { try follow(name, onlyToOne: false, &resolved) }
    guard resolved.hasToMany else {
      throw StoreError(
        .invalidCondition,
        "it leads to at most one row: write the attribute behind it, without any, all or none",
        entity: resolved.row.entity.modelName, attributes: elements.path.names)
    }
    return resolved
  }

  /// Checks rows that are tied already, and passes them on under scopes of this check.
  mutating func withRows<Result>(
    _ rows: RelatedRows, _ body: (inout ConditionCheck, RelatedRows) throws -> Result
  ) throws -> Result {
    let (checked, known) = try checkTied(rows)
    return try within(known) { try body(&$0, checked) }
  }

  /// Checks rows that are tied already, and gives them scopes of this check.
  private mutating func checkTied(
    _ rows: RelatedRows
  ) throws -> (rows: RelatedRows, known: [Int: RelatedRow]) {
    guard !rows.steps.isEmpty else {
      throw fault(.invalidCondition, "related rows without a step")
    }
    var steps: [RelatedRows.Step] = []
    var known: [Int: RelatedRow] = [:]
    for step in rows.steps {
      guard let entity = schema?[step.entity] else {
        throw StoreError(
          .invalidCondition, "the store has no such related rows", entity: step.entity)
      }
      let scope = newScope()
      var links: [RelatedRows.Link] = []
      for link in step.links {
        let before = try known[link.other.scope] ?? row(link.other.scope)
        guard entity.column(ofAttribute: link.attribute) != nil, link.other.names.count == 1,
          before.entity.column(ofAttribute: link.other.names[0]) != nil
        else {
          throw StoreError(
            .unknownAttribute, "no such link: \(link.attribute) == \(link.other)",
            entity: entity.modelName, attributes: [link.attribute])
        }
        links.append(.init(link.attribute, equals: .init(link.other.names, scope: before.scope)))
      }
      guard !links.isEmpty, step.scope != 0, known[step.scope] == nil,
        self.rows[step.scope] == nil
      else {
        throw fault(.invalidCondition, "related rows without links, or with a scope of others")
      }
      if let attribute = step.nullAttribute, entity.column(ofAttribute: attribute) == nil {
        throw entity.unknown(attribute)
      }
      known[step.scope] = RelatedRow(scope: scope, entity: entity)
      steps.append(
        .init(
          entity: step.entity, scope: scope, links: links, nullAttribute: step.nullAttribute))
    }
    return (RelatedRows(steps), known)
  }

  /// Runs with more rows that can be named.
  private mutating func within<Result>(
    _ added: [Int: RelatedRow], _ body: (inout ConditionCheck) throws -> Result
  ) throws -> Result {
    for scope in added.keys where scope == 0 || rows[scope] != nil {
      throw fault(.invalidCondition, "two rows of a condition have the scope \(scope)")
    }
    let (before, itemsBefore) = (rows, items)
    rows.merge(added) { _, new in new }
    items = [:]
    defer {
      rows = before
      items = itemsBefore
    }
    return try body(&self)
  }

  /// Checks that there is at most one row: each step is found by its key or a unique rule.
  func checkSingle(_ rows: RelatedRows) throws {
    for step in rows.steps {
      guard let entity = schema?[step.entity] else { continue }
      let linked = Set(step.links.compactMap { entity.column(ofAttribute: $0.attribute) })
      let isUnique = entity.indexes.contains { index in
        index.isUnique && index.terms.allSatisfy { linked.contains($0.column) }
      }
      guard isUnique || linked.isSuperset(of: entity.key) else {
        throw StoreError(
          .invalidCondition,
          "this needs a single related row, and there may be several", entity: entity.modelName)
      }
    }
  }
}

extension StoredEntity {
  /// The names of the key's attributes, in key order.
  package var keyAttributes: [String] { key.map { columns[$0].attribute } }

  /// The name of the key's only attribute.
  fileprivate var onlyKeyAttribute: String? { key.count == 1 ? keyAttributes[0] : nil }
}
