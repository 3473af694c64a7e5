/// Conditions asked of several records at once.
extension RecordCondition.Test {
  /// Moves the views of the records that the condition holds for to the front; gives how many.
  ///
  /// It stops at a record of which the condition cannot be asked, and notes the error.
  package func sift(
    _ views: UnsafeMutablePointer<RecordView>, _ count: Int, _ failure: inout (any Error)?
  ) -> Int {
    var accepted = 0
    do {
      // Accepted or not without a branch, which a processor may guess wrong every other time.
      if let number = NumberTest(self) {
        for i in 0..<count {
          let isAccepted = try number.holds(for: views + i, of: self)
          views[accepted] = views[i]
          accepted &+= isAccepted ? 1 : 0
        }
      } else {
        for i in 0..<count {
          let isAccepted = try matches(views[i])
          views[accepted] = views[i]
          accepted &+= isAccepted ? 1 : 0
        }
      }
    } catch { failure = error }
    return accepted
  }

  /// Returns how many of the records the condition holds for.
  package func count(of views: UnsafePointer<RecordView>, _ count: Int) throws -> Int {
    var holds = 0
    if let number = NumberTest(self) {
      for i in 0..<count {
        holds &+= try number.holds(for: views + i, of: self) ? 1 : 0
      }
    } else {
      for i in 0..<count { holds &+= try matches(views[i]) ? 1 : 0 }
    }
    return holds
  }
}

/// A condition that compares one column with one number, as most do: its step is decoded once for all
/// records.
private struct NumberTest {
  private let field: RecordField
  private let isDouble: Bool
  /// True if the condition holds for the numbers of the range.
  private let isInsideTrue: Bool
  private let low: UInt64
  private let reach: UInt64

  /// Nil for any other condition.
  @inline(__always)
  init?(_ test: RecordCondition.Test) {
    guard let steps = test.steps, test.start >= 0 else { return nil }
    let step = steps[test.start]
    guard step.kind == .double || step.kind == .int64, step.whenInside < 0, step.whenOutside < 0,
      step.whenInside != step.whenOutside
    else { return nil }
    field = step.field
    isDouble = step.kind == .double
    isInsideTrue = step.whenInside == RecordCondition.isTrue
    (low, reach) = (step.low, step.reach)
  }

  @inline(__always)
  func holds(
    for view: UnsafePointer<RecordView>, of test: RecordCondition.Test
  ) throws -> Bool {
    if view.pointee.missing & field.missingBit != 0 { return try test.matches(view.pointee) }
    let bits = view.pointee.bits(field, UInt64.self)
    let number = Double(bitPattern: bits)
    let isInside =
      isDouble
      ? number >= Double(bitPattern: low) && number <= Double(bitPattern: reach)
      : bits &- low <= reach
    return isInside == isInsideTrue
  }
}
