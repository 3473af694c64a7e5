internal import Foundation
internal import ORM
internal import ORMCore
internal import ORMObservation

/// A filter of random shape, with its answer for a snack of stock 1.
private struct Composed: Sendable {
  var filter: Filter<Snack>
  var answer: Bool

  /// Composes `steps` times by random operators, each of the kinds that are asked for.
  static func random(_ random: inout SeededGenerator, steps: Int, kinds: [Int]) -> Composed {
    func leaf() -> Composed {
      let number = random.number(0...2)
      return Composed(filter: stock(number), answer: number == 1)
    }
    var all = leaf()
    for _ in 0..<steps {
      switch random.pick(kinds) {
      case 0: all = Composed(filter: !all.filter, answer: !all.answer)
      case 1:
        let other = leaf()
        all = Composed(filter: all.filter && other.filter, answer: all.answer && other.answer)
      case 2:
        let other = leaf()
        all = Composed(filter: all.filter || other.filter, answer: all.answer || other.answer)
      case 3:
        let other = leaf()
        all = Composed(filter: other.filter && all.filter, answer: other.answer && all.answer)
      default:
        let other = leaf()
        all = Composed(filter: other.filter || all.filter, answer: other.answer || all.answer)
      }
    }
    return all
  }
}

extension ConformanceCase {
  /// Clause 7.1: filters that a program composes of others, of any shape.
  static let composedFilters: [ConformanceCase] = [
    ConformanceCase(
      "composed filters of random shapes are built, freed and answered on any stack", "7.1", "2.10"
    ) { context in
      let store = try context.open(Snack.self)
      let snack = Snack(1, "a", stock: 1)
      try store.save(snack)
      for seed in 1...40 as ClosedRange<UInt64> {
        for (steps, kinds) in [
          (1_000, [0]), (1_000, [0, 1]), (1_000, [1, 2]), (1_000, [3, 4]), (600, [0, 1, 2, 3, 4]),
          (40, [0, 1, 2, 3, 4]), (12, [0, 1, 2, 3, 4]),
        ] where seed <= 2 || steps < 1_000 {
          // Built and freed on a thread with little stack.
          try onStack(of: 64 << 10) {
            var random = SeededGenerator(seed: seed)
            _ = Composed.random(&random, steps: steps, kinds: kinds).filter
          }
          var random = SeededGenerator(seed: seed)
          let made = Composed.random(&random, steps: steps, kinds: kinds)
          let what = "seed \(seed), \(steps) steps of \(kinds)"
          do {
            let count = try store.count(Snack.all.where(made.filter))
            try context.expectEqual(count, made.answer ? 1 : 0, what)
            try context.expectEqual(try made.filter.matches(snack), made.answer, what)
          } catch let error as StoreError where error.code == .tooComplex {
            try context.expect(steps > 100, "\(what): \(error)")
          }
        }
      }
    },
    ConformanceCase("a chain of any length is one condition, in its order", "7.1", "2.10") {
      context in
      let store = try context.open(Snack.self)
      try store.save((1...20).map { Snack(Int64($0), "s\($0)", stock: $0) })
      func chain(_ count: Int, from first: Int) -> Filter<Snack> {
        (0..<count).reduce(Filter(.constant(false))) { $0 || stock(first + $1) }
      }
      // Two chains that begin alike do not see each other's ends.
      let start = chain(200, from: 5)
      let (one, two) = (start || stock(1), start || stock(2))
      let three = one || stock(3)
      func stocks(_ filter: Filter<Snack>) throws -> [Int?] {
        try store.fetch(Snack.all.where(filter)).map(\.stock)
      }
      try context.expectEqual(try stocks(start), Array(5...20))
      try context.expectEqual(try stocks(one), [1] + Array(5...20))
      try context.expectEqual(try stocks(two), [2] + Array(5...20))
      try context.expectEqual(try stocks(three), [1, 3] + Array(5...20))
      try context.expectEqual(try stocks(three && !one), [3])
      try context.expectEqual(
        one,
        Filter(
          .any([.constant(false)] + ((5..<205) + [1]).map { stock($0).condition })))
      // The other end grows likewise, and both ends in turn.
      let end = (0..<200).reduce(Filter(.constant(false))) { stock(204 - $1) || $0 }
      let (four, five) = (stock(1) || end, stock(2) || end)
      let six = stock(3) || (four || stock(4))
      try context.expectEqual(try stocks(end), Array(5...20))
      try context.expectEqual(try stocks(four), [1] + Array(5...20))
      try context.expectEqual(try stocks(five), [2] + Array(5...20))
      try context.expectEqual(try stocks(six), [1, 3, 4] + Array(5...20))
      try context.expectEqual(try stocks(end && !four), [])
      let numbers = [3, 1] + Array(5..<205)
      try context.expectEqual(
        six,
        Filter(
          .any(
            numbers.map { stock($0).condition } + [.constant(false), stock(4).condition])))
      // As long as the limit of lists, which it becomes.
      try context.expectEqual(try store.count(Snack.all.where(chain(99_000, from: 11))), 10)
    },
    ConformanceCase("a pattern with thousands of brackets is refused on any stack", "7.1", "2.5") {
      context in
      let store = try context.open(Snack.self)
      try store.save(Snack(1, "a"))
      @Sendable func matches(_ pattern: String) throws -> Bool {
        let condition = attribute("name").text(.matches, text(pattern))
        return try Filter<Snack>(condition).matches(Snack(1, "a"))
      }
      for size in [64, 128, 256, 512] {
        for bracket in ["[", "(", "(?:", "[^", "[a&&", "(["] {
          let pattern = String(repeating: bracket, count: 5_000)
          let code = try onStack(of: size << 10) { () -> StoreError.Code? in
            do {
              _ = try matches(pattern)
              return nil
            } catch let error as StoreError {
              return error.code
            }
          }
          try context.expectEqual(code, .tooComplex, "\(bracket), \(size) KiB")
        }
        // As deep as the limit allows.
        let answers = try onStack(of: size << 10) {
          try ["(", "[", "(?:"].map { bracket in
            let end = bracket == "[" ? "]" : ")"
            let pattern =
              String(repeating: bracket, count: 190) + "a" + String(repeating: end, count: 190)
            return try matches(pattern)
          }
        }
        try context.expectEqual(answers, [true, true, true], "\(size) KiB")
      }
    },
  ]
}

private func stock(_ number: Int) -> Filter<Snack> {
  Filter(attribute("stock").compare(.equal, int(Int64(number))))
}
