public import FoundationEssentials

/// Queries that begin with a condition: `Snack.where { $0.price < 3 }` is short for
/// `Snack.all.where { $0.price < 3 }`.
extension Persistable {
  /// Returns a query for the rows that match a condition.
  ///
  /// ```swift
  /// let cheap = try Snack.where { $0.price < 3 }.fetch()
  /// let count = try Snack.where { $0.price < 3 && $0.name.like("a*") }.count(in: store)
  /// ```
  public static func `where`(_ body: (Fields<Self>) -> Filter<Self>) -> Query<Self> {
    all.where(body)
  }

  /// Returns a query for the rows in which a Bool attribute is true.
  ///
  /// ```swift
  /// let vegan = try Snack.where { $0.isVegan }.fetch()
  /// ```
  public static func `where`(_ body: (Fields<Self>) -> Field<Self, Bool>) -> Query<Self> {
    all.where(body)
  }

  /// Returns a query for the rows that match a filter.
  ///
  /// ```swift
  /// let cheap = try Snack.where(\.price < 3 && \.stock > 0).fetch()
  /// ```
  public static func `where`(_ filter: Filter<Self>) -> Query<Self> { all.where(filter) }

  /// Returns a query for the rows in which the attribute of this name has this value.
  ///
  /// ```swift
  /// let chips = try Snack.where(attribute: "name", equals: "Chips").first()
  /// ```
  public static func `where`<Value: AttributeValue>(
    attribute: String, equals value: Value
  ) -> Query<Self> { all.where(attribute: attribute, equals: value) }

  /// Returns a query for the rows that match Foundation's predicate.
  ///
  /// ```swift
  /// let cheap = try Snack.where(#Predicate { $0.stock > 1 }).fetch()
  /// ```
  public static func `where`(_ predicate: Predicate<Self>) -> Query<Self> {
    all.where(predicate)
  }

  /// Returns a query for the rows that match a predicate format, which is a literal.
  ///
  /// ```swift
  /// let cheap = try Snack.where("price < 3 AND name BEGINSWITH[c] %@", start).fetch()
  /// ```
  public static func `where`(
    _ format: FilterFormat, _ arguments: (any FormatArgument)?...
  ) -> Query<Self> {
    all.where(Filter.carryingEqual(try Filter(format: format.text, arguments: arguments)))
  }
}

extension PrimaryKeyed {
  /// Returns a query for the row with a key, of one attribute or of several.
  ///
  /// ```swift
  /// try Project.where(id: 1).restore()
  /// ```
  public static func `where`(id: ID) -> Query<Self> {
    all.where(
      Filter.carryingEqual(
        Filter(
          .all(
            zip(entity.declared.key, try id.keyValues()).map {
              .compare(.attribute($0), .equal, .value($1), [])
            }))))
  }
}
