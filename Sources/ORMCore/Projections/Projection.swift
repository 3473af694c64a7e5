package import ORMRows
package import ORMStorage

/// Values computed from the rows of a query, instead of models: attributes, those behind to-ones,
/// counts and other aggregates of to-manys, all in one request.
///
/// ```swift
/// let prices = try store.fetch(Snack.all.select(\.name, \.price))           // [(String, Double)]
/// let teams = try store.fetch(
///   Player.all.select { ($0.name, $0.team.name, $0.team.players.count) })   // [(String, String?, Int)]
/// let labels = try store.fetch(Snack.all.select(\.name, \.price).map(Label.init))
/// let tastes = try store.fetch(Snack.all.select(\.taste).distinct())        // [String?]
/// ```
public struct Projection<Model: Persistable, Row>: ResultQuery {
  /// The rows, their order, and the part of the result.
  public var query: Query<Model>
  /// True if equal rows of the result are given once.
  public var isDistinct = false
  package let columns: [Operand]
  private let decoder: any ResultDecoder<Row>

  init<Decoder: ResultDecoder>(
    _ query: Query<Model>, _ columns: [Operand], by decoder: Decoder
  ) where Decoder.Row == Row {
    self.init(query, columns, any: decoder)
  }

  private init(_ query: Query<Model>, _ columns: [Operand], any decoder: any ResultDecoder<Row>) {
    self.query = query
    self.columns = columns
    self.decoder = decoder
  }

  /// Each row once: rows are one where their values are equal, nil included (clause 4.2).
  ///
  /// ```swift
  /// let tastes = try store.fetch(Snack.all.select(\.taste).distinct())
  /// ```
  ///
  /// They come in the order of their values, from the first column on, unless the query has an order. That
  /// order may name the selected values alone.
  public func distinct() -> Projection {
    var copy = self
    copy.isDistinct = true
    return copy
  }

  /// The same rows made into something else: `.map(Label.init)`.
  ///
  /// ```swift
  /// let labels = try store.fetch(Snack.all.select(\.name, \.price).map(Label.init))
  /// ```
  ///
  /// The operation throws the errors of `transform`.
  public func map<Shape>(
    _ transform: @escaping @Sendable (Row) throws -> Shape
  ) -> Projection<Model, Shape> {
    var projection = Projection<Model, Shape>(query, columns, any: decoder.mapped(transform))
    projection.isDistinct = isDistinct
    return projection
  }

  /// The request for the rows, and their decoder.
  public var source: ResultSource<Row> {
    var keys: [Operand] = []
    for column in columns where !keys.contains(column) { keys.append(column) }
    return ResultSource(
      output: isDistinct
        ? .groups(keys: keys, aggregates: [], having: .constant(true)) : .values(columns),
      condition: query.filter.condition, order: query.terms, paging: query.paging,
      start: query.start, deleted: query.deleted, computed: [],
      positions: isDistinct
        ? columns.map { keys.firstIndex(of: $0) ?? 0 } : Array(columns.indices),
      decoder: decoder)
  }
}

extension Query {
  /// Returns the question for the values of one attribute.
  ///
  /// ```swift
  /// let names = try store.fetch(Snack.all.select(\.name))                     // [String]
  /// ```
  public func select<Value: AttributeValue>(
    _ path: AttributePath<Model, Value>
  ) -> Projection<Model, Value> {
    let column = Model.operand(of: path, scope: 0)
    return Projection(
      self, [column], by: ValueDecoder<Value>(fallbacks: [Model.fallback(of: column)]))
  }

  /// Returns a projection to a value that a closure computes from each row.
  ///
  /// ```swift
  /// let counts = try store.fetch(Team.all.select { $0.players.count })        // [Int]
  /// ```
  public func select<Value: AttributeValue>(
    _ body: (Fields<Model>) -> Field<Model, Value>
  ) -> Projection<Model, Value> {
    let column = body(Fields()).operand
    return Projection(
      self, [column], by: ValueDecoder<Value>(fallbacks: [Model.fallback(of: column)]))
  }

  /// Selects the values of two attributes, as tuples.
  ///
  /// ```swift
  /// let prices = try store.fetch(Snack.all.select(\.name, \.price))   // [(String, Double)]
  /// ```
  ///
  /// Two, three and four attributes have overloads of their own. With a parameter pack alone,
  /// Swift 6.3 does not compile some closures beside the call that use the rows.
  public func select<First: AttributeValue, Second: AttributeValue>(
    _ first: AttributePath<Model, First>, _ second: AttributePath<Model, Second>
  ) -> Projection<Model, (First, Second)> {
    tuples(first, second)
  }

  /// Selects the values of three attributes, as tuples.
  ///
  /// ```swift
  /// let tastes = try store.fetch(Snack.all.select(\.name, \.price, \.taste))
  /// ```
  public func select<First: AttributeValue, Second: AttributeValue, Third: AttributeValue>(
    _ first: AttributePath<Model, First>, _ second: AttributePath<Model, Second>,
    _ third: AttributePath<Model, Third>
  ) -> Projection<Model, (First, Second, Third)> {
    tuples(first, second, third)
  }

