internal import ORMStorage

/// A group inside a typed closure: its aggregates, and its keys by their names.
///
/// ```swift
/// Snack.all.grouped(by: \.taste) { ($0.count(), $0.average(\.price)) }
///   .having { $0.taste != nil && $0.count() > 2 }
/// ```
///
/// An attribute that is no key has no value in a group; a question that names one is
/// `invalidCondition`.
@dynamicMemberLookup
public struct GroupFields<Model: Persistable> {
  let columns: GroupColumns

  /// Returns the number of rows the group has.
  ///
  /// ```swift
  /// Snack.all.grouped(by: \.taste) { $0.count() }
  /// ```
  public func count() -> Field<Model, Int> { field(.count, nil) }

  /// The number of rows in which an attribute is not nil.
  ///
  /// ```swift
  /// Snack.all.grouped(by: \.taste) { $0.count(\.stock) }
  /// ```
  public func count<Value: AttributeValue>(
    _ path: AttributePath<Model, Value>
  ) -> Field<Model, Int> { field(.count, Model.operand(of: path, scope: 0)) }

  /// The number of rows in which a value that a closure computes is not nil.
  public func count<Value: AttributeValue>(
    of value: (Fields<Model>) -> Field<Model, Value>
  ) -> Field<Model, Int> { field(.count, value(Fields()).operand) }

  /// Returns the number of different values an attribute has; nil is not one.
  ///
  /// ```swift
  /// Snack.all.grouped(by: \.taste) { $0.countDistinct(\.name) }
  /// ```
  public func countDistinct<Value: AttributeValue>(
    _ path: AttributePath<Model, Value>
  ) -> Field<Model, Int> { field(.countDistinct, Model.operand(of: path, scope: 0)) }

  /// Returns the number of different values a closure works out; nil is not one.
  public func countDistinct<Value: AttributeValue>(
    of value: (Fields<Model>) -> Field<Model, Value>
  ) -> Field<Model, Int> { field(.countDistinct, value(Fields()).operand) }

  /// The exact sum of an attribute; nil is skipped.
  ///
  /// ```swift
  /// Snack.all.grouped(by: \.taste) { $0.sum(\.stock) }
  /// ```
  ///
  /// A sum that does not fit throws `overflow` when the group is asked for.
  public func sum<Value: SummableAttribute>(
    _ path: AttributePath<Model, Value>
  ) -> Field<Model, Value.Total> { field(.sum, Model.operand(of: path, scope: 0)) }

  /// The exact sum of a value that a closure computes from each row.
  ///
  /// ```swift
  /// Snack.all.grouped(by: \.taste) { group in group.sum { $0.price * 2 } }
  /// ```
  public func sum<Value: SummableAttribute>(
    of value: (Fields<Model>) -> Field<Model, Value>
  ) -> Field<Model, Value.Total> { field(.sum, value(Fields()).operand) }

  /// The mean of an attribute, rounded once; nil where all are nil.
  ///
  /// ```swift
  /// Snack.all.grouped(by: \.taste) { $0.average(\.price) }
  /// ```
  public func average<Value: SummableAttribute>(
    _ path: AttributePath<Model, Value>
  ) -> Field<Model, Double?> { field(.average, Model.operand(of: path, scope: 0)) }

  /// The mean of a value that a closure computes from each row.
  ///
  /// ```swift
  /// Snack.all.grouped(by: \.taste) { group in group.average { $0.price * 2 } }
  /// ```
  public func average<Value: SummableAttribute>(
    of value: (Fields<Model>) -> Field<Model, Value>
  ) -> Field<Model, Double?> { field(.average, value(Fields()).operand) }

  /// The least value of an attribute; nil where all are nil.
  ///
  /// ```swift
  /// Snack.all.grouped(by: \.taste) { $0.min(\.price) }
  /// ```
  public func min<Value: ComparableAttribute>(
    _ path: AttributePath<Model, Value>
  ) -> Field<Model, Value.Present?> { field(.minimum, Model.operand(of: path, scope: 0)) }

