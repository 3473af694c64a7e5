public import ORMValues

/// A condition on one row: the tree that every front end builds and every store answers.
///
/// Logic is two-valued (clause 2.1): a condition is true or false for every row, nil included.
/// Paths start at a numbered scope, so that an inner condition can name an outer row; scope 0 is
/// the row of the request itself. Names are attribute names of the model.
public indirect enum Condition: Hashable, Codable, Sendable {
  /// True or false for every row.
  case constant(Bool)
  /// Plain negation.
  case not(Condition)
  /// True when all are; true when there are none.
  case all([Condition])
  /// True when one is; false when there are none.
  case any([Condition])
  /// A comparison; the options concern texts under `==` and `!=`, and the order of the others.
  case compare(Operand, Comparator, Operand, TextOptions)
  /// True if the element equals one of the list, which is an array value or an array attribute.
  case isIn(Operand, list: Operand, TextOptions)
  /// A text operator: the text on the left, the text or pattern to look for on the right.
  case text(Operand, TextOperator, Operand, TextOptions)
  /// True if one of the elements of a to-many satisfies a condition, which names them by their
  /// scope.
  ///
  /// Core turns it into `exists` before a store is asked.
  case some(Elements, Condition)
  /// True if one of the related rows satisfies a condition, which may name rows of every enclosing
  /// scope.
  case exists(RelatedRows, Condition)
  /// True if one of the elements of an array satisfies a condition, which names it
  /// ``Operand/item(_:)`` of this scope.
  ///
  /// It is false for nil and for a value that is no array.
  ///
  /// The array is an attribute, a JSON array or a list.
  case someItem(of: Operand, scope: Int, Condition)
  /// A condition that could not be made; it throws its error at first use (clause 7.4).
  case invalid(StoreError)
}

// The parts and the coded form of each case. A new case is added here; walks over trees go by the parts.

extension Condition {
  /// The condition with its parts replaced, from the left to the right.
  ///
  /// The paths to elements and to related rows are replaced too, if a function is given for them.
  package func mapParts(
    _ condition: (Condition) throws -> Condition, _ operand: (Operand) throws -> Operand,
    elements: (Elements) -> Elements = { $0 },
    rows: (RelatedRows) -> RelatedRows = { $0 }
  ) rethrows -> Condition {
    switch self {
    case .constant, .invalid: self
    case .not(let inner): .not(try condition(inner))
    case .all(let parts): .all(try parts.map(condition))
    case .any(let parts): .any(try parts.map(condition))
    case .compare(let left, let comparator, let right, let options):
      .compare(try operand(left), comparator, try operand(right), options)
    case .isIn(let element, let list, let options):
      .isIn(try operand(element), list: try operand(list), options)
    case .text(let text, let symbol, let other, let options):
      .text(try operand(text), symbol, try operand(other), options)
    case .some(let path, let inner): .some(elements(path), try condition(inner))
    case .exists(let path, let inner): .exists(rows(path), try condition(inner))
    case .someItem(let array, let scope, let inner):
      .someItem(of: try operand(array), scope: scope, try condition(inner))
    }
  }

  /// Visits the parts, from the left to the right.
  package func forEachPart(_ condition: (Condition) -> Void, _ operand: (Operand) -> Void) {
    switch self {
    case .constant, .invalid: break
    case .not(let inner), .some(_, let inner), .exists(_, let inner): condition(inner)
    case .all(let parts), .any(let parts): parts.forEach(condition)
    case .compare(let left, _, let right, _), .isIn(let left, let right, _),
      .text(let left, _, let right, _):
      operand(left)
      operand(right)
    case .someItem(let array, _, let inner):
      operand(array)
      condition(inner)
    }
  }
}

