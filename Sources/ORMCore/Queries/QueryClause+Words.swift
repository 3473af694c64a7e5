// Further chained words: they can express the same conditions as closures. A chain goes on with a closure
// where a condition is no single word: `.whose(\.price).greaterThan(1).and { $0.name == $0.taste }`.

public import ORMStorage

extension QueryClause {
  /// Turns the word that comes next around: `.whose(\.name).not.like("a*")`.
  ///
  /// ```swift
  /// Snack.all.whose(\.name).not.like("ch*")
  /// ```
  public var not: QueryClause { negated() }

  /// It is none of a list.
  ///
  /// ```swift
  /// Snack.all.whose(\.name).isNotIn(["Chips", "Crisps"])
  /// ```
  public func isNotIn(_ list: some Sequence<Value>) -> Query<Model> { closed(!field.isIn(list)) }

  /// It equals another attribute.
  public func equal(to path: AttributePath<Model, Value>) -> Query<Model> {
    closed(field == Fields<Model>()[path])
  }
}

extension QueryClause where Value: TextAttribute {
  /// It is one of a list under options.
  public func isIn(_ list: some Sequence<String>, _ options: TextOptions) -> Query<Model> {
    closed(field.isIn(list, options))
  }
  /// Goes on with how many Unicode scalars it has.
  ///
  /// ```swift
  /// Snack.all.whose(\.name).length().greaterThan(5)
  /// ```
  public func length() -> QueryClause<Model, Int?> { asking(field.length()) }
  /// Goes on with it in upper case.
  ///
  /// ```swift
  /// Snack.all.whose(\.name).uppercased().equal(to: "CHIPS")
  /// ```
  public func uppercased() -> QueryClause<Model, String?> { asking(field.uppercased()) }
  /// Goes on with it in lower case.
  ///
  /// ```swift
  /// Snack.all.whose(\.name).lowercased().equal(to: "chips")
  /// ```
  public func lowercased() -> QueryClause<Model, String?> { asking(field.lowercased()) }
}

extension QueryClause where Value: ArrayAttribute {
  /// One of its elements satisfies a condition: `.whose(\.tags).any { $0.beginsWith("h") }`.
  ///
  /// ```swift
  /// Snack.all.whose(\.tags).any { $0.beginsWith("ho") }
  /// ```
  public func any(_ body: Field<Model, Value>.ItemBody<Filter<Model>>) -> Query<Model> {
    closed(field.any(body))
  }
  /// Every element satisfies a condition.
  ///
  /// ```swift
  /// Snack.all.whose(\.tags).all { $0.length() > 2 }
  /// ```
  public func all(_ body: Field<Model, Value>.ItemBody<Filter<Model>>) -> Query<Model> {
    closed(field.all(body))
  }
  /// No element satisfies a condition.
  ///
  /// ```swift
  /// Snack.all.whose(\.tags).none { $0 == "hot" }
  /// ```
  public func none(_ body: Field<Model, Value>.ItemBody<Filter<Model>>) -> Query<Model> {
    closed(field.none(body))
  }
  /// Goes on with how many elements there are.
  ///
  /// ```swift
  /// Snack.all.whose(\.tags).count().greaterThan(1)
  /// ```
  public func count() -> QueryClause<Model, Int?> { asking(field.count()) }
}

extension Query {
  /// Goes on: and a condition of a closure.
  ///
  /// ```swift
  /// Snack.all.whose(\.price).lessThan(3).and { $0.stock > 0 || $0.isVegan }
  /// ```
  public func and(_ body: (Fields<Model>) -> Filter<Model>) -> Query {
    chained(.and, body(Fields()))
  }

  /// Goes on: or a condition of a closure.
  ///
  /// ```swift
  /// Snack.all.whose(\.price).lessThan(3).or { $0.isVegan == true }
  /// ```
  public func or(_ body: (Fields<Model>) -> Filter<Model>) -> Query {
    chained(.or, body(Fields()))
  }

  /// Goes on: and a Bool attribute is true.
  ///
  /// ```swift
  /// Snack.all.whose(\.price).lessThan(3).and { $0.isVegan }
  /// ```
  public func and(_ body: (Fields<Model>) -> Field<Model, Bool>) -> Query {
    chained(.and, body(Fields()).isTrue)
  }

