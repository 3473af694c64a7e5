public import FoundationEssentials
internal import ORMStorage

extension Filter {
  /// The filter that Foundation's predicate says: `Filter(#Predicate<Snack> { $0.price > 1 })`.
  ///
  /// It is translated into the one tree of conditions, expression by expression. An expression without an
  /// exact translation is `invalidCondition` at first use, which names it, and never a scan in memory. The
  /// meaning is that of this package's contract, which is Foundation's own but for this: texts are equal,
  /// ordered and searched by their Unicode scalars, not by characters (semantics 2.3); division by zero and
  /// arithmetic that does not fit are nil, where Swift traps or gives an infinity (2.6). A row for which
  /// Foundation's evaluation would throw (a nil that is unwrapped by `!`, a position outside of an array, a
  /// range from more to less) does not match.
  ///
  /// Links are asked through `loaded` and `id`, and count as loaded:
  ///
  /// ```swift
  /// Filter(#Predicate<Player> { $0.team.loaded?.name == "Reds" })
  /// Filter(#Predicate<Team> { $0.players.loaded!.contains { $0.age > 30 } })
  /// ```
  ///
  /// Large predicates are slow to type-check, which is the macro's doing; closures are not.
  public init(_ predicate: Predicate<Model>) {
    do {
      var bridge = PredicateBridge()
      bridge.bind(predicate.variable, to: .row(BridgedRow(LinkPath(scope: 0), Model.self)))
      self.init(try bridge.condition(of: predicate.expression))
    } catch {
      let known = error as? StoreError ?? StoreError(.invalidCondition, "\(error)")
      self.init(.invalid(known.filling(entity: Model.entity.declared.name)))
    }
  }
}

extension Query {
  /// Restricts the query to rows that also match Foundation's predicate; see
  /// ``Filter/init(_:)-(Predicate<Model>)``.
  ///
  /// ```swift
  /// Snack.all.where(#Predicate { $0.price > 1 })
  /// ```
  public func `where`(_ predicate: Predicate<Model>) -> Query {
    self.where(Filter(predicate))
  }
}
