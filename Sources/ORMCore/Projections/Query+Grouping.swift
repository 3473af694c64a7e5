// One function for each small number of keys: a row's type is then a tuple that ends in one pack,
// which the compiler sees through where a grouping stands inside another call.

internal import ORMStorage

extension Query {
  /// The rows in groups by an attribute; of each group the key, then the values that the closure names.
  ///
  /// ```swift
  /// Snack.all.grouped(by: \.taste) { ($0.count(), $0.sum(\.stock)) }
  /// ```
  public func grouped<Key: AttributeValue, each Value: AttributeValue>(
    by key: AttributePath<Model, Key>,
    of body: (GroupFields<Model>) -> (repeat Field<Model, each Value>)
  ) -> Grouping<Model, (Key, repeat each Value)> {
    let operands = [Model.operand(of: key, scope: 0)]
    return grouping(operands, shown: operands, body, TupleDecoder<Key, repeat each Value>())
  }

  /// The rows in groups by two attributes: `.grouped(by: \.taste, \.shop) { $0.count() }`.
  ///
  /// ```swift
  /// Team.all.grouped(by: \.city, \.founded) { $0.count() }
  /// ```
  public func grouped<First: AttributeValue, Second: AttributeValue, each Value: AttributeValue>(
    by first: AttributePath<Model, First>, _ second: AttributePath<Model, Second>,
    of body: (GroupFields<Model>) -> (repeat Field<Model, each Value>)
  ) -> Grouping<Model, (First, Second, repeat each Value)> {
    let operands = [Model.operand(of: first, scope: 0), Model.operand(of: second, scope: 0)]
    return grouping(
      operands, shown: operands, body, TupleDecoder<First, Second, repeat each Value>())
  }

  /// The rows in groups by three attributes or more.
  public func grouped<
    First: AttributeValue, Second: AttributeValue, Third: AttributeValue, each Key: AttributeValue,
    each Value: AttributeValue
  >(
    by first: AttributePath<Model, First>, _ second: AttributePath<Model, Second>,
    _ third: AttributePath<Model, Third>, _ others: repeat AttributePath<Model, each Key>,
    of body: (GroupFields<Model>) -> (repeat Field<Model, each Value>)
  ) -> Grouping<Model, (First, Second, Third, repeat each Key, repeat each Value)> {
    var operands = [
      Model.operand(of: first, scope: 0), Model.operand(of: second, scope: 0),
      Model.operand(of: third, scope: 0),
    ]
    for other in repeat each others { operands.append(Model.operand(of: other, scope: 0)) }
    return grouping(
      operands, shown: operands, body,
      TupleDecoder<First, Second, Third, repeat each Key, repeat each Value>())
  }
}

extension Query {
  /// The rows in groups by a key with options; of each group the least spelling of the key, then the
  /// values that the closure names: `Team.all.grouped(by: .caseInsensitive(\.name)) { $0.count() }`.
  ///
  /// ```swift
  /// Team.all.grouped(by: .caseInsensitive(\.city)) { $0.count() }
  /// ```
  public func grouped<Key: AttributeValue, each Value: AttributeValue>(
    by key: GroupingKey<Model, Key>,
    of body: (GroupFields<Model>) -> (repeat Field<Model, each Value>)
  ) -> Grouping<Model, (Key, repeat each Value)> {
    let operands = [key.operand]
    let shown = [key.shown]
    return grouping(operands, shown: shown, body, TupleDecoder<Key, repeat each Value>())
  }

  /// The rows in groups by two keys with options.
  ///
  /// ```swift
  /// Team.all.grouped(by: .caseInsensitive(\.city), .key(\.founded)) { $0.count() }
  /// ```
  public func grouped<First: AttributeValue, Second: AttributeValue, each Value: AttributeValue>(
    by first: GroupingKey<Model, First>, _ second: GroupingKey<Model, Second>,
    of body: (GroupFields<Model>) -> (repeat Field<Model, each Value>)
  ) -> Grouping<Model, (First, Second, repeat each Value)> {
    let operands = [first.operand, second.operand]
    let shown = [first.shown, second.shown]
    return grouping(operands, shown: shown, body, TupleDecoder<First, Second, repeat each Value>())
  }

