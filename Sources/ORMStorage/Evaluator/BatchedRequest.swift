internal import ORMValues

/// A request for related rows that is asked for many rows at once; its results are held by the values that
/// tie them.
final class BatchedRequest: RepeatedRequest {
  /// All rows of a key are here, so that counting fewer saves nothing.
  var mostCounted = Int.max
  /// The reader, which keeps the request.
  private unowned let reader: BatchReader
  private let shape: FetchShape
  /// The query for many rows; nil where the request does not mark the values that change.
  private let query: BatchedQuery?
  private let bindings: [StoredValue]
  private var found: [GroupKey: [Row]] = [:]
  private var missing: Set<GroupKey> = []
  private var generation: Int

  /// A row that was fetched.
  private struct Row {
    /// The values that the request's bounds compare.
    var bounds: ArraySlice<StoredValue>
    var row: BufferedRow
  }

  init(
    _ shape: FetchShape, _ bindings: [StoredValue], changing: Int, isPresence: Bool,
    _ reader: BatchReader
  ) throws {
    self.reader = reader
    self.shape = shape
    self.bindings = bindings
    generation = reader.generation
    query = try BatchedQuery(
      shape, changing: changing, isPresence: isPresence, reader.schema)
  }

  func visit<V: RowVisitor>(_ bindings: [StoredValue], _ visitor: inout V) throws {
    try reader.countRequest()
    if generation != reader.generation {
      generation = reader.generation
      found.removeAll(keepingCapacity: true)
    }
    guard let query else {
      return try reader.visit(FetchRequest(shape, bindings: bindings), &visitor)
    }
    let key = GroupKey(query.links.map { bindings[$0.binding] })
    if found[key] == nil {
      if reader.isRehearsing {
        let isFirst = missing.isEmpty
        missing.insert(key)
        return reader.note(self, isFirst: isFirst)
      }
      try fetch([key], query)
    }
    try pass(found[key] ?? [], query, bindings, &visitor)
  }

  private func pass<V: RowVisitor>(
    _ rows: [Row], _ query: BatchedQuery, _ bindings: [StoredValue], _ visitor: inout V
  ) throws {
    let rows = rows.lazy.filter { row in
      zip(row.bounds, query.bounds).allSatisfy { value, bound in
        BoundCondition.compare(value, bound.comparator, bindings[bound.binding])
      }
    }
    switch query.result {
    case .rows:
      for row in rows {
        try reader.countRequest()
        guard case .next = try visitor.visit(row.row) else { return }
      }
    case .totals(let totals):
      var totals = totals
      for row in rows {
        try reader.countRequest()
        for index in totals.indices { totals[index].add(row.row.values) }
      }
      _ = try visitor.visit(BufferedRow(try totals.map { try $0.aggregator.result() }))
    case .groups(let nothing):
      _ = try visitor.visit(rows.first?.row ?? BufferedRow(nothing))
    }
  }

  /// Fetches the rows of all keys that were missing.
  func fetchMissing() throws {
    guard let query else { return }
    let keys = Array(missing)
    missing = []
    let most = query.mostKeys(of: reader.mostKeys)
    for start in stride(from: 0, to: keys.count, by: most) {
      try fetch(keys[start..<min(start + most, keys.count)], query)
    }
  }

  private func fetch(_ keys: ArraySlice<GroupKey>, _ query: BatchedQuery) throws {
    var collector = Collector(linkCount: query.links.count, boundCount: query.bounds.count)
    try reader.visit(query.request(for: keys, bindings, reader.mostKeys), &collector)
    for key in keys { found[key] = collector.rows[key] ?? [] }
    reader.hold(collector.count + keys.count)
  }

  private struct Collector: RowVisitor {
    let linkCount: Int
    let boundCount: Int
    var rows: [GroupKey: [Row]] = [:]
    var count = 0

    mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
      let values = try BufferedRow(copying: row).values
      let first = linkCount + boundCount
      rows[GroupKey(Array(values[..<linkCount])), default: []].append(
        Row(
          bounds: values[linkCount..<first], row: BufferedRow(Array(values[first...]))))
      count += 1
      return .next
    }
  }
}

/// The query for the related rows of many rows: a request with lists instead of the values that change.
struct BatchedQuery {
  /// The attributes that are equal to a value that changes.
  private(set) var links: [Link] = []
  /// The attributes that are compared otherwise with a value that changes.
  private(set) var bounds: [Bound] = []
  /// The form of the result.
  let result: Result
  private let shape: FetchShape
  private let fixed: [Condition]
  private let output: FetchShape.Output
  private let sort: [SortTerm]

  /// An attribute and the binding that it is equal to.
  struct Link {
    var attribute: Operand
    var binding: Int
    var kind: AttributeType.Kind
  }

  /// An attribute and the binding that it is compared with.
  struct Bound {
    var attribute: Operand
    var comparator: Comparator
    var binding: Int
  }

  /// The form of the result: rows, or one row of aggregates.
  enum Result {
    case rows
    /// Aggregates that are added up here.
    case totals([Total])
    /// Aggregates of each key, with their values for keys without rows.
    case groups([StoredValue])
  }

