internal import ORMValues

extension ConditionCheck {
  /// A comparison of a to-one, or of its target's key, that can be answered from the key beside the
  /// row; nil for any other comparison.
  ///
  /// That there is no target is asked of the target's rows, so that a key which points at nothing
  /// counts as none (clause 2.9). A given key is compared with the one beside the row, which is
  /// indexed, and the target must be there. Nil also where the key alone says it: see
  /// ``StoredSchema/lastingKey(_:of:holding:)``.
  mutating func linkComparison(
    _ left: Operand, _ comparator: Comparator, _ right: Operand, _ options: TextOptions, depth: Int
  ) throws -> Condition? {
    guard schema != nil, comparator == .equal || comparator == .notEqual, options.isEmpty
    else { return nil }
    let path: Operand.Path
    let value: Operand
    switch (left, right) {
    case (.path(let named), let other) where other.isLiteral,
      (let other, .path(let named)) where other.isLiteral:
      path = named
      value = other
    default: return nil
    }
    let isNil = value == .value(.null)
    let before = self
    guard let link = try link(of: path), isNil ? link.isWhole : link.attribute != nil
    else {
      self = before
      return nil
    }
    try checkDepth(depth + path.names.count)
    if link.isLasting {
      self = before
      // Of a key of several attributes all are nil, or none.
      guard link.isWhole, isNil, let key = link.resolved.row.entity.keyAttributes.first
      else { return nil }
      let part = Operand.path(.init(path.names + [key], scope: path.scope))
      return .compare(try check(part, depth: depth + 1).operand, comparator, .value(.null), [])
    }
    let isEqual: Condition
    let exists = Condition.exists(RelatedRows(link.resolved.steps), .constant(true))
    if let attribute = link.attribute, !isNil {
      let (operand, kind) = try check(
        .path(.init([attribute], scope: path.scope)), depth: depth + 1)
      try checkComparable(kind, value.literalKind, .compare(left, comparator, right, options))
      isEqual = .all([
        .compare(operand, .equal, normalize(value, beside: .path(path)), []),
        exists,
      ])
    } else {
      isEqual = .not(exists)
    }
    return comparator == .equal ? isEqual : .not(isEqual)
  }

  /// Returns the comparison of a link with a list of keys, as `linkComparison` does with one.
  mutating func linkMembership(
    _ element: Operand, _ list: Operand, _ options: TextOptions, depth: Int
  ) throws -> Condition? {
    guard schema != nil, options.isEmpty, case .path(let path) = element else { return nil }
    let keys: Operand
    var holdsNil = false
    switch list {
    case .value(.array(let values)):
      keys = .value(.array(values.filter { !$0.isNull }))
      holdsNil = values.contains(where: \.isNull)
    // Numbered lists hold no nil.
    case .parameterList where list.isLiteral: keys = list
    default: return nil
    }
    let before = self
    guard let link = try link(of: path), let attribute = link.attribute, !link.isLasting else {
      self = before
      return nil
    }
    try checkDepth(depth + path.names.count)
    let (operand, kind) = try check(
      .path(.init([attribute], scope: path.scope)), depth: depth + 1)
    let (listOperand, _) = try check(keys, depth: depth + 1)
    let condition = Condition.isIn(element, list: list, options)
    try checkComparable(kind, elementKindOfList(keys), condition)
    let exists = Condition.exists(RelatedRows(link.resolved.steps), .constant(true))
    let isAmong = Condition.all([
      .isIn(operand, list: normalize(listOperand, beside: .path(path)), []), exists,
    ])
    return holdsNil ? .any([isAmong, .not(exists)]) : isAmong
  }

  /// A path that ends in a to-one, or in the key of its target.
  private struct Link {
    var resolved: ResolvedPath
    /// True if the path names the to-one and not an attribute of the target.
    var isWhole: Bool
    /// The attribute of the row that the path starts at which holds the target's only key
    /// attribute.
    var attribute: String?
    /// True if the key of the last link says whether there is a target.
    var isLasting: Bool
  }

  private mutating func link(of path: Operand.Path) throws -> Link? {
    guard let last = path.names.last, let start = try? row(path.scope),
      start.entity.relationships.contains(where: { $0.name == path.names[0] })
    else { return nil }
    var resolved = ResolvedPath(row: start)
    var referrer = start.entity
    for name in path.names.dropLast() {
      referrer = resolved.row.entity
      try follow(name, onlyToOne: true, &resolved)
    }
    let isWhole = resolved.row.entity.relationship(named: last) != nil
    if isWhole {
      referrer = resolved.row.entity
      try follow(last, onlyToOne: true, &resolved)
    }
    var attribute: String?
    if resolved.steps.count == 1, let only = start.entity.relationship(named: path.names[0]),
      case .own(let names, position: _) = only.storage, names.count == 1,
      isWhole || resolved.row.entity.keyAttributes == [last]
    {
      attribute = names[0]
    }
    let name = isWhole ? last : path.names.dropLast().last ?? last
    let key = resolved.row.entity.keyAttributes.first ?? ""
    return Link(
      resolved: resolved, isWhole: isWhole, attribute: attribute,
      isLasting: schema?.lastingKey(name, of: referrer, holding: key) != nil)
  }
}
