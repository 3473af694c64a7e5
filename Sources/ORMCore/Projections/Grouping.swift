public import ORMRows
public import ORMStorage

/// The rows of a query in groups that are equal in their keys, of each the keys and aggregates over
/// its rows.
///
/// ```swift
/// let tastes = Snack.all.where { $0.price > 0 }
///   .grouped(by: \.taste) { ($0.count(), $0.average(\.price)) }
///   .having { $0.count() > 2 }
///   .sorted(by: .descending { $0.count() }).limit(10)
/// for (taste, count, price) in try store.fetch(tastes) {   // (String?, Int, Double?)
///   print(taste ?? "none", count, price ?? 0)
/// }
/// ```
///
/// Keys are one where their values are equal, nil included. Groups stand in the order of their
/// keys unless sorted otherwise; the keys always come last in the order (clause 4.2).
public struct Grouping<Model: Persistable, Row>: ResultQuery {
  /// The rows that are grouped.
  ///
  /// Its order and its prefetches have no effect on groups; a page of it is refused.
  public let query: Query<Model>
  private let keys: [Operand]
  private var aggregates: [Aggregate]
  /// The values of a row of the result, as operands on the columns.
  private let values: [Operand]
  private var condition = Condition.constant(true)
  private var order: [SortTerm] = []
  /// The part of the groups.
  public var paging: Paging = .all
  /// The position in their order after which groups are returned.
  public var start: QueryCursor?
  private let decoder: any ResultDecoder<Row>

  init<Decoder: ResultDecoder>(
    _ query: Query<Model>, _ columns: GroupColumns, values: [Operand], by decoder: Decoder
  ) where Decoder.Row == Row {
    self.init(query, columns.keys, columns.aggregates, values, any: decoder)
  }

  private init(
    _ query: Query<Model>, _ keys: [Operand], _ aggregates: [Aggregate], _ values: [Operand],
    any decoder: any ResultDecoder<Row>
  ) {
    self.query = query
    self.keys = keys
    self.aggregates = aggregates
    self.values = values
    self.decoder = decoder
  }

  /// Restricts the result to groups for which a condition holds, and those before it.
  ///
  /// ```swift
  /// Snack.all.grouped(by: \.taste) { $0.count() }.having { $0.count() > 2 }
  /// ```
  ///
  /// It names keys, and aggregates whether the rows of the result hold them or not.
  public func having(_ body: (GroupFields<Model>) -> Filter<Model>) -> Grouping {
    asking { grouping, fields in
      let condition = body(fields).condition
      grouping.condition =
        grouping.condition == .constant(true) ? condition : .all([grouping.condition, condition])
    }
  }

  /// The groups in this order, after which come groups equal in it by their keys.
  ///
  /// ```swift
  /// Snack.all.grouped(by: \.taste) { $0.count() }.sorted(by: .descending { $0.count() })
  /// ```
  public func sorted(by order: Order...) -> Grouping {
    asking { grouping, fields in grouping.order = order.map { $0.term(fields) } }
  }

  private func asking(_ body: (inout Grouping, GroupFields<Model>) -> Void) -> Grouping {
    var copy = self
    let columns = GroupColumns(keys: keys, aggregates)
    body(&copy, GroupFields(columns: columns))
    copy.aggregates = columns.aggregates
    return copy
  }

  /// The page with a number from 0; `size` is at most the store's `maximumPageSize`.
  ///
  /// ```swift
  /// Snack.all.grouped(by: \.taste) { $0.count() }.page(1, size: 50)
  /// ```
  public func page(_ number: Int, size: Int) -> Grouping {
    var copy = self
    copy.paging = .page(number, size: size)
    return copy
  }

  /// Returns a copy that gives at most `limit` groups.
  ///
  /// ```swift
  /// Snack.all.grouped(by: \.taste) { $0.count() }.limit(10)
  /// ```
  public func limit(_ limit: Int) -> Grouping {
    var copy = self
    copy.paging = paging.limited(to: limit)
    return copy
  }

  /// Returns a copy that skips the first `offset` groups.
  ///
  /// ```swift
  /// Snack.all.grouped(by: \.taste) { $0.count() }.offset(10)
  /// ```
  public func offset(_ offset: Int) -> Grouping {
    var copy = self
    copy.paging = paging.without(first: offset)
    return copy
  }

