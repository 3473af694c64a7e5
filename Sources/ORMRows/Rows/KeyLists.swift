internal import ORMStorage

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

  /// The values in `columns`, the key's among them, of the rows with these keys, hidden or not, in the
  /// order of the keys; nil for a key without a row.
  package func rows(
    of entity: StoredEntity, keys: [[StoredValue]], columns: [Int]
  ) throws -> [[StoredValue]?] {
    let positions = entity.key.compactMap { columns.firstIndex(of: $0) }
    func key(_ row: [StoredValue]) -> [StoredValue] { positions.map { row[$0] } }
    let found =
      try columns == Array(entity.columns.indices)
      ? rows(of: entity, where: entity.key, in: keys, giving: .rows)
      : values(of: entity, where: entity.key, in: keys, output: columns)
    // Engines mostly give the rows of a list of keys in the order of the keys, as their callers do.
    let isOrdered =
      found.count == keys.count
      && zip(found, keys).allSatisfy { row, wanted in
        zip(positions, wanted).allSatisfy { row[$0].isIdentical(to: $1) }
      }
    if isOrdered { return found }
    let rows = Dictionary(
      found.map { (GroupKey(key($0)), $0) }, uniquingKeysWith: { first, _ in first })
    return keys.map { rows[GroupKey($0)] }
  }

  /// The rows whose `columns` hold one of the keys, in no order, as an output gives them.
  package func rows(
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
