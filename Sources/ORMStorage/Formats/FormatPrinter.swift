internal import ORMValues

/// Writes trees as formats.
struct FormatPrinter {
  private(set) var text = ""
  /// The prefix of the names of elements.
  private let element: String

  /// A printer for a tree with these variables, which no element is named like.
  init(variables: [String] = []) {
    var element = "s"
    while variables.contains(where: { $0.hasPrefix(element) }) { element = "_" + element }
    self.element = element
  }

  enum Context { case none, all, any, not }

  mutating func write(_ condition: Condition, inside context: Context) {
    switch condition {
    case .constant(let value): text += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
    case .not(let inner):
      if writeQuantified(inner) { return }
      text += "NOT "
      write(inner, inside: .not)
    case .all(let parts): write(parts, " AND ", empty: true, inside: context)
    case .any(let parts): write(parts, " OR ", empty: false, inside: context)
    case .some, .someItem, .exists: writeComparison(condition)
    case .compare, .isIn, .text:
      if context == .not { text += "(" }
      writeComparison(condition)
      if context == .not { text += ")" }
    case .invalid(let error): text += "INVALID(\(error.code))"
    }
  }

  private mutating func write(
    _ parts: [Condition], _ word: String, empty: Bool, inside context: Context
  ) {
    guard parts.count > 1 else {
      return write(parts.first ?? .constant(empty), inside: context)
    }
    let isAll = empty
    let needsParentheses =
      switch context {
      case .none: false
      case .not: true
      case .all: true
      // AND binds tighter than OR.
      case .any: !isAll
      }
    if needsParentheses { text += "(" }
    for (index, part) in parts.enumerated() {
      if index > 0 { text += word }
      write(part, inside: isAll ? .all : .any)
    }
    if needsParentheses { text += ")" }
  }

  private mutating func writeComparison(_ condition: Condition) {
    switch condition {
    case .compare(let left, let comparator, let right, let options):
      write(left)
      text += " \(comparator.symbol)\(options) "
      write(right)
    case .isIn(let element, let list, let options):
      write(element)
      text += " IN\(options) "
      write(list)
    case .text(let left, let symbol, let right, let options):
      write(left)
      text += " \(symbol.symbol)\(options) "
      write(right)
    case .some(let elements, let inner): write("ANY", elements, inner)
    case .someItem(let list, let scope, let inner): write("ANY", list, scope, inner)
    case .exists(let rows, let inner):
      write(rows, where: inner)
      text += ".@count > 0"
    case .constant, .not, .all, .any, .invalid: write(condition, inside: .none)
    }
  }

  mutating func write(_ path: Operand.Path) {
    var isFirst = path.scope == 0
    if !isFirst { text += "$\(element)\(path.scope)" }
    for name in path.names.flatMap(\.pathParts) {
      if !isFirst { text += "." }
      if !FormatName.isName(name) {
        text += "#"
        write(string: name)
      } else {
        // Behind a dot every name is a key.
        text += isFirst && FormatWord(name: name) != nil ? "#\(name)" : name
      }
      isFirst = false
    }
  }