  /// Goes on: or a Bool attribute is true.
  ///
  /// ```swift
  /// Snack.all.whose(\.price).lessThan(3).or { $0.isVegan }
  /// ```
  public func or(_ body: (Fields<Model>) -> Field<Model, Bool>) -> Query {
    chained(.or, body(Fields()).isTrue)
  }

  /// Goes on: and a filter.
  ///
  /// ```swift
  /// Snack.all.whose(\.price).lessThan(3).and(\.stock > 0)
  /// ```
  public func and(_ filter: Filter<Model>) -> Query { chained(.and, filter) }

  /// Goes on: or a filter.
  ///
  /// ```swift
  /// Snack.all.whose(\.price).lessThan(3).or(\.stock > 0)
  /// ```
  public func or(_ filter: Filter<Model>) -> Query { chained(.or, filter) }
}

/// A query with a to-one named and its condition still open: `.whose(\.team).isNil()`.
///
/// ```swift
/// Player.all.whose(\.team).equal(to: 7)
/// ```
public struct QueryLink<Model: Persistable, Target: PrimaryKeyed>: Sendable {
  let query: Query<Model>
  let word: QueryChain<Model>.Word
  let field: ToOneField<Model, Target>

  /// There is no target.
  ///
  /// ```swift
  /// Player.all.whose(\.team).isNil()
  /// ```
  public func isNil() -> Query<Model> { query.chained(word, field == nil) }
  /// There is a target.
  ///
  /// ```swift
  /// Player.all.whose(\.team).isNotNil()
  /// ```
  public func isNotNil() -> Query<Model> { query.chained(word, field != nil) }
  /// The target has this key.
  ///
  /// ```swift
  /// Player.all.whose(\.team).equal(to: 7)
  /// ```
  public func equal(to id: Target.ID) -> Query<Model> { query.chained(word, field == id) }
  /// The target has another key, or there is none.
  ///
  /// ```swift
  /// Player.all.whose(\.team).notEqual(to: 7)
  /// ```
  public func notEqual(to id: Target.ID) -> Query<Model> { query.chained(word, field != id) }
  /// The target's key is one of a list; nil stands for no target.
  ///
  /// ```swift
  /// Player.all.whose(\.team).isIn([7, 8])
  /// ```
  public func isIn(_ ids: some Sequence<Target.ID?>) -> Query<Model> {
    query.chained(word, field.isIn(ids))
  }
}

/// A query with a to-many named and its condition still open: `.whose(\.players).any { … }`.
///
/// ```swift
/// Team.all.whose(\.players).any { $0.age > 30 }
/// ```
public struct QueryLinks<Model: Persistable, Target: PrimaryKeyed>: Sendable {
  let query: Query<Model>
  let word: QueryChain<Model>.Word
  let field: ToManyField<Model, Target>

