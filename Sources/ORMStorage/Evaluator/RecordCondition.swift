internal import FoundationEssentials
internal import ORMValues

/// A condition as steps for records: a column of fixed width beside a number is a load and a
/// comparison, and AND, OR and NOT are where to go on.
///
/// The evaluator computes all others.
///
/// It belongs to one cursor.
@usableFromInline
package final class RecordCondition {
  private let steps: UnsafeMutableBufferPointer<Step>
  /// The step to begin with, or an end.
  private let start: Int
  /// The conditions that steps leave to the evaluator.
  private let others: [BoundCondition.Node]
  private let columns: RowColumns
  /// The lists that columns are looked up in: retained here, because steps hold their addresses
  /// alone.
  private let lists: [IntegerList]

  /// One question to a record, and where to go on after it: at another step or an end.
  @usableFromInline
  struct Step {
    @usableFromInline var kind: Kind
    /// The outcomes for which it holds.
    @usableFromInline var accepted: UInt8
    @usableFromInline var field: RecordField
    /// The bits of the number beside the column; the address of a list, or the index of a part that is left
    /// to the evaluator.
    @usableFromInline var bits: UInt64
    @usableFromInline var whenTrue: Int
    @usableFromInline var whenFalse: Int
    /// The numbers for which a comparison goes on at `whenInside`: from here, as bits, on.
    @usableFromInline var low: UInt64
    /// The distance from `low` to the range's last integer; for doubles the range's last number, as
    /// bits.
    @usableFromInline var reach: UInt64
    @usableFromInline var whenInside: Int
    @usableFromInline var whenOutside: Int
  }

  @usableFromInline
  enum Kind { case int64, double, narrow, isNull, among, other }

  /// The outcomes of a comparison, one bit each.
  fileprivate enum Outcome {
    static let less: UInt8 = 1
    static let equal: UInt8 = 2
    static let greater: UInt8 = 4
    static let null: UInt8 = 8
    static let unordered: UInt8 = 16
  }

  /// Ends, instead of a step.
  @usableFromInline static let isTrue = -1
  @usableFromInline static let isFalse = -2

  /// The steps of a condition, for records with these columns.
  ///
  /// - Parameter asSteps: false for one step, which leaves the whole condition to the evaluator. A filter
  ///   by a scan then takes 356 instructions a row in memory, where it takes 168 by steps.
  package init(_ condition: BoundCondition, _ columns: RowColumns, asSteps: Bool = true) {
    self.columns = columns
    var compiler = Compiler(fields: columns.fields, makesSteps: asSteps)
    start = compiler.entry(of: condition.root, Self.isTrue, Self.isFalse)
    steps = .allocate(capacity: compiler.steps.count)
    _ = steps.initialize(from: compiler.steps)
    others = compiler.others
    lists = compiler.lists
  }

  deinit { steps.deallocate() }

  /// Returns whether the condition holds for a record that has the columns.
  package func matches(_ row: RecordReader) throws -> Bool { try test.matches(row.view) }

  /// The condition as it is asked of many rows.
  package var test: Test {
    Test(steps: UnsafePointer(steps.baseAddress), start: start, condition: .passUnretained(self))
  }

  /// A test by a condition.
  ///
  /// The caller keeps the condition alive, so no references are counted for each row.
  @usableFromInline
  package struct Test {
    /// The steps; nil if there are none, and then `start` is an end.
    @usableFromInline let steps: UnsafePointer<Step>?
    @usableFromInline let start: Int
    @usableFromInline let condition: Unmanaged<RecordCondition>

    /// Returns whether the condition holds for a record that has the columns.
    @inlinable @inline(__always)
    package func matches(_ view: RecordView) throws -> Bool {
      guard let steps else { return start == RecordCondition.isTrue }
      var at = start
      while at >= 0 {
        // Through the pointer, so that no more of a step is loaded than is looked at.
        let step = steps + at
        let isHeld = view.missing & step.pointee.field.missingBit == 0
        let isInside: Bool
        switch step.pointee.kind {
        case .int64 where isHeld:
          let stored = UInt64(bitPattern: view.bits(step.pointee.field, Int64.self))
          isInside = stored &- step.pointee.low <= step.pointee.reach
        case .double where isHeld:
          let stored = Double(bitPattern: view.bits(step.pointee.field, UInt64.self))
          isInside =
            stored >= Double(bitPattern: step.pointee.low)
            && stored <= Double(bitPattern: step.pointee.reach)
        default:
          let holds = try condition._withUnsafeGuaranteedRef { try $0.rare(step, view) }
          at = holds ? step.pointee.whenTrue : step.pointee.whenFalse
          continue
        }
        at = isInside ? step.pointee.whenInside : step.pointee.whenOutside
      }
      return at == RecordCondition.isTrue
    }
  }

  /// Returns whether a step holds that needs more than a load.
  @inline(never) @usableFromInline
  func rare(_ pointer: UnsafePointer<Step>, _ view: RecordView) throws -> Bool {
    let step = pointer.pointee
    if step.kind == .isNull { return view.isNull(step.field) }
    if step.kind == .among { return try isAmong(step, view) }
    if step.kind == .other {
      return try BoundCondition.matches(
        others[Int(step.bits)], RecordReader(view, columns.list))
    }
    let number = Int64(bitPattern: step.bits)
    let outcome =
      switch (step.kind, try view.value(step.field)) {
      case (_, .null): Outcome.null
      case (.int64, .int(let value)), (.narrow, .int(let value)): Self.order(value, number)
      case (.narrow, .bool(let value)): Self.order(value ? 1 : 0, number)
      case (.double, .double(let value)): Self.order(value, Double(bitPattern: step.bits))
      case (.double, .date(let value)):
        Self.order(value.timeIntervalSinceReferenceDate, Double(bitPattern: step.bits))
      default: throw Self.mistaken(view)
      }
    return outcome & step.accepted != 0
  }

  /// Returns whether the number of a column is in a list.
  private func isAmong(_ step: Step, _ view: RecordView) throws -> Bool {
    guard let address = UnsafeRawPointer(bitPattern: UInt(step.bits)) else { return false }
    return try Unmanaged<IntegerList>.fromOpaque(address)._withUnsafeGuaranteedRef { list in
      if view.holds(step.field) { return list.contains(view.bits(step.field, Int64.self)) }
      return switch try view.value(step.field) {
      case .null: list.holdsNull
      case .int(let number): list.contains(number)
      default: throw Self.mistaken(view)
      }
    }
  }

  private static func mistaken(_ view: RecordView) -> StoreError {
    StoreError(
      .decoding, "a column has a value of the wrong kind",
      entity: view.layout.entity.modelName)
  }

  private static func order(_ stored: Int64, _ number: Int64) -> UInt8 {
    stored < number ? Outcome.less : stored == number ? Outcome.equal : Outcome.greater
  }

  private static func order(_ stored: Double, _ number: Double) -> UInt8 {
    stored < number
      ? Outcome.less
      : stored == number ? Outcome.equal : stored > number ? Outcome.greater : Outcome.unordered
  }
}

