public import ORMCore

extension ReadTransaction {
  /// Fetches the first models of each group: in the order of the groups, then in their own.
  ///
  /// One pass over the query's rows reads their groups, sort values and keys, and keeps no more than
  /// `count` of each group. A SQL database ranks the rows itself and hands over those alone, if it
  /// compares the groups and orders the rows exactly. The models are then read by their keys, in the
  /// same snapshot.
  ///
  /// ```swift
  /// let tracks = try tx.fetch(Track.all.first(3, per: \.genre, sorted: .descending(\.bytes)))
  /// ```
  ///
  /// - Throws: `invalidPage` for a page of a query or a negative count; `invalidCondition` for an
  ///   order without a meaning, and as a fetch of the query.
  public func fetch<Model: PrimaryKeyed>(_ groups: FirstPerGroup<Model>) throws -> [Model] {
    let plan = try plan(of: Model.self)
    let reader = try live()
    let query = groups.query
    try query.prefetches.check(for: Model.self)
    guard query.paging == .all, query.start == nil, groups.count >= 0 else {
      throw StoreError(
        .invalidPage, "the first rows of groups are of a whole query, and not less than none",
        entity: plan.entity.modelName)
    }
    // Checks the order, which the request below takes for values.
    _ = try query.request(by: plan.lowering)
    let order = SortTerm.total(query.terms, entity: plan.entity)
    let keys = plan.entity.keyAttributes.map { Operand.attribute($0) }
    var unordered = query
    unordered.order = []
    var request = try unordered.request(
      output: .values(groups.keys + order.map(\.operand) + keys), by: plan.lowering)
    request.shape = request.shape.taking(
      FetchShape.FirstRows(
        groups.count, groupWidth: groups.keys.count,
        sort: order.enumerated().map { number, term in
          var term = term
          term.operand = .output(groups.keys.count + number)
          return term
        }))
    var tops = GroupTops(groups.keys.count, order, groups.count)
    try reader.visit(request, &tops)
    let models = try rows(of: Model.self, keys: tops.keys(), seeing: query.deleted)
    return try prefetching(
      query.prefetches, of: models.compactMap { $0 }, reader: reader, deleted: query.deleted,
      areDistinct: true)
  }
}

/// The keys of the first rows of each group.
///
/// A row holds the values of its group, its sort values and its key.
private struct GroupTops: RowVisitor {
  private let groupWidth: Int
  private let order: [SortTerm]
  private let terms: [BoundSortTerm]
  private let count: Int
  private var indexes: [GroupKey: Int] = [:]
  private var groups: [GroupKey] = []
  private var tops: [TopRows<[StoredValue]>] = []

  init(_ groupWidth: Int, _ order: [SortTerm], _ count: Int) {
    self.groupWidth = groupWidth
    self.order = order
    self.count = count
    terms = order.map { BoundSortTerm(comparing: $0) }
  }

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    func values(_ columns: Range<Int>) throws -> [StoredValue] {
      try columns.map { try row.value(at: $0) }
    }
    let group = GroupKey(try values(0..<groupWidth))
    let index = indexes[group] ?? groups.count
    if index == groups.count {
      indexes[group] = index
      groups.append(group)
      tops.append(TopRows(count, by: terms))
    }
    let keyStart = groupWidth + order.count
    var sort = try values(groupWidth..<keyStart)
    for (index, term) in order.enumerated() where !term.options.isEmpty {
      sort[index] = sort[index].folded(term.options)
    }
    try tops[index].add(sort, try values(keyStart..<row.columnCount))
    return .next
  }

  /// The keys, in the order of the groups and then of their rows.
  func keys() throws -> [[StoredValue]] {
    let sorted = groups.indices.sorted {
      RowChange.order(groups[$0].values, groups[$1].values) < 0
    }
    return try sorted.flatMap { try tops[$0].sorted() }
  }
}
