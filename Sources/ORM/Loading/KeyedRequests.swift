internal import ORMCore

/// The requests for rows by the values of some of their attributes: pure functions.
struct KeyedRequests {
  /// The entity asked.
  let entity: StoredEntity
  /// The attributes that are compared, a key's in its order.
  let attributes: [String]
  /// The attributes to sort by before the primary key.
  var order: [String] = []
  /// The values that a row of the result holds.
  var output = FetchShape.Output.rows
  /// The rows that are seen of an entity with a soft delete.
  var deleted = DeletedRows.included
  /// The number of keys one request may list.
  let limit: Int

  /// The greatest number of composite keys that are written out one by one.
  ///
  /// Beyond it the values of each attribute are listed apart, which finds rows of other
  /// combinations too: a request of ever more parts costs more than these.
  static var writtenOut: Int { 256 }

  /// Requests for the rows with these keys, nearly always one; rows of other keys may be among
  /// them where `isExact` is false.
  func requests(for keys: [[StoredValue]]) -> [FetchRequest] {
    stride(from: 0, to: keys.count, by: limit).map { start in
      request(where: condition(Array(keys[start...].prefix(limit))))
    }
  }

  /// The request for the rows whose keys are values of the rows of an earlier request.
  func linked(to parent: Int, by parentAttributes: [String]) -> LinkedRequest {
    LinkedRequest(
      request(where: .constant(true)), parent: parent, parentAttributes: parentAttributes,
      attributes: attributes)
  }

  private func request(where condition: Condition) -> FetchRequest {
    FetchRequest(
      entity: entity.name, output: output, condition: entity.seeing(deleted, where: condition),
      sort: SortTerm.total(order.map { SortTerm(.attribute($0)) }, entity: entity))
  }

  private func condition(_ keys: [[StoredValue]]) -> Condition {
    guard attributes.count > 1 else {
      return list(attributes[0], keys.map { $0[0] })
    }
    guard keys.count <= Self.writtenOut else {
      return .all(
        attributes.indices.map { part in
          let values = Set(keys.map { GroupKey([$0[part]]) }).map { $0.values[0] }
          return list(attributes[part], values.sorted { StoredValue.order($0, $1) < 0 })
        })
    }
    // The last key again up to a power of two, so that there are few shapes to compile.
    var alternatives = keys.map(condition(key:))
    if let last = alternatives.last {
      while alternatives.count & (alternatives.count - 1) != 0 { alternatives.append(last) }
    }
    return .any(alternatives)
  }

  private func condition(key: [StoredValue]) -> Condition {
    .all(
      zip(attributes, key).map { .compare(.attribute($0), .equal, .value($1), []) })
  }

  private func list(_ attribute: String, _ values: [StoredValue]) -> Condition {
    if values.count == 1 {
      return .compare(.attribute(attribute), .equal, .value(values[0]), [])
    }
    return .isIn(.attribute(attribute), list: .value(.array(values)), [])
  }

  /// The columns of the attributes.
  ///
  /// - Throws: `schemaMismatch` where the store's schema lacks one.
  func columns() throws -> [Int] { try attributes.map { try entity.position(of: $0) } }
}

/// The rows of relationships, by the location of their links.
extension KeyedRequests {
  /// Requests for targets by their keys.
  static func targets(
    _ entity: StoredEntity, deleted: DeletedRows, limit: Int
  ) -> KeyedRequests {
    KeyedRequests(
      entity: entity, attributes: entity.keyAttributes, deleted: deleted, limit: limit)
  }

  /// Requests for targets that hold the keys of their owners.
  static func targets(
    _ entity: StoredEntity, holding keys: [String], position: String?, deleted: DeletedRows,
    limit: Int
  ) -> KeyedRequests {
    KeyedRequests(
      entity: entity, attributes: keys, order: keys + (position.map { [$0] } ?? []),
      deleted: deleted, limit: limit)
  }

  /// Requests for links in rows of their own, each with the target that it leads to.
  ///
  /// - Parameters:
  ///   - entity: the entity of the links.
  ///   - own: the attributes of a link that hold the owner's key.
  ///   - target: those that hold the target's key.
  ///   - position: the attribute of a link that orders the targets; nil for none.
  ///   - other: the entity of the targets.
  static func links(
    _ entity: StoredEntity, own: [String], target: [String], position: String?,
    to other: StoredEntity, deleted: DeletedRows, limit: Int
  ) -> KeyedRequests {
    let keys = zip(other.key, target).map { column, attribute in
      RelatedRows.Link(other.columns[column].attribute, equals: Operand.Path([attribute]))
    }
    let step = RelatedRows.Step(
      entity: other.name, scope: 1, links: keys,
      nullAttribute: deleted == .hidden ? other.deletedAtAttribute : nil)
    return KeyedRequests(
      entity: entity, attributes: own, order: own + (position.map { [$0] } ?? []) + target,
      output: .joined(step, own), deleted: deleted, limit: limit)
  }
}

extension StoredEntity {
  /// The column of an attribute that core put there.
  fileprivate func position(of attribute: String) throws -> Int {
    guard let column = column(ofAttribute: attribute) else {
      throw StoreError(
        .schemaMismatch,
        "the store lacks the entity that holds this relationship's links", entity: modelName,
        attributes: [attribute])
    }
    return column
  }
}
