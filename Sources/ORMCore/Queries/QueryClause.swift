public import ORMStorage

/// A query with an attribute named and its condition still open: chained words.
///
/// ```swift
/// Snack.all.whose(\.price).greaterThan(1).and(\.name).like("a*")
/// ```
///
/// `and` binds tighter than `or`, as in formats. The filter of a query before `whose` holds beside
/// the whole chain.
public struct QueryClause<Model: Persistable, Value: AttributeValue>: Sendable {
  let query: Query<Model>
  let field: Field<Model, Value>
  let word: QueryChain<Model>.Word
  private var isNegated = false

  init(query: Query<Model>, field: Field<Model, Value>, word: QueryChain<Model>.Word) {
    self.query = query
    self.field = field
    self.word = word
  }

  func closed(_ filter: Filter<Model>) -> Query<Model> {
    query.chained(word, isNegated ? !filter : filter)
  }

  /// The clause with its condition negated.
  func negated() -> QueryClause {
    var copy = self
    copy.isNegated.toggle()
    return copy
  }

  /// The clause about another field.
  func asking<Other>(_ field: Field<Model, Other>) -> QueryClause<Model, Other> {
    var other = QueryClause<Model, Other>(query: query, field: field, word: word)
    other.isNegated = isNegated
    return other
  }

  /// It equals a value.
  ///
  /// ```swift
  /// Snack.all.whose(\.name).equal(to: "Chips")
  /// ```
  public func equal(to value: Value) -> Query<Model> { closed(field == value) }
  /// It differs from a value.
  ///
  /// ```swift
  /// Snack.all.whose(\.name).notEqual(to: "Chips")
  /// ```
  public func notEqual(to value: Value) -> Query<Model> { closed(field != value) }
  /// It is less than a value.
  ///
  /// ```swift
  /// Snack.all.whose(\.price).lessThan(3)
  /// ```
  public func lessThan(_ value: Value) -> Query<Model> { closed(field < value) }
  /// It is at most a value.
  ///
  /// ```swift
  /// Snack.all.whose(\.price).atMost(3)
  /// ```
  public func atMost(_ value: Value) -> Query<Model> { closed(field <= value) }
  /// It is greater than a value.
  ///
  /// ```swift
  /// Snack.all.whose(\.price).greaterThan(3)
  /// ```
  public func greaterThan(_ value: Value) -> Query<Model> { closed(field > value) }
  /// It is at least a value.
  ///
  /// ```swift
  /// Snack.all.whose(\.price).atLeast(3)
  /// ```
  public func atLeast(_ value: Value) -> Query<Model> { closed(field >= value) }
  /// It lies between two values, both included.
  ///
  /// ```swift
  /// Snack.all.whose(\.price).between(1, 3)
  /// ```
  public func between(_ lower: Value, _ upper: Value) -> Query<Model> {
    closed(field.isBetween(lower, upper))
  }
  /// It is one of a list.
  ///
  /// ```swift
  /// Snack.all.whose(\.name).isIn(["Chips", "Crisps"])
  /// ```
  @_disfavoredOverload
  public func isIn(_ list: some Sequence<Value>) -> Query<Model> { closed(field.isIn(list)) }
  /// It is there and one of a list.
  @_disfavoredOverload
  public func isIn<Present: AttributeValue>(_ list: some Sequence<Present>) -> Query<Model>
  where Value == Present? {
    closed(field.isIn(list))
  }
  /// It is nil.
  ///
  /// ```swift
  /// Snack.all.whose(\.taste).isNil()
  /// ```
  public func isNil() -> Query<Model> { closed(field.isNil()) }
  /// It is not nil.
  ///
  /// ```swift
  /// Snack.all.whose(\.taste).isNotNil()
  /// ```
  public func isNotNil() -> Query<Model> { closed(!field.isNil()) }
}

