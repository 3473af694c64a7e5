import ORMCore

/// The statements that the stores of a provider wrote, and what is wrong with them.
final class WrittenStatements: Sendable {
  /// An index that a statement removes.
  struct Removal {
    var index: String
    var table: String
  }

  private let noted = Lock<Set<String>>([])
  private let removals = Lock<[String: Removal]>([:])
  private let noticed = Lock<Set<String>>([])
  private let changesLeft = Lock<Int?>(nil)

  /// The statements, each once.
  var all: Set<String> { noted.withLock { $0 } }

  /// What the statements did that they must not.
  var faults: Set<String> { noticed.withLock { $0 } }

  func note(_ sql: String) { noted.withLock { _ = $0.insert(sql) } }
  func note(fault: String) { noticed.withLock { _ = $0.insert(fault) } }

  func noteRemoval(_ sql: String, of index: String, on table: String) {
    removals.withLock { $0[sql] = Removal(index: index, table: table) }
  }
  func removal(_ sql: String) -> Removal? { removals.withLock { $0[sql] } }
}

extension WrittenStatements {
  /// Lets the connections fail as after a kill, at the change of a table after this number of them; nil
  /// for no failure.
  func failTableChanges(after count: Int?) { changesLeft.withLock { $0 = count } }

  /// Counts a change of a table, and throws for one that is too many.
  func countTableChange() throws {
    try changesLeft.withLock { left in
      guard let count = left else { return }
      if count == 0 { throw StoreError(.inputOutput, "the process was killed") }
      left = count - 1
    }
  }
}

/// The parts of a statement: words, numbers and signs, and a mark for each quoted name and text.
struct StatementParts {
  /// The parts, in order: a quoted name is its quote, and so is a text.
  let parts: [Substring]

  init(_ sql: String) {
    var parts: [Substring] = []
    var rest = Substring(sql)
    while let first = rest.first {
      if first == "'" || first == "`" || first == "\"" {
        parts.append(rest.prefix(1))
        rest = rest.dropFirst()
        // A quote that is doubled begins another text, of the same quote.
        rest = rest.drop { $0 != first }.dropFirst()
        while rest.first == first { rest = rest.dropFirst().drop { $0 != first }.dropFirst() }
      } else if first.isLetter || first.isNumber || first == "_" {
        let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
        parts.append(word)
        rest = rest[word.endIndex...]
      } else {
        if !first.isWhitespace { parts.append(rest.prefix(1)) }
        rest = rest.dropFirst()
      }
    }
    self.parts = parts
  }

  /// The words of the language: those of capital letters.
  var words: Set<String> {
    Set(parts.filter { $0.allSatisfy { $0.isUppercase || $0 == "_" } }.map(String.init))
  }

  /// The names of functions that the statement calls.
  var functions: Set<String> {
    Set(
      zip(parts, parts.dropFirst()).compactMap { name, next in
        next == "(" && name.allSatisfy { $0.isLowercase || $0 == "_" } ? String(name) : nil
      })
  }

  /// The words and forms of the default dialect in the statement, which another dialect replaces.
  var defaults: [String] {
    var found: [String] = []
    var openers: [Substring] = []
    let isTrigger = parts.contains("TRIGGER")
    // A query of its own, which names no rows around it, may have table expressions.
    let isOwnQuery = parts.starts(with: ["SELECT", "EXISTS", "(", "WITH"], by: { $0 == $1 })
    var tableExpressions = 0
    for (position, part) in parts.enumerated() {
      let rest = parts[(position + 1)...]
      func goesOn(with words: [String]) -> Bool { rest.starts(with: words, by: { $0 == $1 }) }
      func follows(_ words: String...) -> Bool { goesOn(with: words) }
      switch part {
      case "\"": found.append("a name in double quotes")
      case "?" where rest.first?.hasPrefix("0") != true: found.append("a placeholder ?1")
      case "IS":
        let others = [["NULL"], ["NOT", "NULL"], ["DISTINCT"], ["NOT", "DISTINCT"]]
        if !others.contains(where: goesOn) { found.append("IS or IS NOT between values") }
      case "0.0": found.append("0.0")
      case "TEXT", "DOUBLE":
        if position > 0, parts[position - 1] == "AS" { found.append("CAST AS \(part)") }
      case "NULLS", "CONFLICT": found.append(String(part))
      case "WITH" where !isOwnQuery: found.append("WITH")
      case "INDEX", "TRIGGER":
        if !follows("IF") { found.append("\(part) without IF") }
      case "DELETE" where follows("FROM"):
        if !isTrigger, !rest.contains("INDEXED") { found.append("DELETE FROM") }
      case "FROM", "JOIN", "INTO", "UPDATE", "TABLE":
        let isComparison = position > 0 && parts[position - 1] == "DISTINCT"
        if !isTrigger, !isComparison, follows("`"), !follows("`", ".") {
          if part == "FROM", tableExpressions > 0 {
            tableExpressions -= 1
          } else {
            found.append("\(part) of a bare table")
          }
        }
      case "AS" where isOwnQuery && follows("(", "SELECT"): tableExpressions += 1
      case "LIMIT":
        if follows("?") { found.append("LIMIT ?1") }
        if openers.last == "IN" { found.append("LIMIT in IN") }
      case "(": openers.append(position > 0 ? parts[position - 1] : "")
      case ")": _ = openers.popLast()
      default: break
      }
    }
    return found
  }
}
