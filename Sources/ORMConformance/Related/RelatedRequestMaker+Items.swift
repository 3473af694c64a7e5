internal import ORM
internal import ORMCore
internal import ORMObservation

/// Conditions on the elements of arrays, of JSON and of lists, beside rows of every scope.
extension RelatedRequestMaker {
  /// Makes an array of a row in scope, or a list of values computed from such rows, of this kind of elements.
  ///
  /// The kinds of elements of JSON are not known.
  private mutating func array(
    _ kind: Kind, _ scopes: [Scope], _ depth: Int
  ) -> (operand: Operand, isJSON: Bool) {
    let scope = random.chance(2) ? scopes[scopes.count - 1] : random.pick(scopes)
    let columns = scope.entity.columns.filter { column in
      switch column.type {
      case .array(let element): kind == .int ? element.kind == .int : element.kind == .string
      case .json: true
      default: false
      }
    }
    guard !columns.isEmpty, !random.chance(3) else {
      return (
        .list((0..<random.number(1...3)).map { _ in operand(kind, scopes, depth) }), false
      )
    }
    let column = random.pick(columns)
    let path = Operand.path(.init([column.attribute], scope: scope.number))
    return column.type.kind == .json ? (.json(path, ["l"]), true) : (path, false)
  }

  /// A condition on the elements of some array.
  mutating func items(_ scopes: [Scope], _ depth: Int) -> Condition {
    let kind = random.pick([Kind.int, .text])
    let (array, isJSON) = array(kind, scopes, depth)
    switch random.number(0...5) {
    case 0:
      return .isIn(operand(kind, scopes, 0), list: array, [])
    case 1:
      return .compare(
        random.chance(2) ? .element(array, random.number(0...2)) : .function(.last, array),
        random.pick([.equal, .notEqual, .less]), operand(kind, scopes, 0), [])
    case 2:
      return .compare(
        .ofItems(.count, array, scope: newItem(), test(kind, scopes)),
        random.pick([.equal, .less]),
        .value(.int(Int64(random.number(0...2)))), [])
    case 3 where !isJSON:
      return .compare(
        greatest(kind, scopes, depth), .greaterOrEqual, operand(kind, scopes, 0), [])
    default:
      let some = Condition.someItem(of: array, scope: newItem(), test(kind, scopes))
      return random.chance(3) ? .not(some) : some
    }
  }

  /// An aggregate over elements of one kind.
  mutating func greatest(_ kind: Kind, _ scopes: [Scope], _ depth: Int) -> Operand {
    let kinds: [Aggregate.Kind] = kind == .int ? [.minimum, .maximum, .sum] : [.minimum, .maximum]
    var (array, isJSON) = array(kind, scopes, depth)
    if isJSON { array = .list([operand(kind, scopes, 0)]) }
    return .ofItems(random.pick(kinds), array, scope: newItem(), test(kind, scopes))
  }

  /// Makes a condition on the element that was numbered last.
  private mutating func test(_ kind: Kind, _ scopes: [Scope]) -> Condition {
    let item = Operand.item(scopeCount)
    if random.chance(4) { return .constant(true) }
    if kind == .text, random.chance(2) {
      let options: TextOptions = random.chance(2) ? .caseInsensitive : []
      return .text(
        item, random.pick([.contains, .beginsWith, .like]),
        .value(.string(random.pick(["a", "B"]))),
        options)
    }
    let test = Condition.compare(
      item, random.pick([.equal, .notEqual, .less, .greaterOrEqual]), operand(kind, scopes, 0), [])
    return random.chance(4) ? .not(test) : test
  }

  /// A number that nothing else in the request has.
  private mutating func newItem() -> Int {
    scopeCount += 1
    return scopeCount
  }
}