  /// The rows in groups by three keys with options or more.
  public func grouped<
    First: AttributeValue, Second: AttributeValue, Third: AttributeValue, each Key: AttributeValue,
    each Value: AttributeValue
  >(
    by first: GroupingKey<Model, First>, _ second: GroupingKey<Model, Second>,
    _ third: GroupingKey<Model, Third>, _ others: repeat GroupingKey<Model, each Key>,
    of body: (GroupFields<Model>) -> (repeat Field<Model, each Value>)
  ) -> Grouping<Model, (First, Second, Third, repeat each Key, repeat each Value)> {
    var operands = [first.operand, second.operand, third.operand]
    var shown = [first.shown, second.shown, third.shown]
    for other in repeat each others {
      operands.append(other.operand)
      shown.append(other.shown)
    }
    return grouping(
      operands, shown: shown, body,
      TupleDecoder<First, Second, Third, repeat each Key, repeat each Value>())
  }
}

extension Query {
  /// Groups the rows by a value that a closure computes from each: through a to-one, by arithmetic, by a
  /// count of a to-many.
  ///
  /// Each result has the key, then the aggregates that the second closure names.
  ///
  /// ```swift
  /// Player.all.grouped(by: { $0.team.name }) { ($0.count(), $0.max(\.age)) }
  /// ```
  public func grouped<Key: AttributeValue, each Value: AttributeValue>(
    by keys: (Fields<Model>) -> Field<Model, Key>,
    of body: (GroupFields<Model>) -> (repeat Field<Model, each Value>)
  ) -> Grouping<Model, (Key, repeat each Value)> {
    let keys = keys(Fields())
    let operands = [keys.operand]
    return grouping(operands, shown: operands, body, TupleDecoder<Key, repeat each Value>())
  }

  /// The rows in groups by two values that a closure works out:
  /// `Player.all.grouped(by: { ($0.team.name, $0.age / 10) }) { $0.count() }`.
  ///
  /// ```swift
  /// Player.all.grouped(by: { ($0.team.name, $0.age) }) { $0.count() }
  /// ```
  public func grouped<First: AttributeValue, Second: AttributeValue, each Value: AttributeValue>(
    by keys: (Fields<Model>) -> (Field<Model, First>, Field<Model, Second>),
    of body: (GroupFields<Model>) -> (repeat Field<Model, each Value>)
  ) -> Grouping<Model, (First, Second, repeat each Value)> {
    let keys = keys(Fields())
    let operands = [keys.0.operand, keys.1.operand]
    return grouping(
      operands, shown: operands, body, TupleDecoder<First, Second, repeat each Value>())
  }

  /// The rows in groups by three values that a closure works out.
  public func grouped<
    First: AttributeValue, Second: AttributeValue, Third: AttributeValue,
    each Value: AttributeValue
  >(
    by keys: (Fields<Model>) -> (
      Field<Model, First>, Field<Model, Second>, Field<Model, Third>
    ),
    of body: (GroupFields<Model>) -> (repeat Field<Model, each Value>)
  ) -> Grouping<Model, (First, Second, Third, repeat each Value)> {
    let keys = keys(Fields())
    let operands = [keys.0.operand, keys.1.operand, keys.2.operand]
    return grouping(
      operands, shown: operands, body, TupleDecoder<First, Second, Third, repeat each Value>())
  }

  /// The rows in groups by four values that a closure works out.
  public func grouped<
    First: AttributeValue, Second: AttributeValue, Third: AttributeValue, Fourth: AttributeValue,
    each Value: AttributeValue
  >(
    by keys: (Fields<Model>) -> (
      Field<Model, First>, Field<Model, Second>, Field<Model, Third>, Field<Model, Fourth>
    ),
    of body: (GroupFields<Model>) -> (repeat Field<Model, each Value>)
  ) -> Grouping<Model, (First, Second, Third, Fourth, repeat each Value)> {
    let keys = keys(Fields())
    let operands = [keys.0.operand, keys.1.operand, keys.2.operand, keys.3.operand]
    return grouping(
      operands, shown: operands, body,
      TupleDecoder<First, Second, Third, Fourth, repeat each Value>())
  }
}

extension Query {
  private func grouping<Decoder: FallbackDecoder, each Value: AttributeValue>(
    _ keys: [Operand], shown: [Operand],
    _ body: (GroupFields<Model>) -> (repeat Field<Model, each Value>), _ decoder: Decoder
  ) -> Grouping<Model, Decoder.Row> {
    let columns = GroupColumns(keys: keys)
    var values = shown.map { columns.named($0) }
    let fields = body(GroupFields(columns: columns))
    var read = shown
    for field in repeat each fields {
      values.append(columns.named(field.operand))
      read.append(field.operand)
    }
    var decoder = decoder
    decoder.fallbacks = read.map { Model.fallback(of: columns.operand(behind: $0)) }
    return Grouping(self, columns, values: values, by: decoder)
  }
}
