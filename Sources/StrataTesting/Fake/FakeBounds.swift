internal import Foundation
internal import ORM
internal import ORMCore

/// The part of an attribute's rules that a value can be drawn by: bounds, lengths, patterns and choices.
///
/// All other conditions are left to the check of the whole row.
struct FakeBounds {
  /// The least value, and whether it is allowed itself.
  var lower: (value: StoredValue, isOpen: Bool)?
  /// The greatest value, and whether it is allowed itself.
  var upper: (value: StoredValue, isOpen: Bool)?
  /// The least and the greatest length of a text, or number of elements.
  var length = (least: 0, most: Int.max)
  /// The patterns that a text matches.
  var patterns: [(pattern: String, options: TextOptions)] = []
  /// The values that are allowed; nil for all.
  var choices: [StoredValue]?
  /// True if nil is not allowed though the attribute is optional.
  var isRequired = false
  /// The names of the rules that were read.
  var rules: [String] = []

  /// True if a rule says anything about the length.
  var hasLength: Bool { length.least > 0 || length.most < .max }

  /// Notes a lower bound, if it is greater than the one so far.
  mutating func raise(to value: StoredValue, isOpen: Bool) {
    guard let known = lower else {
      lower = (value, isOpen)
      return
    }
    guard let order = FakeNumber.order(value, known.value) else { return }
    if order > 0 || (order == 0 && isOpen) { lower = (value, isOpen) }
  }

  /// Notes an upper bound, if it is less than the one so far.
  mutating func reduce(to value: StoredValue, isOpen: Bool) {
    guard let known = upper else {
      upper = (value, isOpen)
      return
    }
    guard let order = FakeNumber.order(value, known.value) else { return }
    if order < 0 || (order == 0 && isOpen) { upper = (value, isOpen) }
  }

  /// Restricts the choices to these values.
  mutating func choose(_ values: [StoredValue]) {
    choices = choices.map { known in known.filter { values.contains($0) } } ?? values
  }
}

extension FakeBounds {
  /// The bounds of every attribute that the rules of an entity give, by name.
  static func of(_ conditions: [(rule: ValidationRule, condition: Condition)]) -> [String:
    FakeBounds]
  {
    var bounds: [String: FakeBounds] = [:]
    for (rule, condition) in conditions {
      for part in condition.conjuncts {
        part.note { name, change in
          change(&bounds[name, default: FakeBounds()])
          if bounds[name]?.rules.contains(rule.name) == false {
            bounds[name]?.rules.append(rule.name)
          }
        }
      }
    }
    return bounds
  }
}

extension Condition {
  /// The conditions that all hold if this one does; "nil or" is left out of each.
  fileprivate var conjuncts: [Condition] {
    switch self {
    case .all(let parts): return parts.flatMap(\.conjuncts)
    case .any(let parts):
      let others = parts.filter { !$0.asksForNil }
      return others.count == 1 && parts.count > 1 ? others[0].conjuncts : [self]
    default: return [self]
    }
  }

  /// True for `name == nil`.
  private var asksForNil: Bool {
    if case .compare(.path, .equal, .value(.null), _) = self { return true }
    return false
  }

  /// Notes the bound that the condition is, if it is one.
  fileprivate func note(_ note: (String, (inout FakeBounds) -> Void) -> Void) {
    switch self {
    case .compare(let left, let comparator, let right, _):
      if case .value(let value) = right {
        Self.note(left, comparator, value, note)
      } else if case .value(let value) = left {
        Self.note(right, comparator.swapped, value, note)
      }
    case .isIn(let operand, list: .value(.array(let values)), _):
      if let name = operand.ownAttribute { note(name) { $0.choose(values) } }
    case .text(let operand, let comparison, .value(.string(let text)), let options):
      guard let name = operand.ownAttribute else { return }
      let quoted = text.unicodeScalars.map { $0.isASCII && !$0.isWordLike ? "\\\($0)" : "\($0)" }
        .joined()
      switch comparison {
      case .matches: note(name) { $0.patterns.append((text, options)) }
      case .beginsWith: note(name) { $0.patterns.append((quoted + ".*", options)) }
      case .endsWith: note(name) { $0.patterns.append((".*" + quoted, options)) }
      case .contains: note(name) { $0.patterns.append((".*" + quoted + ".*", options)) }
      case .like: break
      }
    default: break
    }
  }

  private static func note(
    _ operand: Operand, _ comparator: Condition.Comparator, _ value: StoredValue,
    _ note: (String, (inout FakeBounds) -> Void) -> Void
  ) {
    if case .function(let function, let inner) = operand, function == .length || function == .count,
      let name = inner.ownAttribute, let number = FakeNumber.double(value)
    {
      let number = Int(exactly: number.rounded()) ?? .max
      note(name) { bounds in
        let (least, most) = bounds.length
        switch comparator {
        case .equal: bounds.length = (max(least, number), min(most, number))
        case .greaterOrEqual: bounds.length.least = max(least, number)
        case .greater: bounds.length.least = max(least, number + 1)
        case .lessOrEqual: bounds.length.most = min(most, number)
        case .less: bounds.length.most = min(most, number - 1)
        case .notEqual: break
        }
      }
      return
    }
    guard let name = operand.ownAttribute else { return }
    note(name) { bounds in
      switch comparator {
      case .equal where !value.isNull: bounds.choose([value])
      case .notEqual where value.isNull: bounds.isRequired = true
      case .greaterOrEqual: bounds.raise(to: value, isOpen: false)
      case .greater: bounds.raise(to: value, isOpen: true)
      case .lessOrEqual: bounds.reduce(to: value, isOpen: false)
      case .less: bounds.reduce(to: value, isOpen: true)
      case .equal, .notEqual: break
      }
    }
  }
}

extension Operand {
  /// The name of the row's own attribute that the operand is; nil for anything else.
  fileprivate var ownAttribute: String? {
    guard case .path(let path) = self, path.scope == 0, path.names.count == 1 else { return nil }
    return path.names[0]
  }
}

extension Unicode.Scalar {
  /// True if a pattern takes the scalar literally.
  fileprivate var isWordLike: Bool {
    ("a"..."z").contains(self) || ("A"..."Z").contains(self) || ("0"..."9").contains(self)
      || self == " "
  }
}

/// Numbers of stored values, for the bounds of draws.
enum FakeNumber {
  /// The number of a value, or the seconds of a date.
  static func double(_ value: StoredValue) -> Double? {
    switch value {
    case .int(let value): Double(value)
    case .uint(let value): Double(value)
    case .double(let value): value
    case .decimal(let value): Double(DecimalText.text(of: value))
    case .date(let value): value.timeIntervalSinceReferenceDate
    default: nil
    }
  }

  /// The integer of a value that is one.
  static func integer(_ value: StoredValue) -> Int64? {
    switch value {
    case .int(let value): value
    case .double(let value): Int64(exactly: value)
    case .decimal(let value): Int64(DecimalText.text(of: value))
    default: nil
    }
  }

  /// Negative where the first is less, 0 where both are equal; nil for values of other kinds.
  static func order(_ a: StoredValue, _ b: StoredValue) -> Int? {
    if let a = integer(a), let b = integer(b) { return a < b ? -1 : a == b ? 0 : 1 }
    guard let a = double(a), let b = double(b) else { return nil }
    return a < b ? -1 : a == b ? 0 : 1
  }
}
