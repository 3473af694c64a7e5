internal import ORM
internal import ORMCore

/// Groups of one entity's rows: keys, aggregates, what is asked of the groups, and their order.
///
/// What is asked names columns of the result: the keys, then the aggregates.
struct RandomGroups: Sendable {
  var keys: [Operand]
  /// Each with the kind of its sum, as ``NaiveAggregate`` has it.
  var aggregates: [Total]
  var having = Condition.constant(true)
  /// The order by columns of the result; the keys come last.
  var order: [SortTerm] = []

  /// An aggregate, and what its values are declared as.
  struct Total: Sendable {
    var aggregate: Aggregate
    var kind: AttributeType.Kind?
  }

  /// The question for a store.
  func selection(of query: DynamicQuery) -> DynamicSelection {
    var query = query
    query.order = order
    let columns =
      keys.enumerated().map { DynamicSelection.Column.value("k\($0)", $1) }
      + aggregates.enumerated().map {
        DynamicSelection.Column.aggregate("a\($0)", $1.aggregate)
      }
    return DynamicSelection(query, columns, keys: keys, having: having)
  }

  /// The groups of the naive model's rows.
  ///
  /// - Throws: `overflow` where a sum of any group does not fit, wanted or not.
  func rows(
    of rows: [NaiveRow], in model: NaiveModel, _ paging: Paging
  ) throws -> [[StoredValue]] {
    let parts = try rows.map { row -> NaiveGroups.Row in
      (
        keys: try keys.map { try model.value($0, of: row) },
        values: try aggregates.map { total in
          try total.aggregate.operand.map { try model.value($0, of: row) } ?? .bool(true)
        }
      )
    }
    let groups = try NaiveGroups.rows(of: parts, aggregates.map { ($0.aggregate.kind, $0.kind) })
      .filter { row in
        var evaluator = NaiveEvaluator(entity: model.entity, row: [:])
        evaluator.outputs = row
        return try evaluator.holds(having)
      }
    let isDescending = order.last?.isDescending ?? false
    let sorted = NaiveGroups.sorted(
      groups,
      by: order + keys.indices.map { SortTerm(.output($0), isDescending: isDescending) })
    guard case .limit(let limit, let offset) = paging else { return sorted }
    return Array(sorted.dropFirst(offset).prefix(limit ?? sorted.count))
  }
}

extension RandomConditions {
  /// Groups by one key or two, with up to three aggregates.
  mutating func groups() -> RandomGroups {
    var keys: [(operand: Operand, type: AttributeType?)] = []
    for _ in 0..<random.number(1...2) {
      let key = key()
      if !keys.contains(where: { $0.operand == key.operand }) { keys.append(key) }
    }
    var groups = RandomGroups(keys: keys.map(\.operand), aggregates: [])
    var types = keys.map(\.type)
    for _ in 0..<random.number(0...3) {
      let (total, type) = total()
      if groups.aggregates.contains(where: { $0.aggregate == total.aggregate }) { continue }
      groups.aggregates.append(total)
      types.append(type)
    }
    if random.chance(2) {
      let parts = (0..<random.number(1...2)).map { _ in having(types) }
      groups.having =
        random.chance(3) ? .not(.all(parts)) : random.chance(2) ? .any(parts) : parts[0]
    }
    for _ in 0..<random.number(0...2) {
      let column = random.number(0...types.count - 1)
      guard let type = types[column], type.isScalar else { continue }
      groups.order.append(
        SortTerm(
          .output(column), isDescending: random.chance(2),
          nils: random.pick([nil, nil, .first, .last]), options: type == .string ? options() : []))
    }
    return groups
  }

  /// A key and its type; nil for one of several kinds.
  private mutating func key() -> (operand: Operand, type: AttributeType?) {
    switch random.number(0...8) {
    case 8: return (part(), .int64)
    case 0:
      let options = TextOptions(rawValue: UInt8(random.number(1...7)))
      return (text().folded(options), .string)
    case 1: return (number(.whole, depth: 1), nil)
    case 2 where hasDocument: return (found(), nil)
    case 3: return (.function(.length, text()), .int64)
    default:
      let attribute = random.pick(entity.attributes)
      return (.attribute(attribute.name), attribute.type)
    }
  }

  private mutating func total() -> (RandomGroups.Total, AttributeType?) {
    let attribute = random.pick(entity.attributes)
    let kind = attribute.type.kind
    func total(_ function: Aggregate.Kind) -> RandomGroups.Total {
      .init(aggregate: Aggregate(function, .attribute(attribute.name)), kind: kind)
    }
    switch random.number(0...6) {
    case 0...1: return (.init(aggregate: Aggregate(.count), kind: nil), .int64)
    case 2: return (total(.count), .int64)
    case 3: return (total(.countDistinct), .int64)
    case 4 where kind.isNumber: return (total(.average), .double)
    case 5 where kind.isNumber: return (total(.sum), sumType(kind))
    default:
      guard attribute.type.isScalar else { return (total(.count), .int64) }
      return (total(random.pick([.minimum, .maximum])), attribute.type)
    }
  }

  private func sumType(_ kind: AttributeType.Kind) -> AttributeType? {
    switch kind {
    case .int: .int64
    case .unsigned: .uint64
    case .double: .double
    case .decimal: .decimal
    default: nil
    }
  }

  /// A condition on a column of the result.
  private mutating func having(_ types: [AttributeType?]) -> Condition {
    let column = random.number(0...types.count - 1)
    guard let type = types[column], type.isScalar else {
      return .compare(.output(column), random.pick([.equal, .notEqual]), .value(.null), [])
    }
    if type == .int64, random.chance(2) {
      return .compare(
        .output(column), comparator(), .value(.int(Int64(random.number(0...3)))), [])
    }
    return .compare(
      .output(column), comparator(), value(type, nilOnceIn: 6), type == .string ? options() : [])
  }
}
