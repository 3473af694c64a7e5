internal import ORM
internal import ORMCore
internal import ORMObservation

/// A trial that can be made smaller.
protocol Shrinkable {
  /// Trials that are smaller by one thing, the greatest steps first.
  var smaller: [Self] { get }
  /// The description of the trial for a person, line by line.
  var lines: [String] { get }
  func mismatch(on provider: any StoreProvider) throws -> RandomMismatch?
}

extension Shrinkable {
  /// The smallest trial that still goes wrong in the same way, found by trying one smaller trial
  /// after another, with its mismatch; nil when this one does not go wrong on a new store.
  func shrunk(on provider: any StoreProvider) throws -> (trial: Self, mismatch: RandomMismatch)? {
    guard let first = try mismatch(on: provider) else { return nil }
    var best = (trial: self, mismatch: first)
    // Each try is a store of its own; this number takes some seconds.
    var triesLeft = 600
    var isSmallest = false
    while !isSmallest, triesLeft > 0 {
      isSmallest = true
      for candidate in best.trial.smaller {
        triesLeft -= 1
        if triesLeft == 0 { break }
        guard let found = try? candidate.mismatch(on: provider), found.isLike(first) else {
          continue
        }
        best = (candidate, found)
        isSmallest = false
        break
      }
    }
    return best
  }
}

extension Array {
  /// The array without a half, a quarter, …, and without single elements at last.
  var parts: [[Element]] {
    var parts: [[Element]] = []
    var size = count
    while size > 0 {
      for start in stride(from: 0, to: count, by: size) {
        parts.append(Array(self[..<start] + self[Swift.min(start + size, count)...]))
      }
      size /= 2
    }
    return parts
  }

  /// The array with one element made smaller.
  func shrinking(_ smaller: (Element) -> [Element]) -> [[Element]] {
    indices.flatMap { index in
      smaller(self[index]).map { element in
        var copy = self
        copy[index] = element
        return copy
      }
    }
  }
}

extension Shrinkable {
  func with<Part>(_ path: WritableKeyPath<Self, Part>, _ parts: [Part]) -> [Self] {
    parts.map { part in
      var copy = self
      copy[keyPath: path] = part
      return copy
    }
  }
}

extension EntityDescription {
  /// The entities with fewer indexes.
  fileprivate var smaller: [EntityDescription] {
    indexes.parts.map { indexes in
      var copy = self
      copy.indexes = indexes
      return copy
    }
  }
}

extension RequestTrial: Shrinkable {
  var smaller: [RequestTrial] {
    with(\.rows, rows.parts) + with(\.request.condition, request.condition.smaller)
      + with(\.request.order, request.order.parts)
      + (request.cursor == nil ? [] : with(\.request.cursor, [nil]))
      + (request.paging == .all ? [] : with(\.request.paging, [.all]))
      + with(\.request.output, request.output.smaller)
      + with(\.entity, entity.smaller)
  }
}

extension RandomRequest.Output {
  /// Groups of which less is asked.
  fileprivate var smaller: [RandomRequest.Output] {
    guard case .groups(let groups) = self else { return [] }
    var smaller: [RandomGroups] = groups.order.parts.map { order in
      var copy = groups
      copy.order = order
      return copy
    }
    smaller += groups.having.smaller.map { having in
      var copy = groups
      copy.having = having
      return copy
    }
    return smaller.map { .groups($0) }
  }
}

extension WriteTrial: Shrinkable {
  var smaller: [WriteTrial] {
    with(\.steps, steps.parts) + with(\.rows, rows.parts)
      + with(\.steps, steps.shrinking(\.smaller)) + with(\.entity, entity.smaller)
  }
}

