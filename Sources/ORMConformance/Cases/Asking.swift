internal import Foundation
internal import ORM
internal import ORMCore
internal import ORMObservation

// Short words for conditions by names, which the tables of the cases are written in.

func attribute(_ name: String) -> Operand { .attribute(name) }
func int(_ number: Int64) -> Operand { .value(.int(number)) }
func real(_ number: Double) -> Operand { .value(.double(number)) }
func text(_ text: String) -> Operand { .value(.string(text)) }
func decimal(_ number: Decimal) -> Operand { .value(.decimal(number)) }
func date(_ seconds: Double) -> Operand {
  .value(.date(Date(timeIntervalSinceReferenceDate: seconds)))
}
func json(_ name: String, _ steps: JSONStep...) -> Operand { .json(.attribute(name), steps) }
let nothing = Operand.value(.null)

extension Operand {
  func list(_ values: [StoredValue], _ options: TextOptions = []) -> Condition {
    .isIn(self, list: .value(.array(values)), options)
  }
  func compare(
    _ comparator: ORMCore.Comparator, _ other: Operand, _ options: TextOptions = []
  ) -> Condition {
    .compare(self, comparator, other, options)
  }
  func text(_ symbol: TextOperator, _ other: Operand, _ options: TextOptions = []) -> Condition {
    .text(self, symbol, other, options)
  }
  static func + (a: Operand, b: Operand) -> Operand { .arithmetic(.add, a, b) }
  static func - (a: Operand, b: Operand) -> Operand { .arithmetic(.subtract, a, b) }
  static func * (a: Operand, b: Operand) -> Operand { .arithmetic(.multiply, a, b) }
  static func / (a: Operand, b: Operand) -> Operand { .arithmetic(.divide, a, b) }
}

extension Store {
  /// The `id` of every row that matches, in the order asked for.
  func ids(
    _ entity: String, _ condition: Condition, order: [SortTerm] = []
  ) throws -> [Int64] {
    let rows = try read { try $0.fetch(DynamicQuery(entity, where: condition, order: order)) }
    return rows.compactMap { if case .int(let id) = $0["id"] { id } else { nil } }
  }

  func aggregate(
    _ entity: String, _ aggregate: Aggregate, where condition: Condition = .constant(true)
  ) throws -> StoredValue {
    try read { try $0.aggregate(DynamicQuery(entity, where: condition), aggregate) }
  }
}
