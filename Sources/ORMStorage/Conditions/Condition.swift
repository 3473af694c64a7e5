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
