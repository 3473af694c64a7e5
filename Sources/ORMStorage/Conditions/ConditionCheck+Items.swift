internal import FoundationEssentials
internal import ORMValues

// Conditions on the elements of arrays, and operands that no row holds.

extension ConditionCheck {
  /// Checks something that names the elements of an array.
  ///
  /// Elements are named beside the rows around them, not inside conditions on related objects: an
  /// engine that asks for these sees rows alone.
  mutating func withItems<R>(
    of array: Operand, scope: Int, depth: Int,
    _ body: (inout ConditionCheck, Operand) throws -> R
  ) throws -> R {
    let (checked, kind) = try check(array, depth: depth + 1)
    guard kind == nil || kind == .array || kind == .json else {
      throw fault(.invalidCondition, "only arrays have elements: \(array)")
    }
    guard items[scope] == nil, rows[scope] == nil, scope != 0 else {
      throw fault(.invalidCondition, "two rows or elements of a condition have the same scope")
    }
    items[scope] = .some(elementKindOfList(array))
    defer { items[scope] = nil }
    return try body(&self, checked)
  }

  /// An operand that belongs to no row.
  mutating func checkItem(_ operand: Operand, depth: Int) throws -> Typed {
    switch operand {
    case .item(let scope):
      guard let kind = items[scope] else {
        throw fault(
          .invalidCondition,
          "an element of an array is used outside its condition, or inside a condition on "
            + "related objects: \(operand)")
      }
      return (operand, kind)
    case .ofItems(let aggregate, let array, let scope, let condition):
      return try withItems(of: array, scope: scope, depth: depth) { check, checked in
        let element = check.items[scope].flatMap { $0 }
        try check.checkAggregate(aggregate, of: (.item(scope), element))
        let condition = try check.check(condition, depth: depth + 1)
        let kind: AttributeType.Kind? =
          switch aggregate {
          case .count, .countDistinct: .int
          case .average: .double
          case .sum, .minimum, .maximum: element
          }
        return (.ofItems(aggregate, checked, scope: scope, condition), kind)
      }
    case .list(let parts):
      try countListItems(parts.count)
      var checked: [Operand] = []
      var kind: AttributeType.Kind?
      for part in parts {
        let (operand, partKind) = try check(part, depth: depth + 1)
        if let kind, let partKind, kind != partKind, !(kind.isNumber && partKind.isNumber) {
          throw fault(
            .invalidCondition,
            "a list cannot hold both \(kind.rawValue) and \(partKind.rawValue): \(part)")
        }
        kind = kind ?? partKind
        checked.append(operand)
      }
      lastListKind = kind
      let values = checked.compactMap { if case .value(let value) = $0 { value } else { nil } }
      if values.count == checked.count { return (.value(.array(values)), .array) }
      return (.list(checked), .array)
    case .variable(let name):
      throw fault(
        .invalidCondition,
        "the variable $\(name) has no value\(location(of: name)); bind it before the fetch")
    case .now:
      let value = timestamp ?? .date(clock?() ?? Date())
      timestamp = value
      RequestTimestamps.add()
      return (.value(value), .date)
    case .output(let column):
      guard outputs.indices.contains(column) else {
        throw fault(
          .invalidCondition,
          "only a condition or sort of groups can name columns of the result")
      }
      return (operand, outputs[column])
    default: return try check(operand, depth: depth)
    }
  }
}

extension ConditionCheck {
  /// The column of a variable's first use in the condition that is checked; empty for one too long to quote.
  private func location(of variable: String) -> String {
    guard let text = whole?.description, text.utf8.count <= 200 else { return "" }
    var column = 1
    for part in text.split(separator: "$", omittingEmptySubsequences: false).dropLast() {
      column += part.unicodeScalars.count
      let rest = text.unicodeScalars.dropFirst(column)
      if rest.starts(with: variable.unicodeScalars),
        !FormatName.isInName(
          rest.dropFirst(variable.unicodeScalars.count).first.map {
            UInt8(truncatingIfNeeded: $0.value)
          } ?? 0)
      {
        return "; it stands in column \(column) of \(text)"
      }
      column += 1
    }
    return ""
  }
}

extension Operand {
  /// Returns whether the operand names the element of a scope.
  package func names(item scope: Int) -> Bool {
    var isNamed = false
    forEachOperand { isNamed = isNamed || $0 == .item(scope) }
    return isNamed
  }
}

extension Condition {
  /// Returns whether the condition names the element of a scope.
  package func names(item scope: Int) -> Bool {
    var isNamed = false
    forEachOperand { isNamed = isNamed || $0 == .item(scope) }
    return isNamed
  }
}