extension RecordCondition {
  /// Makes steps, the last before the first: each knows where to go on.
  private struct Compiler {
    let fields: UnsafeBufferPointer<RecordField>
    /// False if the evaluator computes everything.
    let makesSteps: Bool
    var steps: [Step] = []
    var others: [BoundCondition.Node] = []
    var lists: [IntegerList] = []

    /// Adds the steps of a part of the condition and returns the step, or the end, to begin with.
    mutating func entry(
      of node: BoundCondition.Node, _ whenTrue: Int, _ whenFalse: Int
    ) -> Int {
      if !makesSteps { return step(other(node), whenTrue, whenFalse) }
      switch node {
      case .constant(let value): return value ? whenTrue : whenFalse
      case .not(let inner): return entry(of: inner, whenFalse, whenTrue)
      case .all(let parts):
        return parts.reversed().reduce(whenTrue) { entry(of: $1, $0, whenFalse) }
      case .any(let parts):
        return parts.reversed().reduce(whenFalse) { entry(of: $1, whenTrue, $0) }
      default: return step(question(node) ?? other(node), whenTrue, whenFalse)
      }
    }

    private mutating func step(_ question: Question, _ whenTrue: Int, _ whenFalse: Int) -> Int {
      let (kind, comparator, field, bits) = question
      steps.append(Step(kind, comparator, field, bits, whenTrue, whenFalse))
      return steps.count - 1
    }

    private typealias Question = (Kind, Comparator, RecordField, UInt64)

