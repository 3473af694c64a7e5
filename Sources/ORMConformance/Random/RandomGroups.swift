internal import ORM
internal import ORMCore

/// Groups of one entity's rows: keys, aggregates, the condition on groups, and their order.
///
/// The condition and the order name columns of the result: the keys, then the aggregates.
struct RandomGroups: Sendable {
  var keys: [Operand]
  /// Each with the kind of its sum, as ``NaiveAggregate`` has it.
  var aggregates: [Total]
  var having = Condition.constant(true)
  /// The order by columns of the result; the keys come last.
  var order: [SortTerm] = []

  /// An aggregate, and the declared kind of its values.
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
  /// - Throws: `overflow` for a sum that does not fit, if clause 4.2 says that it is computed.
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
    var limit = Int.max
    var offset = 0
    if case .limit(let most, let first) = paging { (limit, offset) = (most ?? .max, first) }
    if limit == 0 { return [] }
    var groups = try NaiveGroups.groups(of: parts, aggregates.map { ($0.aggregate.kind, $0.kind) })
    let isDescending = order.last?.isDescending ?? false
    let whole = order + keys.indices.map { SortTerm(.output($0), isDescending: isDescending) }
    // In the order of the keys, groups after the page are not looked at.
    let isByKeys = order.allSatisfy { term in keys.indices.contains { term.operand == .output($0) }
    }
    if !isByKeys { groups = try groups.filter { try isWanted($0, model) } }
    groups = try NaiveGroups.sorted(groups, by: whole)
    var results: [[StoredValue]] = []
    for group in groups where try !isByKeys || isWanted(group, model) {
      if offset > 0 {
        offset -= 1
        continue
      }
      results.append(try group.row())
      if results.count == limit { break }
    }
    return results
  }

  /// Returns whether the condition holds for a group: first its parts on keys, then the others.
  private func isWanted(_ group: NaiveGroups.Group, _ model: NaiveModel) throws -> Bool {
    let parts = Self.parts(of: having, isNegated: false).map { part in
      (part: part, columns: Self.columns(of: part))
    }
    func holds(_ part: Condition, _ columns: Set<Int>) throws -> Bool {
      var evaluator = NaiveEvaluator(entity: model.entity, row: [:])
      evaluator.outputs = try group.row(columns)
      return try evaluator.holds(part)
    }
    let onKeys = parts.filter { $0.columns.allSatisfy(keys.indices.contains) }
    guard try onKeys.allSatisfy({ try holds($0.part, $0.columns) }) else { return false }
    let columns = parts.reduce(into: Set()) { $0.formUnion($1.columns) }
    return try holds(having, columns)
  }

  /// The parts of a condition that hold together where it holds.
  private static func parts(of condition: Condition, isNegated: Bool) -> [Condition] {
    switch condition {
    case .all(let parts) where !isNegated, .any(let parts) where isNegated:
      parts.flatMap { self.parts(of: $0, isNegated: isNegated) }
    case .all(let parts) where parts.count == 1, .any(let parts) where parts.count == 1:
      self.parts(of: parts[0], isNegated: isNegated)
    case .not(let inner): parts(of: inner, isNegated: !isNegated)
    default: [isNegated ? .not(condition) : condition]
    }
  }

  /// The columns of the result that a condition names.
  private static func columns(of condition: Condition) -> Set<Int> {
    switch condition {
    case .compare(.output(let column), _, _, _): [column]
    case .not(let inner): columns(of: inner)
    case .all(let parts), .any(let parts):
      parts.reduce(into: []) { $0.formUnion(columns(of: $1)) }
    default: []
    }
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
        switch random.number(0...3) {
        case 0: .not(.all(parts))
        case 1: .any(parts)
        case 2: .all(parts)
        default: parts[0]
        }
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
