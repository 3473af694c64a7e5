internal import Foundation
internal import ORM
internal import ORMCore
internal import ORMObservation

/// A row as the naive model has it: every attribute by its name, nil as `.null`.
typealias NaiveRow = [String: StoredValue]

/// Works conditions out for one row, from the words of clause 2: plain recursion over the tree,
/// nothing compiled, nothing bound, and no part of core's evaluator.
struct NaiveEvaluator {
  let entity: EntityDescription
  let row: NaiveRow
  /// True if arithmetic that does not fit throws `overflow`, as in an update, or is nil.
  var throwsOverflow = false
  /// The elements of arrays that are looked at, by the numbers that conditions name them by.
  var items: [Int: StoredValue] = [:]
  /// The elements whose arithmetic may reach `UInt64.max`.
  var unsignedItems: Set<Int> = []
  /// The columns of a result's row, where that is asked about.
  var outputs: [StoredValue] = []

  func holds(_ condition: Condition) throws -> Bool {
    switch condition {
    case .constant(let value): return value
    case .not(let inner): return try !holds(inner)
    case .all(let parts): return try parts.allSatisfy(holds)
    case .any(let parts): return try parts.contains(where: holds)
    case .invalid(let error): throw error
    case .compare(let left, let comparator, let right, let options):
      return compare(
        NaiveText.folded(try value(left, beside: right), options), comparator,
        NaiveText.folded(try value(right, beside: left), options))
    case .isIn(let element, let list, let options):
      guard
        let elements = try NaiveJSON.elements(of: value(list, beside: element))
      else { return false }
      let wanted = NaiveText.folded(try value(element), options)
      return elements.contains { NaiveOrder.equals(wanted, NaiveText.folded($0, options)) }
    case .text(let left, let symbol, let right, let options):
      guard case .string(let text) = try value(left, beside: right),
        case .string(let other) = try value(right, beside: left)
      else { return false }
      return NaiveText.holds(text, symbol, other, options)
    case .someItem(let array, let scope, let inner):
      return try someItem(of: array, scope, inner)
    case .some, .exists: throw Self.unknownNode
    }
  }

  /// The model is of one entity, and its conditions name no other row.
  private static var unknownNode: StoreError {
    StoreError(.invalidCondition, "the naive model knows no such part of a condition")
  }

  private func compare(
    _ left: StoredValue, _ comparator: ORMCore.Comparator, _ right: StoredValue
  ) -> Bool {
    switch comparator {
    case .equal: return NaiveOrder.equals(left, right)
    case .notEqual: return !NaiveOrder.equals(left, right)
    case .less: return NaiveOrder.comparison(left, right).map { $0 < 0 } ?? false
    case .lessOrEqual: return NaiveOrder.comparison(left, right).map { $0 <= 0 } ?? false
    case .greater: return NaiveOrder.comparison(left, right).map { $0 > 0 } ?? false
    case .greaterOrEqual: return NaiveOrder.comparison(left, right).map { $0 >= 0 } ?? false
    }
  }

  /// A text written down beside a normalized attribute counts in the attribute's form.
  private func value(_ operand: Operand, beside other: Operand) throws -> StoredValue {
    guard case .value(let given) = operand, case .path(let path) = other,
      entity.attributes.contains(where: { $0.name == path.names[0] && $0.isNormalized })
    else { return try value(operand) }
    if case .array(let elements) = given { return .array(elements.map(\.inCanonicalForm)) }
    return given.inCanonicalForm
  }

  func value(_ operand: Operand) throws -> StoredValue {
    switch operand {
    case .value(let value): return value
    case .path(let path):
      guard let value = row[path.names[0]] else {
        throw StoreError(.unknownAttribute, "no attribute \(path.names)")
      }
      return value
    case .json(let inner, let steps):
      guard case .json(let text) = try value(inner) else { return .null }
      return NaiveJSON(text).value(at: steps)
    case .element(let inner, let index):
      guard case .array(let elements) = try value(inner), elements.indices.contains(index) else {
        return .null
      }
      return elements[index]
    case .arithmetic(let symbol, let left, let right):
      return try arithmetic(
        symbol, value(left), value(right), isUnsigned: isUnsigned(left) || isUnsigned(right))
    case .negated(let inner):
      let value = try value(inner)
      if case .double(let number) = value { return number.isNaN ? .null : .double(-number) }
      return try fitting(NaiveNumber(value)?.negated, like: value, isUnsigned: isUnsigned(inner))
    case .function(let function, let inner):
      return try apply(function, value(inner), isUnsigned: isUnsigned(inner))
    case .choice(let condition, let first, let second):
      var filter = self
      filter.throwsOverflow = false
      return try value(filter.holds(condition) ? first : second)
    case .invalid(let error): throw error
    case .item(let scope):
      guard let item = items[scope] else { throw Self.unknownNode }
      return item
    case .ofItems(let kind, let array, let scope, let condition):
      return try aggregate(kind, of: array, scope, condition)
    case .list(let parts): return .array(try parts.map { try value($0) })
    case .output(let column) where outputs.indices.contains(column): return outputs[column]
    case .parameter, .parameterList, .ofElements, .relatedAggregate, .relatedValue, .variable,
      .now, .output:
      throw Self.unknownNode
    }
  }

  /// Returns whether whole-number arithmetic on an operand has room up to `UInt64.max`: an
  /// attribute of 64 unsigned bits is in it, or a number written down that needs them.
  private func isUnsigned(_ operand: Operand) -> Bool {
    switch operand {
    case .value(.uint): true
    case .path(let path):
      entity.attributes.contains { $0.name == path.names[0] && $0.type == .uint64 }
    case .arithmetic(_, let left, let right): isUnsigned(left) || isUnsigned(right)
    case .item(let scope): unsignedItems.contains(scope)
    case .element(let array, _), .function(.last, let array): hasUnsignedElements(array)
    case .ofItems(.sum, let array, _, _), .ofItems(.minimum, let array, _, _),
      .ofItems(.maximum, let array, _, _):
      hasUnsignedElements(array)
    case .choice(_, let first, let second): isUnsigned(first) || isUnsigned(second)
    case .negated(let inner), .function(_, let inner): isUnsigned(inner)
    default: false
    }
  }

  /// Returns whether arithmetic on the elements of an array has room up to `UInt64.max`: they are
  /// declared so, or one of a list is worked out of an attribute that is.
  func hasUnsignedElements(_ array: Operand) -> Bool {
    switch array {
    case .path(let path):
      entity.attributes.contains { $0.name == path.names[0] && $0.type == .array(.uint64) }
    case .list(let parts): parts.contains { !isConstant($0) && isUnsigned($0) }
    default: false
    }
  }

  private func isConstant(_ operand: Operand) -> Bool {
    switch operand {
    case .value: true
    case .arithmetic(_, let left, let right): isConstant(left) && isConstant(right)
    case .negated(let inner), .function(_, let inner): isConstant(inner)
    default: false
    }
  }
}

extension StoredValue {
  /// A text in NFC; any other value as it is.
  var inCanonicalForm: StoredValue {
    if case .string(let text) = self { .string(NaiveText.composed(text)) } else { self }
  }
}
