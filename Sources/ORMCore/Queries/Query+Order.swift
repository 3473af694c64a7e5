public import ORMStorage

extension Query {
  /// One key of a typed order: `.descending(\.price)`.
  ///
  /// ```swift
  /// let order: [Query<Snack>.Order] = [.descending(\.price), .ascending(\.name)]
  /// let query = Snack.all.sorted(by: Sort(order))
  /// ```
  public struct Order: Hashable, Codable, Sendable {
    /// The key as requests hold it.
    public var term: SortTerm

    /// An order of a term by attribute names.
    public init(_ term: SortTerm) { self.term = term }

    /// An order from the least to the greatest; nil first unless said otherwise.
    ///
    /// ```swift
    /// Snack.all.sorted(by: .ascending(\.name, .caseInsensitive))
    /// ```
    public static func ascending<Value: AttributeValue>(
      _ path: AttributePath<Model, Value>, _ options: TextOptions = [],
      nils: SortTerm.NilPlacement? = nil
    ) -> Order {
      Order(SortTerm(Model.operand(of: path, scope: 0), nils: nils, options: options))
    }

    /// An order from the greatest to the least; nil last unless said otherwise.
    ///
    /// ```swift
    /// Snack.all.sorted(by: .descending(\.taste, nils: .last))
    /// ```
    public static func descending<Value: AttributeValue>(
      _ path: AttributePath<Model, Value>, _ options: TextOptions = [],
      nils: SortTerm.NilPlacement? = nil
    ) -> Order {
      Order(
        SortTerm(
          Model.operand(of: path, scope: 0), isDescending: true, nils: nils, options: options))
    }

    /// An order by a value that a closure computes from a row, from the least to the greatest.
    ///
    /// ```swift
    /// Player.all.sorted(by: .ascending { $0.team.name })
    /// ```
    ///
    /// Through a to-one, and by aggregates over a to-many: `.ascending { $0.team.name }`.
    public static func ascending<Value: AttributeValue>(
      _ options: TextOptions = [], nils: SortTerm.NilPlacement? = nil,
      by body: (Fields<Model>) -> Field<Model, Value>
    ) -> Order {
      Order(SortTerm(body(Fields()).operand, nils: nils, options: options))
    }

    /// An order by a value that a closure computes from a row, from the greatest to the least.
    ///
    /// ```swift
    /// Team.all.sorted(by: .descending { $0.players.count })
    /// ```
    ///
    /// Through a to-one, and by aggregates over a to-many: `.descending { $0.players.count }`.
    public static func descending<Value: AttributeValue>(
      _ options: TextOptions = [], nils: SortTerm.NilPlacement? = nil,
      by body: (Fields<Model>) -> Field<Model, Value>
    ) -> Order {
      Order(SortTerm(body(Fields()).operand, isDescending: true, nils: nils, options: options))
    }
  }
}

extension SortTerm: CustomStringConvertible {
  /// The key as ``Sort/init(format:_:)`` reads it, such as `name[c] descending nils first`.
  public var description: String {
    var text = "\(operand)"
    // A minus in front would turn the order round.
    if text.hasPrefix("-") { text = "(\(text))" }
    text += "\(options)"
    if isDescending { text += " descending" }
    if let nils { text += " nils \(nils.rawValue)" }
    return text
  }
}