  /// An element satisfies a condition; false where there is none.
  ///
  /// ```swift
  /// Team.all.whose(\.players).any { $0.age > 30 }
  /// ```
  public func any(_ body: (ElementFields<Model, Target>) -> Filter<Model>) -> Query<Model> {
    query.chained(word, field.any(body))
  }
  /// Every element satisfies a condition; true where there is none.
  ///
  /// ```swift
  /// Team.all.whose(\.players).all { $0.age > 18 }
  /// ```
  public func all(_ body: (ElementFields<Model, Target>) -> Filter<Model>) -> Query<Model> {
    query.chained(word, field.all(body))
  }
  /// No element satisfies a condition.
  ///
  /// ```swift
  /// Team.all.whose(\.players).none { $0.age > 30 }
  /// ```
  public func none(_ body: (ElementFields<Model, Target>) -> Filter<Model>) -> Query<Model> {
    query.chained(word, field.none(body))
  }
  /// There is no element.
  ///
  /// ```swift
  /// Team.all.whose(\.players).isEmpty()
  /// ```
  public func isEmpty() -> Query<Model> { query.chained(word, field.isEmpty()) }
  /// An element has this key.
  ///
  /// ```swift
  /// Team.all.whose(\.players).contains(3)
  /// ```
  public func contains(_ id: Target.ID) -> Query<Model> {
    query.chained(word, field.contains(id))
  }
  /// Goes on with how many elements there are.
  ///
  /// ```swift
  /// Team.all.whose(\.players).count().greaterThan(11)
  /// ```
  public func count() -> QueryClause<Model, Int> {
    QueryClause<Model, Int>(query: query, field: field.count, word: word)
  }
  /// Goes on with how many elements satisfy a condition.
  public func count(
    where body: (ElementFields<Model, Target>) -> Filter<Model>
  ) -> QueryClause<Model, Int> {
    QueryClause<Model, Int>(query: query, field: field.count(where: body), word: word)
  }
  /// Goes on with the sum of an attribute.
  ///
  /// ```swift
  /// Team.all.whose(\.players).sum(\.age).greaterThan(300)
  /// ```
  public func sum<Value: SummableAttribute>(
    _ path: AttributePath<Target, Value>
  ) -> QueryClause<Model, Value.Total> {
    QueryClause<Model, Value.Total>(query: query, field: field.sum(path), word: word)
  }
  /// Goes on with the mean of an attribute.
  ///
  /// ```swift
  /// Team.all.whose(\.players).average(\.age).lessThan(25)
  /// ```
  public func average<Value: SummableAttribute>(
    _ path: AttributePath<Target, Value>
  ) -> QueryClause<Model, Double?> {
    QueryClause<Model, Double?>(query: query, field: field.average(path), word: word)
  }
  /// Goes on with the least value of an attribute.
  ///
  /// ```swift
  /// Team.all.whose(\.players).min(\.age).atLeast(18)
  /// ```
  public func min<Value: ComparableAttribute>(
    _ path: AttributePath<Target, Value>
  ) -> QueryClause<Model, Value.Present?> {
    QueryClause<Model, Value.Present?>(query: query, field: field.min(path), word: word)
  }
  /// Goes on with the greatest value of an attribute.
  ///
  /// ```swift
  /// Team.all.whose(\.players).max(\.age).lessThan(40)
  /// ```
  public func max<Value: ComparableAttribute>(
    _ path: AttributePath<Target, Value>
  ) -> QueryClause<Model, Value.Present?> {
    QueryClause<Model, Value.Present?>(query: query, field: field.max(path), word: word)
  }
}

extension Query {
  /// Begins a condition on a to-one: `.whose(\.team).isNil()`.
  public func whose<Target>(
    _ link: AttributePath<Model, ToOne<Target>>
  ) -> QueryLink<Model, Target> { self.link(.whose, link) }

  /// Goes on: and a condition on a to-one.
  public func and<Target>(
    _ link: AttributePath<Model, ToOne<Target>>
  ) -> QueryLink<Model, Target> { self.link(.and, link) }

  /// Goes on: or a condition on a to-one.
  public func or<Target>(
    _ link: AttributePath<Model, ToOne<Target>>
  ) -> QueryLink<Model, Target> { self.link(.or, link) }

  /// Begins a condition on a to-many: `.whose(\.players).any { $0.age > 30 }`.
  public func whose<Target>(
    _ links: AttributePath<Model, ToMany<Target>>
  ) -> QueryLinks<Model, Target> { self.links(.whose, links) }

  /// Goes on: and a condition on a to-many.
  public func and<Target>(
    _ links: AttributePath<Model, ToMany<Target>>
  ) -> QueryLinks<Model, Target> { self.links(.and, links) }

  /// Goes on: or a condition on a to-many.
  public func or<Target>(
    _ links: AttributePath<Model, ToMany<Target>>
  ) -> QueryLinks<Model, Target> { self.links(.or, links) }

  private func link<Target>(
    _ word: QueryChain<Model>.Word, _ path: AttributePath<Model, ToOne<Target>>
  ) -> QueryLink<Model, Target> {
    QueryLink<Model, Target>(query: self, word: word, field: Fields<Model>()[path])
  }

  private func links<Target>(
    _ word: QueryChain<Model>.Word, _ path: AttributePath<Model, ToMany<Target>>
  ) -> QueryLinks<Model, Target> {
    QueryLinks<Model, Target>(query: self, word: word, field: Fields<Model>()[path])
  }
}