  mutating func write(_ operand: Operand) {
    switch operand {
    case .value(let value): write(value)
    case .parameter(let slot, _), .parameterList(let slot, _, capacity: _): text += "$\(slot)"
    case .path(let path): write(path)
    case .item(let scope): text += "$\(element)\(scope)"
    case .variable(let name): text += "$\(name)"
    case .now: text += "now()"
    case .output(let column): text += "$\(column)"
    case .json(let inner, let steps):
      writeClosed(inner)
      for step in steps { write(step) }
    case .element(let inner, let index):
      writeClosed(inner)
      text += "[\(index)]"
    case .function(.last, let inner):
      if case .json = inner { write(inner) } else { writeClosed(inner) }
      text += "[LAST]"
    case .function(.part(let part, let zone), let inner):
      text += "\(part.rawValue)("
      write(inner)
      if zone != .gmt {
        text += ", "
        write(string: zone.text)
      }
      text += ")"
    case .function(.cast(let kind), let inner):
      text += "CAST("
      // CAST of a literal is a literal.
      if case .value = inner { writeGrouped(inner) } else { write(inner) }
      text += ", \"\(FormatCast(kind)?.rawValue ?? kind.rawValue)\")"
    case .choice(let condition, let first, let second):
      text += "TERNARY("
      write(condition, inside: .none)
      text += ", "
      write(first)
      text += ", "
      write(second)
      text += ")"
    case .function(let function, let inner):
      text += "\(function.name)("
      write(inner)
      text += ")"
    case .arithmetic(let symbol, let left, let right):
      text += "("
      // A minus in front binds less tightly than a power.
      if symbol == .power, left.printsWithMinus { writeGrouped(left) } else { write(left) }
      text += " \(symbol.symbol) "
      write(right)
      text += ")"
    case .negated(let inner):
      text += "-"
      writeGrouped(inner)
    case .list(let parts):
      text += "{"
      for (index, part) in parts.enumerated() {
        if index > 0 { text += ", " }
        write(part)
      }
      text += "}"
    case .ofElements(let kind, let inner, let elements, let condition):
      write(kind, inner, elements, condition)
    case .ofItems(let kind, let list, let scope, let condition):
      write(kind, list, scope, condition)
    case .relatedAggregate(let kind, let inner, let rows, let condition):
      write(rows, where: condition)
      text += ".@\(kind.rawValue)"
      if let inner { writeGrouped(inner) }
    case .relatedValue(let inner, let rows): text += "(\(inner) OF \(rows))"
    case .invalid(let error): text += "INVALID(\(error.code))"
    }
  }

  private mutating func writeGrouped(_ operand: Operand) {
    text += "("
    write(operand)
    text += ")"
  }

  /// Writes an operand so that a name or a position can follow it.
  private mutating func writeClosed(_ operand: Operand) {
    switch operand {
    case .path, .item, .element, .function, .list, .value(.array): write(operand)
    default: writeGrouped(operand)
    }
  }

  private mutating func write(_ step: JSONStep) {
    switch step {
    case .index(let index): text += "[\(index)]"
    case .key(let key) where FormatName.isName(key): text += ".\(key)"
    case .key(let key):
      text += "["
      write(string: key)
      text += "]"
    }
  }

  mutating func append(_ string: String) { text += string }
}

// Collections.
extension FormatPrinter {
  /// NOT of a collection's condition in the words NONE and ALL; whether there are such words for it.
  private mutating func writeQuantified(_ condition: Condition) -> Bool {
    switch condition {
    case .some(let elements, .not(let inner)) where isPlain(inner, of: elements):
      write("ALL", elements, inner)
    case .some(let elements, let inner) where isPlain(inner, of: elements):
      write("NONE", elements, inner)
    case .someItem(let list, let scope, .not(let inner)) where isPlain(inner, ofItem: scope):
      write("ALL", list, scope, inner)
    case .someItem(let list, let scope, let inner)
    where isPlain(inner, ofItem: scope) && !inner.isEquality:
      write("NONE", list, scope, inner)
    default: return false
    }
    return true
  }

  private mutating func write(_ word: String, _ elements: Elements, _ inner: Condition) {
    text += "\(word) "
    if inner == .constant(true) { return write(elements.path) }
    guard isPlain(inner, of: elements) else { return write(elements, where: inner) }
    writeComparison(
      inner.replacingLeft {
        if case .path(let path) = $0 {
          .path(Operand.Path(elements.path.names + path.names, scope: elements.path.scope))
        } else {
          $0
        }
      })
  }

  private mutating func write(_ word: String, _ list: Operand, _ scope: Int, _ inner: Condition) {
    text += "\(word) "
    guard isPlain(inner, ofItem: scope), word == "ALL" || !inner.isEquality else {
      return write(list, scope, where: inner)
    }
    writeComparison(inner.replacingLeft { _ in list })
  }

  /// Returns whether a condition compares the end of a path from an element with something else.
  ///
  /// Only one name leads to the elements then: of several it is not known here whether one further
  /// leads to many.
  private func isPlain(_ condition: Condition, of elements: Elements) -> Bool {
    if condition == .constant(true) { return true }
    guard elements.path.names.count == 1, let (left, right) = condition.sides,
      case .path(let path) = left, path.scope == elements.scope
    else { return false }
    switch right {
    // A list in every element would be asked for its own elements.
    case .value(.array), .list: if !condition.isMembership { return false }
    default: break
    }
    return !right.starts(at: elements.scope)
  }