extension Condition {
  /// Reads a condition in the form that `encode(to:)` gives it.
  ///
  /// - Throws: `DecodingError` for a value that is no condition.
  public init(from decoder: any Decoder) throws {
    let coded = try CodedCase(from: decoder)
    switch coded.name {
    case "constant": self = .constant(try coded.value())
    case "not": self = .not(try coded.value())
    case "all": self = .all(try coded.value())
    case "any": self = .any(try coded.value())
    case "compare":
      self = .compare(
        try coded.value(), try coded.value("_1"), try coded.value("_2"), try coded.value("_3"))
    case "isIn":
      self = .isIn(try coded.value(), list: try coded.value("list"), try coded.value("_2"))
    case "text":
      self = .text(
        try coded.value(), try coded.value("_1"), try coded.value("_2"), try coded.value("_3"))
    case "some": self = .some(try coded.value(), try coded.value("_1"))
    case "exists": self = .exists(try coded.value(), try coded.value("_1"))
    case "someItem":
      self = .someItem(
        of: try coded.value("of"), scope: try coded.value("scope"), try coded.value("_2"))
    case "invalid": self = .invalid(try coded.value())
    default: throw coded.isUnknown
    }
  }

  /// Encodes the condition as an object whose one member has the name of the case.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .constant(let value): try CodedCase.encode("constant", value, to: encoder)
    case .not(let condition): try CodedCase.encode("not", condition, to: encoder)
    case .all(let conditions): try CodedCase.encode("all", conditions, to: encoder)
    case .any(let conditions): try CodedCase.encode("any", conditions, to: encoder)
    case .compare(let a, let comparator, let b, let options):
      try CodedCase.encode(
        "compare", parts: ["_0": a, "_1": comparator, "_2": b, "_3": options], to: encoder)
    case .isIn(let value, let list, let options):
      try CodedCase.encode("isIn", parts: ["_0": value, "list": list, "_2": options], to: encoder)
    case .text(let a, let symbol, let b, let options):
      try CodedCase.encode(
        "text", parts: ["_0": a, "_1": symbol, "_2": b, "_3": options], to: encoder)
    case .some(let elements, let condition):
      try CodedCase.encode("some", parts: ["_0": elements, "_1": condition], to: encoder)
    case .exists(let rows, let condition):
      try CodedCase.encode("exists", parts: ["_0": rows, "_1": condition], to: encoder)
    case .someItem(let array, let scope, let condition):
      try CodedCase.encode(
        "someItem", parts: ["of": array, "scope": scope, "_2": condition], to: encoder)
    case .invalid(let error): try CodedCase.encode("invalid", error, to: encoder)
    }
  }
}

extension Condition {
  /// A comparison operator.
  public enum Comparator: String, Hashable, Codable, Sendable {
    /// `==`; nil equals nil.
    case equal
    /// `!=`; the negation of `equal`.
    case notEqual
    /// `<`; false with nil on either side, as the next three.
    case less
    /// `<=`
    case lessOrEqual
    /// `>`
    case greater
    /// `>=`
    case greaterOrEqual

    /// The operator as formats write it.
    public var symbol: String {
      switch self {
      case .equal: "=="
      case .notEqual: "!="
      case .less: "<"
      case .lessOrEqual: "<="
      case .greater: ">"
      case .greaterOrEqual: ">="
      }
    }

    /// The operator with its sides exchanged: `a < b` is `b > a`.
    public var swapped: Comparator {
      switch self {
      case .equal, .notEqual: self
      case .less: .greater
      case .lessOrEqual: .greaterOrEqual
      case .greater: .less
      case .greaterOrEqual: .lessOrEqual
      }
    }
  }
}

/// The short name inside this package.
///
/// Programs say `Condition.Comparator`: Foundation has a `Comparator` of its own.
package typealias Comparator = Condition.Comparator

/// A text operator; clause 2.5 defines each.
///
/// False with nil on either side.
public enum TextOperator: String, Hashable, Codable, Sendable {
  /// The text holds the other somewhere.
  case contains
  /// The text begins with the other.
  case beginsWith
  /// The text ends with the other.
  case endsWith
  /// The whole text matches a pattern of `?`, `*` and `\`.
  case like
  /// The whole text matches a regular expression.
  case matches

  /// The operator as formats write it.
  public var symbol: String {
    switch self {
    case .contains: "CONTAINS"
    case .beginsWith: "BEGINSWITH"
    case .endsWith: "ENDSWITH"
    case .like: "LIKE"
    case .matches: "MATCHES"
    }
  }
}