  /// The least of the values that a closure computes from the rows.
  ///
  /// ```swift
  /// Snack.all.grouped(by: \.taste) { group in group.min { $0.price * 2 } }
  /// ```
  public func min<Value: ComparableAttribute>(
    of value: (Fields<Model>) -> Field<Model, Value>
  ) -> Field<Model, Value.Present?> { field(.minimum, value(Fields()).operand) }

  /// The greatest value of an attribute; nil where all are nil.
  ///
  /// ```swift
  /// Snack.all.grouped(by: \.taste) { $0.max(\.price) }
  /// ```
  public func max<Value: ComparableAttribute>(
    _ path: AttributePath<Model, Value>
  ) -> Field<Model, Value.Present?> { field(.maximum, Model.operand(of: path, scope: 0)) }

  /// The greatest of the values that a closure computes from the rows.
  ///
  /// ```swift
  /// Snack.all.grouped(by: \.taste) { group in group.max { $0.price * 2 } }
  /// ```
  public func max<Value: ComparableAttribute>(
    of value: (Fields<Model>) -> Field<Model, Value>
  ) -> Field<Model, Value.Present?> { field(.maximum, value(Fields()).operand) }

  private func field<Value>(_ kind: Aggregate.Kind, _ operand: Operand?) -> Field<Model, Value> {
    Field(columns.operand(of: Aggregate(kind, operand)))
  }
}

extension GroupFields {
  /// A key of the group.
  @_disfavoredOverload
  public subscript<Value>(dynamicMember path: AttributePath<Model, Value>) -> Field<Model, Value> {
    self[path]
  }

  /// The path to a key through a to-one: `$0.team.name`.
  public subscript<Target>(
    dynamicMember path: AttributePath<Model, ToOne<Target>>
  ) -> ToOneField<Model, Target> { self[path] }

  /// The path to a key that is an aggregate of a to-many: `$0.players.count`.
  public subscript<Target>(
    dynamicMember path: AttributePath<Model, ToMany<Target>>
  ) -> ToManyField<Model, Target> { self[path] }

  /// A key by its key path, where its name is also a word of this type.
  @_disfavoredOverload
  public subscript<Value>(path: AttributePath<Model, Value>) -> Field<Model, Value> {
    Fields<Model>()[path]
  }

  /// The path to a key through a to-one, by its key path.
  public subscript<Target>(
    path: AttributePath<Model, ToOne<Target>>
  ) -> ToOneField<Model, Target> { Fields<Model>()[path] }

  /// The path to a key that is an aggregate of a to-many, by its key path.
  public subscript<Target>(
    path: AttributePath<Model, ToMany<Target>>
  ) -> ToManyField<Model, Target> { Fields<Model>()[path] }
}

/// The columns of a result while closures name them: each aggregate is one column, however often it is
/// named.
final class GroupColumns {
  let keys: [Operand]
  private(set) var aggregates: [Aggregate]

  init(keys: [Operand], _ aggregates: [Aggregate] = []) {
    self.keys = keys
    self.aggregates = aggregates
  }

  /// The column of an aggregate, made now if it is new.
  func operand(of aggregate: Aggregate) -> Operand {
    if let index = aggregates.firstIndex(of: aggregate) { return .output(keys.count + index) }
    aggregates.append(aggregate)
    return .output(keys.count + aggregates.count - 1)
  }

  /// Returns the operand whose least or greatest value a column holds; any other operand itself.
  func operand(behind operand: Operand) -> Operand {
    guard case .output(let column) = operand, column >= keys.count else { return operand }
    let aggregate = aggregates[column - keys.count]
    let isPicked = aggregate.kind == .minimum || aggregate.kind == .maximum
    return isPicked ? aggregate.operand ?? operand : operand
  }

  /// An operand with the operands of keys replaced by their columns, and a folded operand by the
  /// column of its least spelling.
  func named(_ operand: Operand) -> Operand {
    operand.rewriting { part in
      if let index = keys.firstIndex(of: part) { return .output(index) }
      guard keys.contains(where: { $0.spelling == part }) else { return nil }
      return self.operand(of: Aggregate(.minimum, part))
    }
  }
}
