internal import ORM
internal import ORMCore
internal import ORMObservation

/// One thing asked of one entity: a value, which every store and the naive model are given.
struct RandomRequest: Sendable {
  var condition = Condition.constant(true)
  var order: [SortTerm] = []
  var paging = Paging.all
  /// The row after which the result begins.
  var cursor: NaiveRow?
  var output = Output.rows
  /// The code that the request must be refused with.
  var refusal: StoreError.Code?

  enum Output: Sendable {
    /// Rows by names.
    case rows
    /// Rows by names, in chunks of a size.
    case chunks(Int)
    /// Typed models.
    case models
    /// The first typed model.
    case first
    /// The number of rows, by the typed operation.
    case count
    /// The existence of a row.
    case exists
    /// The typed models among all for which the filter holds in memory.
    case matching
    /// The typed models with these keys.
    case find([[StoredValue]])
    /// An aggregate of values of a kind; nil for those found in JSON.
    case aggregate(Aggregate, AttributeType.Kind?)
    /// Groups of rows.
    case groups(RandomGroups)

    /// True if rows by names are asked for, whose pages are a limit and an offset.
    var isDynamic: Bool {
      switch self {
      case .rows, .chunks, .aggregate, .groups: true
      case .models, .first, .count, .exists, .matching, .find: false
      }
    }
  }
}

extension RandomConditions {
  /// A random request; cursors start behind one of `rows`.
  mutating func request(over rows: [NaiveRow]) -> RandomRequest {
    var request = RandomRequest(condition: condition())
    switch random.number(0...14) {
    case 13...14:
      request.output = .groups(groups())
      if random.chance(2) { request.paging = paging(isDynamic: true) }
      if random.chance(25) { spoil(&request) }
      return request
    case 0...3: request.output = .rows
    case 4: request.output = .chunks(random.number(1...7))
    case 5...6: request.output = .models
    case 7: request.output = .first
    case 8: request.output = random.chance(2) ? .count : .exists
    case 9:
      request.output = .matching
      if !entity.key.isEmpty, random.chance(3) {
        request = RandomRequest(output: .find(keys(rows)))
      }
      return request
    default:
      request.output = aggregate()
      if random.chance(20) { spoil(&request) }
      return request
    }
    request.order = order()
    if random.chance(2) { request.paging = paging(isDynamic: request.output.isDynamic) }
    if !request.output.isDynamic, !entity.key.isEmpty, !rows.isEmpty, random.chance(3) {
      // Values in JSON are of several kinds, between which there is no cursor.
      request.order.removeAll { $0.operand.looksIntoJSON }
      request.cursor = random.chance(5) ? entity.row(&random) : random.pick(rows)
    }
    if random.chance(25) { spoil(&request) }
    return request
  }

  private mutating func keys(_ rows: [NaiveRow]) -> [[StoredValue]] {
    (0..<random.number(1...3)).map { _ in
      let row = rows.isEmpty || random.chance(3) ? entity.row(&random) : random.pick(rows)
      return row.list(entity.key)
    }
  }

  private mutating func paging(isDynamic: Bool) -> Paging {
    if !isDynamic, random.chance(2) {
      return .page(random.number(0...3), size: random.number(0...9))
    }
    return .limit(random.chance(4) ? nil : random.number(0...9), offset: random.number(0...6))
  }

  private mutating func aggregate() -> RandomRequest.Output {
    let numbers: [Aggregate.Kind] = [.sum, .average, .minimum, .maximum, .countDistinct]
    switch random.number(0...7) {
    case 0: return .aggregate(Aggregate(.count), nil)
    case 1:
      // A double is added, so that the result is one.
      let operand = Operand.arithmetic(
        .add, number(.floating, depth: 1), .value(.double(RandomValue.double(&random))))
      // The kind of a choice between numbers of two kinds is known only for each row, and with it
      // the zero of a sum over nothing.
      let kinds = numbers.filter { $0 != .sum || !operand.chooses }
      return .aggregate(
        Aggregate(random.pick(kinds), operand), operand.looksIntoJSON ? nil : .double)
    case 2 where hasDocument:
      return .aggregate(Aggregate(random.pick(numbers), .json(.attribute("doc"), ["n"])), nil)
    case 3 where hasDocument:
      let kinds: [Aggregate.Kind] = [.minimum, .maximum, .count, .countDistinct, .sum, .average]
      return .aggregate(Aggregate(random.pick(kinds), found()), nil)
    default:
      let attribute = random.pick(entity.attributes)
      var kinds: [Aggregate.Kind] = [.count, .countDistinct]
      if attribute.type.isScalar { kinds += [.minimum, .maximum, .minimum, .maximum] }
      if attribute.type.kind.isNumber { kinds += [.sum, .average, .sum, .average] }
      return .aggregate(
        Aggregate(random.pick(kinds), .attribute(attribute.name)), attribute.type.kind)
    }
  }

  /// Spoils a request in a way that has one code.
  private mutating func spoil(_ request: inout RandomRequest) {
    func and(_ condition: Condition) { request.condition = .all([request.condition, condition]) }
    switch random.number(0...6) {
    case 0:
      and(.compare(.attribute("nowhere"), .equal, .value(.int(1)), []))
      request.refusal = .unknownAttribute
    case 1:
      and(.invalid(StoreError(.invalidCondition, "made so")))
      request.refusal = .invalidCondition
    case 2:
      and(.text(.value(.int(1)), .contains, .value(.string("a")), []))
      request.refusal = .invalidCondition
    case 3:
      and(.compare(.value(.string("a")), .less, .value(.int(1)), []))
      request.refusal = .invalidCondition
    case 4:
      and((0..<250).reduce(Condition.constant(true)) { inner, _ in .not(inner) })
      request.refusal = .tooComplex
    case 5:
      request.paging = .limit(-1, offset: 0)
      request.refusal = .invalidPage
    default:
      if request.output.isDynamic {
        request.paging = .limit(nil, offset: -1)
      } else {
        request.paging = .page(0, size: 1001)
      }
      request.refusal = .invalidPage
    }
  }
}

extension Operand {
  /// True if one of its parts is a choice.
  fileprivate var chooses: Bool {
    switch self {
    case .choice: true
    case .negated(let inner), .function(_, let inner): inner.chooses
    case .arithmetic(_, let left, let right): left.chooses || right.chooses
    default: false
    }
  }

  /// True if its kind is known only for each row.
  fileprivate var looksIntoJSON: Bool {
    switch self {
    case .json: true
    case .ofItems(_, let array, _, _): array.looksIntoJSON
    // These give a double, or the kind of the cast, from anything.
    case .function(.sqrt, _), .function(.exp, _), .function(.ln, _), .function(.log, _),
      .function(.cast(_), _):
      false
    case .negated(let inner), .function(_, let inner): inner.looksIntoJSON
    case .arithmetic(_, let left, let right), .choice(_, let left, let right):
      left.looksIntoJSON || right.looksIntoJSON
    default: false
    }
  }
}
