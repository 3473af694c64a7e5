internal import ORMCore

// Rows by lists of keys: read, changed and deleted in lists of a size that every store answers from
// a key or an index, so that the work grows with the rows alone.

extension ReadTransaction {
  /// The values in `output` of the rows whose `columns` hold one of the keys, in no order; of all
  /// rows, soft-deleted or not, unless said otherwise.
  package func rows(
    of entity: StoredEntity, where columns: [Int], in keys: [[StoredValue]], output: [Int],
    seeing deleted: DeletedRows = .included
  ) throws -> [[StoredValue]] {
    if keys.isEmpty { return [] }
    return try live().values(
      of: entity, where: columns, in: keys, output: output, seeing: deleted)
  }

  /// Returns the number of rows that have one of some keys; of all rows, soft-deleted or not,
  /// unless said otherwise.
  ///
  /// As many as there are keys only if every key has a row and no list names one twice.
  func count(
    of entity: StoredEntity, among keys: [[StoredValue]], seeing deleted: DeletedRows = .included
  ) throws -> Int {
    let reader = try live()
    var visitor = ValueCollector()
    for condition in KeyLists(entity, entity.key).conditions(keys) {
      let request = FetchRequest(
        entity: entity.name, output: .aggregates([Aggregate(.count, nil)]),
        condition: entity.seeing(deleted, where: condition))
      try reader.visit(request, &visitor)
    }
    return visitor.rows.reduce(0) { sum, row in
      if case .int(let count)? = row.first { sum + Int(count) } else { sum }
    }
  }
}

extension StoreReader {
  /// The values in `output` of the rows whose `columns` hold one of the keys, hidden or not, unless
  /// said otherwise.
  package func values(
    of entity: StoredEntity, where columns: [Int], in keys: [[StoredValue]], output: [Int],
    seeing deleted: DeletedRows = .included
  ) throws -> [[StoredValue]] {
    let operands = output.map { Operand.attribute(entity.columns[$0].attribute) }
    return try rows(
      of: entity, where: columns, in: keys, giving: .values(operands), seeing: deleted)
  }

  /// The rows whose `columns` hold one of the keys, in no order, as an output gives them.
  func rows(
    of entity: StoredEntity, where columns: [Int], in keys: [[StoredValue]],
    giving output: FetchShape.Output, seeing deleted: DeletedRows = .included
  ) throws -> [[StoredValue]] {
    var visitor = ValueCollector()
    for condition in KeyLists(entity, columns).conditions(keys) {
      let request = FetchRequest(
        of: entity, output: output, condition: entity.seeing(deleted, where: condition))
      try visit(request, &visitor)
    }
    return visitor.rows
  }
}

extension StoreWriter {
  /// Puts rows, each given by its values in `columns`.
  package func put(
    _ rows: [[StoredValue]], in columns: [Int], of entity: StoredEntity, _ mode: PutRequest.Mode
  ) throws {
    var source = ValueSource(rows, columns: columns, entity: entity)
    var visitor = IgnoringVisitor()
    let request = PutRequest(entity: entity.name, mode: mode, columns: columns)
    try put(request, from: &source, to: &visitor)
  }

  /// Deletes the rows with these keys, and returns their number.
  package func delete(_ keys: [[StoredValue]], of entity: StoredEntity) throws -> Int {
    var count = 0
    for condition in KeyLists(entity, entity.key).conditions(keys) {
      let request = FetchRequest(of: entity, condition: condition)
      count += try apply(.delete(request))
    }
    return count
  }
}

extension WriteTransaction {
  /// Deletes the rows whose `columns` hold one of the keys.
  @discardableResult
  package func deleteRows(
    of entity: StoredEntity, where columns: [Int], in keys: [[StoredValue]]
  ) throws -> Int {
    var count = 0
    for condition in KeyLists(entity, columns).conditions(keys) {
      let request = FetchRequest(of: entity, condition: condition)
      count += try apply(.delete(request), entity: entity)
    }
    return count
  }
}

extension WriteTransaction {
  /// Deletes links that are rows: by the delete rules where they are objects of a model.
  ///
  /// The owners that lost targets are to be counted at the operation's end, when others may have come.
  func deleteLinks(
    of entity: StoredEntity, where columns: [Int], in keys: [[StoredValue]],
    counting owners: inout CountedOwners
  ) throws {
    if entity.isInternal {
      try deleteRows(of: entity, where: columns, in: keys)
    } else {
      let own = try rows(of: entity, where: columns, in: keys, output: entity.key)
      _ = try delete(keys: own, entity: entity, counting: &owners)
    }
  }
}

/// Conditions for lists of keys: keys that agree in all but their last value go into one list.
package struct KeyLists {
  private let names: [Operand]
  /// The number of keys a list has at most: few shapes to compile, and within the limits of every engine.
  package static let size = 500

  package init(_ entity: StoredEntity, _ columns: [Int]) {
    names = columns.map { .attribute(entity.columns[$0].attribute) }
  }

  /// The conditions that hold for rows with one of the keys, each key in one of them.
  package func conditions(_ keys: [[StoredValue]]) -> [Condition] {
    guard let last = names.last else { return [] }
    var groups: [(prefix: [StoredValue], values: [StoredValue])] = []
    if names.count == 1 {
      groups = [([], keys.compactMap { $0.last })]
    } else {
      var known: [GroupKey: Int] = [:]
      var group = 0
      for key in keys {
        // Keys mostly come owner by owner.
        let isSame =
          groups.indices.contains(group)
          && zip(groups[group].prefix, key).allSatisfy { $0.isIdentical(to: $1) }
        if !isSame {
          let prefix = Array(key.dropLast())
          group = known[GroupKey(prefix)] ?? groups.count
          if group == groups.count {
            known[GroupKey(prefix)] = group
            groups.append((prefix, []))
          }
        }
        if let value = key.last { groups[group].values.append(value) }
      }
    }
    var conditions: [Condition] = []
    for (prefix, values) in groups {
      let parts = zip(names, prefix).map { Condition.compare($0, .equal, .value($1), []) }
      for start in stride(from: 0, to: values.count, by: Self.size) {
        let list = Array(values[start..<Swift.min(start + Self.size, values.count)])
        let part: Condition =
          list.count == 1
          ? .compare(last, .equal, .value(list[0]), [])
          : .isIn(last, list: .value(.array(list)), [])
        conditions.append(parts.isEmpty ? part : .all(parts + [part]))
      }
    }
    return conditions
  }
}
