internal import ORMValues

/// The number of a query's value, instead of the value.
///
/// A query whose values are numbered is lowered into a shape that holds for all values of the same
/// kinds. The numbers in the shape then say which value is bound to which slot.
///
/// In operands a numbered literal is a parameter with a negative slot. No store sees one.
package struct NumberedLiteral: Hashable, Sendable {
  /// The number of the value, from 0.
  package let number: Int
  /// True if texts are bound in NFC.
  package var isNormalized = false

  /// A literal with a number.
  package init(_ number: Int) { self.number = number }

  /// The literal with a slot; nil if the slot is one of a request.
  package init?(slot: Int) {
    guard slot < 0 else { return nil }
    number = ~slot >> 1
    isNormalized = ~slot & 1 == 1
  }

  /// The slot of the parameter that stands for the literal.
  package var slot: Int { ~(number << 1 | (isNormalized ? 1 : 0)) }

  /// The same literal, bound in NFC.
  var normalized: NumberedLiteral {
    var copy = self
    copy.isNormalized = true
    return copy
  }
}

extension Operand {
  /// The numbered literal that the operand is; nil for any other.
  package var numberedLiteral: NumberedLiteral? {
    switch self {
    case .parameter(let slot, _), .parameterList(let slot, _, capacity: _):
      NumberedLiteral(slot: slot)
    default: nil
    }
  }

  /// True for a value and for the number of one.
  var isLiteral: Bool {
    if case .value = self { true } else { numberedLiteral != nil }
  }

  /// The kind of a value or of a numbered literal; nil for null and for any other operand.
  var literalKind: AttributeType.Kind? {
    switch self {
    case .value(let value): value.kind
    case .parameter(_, let kind): kind
    default: nil
    }
  }

  /// The capacity of the list parameter for this many elements: the next power of two.
  package static func capacity(forListOf count: Int) -> Int {
    var capacity = 1
    while capacity < count { capacity *= 2 }
    return capacity
  }
}
