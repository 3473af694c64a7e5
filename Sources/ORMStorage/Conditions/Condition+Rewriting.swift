// The visit and the replacement of operands wherever they are in a tree.

internal import ORMValues

extension Condition {
  /// Visits the condition and every condition inside it, each before its parts.
  package func forEachCondition(_ body: (Condition) -> Void) {
    body(self)
    forEachPart({ $0.forEachCondition(body) }, { $0.forEachCondition(body) })
  }

  /// Visits every operand inside the condition, each before its parts.
  package func forEachOperand(_ body: (Operand) -> Void) {
    forEachPart({ $0.forEachOperand(body) }, { $0.forEachOperand(body) })
  }

  /// Returns the condition with operands exchanged.
  ///
  /// An operand for which `change` returns another is replaced by it; the parts of any other are visited in
  /// turn.
  package func rewriting(_ change: (Operand) throws -> Operand?) rethrows -> Condition {
    try mapParts({ try $0.rewriting(change) }, { try $0.rewriting(change) })
  }
}

extension Operand {
  /// Visits every condition inside the operand, each before its parts.
  fileprivate func forEachCondition(_ body: (Condition) -> Void) {
    forEachPart({ $0.forEachCondition(body) }, { $0.forEachCondition(body) })
  }

  /// Visits the operand and every operand inside it, each before its parts.
  package func forEachOperand(_ body: (Operand) -> Void) {
    body(self)
    forEachPart({ $0.forEachOperand(body) }, { $0.forEachOperand(body) })
  }

  /// The operand with those exchanged that `change` gives an answer for, itself among them.
  package func rewriting(_ change: (Operand) throws -> Operand?) rethrows -> Operand {
    if let changed = try change(self) { return changed }
    return try mapParts({ try $0.rewriting(change) }, { try $0.rewriting(change) })
  }
}