  private func isPlain(_ condition: Condition, ofItem scope: Int) -> Bool {
    guard let (left, right) = condition.sides else { return false }
    return left == .item(scope) && !right.names(item: scope)
  }

  private mutating func write(_ elements: Elements, where condition: Condition) {
    text += "SUBQUERY("
    write(elements.path)
    text += ", $\(element)\(elements.scope), "
    write(condition, inside: .none)
    text += ")"
  }

  private mutating func write(_ list: Operand, _ scope: Int, where condition: Condition) {
    text += "SUBQUERY("
    write(list)
    text += ", $\(element)\(scope), "
    write(condition, inside: .none)
    text += ")"
  }

  private mutating func write(_ rows: RelatedRows, where condition: Condition) {
    text += "SUBQUERY(\(rows), $\(element)\(rows.scope), "
    write(condition, inside: .none)
    text += ")"
  }

  private mutating func write(
    _ kind: Aggregate.Kind, _ inner: Operand?, _ elements: Elements, _ condition: Condition
  ) {
    var path: Operand.Path?
    if case .path(let names)? = inner, names.scope == elements.scope { path = names }
    if condition == .constant(true), inner == nil || path != nil {
      write(elements.path)
      if kind == .countDistinct, let path {
        text += ".@distinctUnionOfObjects"
        writeNames(path)
        text += ".@count"
        return
      }
    } else {
      write(elements, where: condition)
    }
    text += ".@\(kind.formatName)"
    if let path {
      writeNames(path)
    } else if let inner {
      writeGrouped(inner)
    }
  }

  private mutating func writeNames(_ path: Operand.Path) {
    for name in path.names.flatMap(\.pathParts) {
      text += "."
      if FormatName.isName(name) {
        text += name
      } else {
        text += "#"
        write(string: name)
      }
    }
  }

  private mutating func write(
    _ kind: Aggregate.Kind, _ list: Operand, _ scope: Int, _ condition: Condition
  ) {
    let function =
      switch kind {
      case .sum: "sum"
      case .average: "average"
      case .minimum: "min"
      case .maximum: "max"
      case .count, .countDistinct: ""
      }
    if condition == .constant(true), !function.isEmpty {
      text += "\(function)("
      write(list)
      text += ")"
    } else {
      write(list, scope, where: condition)
      text += ".@\(kind.formatName)"
    }
  }
}

extension Aggregate.Kind {
  /// The name behind `@`.
  fileprivate var formatName: String {
    switch self {
    case .count: "count"
    case .countDistinct: "countDistinct"
    case .sum: "sum"
    case .average: "avg"
    case .minimum: "min"
    case .maximum: "max"
    }
  }
}

extension Condition {
  /// The sides of a comparison.
  fileprivate var sides: (Operand, Operand)? {
    switch self {
    case .compare(let left, _, let right, _), .isIn(let left, let right, _),
      .text(let left, _, let right, _):
      (left, right)
    default: nil
    }
  }

  fileprivate var isEquality: Bool {
    if case .compare(_, .equal, _, _) = self { true } else { false }
  }
  fileprivate var isMembership: Bool { if case .isIn = self { true } else { false } }

  fileprivate func replacingLeft(_ change: (Operand) -> Operand) -> Condition {
    switch self {
    case .compare(let left, let comparator, let right, let options):
      .compare(change(left), comparator, right, options)
    case .isIn(let left, let list, let options): .isIn(change(left), list: list, options)
    case .text(let left, let symbol, let right, let options):
      .text(change(left), symbol, right, options)
    default: self
    }
  }
}

extension Operand {
  /// True if the operand prints with a minus in front.
  fileprivate var printsWithMinus: Bool {
    switch self {
    case .negated: true
    case .value(.int(let value)): value < 0
    case .value(.double(let value)): value.sign == .minus
    default: false
    }
  }

  /// Returns whether a path in the operand starts at a scope's row.
  fileprivate func starts(at scope: Int) -> Bool {
    var isFound = false
    _ = mappingPaths { path in
      if path.scope == scope { isFound = true }
      return path
    }
    return isFound
  }
}
