public import ORMCore

/// Finds of many keys, each by one request.
///
/// A request lists at most as many keys as the store's `conditionLimits` allow, and 256 keys of several
/// attributes: a longer list is asked for in parts. All positions with the key of one row get one
/// object.
extension ReadTransaction {
  /// Finds the model of each key by one request: one answer for each, in their order.
  ///
  /// The answer is nil where there is no such row. A key that is there twice is answered twice.
  ///
  /// ```swift
  /// let found = try tx.find(Snack.self, each: [3, 99, 3])      // [Snack?], the second is nil
  /// ```
  @inlinable
  public func find<Model: PrimaryKeyed>(
    _ model: Model.Type, each ids: some Sequence<Model.ID>
  ) throws -> [Model?] {
    // In the program, which knows the types: a generic sequence takes hundreds of instructions an
    // element.
    let ids = Array(ids)
    if ids.count == 1 { return [try find(model, ids[0], seesDeleted: false)] }
    var integers: [Int64] = []
    integers.reserveCapacity(ids.count)
    for id in ids {
      guard let integer = id.integerKey else { break }
      integers.append(integer)
    }
    if integers.count == ids.count, let found = try rows(of: model, integers: integers) {
      return found
    }
    return try rows(of: model, keys: try ids.map { try $0.keyValues() })
  }

  /// Finds the models with these keys by one request, in a dictionary by their keys.
  ///
  /// Missing ones have no entry. Keys that Swift holds equal share one, such as two spellings of a text
  /// that the store distinguishes; ``find(_:each:)`` answers each.
  ///
  /// ```swift
  /// let snacks = try tx.find(Snack.self, byKey: [3, 99])       // [3: Snack]
  /// ```
  public func find<Model: PrimaryKeyed>(
    _ model: Model.Type, byKey ids: some Sequence<Model.ID>
  ) throws -> [Model.ID: Model] {
    let ids = Array(ids)
    let found = try find(model, each: ids)
    var models: [Model.ID: Model] = [:]
    models.reserveCapacity(ids.count)
    for (id, model) in zip(ids, found) {
      if let model { models[id] = model }
    }
    return models
  }

  /// Finds the models with these keys by one request, in the order of the keys, and leaves missing
  /// ones out.
  ///
  /// ```swift
  /// let found = try tx.find(Snack.self, [3, 99, 1])            // snacks 3 and 1
  /// ```
  @inlinable
  public func find<Model: PrimaryKeyed>(
    _ model: Model.Type, _ ids: some Sequence<Model.ID>
  ) throws -> [Model] {
    try find(model, each: ids).compactMap { $0 }
  }

  /// Finds the row of each integer key; nil if the entity's key is no integer.
  @usableFromInline
  func rows<Model: PrimaryKeyed>(of model: Model.Type, integers: [Int64]) throws -> [Model?]? {
    let plan = try plan(of: model)
    let reader = try live()
    guard plan.integerFind(seesDeleted: false) != nil else { return nil }
    var keys = integers.sorted()
    var count = 0
    for key in keys where count == 0 || keys[count - 1] != key {
      keys[count] = key
      count += 1
    }
    keys.removeLast(keys.count - count)
    var collector = ModelCollector<Model>(plan)
    try collect(keys.map { [.int($0)] }, plan, reader, &collector)
    // Rows come in the order of their keys.
    let found = collector.rows.map { $0.id.integerKey ?? 0 }
    return integers.map { key in
      let index = found.firstPosition(notBelow: key)
      return index < found.count && found[index] == key ? collector.rows[index] : nil
    }
  }

  /// Finds the row of each key by the values of its attributes.
  @usableFromInline
  package func rows<Model: PrimaryKeyed>(
    of model: Model.Type, keys: [[StoredValue]], seeing deleted: DeletedRows = .hidden
  ) throws -> [Model?] {
    let plan = try plan(of: model)
    let reader = try live()
    var indexes: [GroupKey: Int] = [:]
    var distinct: [[StoredValue]] = []
    let wanted = try keys.map { key in
      let key = try plan.storedKey(key)
      let index = indexes[GroupKey(key)] ?? distinct.count
      if index == distinct.count {
        indexes[GroupKey(key)] = index
        distinct.append(key)
      }
      return index
    }
    var collector = ModelCollector<Model>(plan)
    try collect(distinct, plan, reader, &collector, seeing: deleted)
    var found = [Model?](repeating: nil, count: distinct.count)
    for row in collector.rows {
      if let index = indexes[GroupKey(try plan.storedKey(row.id.keyValues()))] {
        found[index] = row
      }
    }
    return wanted.map { found[$0] }
  }

  /// Collects the rows with these keys that are seen, each once.
  package func collect<Model: PrimaryKeyed, Visitor: RowVisitor>(
    _ keys: [[StoredValue]], _ plan: ModelPlan<Model>, _ reader: any StoreReader,
    _ collector: inout Visitor, seeing deleted: DeletedRows = .hidden
  ) throws {
    // Of more composite keys the values would be listed attribute by attribute, and rows of other
    // combinations be read.
    let most = plan.entity.key.count == 1 ? Int.max : KeyedRequests.writtenOut
    var requests = KeyedRequests(
      entity: plan.entity, attributes: plan.entity.keyAttributes,
      limit: Swift.max(1, Swift.min(most, plan.lowering.limits.listItems)))
    requests.deleted = deleted
    for request in requests.requests(for: keys) { try reader.visit(request, &collector) }
  }
}

extension Array where Element == Int64 {
  /// The position of the first of these sorted numbers that is not below another.
  fileprivate func firstPosition(notBelow number: Int64) -> Int {
    var start = 0
    var end = count
    while start < end {
      let middle = start + (end - start) / 2
      if self[middle] < number { start = middle + 1 } else { end = middle }
    }
    return start
  }
}