extension RandomStep {
  /// The step with fewer rows, fewer steps or a smaller condition.
  fileprivate var smaller: [RandomStep] {
    switch self {
    case .put(let mode, let rows): rows.parts.filter { !$0.isEmpty }.map { .put(mode, $0) }
    case .save(let save):
      save.rows.parts.filter { !$0.isEmpty }.map { rows in
        var copy = save
        copy.rows = rows
        return .save(copy)
      }
    case .match(let save):
      save.rows.parts.filter { !$0.isEmpty }.map { rows in
        var copy = save
        copy.rows = rows
        return .match(copy)
      }
    case .patch: []
    case .change(let selection, let changes):
      selection.smaller.map { .change($0, changes) }
        + changes.keys.map { name in .change(selection, changes.filter { $0.key != name }) }
    case .delete(let selection): selection.smaller.map { .delete($0) }
    case .deleteKeys(let keys): keys.parts.filter { !$0.isEmpty }.map { .deleteKeys($0) }
    case .deleteAll, .reopen: []
    case .ask(let request):
      request.condition.smaller.map { condition in
        var copy = request
        copy.condition = condition
        return .ask(copy)
      }
    case .savepoint(let steps, let isUndone):
      steps.parts.map { .savepoint($0, isUndone: isUndone) }
        + steps.shrinking(\.smaller).map { .savepoint($0, isUndone: isUndone) }
    case .transaction(let steps, let isUndone):
      // A transaction of one step is that step.
      (steps.count == 1 && !isUndone ? steps : [])
        + steps.parts.map { .transaction($0, isUndone: isUndone) }
        + steps.shrinking(\.smaller).map { .transaction($0, isUndone: isUndone) }
    }
  }
}

extension RandomStep.Selection {
  fileprivate var smaller: [RandomStep.Selection] {
    condition.smaller.map { condition in
      var copy = self
      copy.condition = condition
      return copy
    }
      + order.parts.map { order in
        var copy = self
        copy.order = order
        return copy
      }
  }
}

extension Condition {
  /// Conditions with fewer parts.
  fileprivate var smaller: [Condition] {
    switch self {
    case .constant, .invalid: []
    case .not(let inner): [inner] + inner.smaller.map { .not($0) }
    case .all(let parts):
      parts + parts.parts.map { .all($0) } + parts.shrinking(\.smaller).map { .all($0) }
    case .any(let parts):
      parts + parts.parts.map { .any($0) } + parts.shrinking(\.smaller).map { .any($0) }
    case .compare(let left, let comparator, let right, let options):
      [.constant(true), .constant(false)]
        + left.smaller.map { .compare($0, comparator, right, options) }
        + right.smaller.map { .compare(left, comparator, $0, options) }
        + (options.isEmpty ? [] : [.compare(left, comparator, right, [])])
    case .isIn(let element, .value(.array(let elements)), let options):
      [.constant(true), .constant(false)]
        + elements.parts.map { .isIn(element, list: .value(.array($0)), options) }
    case .someItem(let array, let scope, let inner):
      [.constant(true), .constant(false)]
        + inner.smaller.map { .someItem(of: array, scope: scope, $0) }
    case .isIn, .text, .some, .exists: [.constant(true), .constant(false)]
    }
  }
}

extension Operand {
  fileprivate var smaller: [Operand] {
    switch self {
    case .arithmetic(let symbol, let left, let right):
      [left, right] + left.smaller.map { .arithmetic(symbol, $0, right) }
        + right.smaller.map { .arithmetic(symbol, left, $0) }
    case .negated(let inner): [inner] + inner.smaller.map { .negated($0) }
    case .choice(let condition, let first, let second):
      [first, second] + condition.smaller.map { .choice($0, first, second) }
        + first.smaller.map { .choice(condition, $0, second) }
        + second.smaller.map { .choice(condition, first, $0) }
    case .function(let function, let inner): inner.smaller.map { .function(function, $0) }
    case .list(let parts): parts.parts.filter { !$0.isEmpty }.map { .list($0) }
    case .ofItems(let kind, let array, let scope, let inner):
      inner.smaller.map { .ofItems(kind, array, scope: scope, $0) }
    default: []
    }
  }
}
