public import ORMStorage

/// A query with an attribute named and its condition still open: chained words.
///
/// ```swift
/// Snack.all.whose(\.price).greaterThan(1).and(\.name).like("a*")
/// ```
///
/// `and` binds tighter than `or`, as in formats. What a query asked before `whose` holds beside the
/// whole chain.
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

  /// The clause with its condition turned around.
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
  public func equal(to value: Value) -> Query<Model> { closed(field == value) }
  /// It differs from a value.
  public func notEqual(to value: Value) -> Query<Model> { closed(field != value) }
  /// It is less than a value.
  public func lessThan(_ value: Value) -> Query<Model> { closed(field < value) }
  /// It is at most a value.
  public func atMost(_ value: Value) -> Query<Model> { closed(field <= value) }
  /// It is greater than a value.
  public func greaterThan(_ value: Value) -> Query<Model> { closed(field > value) }
  /// It is at least a value.
  public func atLeast(_ value: Value) -> Query<Model> { closed(field >= value) }
  /// It lies between two values, both included.
  public func between(_ lower: Value, _ upper: Value) -> Query<Model> {
    closed(field.isBetween(lower, upper))
  }
  /// It is one of a list.
  @_disfavoredOverload
  public func isIn(_ list: some Sequence<Value>) -> Query<Model> { closed(field.isIn(list)) }
  /// It is there and one of a list.
  @_disfavoredOverload
  public func isIn<Present: AttributeValue>(_ list: some Sequence<Present>) -> Query<Model>
  where Value == Present? {
    closed(field.isIn(list))
  }
  /// It is nil.
  public func isNil() -> Query<Model> { closed(field.isNil()) }
  /// It is not nil.
  public func isNotNil() -> Query<Model> { closed(!field.isNil()) }
}

extension QueryClause where Value: TextAttribute {
  /// It holds another text somewhere.
  public func contains(_ text: String, _ options: TextOptions = []) -> Query<Model> {
    closed(field.contains(text, options))
  }
  /// It begins with another text.
  public func beginsWith(_ text: String, _ options: TextOptions = []) -> Query<Model> {
    closed(field.beginsWith(text, options))
  }
  /// It ends with another text.
  public func endsWith(_ text: String, _ options: TextOptions = []) -> Query<Model> {
    closed(field.endsWith(text, options))
  }
  /// The whole text matches a pattern of `?`, `*` and `\`.
  public func like(_ pattern: String, _ options: TextOptions = []) -> Query<Model> {
    closed(field.like(pattern, options))
  }
  /// The whole text matches a regular expression.
  public func matches(_ pattern: String, _ options: TextOptions = []) -> Query<Model> {
    closed(field.matches(pattern, options))
  }
  /// It equals another text under options.
  public func equal(to text: String, _ options: TextOptions) -> Query<Model> {
    closed(field.equals(text, options))
  }
}

extension QueryClause where Value: ArrayAttribute {
  /// It holds an element.
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

  /// Begins a condition on an attribute; beside what is there already, both must hold.
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
