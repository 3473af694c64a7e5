internal import ORMStorage

/// An order of a model's rows that is written as a text: `price DESC, name[c] NULLS LAST`.
///
/// A value: Hashable, Sendable, printable.
///
/// ```swift
/// let sort = try Sort<Snack>(format: "price DESC, name[c] NULLS LAST")
/// try store.fetch(Snack.all.sorted(by: sort))
/// print(sort)                                    // price descending, name[c] nils last
/// ```
///
/// A key is any value of the language of predicate formats (<doc:PredicateFormats>): an attribute, one of
/// a to-one's target, an aggregate of a to-many, arithmetic. A minus in front of it, or `DESC`
/// (`descending`) behind it, sorts from the greatest to the least, `ASC` (`ascending`) is the default;
/// `[c]`, `[d]` and `[n]` compare texts as in formats; `NULLS FIRST` and `NULLS LAST` (`nils`) set the
/// position of nil. Words are read in upper and lower case.
public struct Sort<Model: Persistable>: Hashable, Sendable, CustomStringConvertible {
  /// The keys; the primary key always comes last.
  public var order: [Query<Model>.Order]

  /// An order of these keys.
  ///
  /// ```swift
  /// let sort = Sort<Snack>([.descending(\.price), .ascending(\.name)])
  /// ```
  public init(_ order: [Query<Model>.Order]) { self.order = order }

  /// An order of a text, with values for its arguments: `try Sort(format: "%K DESC", name)`.
  ///
  /// ```swift
  /// let sort = try Sort<Snack>(format: "price DESC, name[c] NULLS LAST")
  /// ```
  ///
  /// - Throws: `invalidCondition` and `unknownAttribute`, which name the position in the text and the
  ///   expected text; `tooComplex` past the limits of clause 7.1.
  public init(format: String, _ arguments: (any FormatArgument)?...) throws {
    try self.init(format: format, arguments: arguments)
  }

  /// An order of a text whose arguments are counted when the program runs.
  ///
  /// - Throws: as ``init(format:_:)``.
  public init(format: String, arguments: [(any FormatArgument)?]) throws {
    var parser = try FormatParser(format, for: .model(Model.self), arguments: arguments)
    order = try parser.order().map { Query<Model>.Order($0) }
  }

  /// An order that is made, or one that carries its error.
  init(carrying make: @autoclosure () throws -> Sort) {
    do {
      self = try make()
    } catch {
      let error = error as? StoreError ?? StoreError(.invalidCondition, "\(error)")
      self.init([Query<Model>.Order(SortTerm(.invalid(error)))])
    }
  }

  /// The order as a text, which reads back to an equal order.
  public var formatString: String { order.map(\.term.description).joined(separator: ", ") }

  /// The order as a text.
  public var description: String { formatString }
}

/// An order written down in the program: a literal, for which neither a String variable nor an
/// interpolation passes.
///
/// A text made when the program runs goes to ``Sort/init(format:_:)``, which throws.
public struct SortFormat: ExpressibleByStringLiteral, Sendable {
  let text: String

  /// The literal.
  public init(stringLiteral value: StaticString) { text = "\(value)" }
}

extension Query {
  /// The rows in this order, after which come rows equal in it by primary key.
  ///
  /// ```swift
  /// Snack.all.sorted(by: try Sort(format: "price DESC, name"))
  /// ```
  public func sorted(by sort: Sort<Model>) -> Query {
    var copy = self
    copy.order = sort.order
    return copy
  }

  /// The rows in an order that is written as a text.
  ///
  /// ```swift
  /// Snack.all.sorted(by: "price DESC, name[c] NULLS LAST")
  /// ```
  ///
  /// ``Sort`` describes the format. An error in it is thrown when the query is first used
  /// (clause 7.4).
  public func sorted(by format: SortFormat, _ arguments: (any FormatArgument)?...) -> Query {
    sorted(by: Sort(carrying: try Sort(format: format.text, arguments: arguments)))
  }
}

extension Projection {
  /// The rows in this order, after which come rows equal in it by primary key.
  public func sorted(by sort: Sort<Model>) -> Projection {
    var copy = self
    copy.query = query.sorted(by: sort)
    return copy
  }

  /// The rows in an order that is written as a text: `.sorted(by: "price DESC")`.
  public func sorted(
    by format: SortFormat, _ arguments: (any FormatArgument)?...
  ) -> Projection {
    sorted(by: Sort(carrying: try Sort(format: format.text, arguments: arguments)))
  }
}
