// Conditions on the elements of an array: `$0.tags.any { $0.beginsWith("h") }`.

internal import ORMStorage

extension Field where Value: ArrayAttribute {
  /// A closure that computes a result from an element.
  public typealias ItemBody<Result> = (Field<Model, Value.Member>) -> Result

  /// Returns whether an element satisfies a condition; false where there is none.
  ///
  /// ```swift
  /// Snack.where { $0.tags.any { $0.beginsWith("ho") } }
  /// ```
  public func any(_ body: ItemBody<Filter<Model>>) -> Filter<Model> {
    Filter(some { body($0).condition })
  }

  /// Returns whether every element satisfies a condition; true where there is none.
  ///
  /// ```swift
  /// Snack.where { $0.tags.all { $0.length() > 2 } }
  /// ```
  public func all(_ body: ItemBody<Filter<Model>>) -> Filter<Model> {
    Filter(.not(some { .not(body($0).condition) }))
  }

  /// Returns whether no element satisfies a condition; true where there is none.
  ///
  /// ```swift
  /// Snack.where { $0.tags.none { $0 == "hot" } }
  /// ```
  public func none(_ body: ItemBody<Filter<Model>>) -> Filter<Model> {
    Filter(.not(some { body($0).condition }))
  }

  /// Returns the number of elements satisfy a condition; nil where there is no array.
  ///
  /// ```swift
  /// Snack.where { $0.tags.count { $0.beginsWith("ho") } > 1 }
  /// ```
  public func count(where body: ItemBody<Filter<Model>>) -> Field<Model, Int?> {
    Field<Model, Int?>(aggregate(.count) { body($0).condition })
  }

  /// The first element; nil where there is none.
  ///
  /// ```swift
  /// Snack.where { $0.tags.first() == "hot" }
  /// ```
  public func first() -> Field<Model, Value.Member?> { element(at: 0) }

  /// The last element; nil where there is none.
  ///
  /// ```swift
  /// Snack.where { $0.tags.last() == "hot" }
  /// ```
  public func last() -> Field<Model, Value.Member?> {
    Field<Model, Value.Member?>(.function(.last, operand))
  }

  private func some(_ body: ItemBody<Condition>) -> Condition {
    let (condition, scope) = named(body)
    return .someItem(of: operand, scope: scope, condition)
  }

  private func aggregate(
    _ kind: Aggregate.Kind, where body: ItemBody<Condition> = { _ in .constant(true) }
  ) -> Operand {
    let (condition, scope) = named(body)
    return .ofItems(kind, operand, scope: scope, condition)
  }

  /// A condition on an element, and the number by which it names it: one more than the highest in
  /// it, so that equal closures make equal conditions.
  private func named(_ body: ItemBody<Condition>) -> (Condition, Int) {
    let open = ElementScope.open()
    let condition = body(Field<Model, Value.Member>(.item(open)))
    if let error = StackReserve.refusal(of: condition) { return (.invalid(error), 1) }
    let scope = condition.highestScope + 1
    return (condition.rewriting { $0 == .item(open) ? .item(scope) : nil }, scope)
  }
}

extension Field where Value: ArrayAttribute, Value.Member: SummableAttribute {
  /// The exact sum of the elements, 0 over none; nil where there is no array.
  public func sum() -> Field<Model, Value.Member.Total?> {
    Field<Model, Value.Member.Total?>(aggregate(.sum))
  }

  /// The mean of the elements, rounded once; nil over none.
  public func average() -> Field<Model, Double?> { Field<Model, Double?>(aggregate(.average)) }
}

extension Field where Value: ArrayAttribute, Value.Member: ComparableAttribute {
  /// The least element; nil over none.
  public func min() -> Field<Model, Value.Member.Present?> {
    Field<Model, Value.Member.Present?>(aggregate(.minimum))
  }

  /// The greatest element; nil over none.
  public func max() -> Field<Model, Value.Member.Present?> {
    Field<Model, Value.Member.Present?>(aggregate(.maximum))
  }
}