  /// One aggregate, and the position of its operand; nil for a count of rows.
  struct Total {
    var aggregator: Aggregator
    var position: Int?

    mutating func add(_ values: [StoredValue]) {
      aggregator.add(position.map { values[$0] } ?? .bool(true))
    }
  }

  /// Reads a request; nil unless its first bindings are each compared with an attribute.
  ///
  /// - Parameter isPresence: true if only the existence of a key's first row matters, and none of its values.
  init?(
    _ shape: FetchShape, changing: Int, isPresence: Bool, _ schema: StoredSchema
  ) throws {
    guard let entity = schema[shape.entity] else {
      throw StoreError(
        .unknownEntity, "the schema has no entity \(shape.entity)", entity: shape.entity)
    }
    self.shape = shape
    var fixed: [Condition] = []
    for part in shape.condition.parts {
      guard let (attribute, comparator, binding, kind) = Self.changing(part, below: changing)
      else {
        fixed.append(part)
        continue
      }
      if comparator == .equal {
        links.append(Link(attribute: attribute, binding: binding, kind: kind))
      } else {
        bounds.append(Bound(attribute: attribute, comparator: comparator, binding: binding))
      }
    }
    guard links.count + bounds.count == changing else { return nil }
    self.fixed = fixed
    let keys = links.map(\.attribute) + bounds.map(\.attribute)
    var sort: [SortTerm] = []
    switch shape.output {
    case .rows where isPresence && bounds.isEmpty && !links.isEmpty:
      // One row for each key, however many rows have it.
      result = .rows
      output = .groups(keys: keys, aggregates: [], having: .constant(true))
      sort = keys.indices.map { SortTerm(.output($0)) }
    case .rows:
      result = .rows
      output = .values(keys + entity.columns.map { .attribute($0.attribute) })
    case .values(let operands):
      result = .rows
      output = .values(keys + operands)
    case .aggregates(let aggregates):
      var operands: [Operand] = []
      var totals: [Total] = []
      for aggregate in aggregates {
        let kind =
          try aggregate.operand.map { try schema.kind(of: $0, in: entity) ?? .json } ?? .bool
        totals.append(
          Total(
            aggregator: Aggregator(aggregate.kind, of: kind),
            position: aggregate.operand == nil ? nil : operands.count))
        if let operand = aggregate.operand { operands.append(operand) }
      }
      if bounds.isEmpty, !links.isEmpty, aggregates.allSatisfy(\.cannotOverflow) {
        result = .groups(try totals.map { try $0.aggregator.result() })
        output = .groups(keys: keys, aggregates: aggregates, having: .constant(true))
        sort = keys.indices.map { SortTerm(.output($0)) }
      } else {
        result = .totals(totals)
        output = .values(keys + operands)
      }
    case .joined, .groups:
      throw StoreError(.invalidCondition, "groups are not asked for again and again")
    }
    self.sort = sort
  }

  /// A part that compares an attribute with one of the first bindings.
  private static func changing(
    _ part: Condition, below count: Int
  ) -> (Operand, Comparator, Int, AttributeType.Kind)? {
    guard case .compare(let left, let comparator, let right, []) = part else { return nil }
    if case .parameter(let slot, let kind) = right, slot < count, case .path = left {
      return (left, comparator, slot, kind)
    }
    if case .parameter(let slot, let kind) = left, slot < count, case .path = right {
      return (right, comparator.swapped, slot, kind)
    }
    return nil
  }

  /// The number of keys of one request whose lists hold at most `most` values.
  func mostKeys(of most: Int) -> Int { max(1, most / max(1, links.count)) }

  /// The request for the rows of some keys.
  func request(
    for keys: ArraySlice<GroupKey>, _ bindings: [StoredValue], _ most: Int
  ) -> FetchRequest {
    var bindings = bindings
    var parts = fixed
    for (number, link) in links.enumerated() {
      let values =
        links.count == 1
        ? keys.map { $0.values[0] }
        : Set(keys.map { GroupKey([$0.values[number]]) }).map { $0.values[0] }
      // Few lengths, so that a store compiles few statements.
      var capacity = 1
      while capacity < values.count { capacity *= 4 }
      capacity = min(capacity, mostKeys(of: most))
      bindings[link.binding] = .array(values)
      parts.append(
        .isIn(
          link.attribute, list: .parameterList(link.binding, link.kind, capacity: capacity), []))
    }
    let condition = parts.count == 1 ? parts[0] : parts.isEmpty ? .constant(true) : .all(parts)
    return FetchRequest(
      FetchShape(entity: shape.entity, output: output, condition: condition, sort: sort),
      bindings: bindings)
  }
}

extension Aggregate {
  /// True if a result of many rows never overflows, so that one of them spoils no other.
  fileprivate var cannotOverflow: Bool {
    switch kind {
    case .count, .countDistinct, .minimum, .maximum: true
    case .sum, .average: false
    }
  }
}
