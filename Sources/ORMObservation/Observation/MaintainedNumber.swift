internal import ORM
internal import ORMCore

/// A count or a sum of integers.
final class MaintainedNumber<Value: Sendable>: MaintainedResult {
  let entity: RecordedEntity
  private let condition: BoundCondition?
  /// The operand that is summed; nil for a count.
  private let operand: BoundOperand?
  private let make: @Sendable (Int64) throws -> Value
  private var number: Int64
  private var base: Int64

  init(
    _ number: Int64, _ entity: RecordedEntity, _ condition: BoundCondition?,
    _ operand: BoundOperand?, _ make: @escaping @Sendable (Int64) throws -> Value
  ) {
    self.number = number
    self.entity = entity
    self.condition = condition
    self.operand = operand
    self.make = make
    base = number
  }

  var value: Value { get throws { try make(number) } }
  var differsFromBase: Bool? { number != base }
  func rebase() { base = number }

  func apply(_ changes: ObservedChanges) throws -> MaintainedStep {
    let rows: [ObservedRow]
    switch changes {
    case .none: return .same
    case .everything: return .lost
    case .rows(let changed): rows = changed
    }
    let before = number
    for row in rows {
      // Sums beyond 64 bits, and values that are no integers, are left to the store.
      guard let old = try part(of: row.old), let new = try part(of: row.new) else { return .lost }
      let (difference, overflows) = new.subtractingReportingOverflow(old)
      let (sum, overflowsToo) = number.addingReportingOverflow(difference)
      if overflows || overflowsToo { return .lost }
      number = sum
    }
    return number == before ? .same : .changed
  }

  /// The part of the number that a row has; nil if it is no integer.
  private func part(of row: BufferedRow?) throws -> Int64? {
    guard let row, try condition?.matches(row) ?? true else { return 0 }
    guard let operand else { return 1 }
    switch try operand.evaluate(row) {
    case .int(let value): return value
    case .null: return 0
    default: return nil
    }
  }
}