extension QueryClause where Value: TextAttribute {
  /// It holds another text somewhere.
  ///
  /// ```swift
  /// Snack.all.whose(\.name).contains("hip")
  /// ```
  public func contains(_ text: String, _ options: TextOptions = []) -> Query<Model> {
    closed(field.contains(text, options))
  }
  /// It begins with another text.
  ///
  /// ```swift
  /// Snack.all.whose(\.name).beginsWith("ch", .caseInsensitive)
  /// ```
  public func beginsWith(_ text: String, _ options: TextOptions = []) -> Query<Model> {
    closed(field.beginsWith(text, options))
  }
  /// It ends with another text.
  ///
  /// ```swift
  /// Snack.all.whose(\.name).endsWith("ps")
  /// ```
  public func endsWith(_ text: String, _ options: TextOptions = []) -> Query<Model> {
    closed(field.endsWith(text, options))
  }
  /// The whole text matches a pattern of `?`, `*` and `\`.
  ///
  /// ```swift
  /// Snack.all.whose(\.name).like("ch*")
  /// ```
  public func like(_ pattern: String, _ options: TextOptions = []) -> Query<Model> {
    closed(field.like(pattern, options))
  }
  /// The whole text matches a regular expression.
  ///
  /// ```swift
  /// Snack.all.whose(\.name).matches("[A-Z].*")
  /// ```
  public func matches(_ pattern: String, _ options: TextOptions = []) -> Query<Model> {
    closed(field.matches(pattern, options))
  }
  /// It equals another text under options.
  ///
  /// ```swift
  /// Snack.all.whose(\.name).equal(to: "chips", .caseInsensitive)
  /// ```
  public func equal(to text: String, _ options: TextOptions) -> Query<Model> {
    closed(field.equals(text, options))
  }
}

extension QueryClause where Value: ArrayAttribute {
  /// It holds an element.
  ///
  /// ```swift
  /// Snack.all.whose(\.tags).contains("hot")
  /// ```
  public func contains(_ element: Value.Member) -> Query<Model> {
    closed(field.contains(element))
  }
}

extension Query {
  /// The query with a condition after a word.
  func chained(_ word: QueryChain<Model>.Word, _ filter: Filter<Model>) -> Query {
    var query = self
    let chain = QueryChain(continuing: query, word, filter)
    query.filter = chain.filter
    query.chain = chain
    return query
  }

  /// Begins a condition on an attribute; it is joined to an earlier one by AND.
  ///
  /// ```swift
  /// Snack.all.whose(\.price).lessThan(3)
  /// ```
  public func whose<Value: AttributeValue>(
    _ path: AttributePath<Model, Value>
  ) -> QueryClause<Model, Value> {
    QueryClause<Model, Value>(
      query: self, field: Field<Model, Value>(path: path, scope: 0),
      word: QueryChain<Model>.Word.whose)
  }

  /// Goes on: and a condition on this attribute.
  ///
  /// ```swift
  /// Snack.all.whose(\.price).lessThan(3).and(\.stock).greaterThan(0)
  /// ```
  public func and<Value: AttributeValue>(
    _ path: AttributePath<Model, Value>
  ) -> QueryClause<Model, Value> {
    QueryClause<Model, Value>(
      query: self, field: Field<Model, Value>(path: path, scope: 0),
      word: QueryChain<Model>.Word.and)
  }

  /// Goes on: or a condition on this attribute.
  ///
  /// ```swift
  /// Snack.all.whose(\.price).lessThan(3).or(\.taste).isNil()
  /// ```
  public func or<Value: AttributeValue>(
    _ path: AttributePath<Model, Value>
  ) -> QueryClause<Model, Value> {
    QueryClause<Model, Value>(
      query: self, field: Field<Model, Value>(path: path, scope: 0),
      word: QueryChain<Model>.Word.or)
  }
}

extension Query {
  /// Begins a condition on an attribute through a to-one: `.whose(\.team, \.name).like("R*")`.
  ///
  /// ```swift
  /// Player.all.whose(\.team, \.name).equal(to: "Reds")
  /// ```
  public func whose<Target: PrimaryKeyed, Value: AttributeValue>(
    _ link: AttributePath<Model, ToOne<Target>>, _ path: AttributePath<Target, Value>
  ) -> QueryClause<Model, Value?> {
    QueryClause<Model, Value?>(
      query: self, field: Fields<Model>()[link][path], word: QueryChain<Model>.Word.whose)
  }

  /// Goes on: and a condition on an attribute through a to-one.
  public func and<Target: PrimaryKeyed, Value: AttributeValue>(
    _ link: AttributePath<Model, ToOne<Target>>, _ path: AttributePath<Target, Value>
  ) -> QueryClause<Model, Value?> {
    QueryClause<Model, Value?>(
      query: self, field: Fields<Model>()[link][path], word: QueryChain<Model>.Word.and)
  }

  /// Goes on: or a condition on an attribute through a to-one.
  public func or<Target: PrimaryKeyed, Value: AttributeValue>(
    _ link: AttributePath<Model, ToOne<Target>>, _ path: AttributePath<Target, Value>
  ) -> QueryClause<Model, Value?> {
    QueryClause<Model, Value?>(
      query: self, field: Fields<Model>()[link][path], word: QueryChain<Model>.Word.or)
  }
}
