internal import Foundation
internal import ORM
internal import ORMCore
internal import ORMObservation

/// Conditions as deep as the limit allows, each of another kind of part.
private let deepConditions: [(String, Condition)] = {
  let leaf = attribute("stock").compare(.equal, int(1))
  var not = leaf
  var joined = leaf
  var sum = attribute("stock")
  var list = Operand.attribute("tags")
  var items = Condition.constant(true)
  for level in 0..<197 {
    not = .not(not)
    let other = attribute("stock").compare(.greater, int(Int64(1_000 + level)))
    joined = level % 2 == 0 ? .any([joined, other]) : .all([joined, .constant(true), .not(other)])
  }
  // Each of these is two levels.
  for level in 0..<97 {
    sum = .negated(sum + int(Int64(level)))
    list = .list([.element(list, 0)])
    items = .someItem(
      of: .attribute("tags"), scope: level + 1,
      .all([items, Operand.item(level + 1).compare(.notEqual, text("?"))]))
  }
  return [
    ("NOT", not), ("AND and OR", joined), ("arithmetic", sum.compare(.notEqual, nothing)),
    ("lists", Condition.isIn(text("hot"), list: list, [])), ("elements", items),
  ]
}()

private let deepFormats: [(String, String)] = {
  func around(_ begin: String, _ middle: String, _ end: String, _ count: Int) -> String {
    String(repeating: begin, count: count) + middle + String(repeating: end, count: count)
  }
  return [
    ("NOT", around("NOT ", "stock == 1", "", 190)),
    ("NOT ()", around("NOT (", "stock == 1", ")", 190)),
    ("parentheses", around("(", "stock == 1", ")", 190)),
    ("minus", around("-(", "stock", ")", 190) + " == 1"),
    ("functions", around("abs(", "stock", ")", 190) + " == 1"),
    ("lists", around("{", "1", "}", 190) + " == nil"),
    (
      "SUBQUERY", around("ANY SUBQUERY(tags, $x, ", "$x == 'hot'", ")", 90)
    ),
  ]
}()

extension ConformanceCase {
  /// Clause 7.1 on threads with little stack.
  static let smallStacks: [ConformanceCase] = [
    ConformanceCase("a deep condition on a small stack is answered or too complex", "7.1", "8.1") {
      context in
      let store = try context.open(Snack.self)
      try store.save([Snack(1, "a", stock: 1, tags: ["hot"]), Snack(2, "b", stock: 2)])
      for (name, condition) in deepConditions {
        let expected = try? outcome(of: condition, in: store)
        for size in [128, 256, 512, 1024] {
          try context.expectAnswer("\(name), \(size) KiB", onStackOf: size, expected) {
            try outcome(of: condition, in: store)
          }
        }
      }
      // Functions that cannot throw do their work all the same.
      for (name, condition) in deepConditions {
        let filter = Filter<Snack>(condition)
        let expected = (filter.description, filter.normalized, filter.hashValue)
        for size in [128, 256, 512] {
          let work = { @Sendable in
            filter.description == expected.0 && filter.normalized == expected.1
              && filter.hashValue == expected.2
          }
          try context.expectAnswer("\(name) printed, \(size) KiB", onStackOf: size, true, work)
          try context.expectAnswer("\(name) written, \(size) KiB", onStackOf: size, true) {
            _ = try JSONEncoder().encode(filter)
            return true
          }
          try context.expectAnswer("\(name) of an object, \(size) KiB", onStackOf: size, nil) {
            try filter.matches(Snack(1, "a", stock: 1, tags: ["hot"]))
          }
        }
      }
    },
    ConformanceCase("a deep format on a small stack is read or too complex", "7.1", "8.1") {
      context in
      let store = try context.open(Snack.self)
      try store.save([Snack(1, "a", stock: 1, tags: ["hot"]), Snack(2, "b", stock: 2)])
      for (name, format) in deepFormats {
        for size in [128, 256, 512, 1024, 8192] {
          try context.expectAnswer("\(name), \(size) KiB", onStackOf: size, nil) {
            do {
              return try store.fetch(Snack.all.where(Filter(format: format))).map(\.id)
            } catch let error as StoreError where error.code == .invalidCondition {
              return []
            }
          }
        }
      }
    },
  ]
}

private func outcome(of condition: Condition, in store: any Store) throws -> [Int64] {
  let query = Snack.all.where(Filter(condition))
  _ = try store.count(query)
  return try store.fetch(query).map(\.id)
}

extension ConformanceContext {
  /// The body answers on a thread with this stack, in KiB, or throws `tooComplex`.
  fileprivate func expectAnswer<Value: Equatable & Sendable>(
    _ subject: String, onStackOf size: Int, _ expected: Value?, line: Int = #line,
    _ body: @escaping @Sendable () throws -> Value
  ) throws {
    do {
      let answer = try onStack(of: size << 10, body)
      if let expected { try expectEqual(answer, expected, subject, line: line) }
    } catch let error as StoreError where error.code == .tooComplex {
      return
    }
  }
}