  /// Restricts the result to groups after a position in the order.
  ///
  /// ```swift
  /// let tastes = Snack.all.grouped(by: \.taste) { $0.count() }.limit(50)
  /// let page = try store.fetchPage(tastes)
  /// let next = try store.fetchPage(tastes.after(page.end))
  /// ```
  public func after(_ cursor: QueryCursor?) -> Grouping {
    var copy = self
    copy.start = cursor
    return copy
  }

  /// The same groups made into something else: `.map(Summary.init)`.
  ///
  /// ```swift
  /// let lines = Snack.all.grouped(by: \.taste) { $0.count() }
  ///   .map { taste, count in "\(taste ?? "none"): \(count)" }
  /// ```
  ///
  /// The operation throws the errors of `transform`.
  public func map<Shape>(
    _ transform: @escaping @Sendable (Row) throws -> Shape
  ) -> Grouping<Model, Shape> {
    var grouping = Grouping<Model, Shape>(
      query, keys, aggregates, values, any: decoder.mapped(transform))
    grouping.condition = condition
    grouping.order = order
    grouping.paging = paging
    grouping.start = start
    return grouping
  }

  /// The request for the groups, and the decoder of its rows.
  public var source: ResultSource<Row> {
    let positions = values.map { value -> Int? in
      if case .output(let column) = value { column } else { nil }
    }
    let isPlain = !positions.contains(nil)
    return ResultSource(
      output: .groups(keys: keys, aggregates: aggregates, having: condition),
      condition: wholeCondition, order: order, paging: paging, start: start,
      deleted: query.deleted, computed: isPlain ? [] : values,
      positions: isPlain ? positions.compactMap { $0 } : Array(values.indices), decoder: decoder)
  }

  /// The query's condition; an error for one that asks for a part of the rows.
  private var wholeCondition: Condition {
    guard query.paging != .all || query.start != nil else { return query.filter.condition }
    return .invalid(
      StoreError(
        .invalidPage,
        "groups take a whole query: remove its limit, offset or page, and limit the groups "
          + "instead",
        entity: Model.entity.declared.name))
  }
}

extension Grouping {
  /// One key of an order of groups: `.descending { $0.count() }`.
  public struct Order {
    let term: (GroupFields<Model>) -> SortTerm

    /// An order by a key, from the least to the greatest.
    ///
    /// ```swift
    /// Snack.all.grouped(by: \.taste) { $0.count() }.sorted(by: .ascending(\.taste))
    /// ```
    public static func ascending<Value: AttributeValue>(
      _ path: AttributePath<Model, Value>, _ options: TextOptions = [],
      nils: SortTerm.NilPlacement? = nil
    ) -> Order {
      ascending(options, nils: nils) { $0[path] }
    }

    /// An order by a key, from the greatest to the least.
    ///
    /// ```swift
    /// Snack.all.grouped(by: \.taste) { $0.count() }.sorted(by: .descending(\.taste))
    /// ```
    public static func descending<Value: AttributeValue>(
      _ path: AttributePath<Model, Value>, _ options: TextOptions = [],
      nils: SortTerm.NilPlacement? = nil
    ) -> Order {
      descending(options, nils: nils) { $0[path] }
    }

    /// An order by a value that a closure computes from keys and aggregates, from the least to the greatest.
    ///
    /// ```swift
    /// Snack.all.grouped(by: \.taste) { $0.count() }.sorted(by: .ascending { $0.max(\.price) })
    /// ```
    public static func ascending<Value: AttributeValue>(
      _ options: TextOptions = [], nils: SortTerm.NilPlacement? = nil,
      by body: @escaping (GroupFields<Model>) -> Field<Model, Value>
    ) -> Order {
      Order { SortTerm(body($0).operand, nils: nils, options: options) }
    }

    /// An order by a value that a closure computes from keys and aggregates, from the greatest to the least.
    ///
    /// ```swift
    /// Snack.all.grouped(by: \.taste) { $0.count() }.sorted(by: .descending { $0.count() })
    /// ```
    public static func descending<Value: AttributeValue>(
      _ options: TextOptions = [], nils: SortTerm.NilPlacement? = nil,
      by body: @escaping (GroupFields<Model>) -> Field<Model, Value>
    ) -> Order {
      Order { SortTerm(body($0).operand, isDescending: true, nils: nils, options: options) }
    }
  }
}