  /// Selects the values of four attributes, as tuples.
  ///
  /// ```swift
  /// let rows = try store.fetch(Snack.all.select(\.id, \.name, \.price, \.taste))
  /// ```
  public func select<
    First: AttributeValue, Second: AttributeValue, Third: AttributeValue, Fourth: AttributeValue
  >(
    _ first: AttributePath<Model, First>, _ second: AttributePath<Model, Second>,
    _ third: AttributePath<Model, Third>, _ fourth: AttributePath<Model, Fourth>
  ) -> Projection<Model, (First, Second, Third, Fourth)> {
    tuples(first, second, third, fourth)
  }

  /// Selects the values of any number of attributes, as tuples.
  ///
  /// ```swift
  /// let rows = try store.fetch(Snack.all.select(\.id, \.name, \.price, \.taste, \.id))
  /// ```
  @_disfavoredOverload
  public func select<each Value: AttributeValue>(
    _ paths: repeat AttributePath<Model, each Value>
  ) -> Projection<Model, (repeat each Value)> {
    tuples(repeat each paths)
  }

  private func tuples<each Value: AttributeValue>(
    _ paths: repeat AttributePath<Model, each Value>
  ) -> Projection<Model, (repeat each Value)> {
    var columns: [Operand] = []
    for path in repeat each paths { columns.append(Model.operand(of: path, scope: 0)) }
    let decoder = TupleDecoder<repeat each Value>(fallbacks: columns.map(Model.fallback))
    return Projection(self, columns, by: decoder)
  }

  /// Selects the values that a closure computes from each row, as tuples.
  ///
  /// ```swift
  /// Team.all.select { ($0.name, $0.coach.name, $0.players.count, $0.players.max(\.age)) }
  /// ```
  public func select<each Value: AttributeValue>(
    _ body: (Fields<Model>) -> (repeat Field<Model, each Value>)
  ) -> Projection<Model, (repeat each Value)> {
    let fields = body(Fields())
    var columns: [Operand] = []
    for field in repeat each fields { columns.append(field.operand) }
    let decoder = TupleDecoder<repeat each Value>(fallbacks: columns.map(Model.fallback))
    return Projection(self, columns, by: decoder)
  }
}

extension Query {
  /// The values of attributes made into a shape of the program's own, by an initialiser or a closure
  /// that takes one after another.
  ///
  /// ```swift
  /// let labels = try store.fetch(Snack.all.select(into: Label.init, \.name, \.price))   // [Label]
  /// ```
  ///
  /// The operation throws the errors of `make`.
  public func select<each Value: AttributeValue, Shape>(
    into make: @escaping @Sendable (repeat each Value) throws -> Shape,
    _ paths: repeat AttributePath<Model, each Value>
  ) -> Projection<Model, Shape> {
    tuples(repeat each paths).map { (values: (repeat each Value)) in
      try make(repeat each values)
    }
  }

  /// Selects the values that a closure computes from each row, made into the program's own type.
  ///
  /// The closure may follow relationships.
  ///
  /// ```swift
  /// Player.all.select(into: Line.init) { ($0.name, $0.team.name, $0.team.players.count) }
  /// ```
  ///
  /// The operation throws the errors that `make` throws.
  public func select<each Value: AttributeValue, Shape>(
    into make: @escaping @Sendable (repeat each Value) throws -> Shape,
    _ body: (Fields<Model>) -> (repeat Field<Model, each Value>)
  ) -> Projection<Model, Shape> {
    select(body).map { (values: (repeat each Value)) in try make(repeat each values) }
  }
}

extension Projection {
  /// The rows in this order, after which come rows equal in it by primary key.
  ///
  /// ```swift
  /// Snack.all.select(\.name, \.price).sorted(by: .descending(\.price))
  /// ```
  public func sorted(by order: Query<Model>.Order...) -> Projection {
    changing { $0.order = order }
  }

  /// The rows ordered by attributes, each from the least to the greatest and nil first, after which come
  /// rows equal in them by primary key.
  ///
  /// ```swift
  /// Snack.all.select(\.name, \.price).sorted(by: \.price, \.name)
  /// ```
  public func sorted<Value: AttributeValue, each Other: AttributeValue>(
    by path: AttributePath<Model, Value>, _ others: repeat AttributePath<Model, each Other>
  ) -> Projection {
    changing { $0 = $0.sorted(by: path, repeat each others) }
  }

  /// The page with a number from 0; `size` is at most the store's `maximumPageSize`.
  ///
  /// ```swift
  /// Snack.all.select(\.name).page(1, size: 50)
  /// ```
  public func page(_ number: Int, size: Int) -> Projection {
    changing { $0.paging = .page(number, size: size) }
  }

  /// Returns a copy that gives at most `limit` rows.
  ///
  /// ```swift
  /// Snack.all.select(\.name).limit(10)
  /// ```
  public func limit(_ limit: Int) -> Projection { changing { $0 = $0.limit(limit) } }

  /// Returns a copy that skips the first `offset` rows.
  ///
  /// ```swift
  /// Snack.all.select(\.name).offset(10)
  /// ```
  public func offset(_ offset: Int) -> Projection { changing { $0 = $0.offset(offset) } }

  /// Restricts the result to rows after a position in the order.
  ///
  /// ```swift
  /// let page = try store.fetchPage(Snack.all.select(\.name).limit(50))
  /// let next = try store.fetchPage(Snack.all.select(\.name).limit(50).after(page.end))
  /// ```
  public func after(_ cursor: QueryCursor?) -> Projection { changing { $0.start = cursor } }

  private func changing(_ change: (inout Query<Model>) -> Void) -> Projection {
    var copy = self
    change(&copy.query)
    return copy
  }
}
