extension Query {
  /// The rows in groups by attributes; of each the keys, then what the closure names.
  ///
  /// ```swift
  /// Snack.all.grouped(by: \.taste, \.shop) { ($0.count(), $0.sum(\.stock)) }
  /// ```
  public func grouped<each Key: AttributeValue, each Value: AttributeValue>(
    by keys: repeat AttributePath<Model, each Key>,
    of body: (GroupFields<Model>) -> (repeat Field<Model, each Value>)
  ) -> Grouping<Model, (repeat each Key, repeat each Value)> {
    var operands: [Operand] = []
    for key in repeat each keys { operands.append(Model.operand(of: key, scope: 0)) }
    let columns = GroupColumns(keys: operands)
    let fields = body(GroupFields(columns: columns))
    var values = operands.map { columns.named($0) }
    for field in repeat each fields { values.append(columns.named(field.operand)) }
    return Grouping(
      self, columns, values: values, by: TupleDecoder<repeat each Key, repeat each Value>())
  }

  /// The rows in groups by what a closure works out of them: through a to-one, by arithmetic, by a
  /// count of a to-many; of each the keys, then what the second closure names.
  ///
  /// ```swift
  /// Player.all.grouped(by: { $0.team.name }) { ($0.count(), $0.max(\.age)) }
  /// Player.all.grouped(by: { ($0.team.name, $0.age / 10) }) { $0.count() }
  /// ```
  public func grouped<each Key: AttributeValue, each Value: AttributeValue>(
    by keys: (Fields<Model>) -> (repeat Field<Model, each Key>),
    of body: (GroupFields<Model>) -> (repeat Field<Model, each Value>)
  ) -> Grouping<Model, (repeat each Key, repeat each Value)> {
    let keys = keys(Fields())
    var operands: [Operand] = []
    for key in repeat each keys { operands.append(key.operand) }
    let columns = GroupColumns(keys: operands)
    let fields = body(GroupFields(columns: columns))
    var values = operands.map { columns.named($0) }
    for field in repeat each fields { values.append(columns.named(field.operand)) }
    return Grouping(
      self, columns, values: values, by: TupleDecoder<repeat each Key, repeat each Value>())
  }
}