    /// A column that is null, or beside a number of its own kind; nil for anything else.
    private mutating func question(_ node: BoundCondition.Node) -> Question? {
      switch node {
      case .isNull(let column):
        return field(column).map { (.isNull, .equal, $0, 0) }
      case .intColumn(let column, let comparator, let number):
        guard let field = field(column), field.encoding.isInteger else { return nil }
        return (
          field.encoding == .int64 ? .int64 : .narrow, comparator, field,
          UInt64(bitPattern: number)
        )
      case .intColumnAmong(let column, let list):
        guard let field = field(column), field.encoding == .int64 else { return nil }
        lists.append(list)
        let address = UInt(bitPattern: Unmanaged.passUnretained(list).toOpaque())
        return (.among, .equal, field, UInt64(address))
      case .doubleColumn(let column, let comparator, let number):
        return double(column, .double, comparator, number)
      case .compare(.column(let column), let comparator, .value(.date(let date))):
        return double(column, .date, comparator, date.timeIntervalSinceReferenceDate)
      case .compare(.column(let column), let comparator, .value(.bool(let value))):
        guard let field = field(column), field.encoding == .bool else { return nil }
        return (.narrow, comparator, field, value ? 1 : 0)
      default: return nil
      }
    }

    private func double(
      _ column: Int, _ encoding: RecordField.Encoding, _ comparator: Comparator, _ number: Double
    ) -> Question? {
      guard let field = field(column), field.encoding == encoding else { return nil }
      return (.double, comparator, field, number.bitPattern)
    }

    private mutating func other(_ node: BoundCondition.Node) -> Question {
      others.append(node)
      let none = RecordField(encoding: .bool, column: 0, location: 0)
      return (.other, .equal, none, UInt64(others.count - 1))
    }

    private func field(_ column: Int) -> RecordField? {
      fields.indices.contains(column) ? fields[column] : nil
    }
  }
}

extension Comparator {
  /// The outcomes of a comparison for which the operator holds (clause 2.1).
  fileprivate var outcomes: UInt8 {
    typealias Outcome = RecordCondition.Outcome
    return switch self {
    case .equal: Outcome.equal
    case .notEqual: ~Outcome.equal
    case .less: Outcome.less
    case .lessOrEqual: Outcome.less | Outcome.equal
    case .greater: Outcome.greater
    case .greaterOrEqual: Outcome.greater | Outcome.equal
    }
  }
}

extension RecordCondition.Step {
  fileprivate init(
    _ kind: RecordCondition.Kind, _ comparator: Comparator, _ field: RecordField, _ bits: UInt64,
    _ whenTrue: Int, _ whenFalse: Int
  ) {
    self.kind = kind
    accepted = comparator.outcomes
    self.field = field
    self.bits = bits
    self.whenTrue = whenTrue
    self.whenFalse = whenFalse
    let range: (low: UInt64, reach: UInt64)? =
      switch kind {
      case .int64: comparator.range(beside: Int64(bitPattern: bits))
      case .double: comparator.range(beside: Double(bitPattern: bits))
      case .narrow, .isNull, .among, .other: nil
      }
    (low, reach) = range ?? (0, 0)
    whenInside = range == nil || comparator == .notEqual ? whenFalse : whenTrue
    // A NaN, which is in no range, is not equal to anything.
    whenOutside = comparator == .notEqual ? whenTrue : whenFalse
  }
}

extension Comparator {
  /// The integers for which the operator holds, or does not if it is `notEqual`: the first, and how
  /// many more.
  ///
  /// Nil where there are none.
  fileprivate func range(beside number: Int64) -> (low: UInt64, reach: UInt64)? {
    let (first, last): (Int64, Int64)
    switch self {
    case .equal, .notEqual: (first, last) = (number, number)
    case .lessOrEqual: (first, last) = (.min, number)
    case .greaterOrEqual: (first, last) = (number, .max)
    case .less:
      if number == .min { return nil }
      (first, last) = (.min, number - 1)
    case .greater:
      if number == .max { return nil }
      (first, last) = (number + 1, .max)
    }
    return (UInt64(bitPattern: first), UInt64(bitPattern: last &- first))
  }

  /// The doubles for which the operator holds, or does not if it is `notEqual`: the first and the
  /// last.
  ///
  /// Empty where there are none, and beside a NaN.
  fileprivate func range(beside number: Double) -> (low: UInt64, reach: UInt64)? {
    let (first, last) =
      switch self {
      case .equal, .notEqual: (number, number)
      case .lessOrEqual: (-Double.infinity, number)
      case .greaterOrEqual: (number, Double.infinity)
      case .less: (-Double.infinity, number.nextDown)
      case .greater: (number.nextUp, Double.infinity)
      }
    // Nothing lies beyond infinity, where the next is infinity again.
    let isPastEnd =
      self == .less && number == -.infinity || self == .greater && number == .infinity
    return isPastEnd ? nil : (first.bitPattern, last.bitPattern)
  }
}
