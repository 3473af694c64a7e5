internal import FoundationEssentials

extension Condition: CustomStringConvertible {
  /// The condition as a predicate format: `price > 3 AND name BEGINSWITH[c] "a"`.
  public var description: String { printed(inside: .none) }

  private enum Context { case none, all, any, not }

  private func printed(inside context: Context) -> String {
    switch self {
    case .constant(let value): return value ? "TRUEPREDICATE" : "FALSEPREDICATE"
    case .not(let inner): return "NOT " + inner.printed(inside: .not)
    case .all(let parts):
      if parts.isEmpty { return "TRUEPREDICATE" }
      let text = parts.map { $0.printed(inside: .all) }.joined(separator: " AND ")
      return context == .not || context == .all ? "(\(text))" : text
    case .any(let parts):
      if parts.isEmpty { return "FALSEPREDICATE" }
      let text = parts.map { $0.printed(inside: .any) }.joined(separator: " OR ")
      return context == .none ? text : "(\(text))"
    case .compare(let left, let comparator, let right, let options):
      let text = "\(left) \(comparator.symbol)\(options) \(right)"
      return context == .not ? "(\(text))" : text
    case .isIn(let element, let list, let options):
      let text = "\(element) IN\(options) \(list)"
      return context == .not ? "(\(text))" : text
    case .text(let text, let symbol, let other, let options):
      let text = "\(text) \(symbol.symbol)\(options) \(other)"
      return context == .not ? "(\(text))" : text
    case .some(let elements, let condition):
      return "SUBQUERY(\(elements.path), $s\(elements.scope), \(condition)).@count > 0"
    case .exists(let rows, let condition):
      return "SUBQUERY(\(rows), $s\(rows.scope), \(condition)).@count > 0"
    case .someItem(let array, let scope, let condition):
      return "SUBQUERY(\(array), $s\(scope), \(condition)).@count > 0"
    case .invalid(let error): return "INVALID(\(error.code))"
    }
  }
}

extension Operand.Path: CustomStringConvertible {
  /// The names, after the variable of their scope where it is not the request's own row.
  public var description: String {
    (scope == 0 ? names : ["$s\(scope)"] + names).joined(separator: ".")
  }
}

extension RelatedRows: CustomStringConvertible {
  /// The steps, as a query language would join them.
  public var description: String {
    steps.map { step in
      let links = step.links.map { "\($0.attribute) == \($0.other)" }
      return "\(step.entity) ON \(links.joined(separator: " AND "))"
    }.joined(separator: " JOIN ")
  }
}

extension Operand: CustomStringConvertible {
  /// The operand as predicate formats write it; a parameter as `$0`, `$1`, ….
  public var description: String {
    switch self {
    case .value(let value): return value.printed
    case .parameter(let slot, _), .parameterList(let slot, _, capacity: _): return "$\(slot)"
    case .path(let path): return "\(path)"
    case .json(let inner, let steps):
      return steps.reduce(into: "\(inner)") { text, step in
        switch step {
        case .key(let key): text += ".\(key)"
        case .index(let index): text += "[\(index)]"
        }
      }
    case .element(let inner, let index): return "\(inner)[\(index)]"
    case .arithmetic(let symbol, let left, let right):
      return "(\(left) \(symbol.symbol) \(right))"
    case .negated(let inner): return "-(\(inner))"
    case .function(let function, let inner): return "\(function.rawValue):(\(inner))"
    case .ofElements(let kind, let operand, let elements, let condition):
      let rows = "SUBQUERY(\(elements.path), $s\(elements.scope), \(condition))"
      return "\(rows).@\(kind.rawValue)" + (operand.map { "(\($0))" } ?? "")
    case .relatedAggregate(let kind, let operand, let rows, let condition):
      let rows = "SUBQUERY(\(rows), $s\(rows.scope), \(condition))"
      return "\(rows).@\(kind.rawValue)" + (operand.map { "(\($0))" } ?? "")
    case .relatedValue(let operand, let rows): return "(\(operand) OF \(rows))"
    case .item(let scope): return "$s\(scope)"
    case .ofItems(let kind, let array, let scope, let condition):
      return "SUBQUERY(\(array), $s\(scope), \(condition)).@\(kind.rawValue)"
    case .list(let parts): return "{" + parts.map(\.description).joined(separator: ", ") + "}"
    case .variable(let name): return "$\(name)"
    case .now: return "now()"
    case .output(let column): return "$\(column)"
    case .invalid(let error): return "INVALID(\(error.code))"
    }
  }
}

extension StoredValue {
  /// The value as predicate formats write it.
  fileprivate var printed: String {
    switch self {
    case .null: return "nil"
    case .bool(let value): return value ? "TRUE" : "FALSE"
    case .int(let value): return "\(value)"
    case .uint(let value): return "\(value)"
    case .double(let value): return "\(value)"
    case .string(let text), .json(let text):
      let escaped = text.unicodeScalars.map { scalar -> String in
        switch scalar {
        case "\"": return "\\\""
        case "\\": return "\\\\"
        case "\n": return "\\n"
        case "\0": return "\\0"
        default: return String(scalar)
        }
      }
      return "\"\(escaped.joined())\""
    case .data(let bytes): return "data(\(bytes.count) bytes)"
    case .date(let date): return "CAST(\(date.timeIntervalSinceReferenceDate), \"NSDate\")"
    case .uuid(let uuid): return uuid.uuidString
    case .decimal(let decimal): return "\(decimal)"
    case .array(let elements):
      return "{" + elements.map(\.printed).joined(separator: ", ") + "}"
    }
  }
}
