internal import ORMStorage

/// Several aggregates over all rows of a query, answered by one request.
///
/// ```swift
/// let totals = Track.all.where { $0.genre == "Jazz" }
///   .totals { ($0.count(), $0.sum(\.bytes), $0.max(\.milliseconds)) }
/// let (count, bytes, longest) = try store.fetch(totals)       // (Int, Int64, Int64?)
/// ```
///
/// Over no rows a count and a sum are 0, other aggregates nil (clause 4.1). The operands
/// of aggregates, and arithmetic of aggregates, are as in ``Grouping``.
public struct Totals<Model: Persistable, Row>: Sendable {
  /// The rows that are aggregated.
  ///
  /// Its order and its prefetches have no effect; a page of it is refused.
  public let query: Query<Model>
  private let aggregates: [Aggregate]
  private let values: [Operand]
  private let decoder: any ResultDecoder<Row>

  init<Decoder: ResultDecoder>(
    _ query: Query<Model>, _ columns: GroupColumns, values: [Operand], by decoder: Decoder
  ) where Decoder.Row == Row {
    self.init(query, columns.aggregates, values, any: decoder)
  }

  private init(
    _ query: Query<Model>, _ aggregates: [Aggregate], _ values: [Operand],
    any decoder: any ResultDecoder<Row>
  ) {
    self.query = query
    self.aggregates = aggregates
    self.values = values
    self.decoder = decoder
  }

  /// Returns the same totals made into something else: `.map(Summary.init)`.
  ///
  /// ```swift
  /// let count = try store.fetch(Snack.all.totals { $0.count() }.map { "\($0) snacks" })
  /// ```
  ///
  /// The operation throws the errors of `transform`.
  public func map<Shape>(
    _ transform: @escaping @Sendable (Row) throws -> Shape
  ) -> Totals<Model, Shape> {
    Totals<Model, Shape>(query, aggregates, values, any: decoder.mapped(transform))
  }

  /// The request, and the decoder of its one row.
  package var source: ResultSource<Row> {
    let positions = values.map { value -> Int? in
      if case .output(let column) = value { column } else { nil }
    }
    let isPlain = !positions.contains(nil)
    return ResultSource(
      output: .aggregates(aggregates), condition: wholeCondition,
      order: query.start == nil ? [] : query.terms, paging: .all, start: query.start,
      deleted: query.deleted, computed: isPlain ? [] : values,
      positions: isPlain ? positions.compactMap { $0 } : Array(values.indices), decoder: decoder)
  }

  /// The query's condition; an error for a query that asks for a page of the rows.
  private var wholeCondition: Condition {
    guard query.paging != .all else { return query.filter.condition }
    return .invalid(
      StoreError(
        .invalidPage, "an aggregate takes a whole query: remove its limit, offset or page",
        entity: Model.entity.declared.name))
  }
}

extension Query {
  /// Returns the question for one aggregate over all rows, which may be worked out of several.
  ///
  /// ```swift
  /// let mean = try store.fetch(Track.all.totals { $0.sum(\.bytes) * 8 })
  /// ```
  public func totals<Value: AttributeValue>(
    _ body: (GroupFields<Model>) -> Field<Model, Value>
  ) -> Totals<Model, Value> {
    let columns = GroupColumns(keys: [])
    let value = body(GroupFields(columns: columns)).operand
    let fallback = Model.fallback(of: columns.operand(behind: value))
    return Totals(self, columns, values: [value], by: ValueDecoder<Value>(fallbacks: [fallback]))
  }

  /// Returns the question for several aggregates over all rows, answered by one request.
  ///
  /// ```swift
  /// let totals = Track.all.totals { ($0.count(), $0.sum(\.bytes), $0.max(\.milliseconds)) }
  /// let (count, bytes, longest) = try store.fetch(totals)
  /// ```
  public func totals<each Value: AttributeValue>(
    _ body: (GroupFields<Model>) -> (repeat Field<Model, each Value>)
  ) -> Totals<Model, (repeat each Value)> {
    let columns = GroupColumns(keys: [])
    let fields = body(GroupFields(columns: columns))
    var values: [Operand] = []
    for field in repeat each fields { values.append(field.operand) }
    var decoder = TupleDecoder<repeat each Value>()
    decoder.fallbacks = values.map { Model.fallback(of: columns.operand(behind: $0)) }
    return Totals(self, columns, values: values, by: decoder)
  }
}
