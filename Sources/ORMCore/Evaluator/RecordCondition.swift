internal import FoundationEssentials

/// A condition as steps for records: a column of fixed width beside a number is a load and a
/// comparison, and AND, OR and NOT are where to go on.
///
/// What else there is, the evaluator works out.
///
/// It belongs to one cursor.
@usableFromInline
package final class RecordCondition {
  @usableFromInline let steps: UnsafeMutableBufferPointer<Step>
  /// The step to begin with, or an end.
  @usableFromInline let start: Int
  /// What steps leave to the evaluator.
  private let others: [BoundCondition.Node]

  /// One question to a record, and where to go on after it: at another step or an end.
  @usableFromInline
  struct Step {
    @usableFromInline var test: Test
    /// The outcomes for which it holds.
    @usableFromInline var accepted: UInt8
    @usableFromInline var field: RecordField
    /// The bits of the number beside the column; the place of what is left to the evaluator.
    @usableFromInline var bits: UInt64
    @usableFromInline var whenTrue: Int
    @usableFromInline var whenFalse: Int
  }

  @usableFromInline
  enum Test { case int64, double, narrow, isNull, other }

  /// What a comparison came to, each a bit; none for a NaN.
  @usableFromInline
  enum Outcome {
    @usableFromInline static let less: UInt8 = 1
    @usableFromInline static let equal: UInt8 = 2
    @usableFromInline static let greater: UInt8 = 4
    @usableFromInline static let null: UInt8 = 8
    @usableFromInline static let unordered: UInt8 = 16
  }

  /// Ends, in the place of a step.
  @usableFromInline static let isTrue = -1
  @usableFromInline static let isFalse = -2

  /// The steps of a condition, for records with these columns.
  package init(_ condition: BoundCondition, _ columns: RowColumns) {
    var compiler = Compiler(fields: columns.fields)
    start = compiler.entry(of: condition.root, Self.isTrue, Self.isFalse)
    steps = .allocate(capacity: compiler.steps.count)
    _ = steps.initialize(from: compiler.steps)
    others = compiler.others
  }

  deinit { steps.deallocate() }

  /// Whether the condition holds for a record that has the columns.
  @inlinable @inline(__always)
  package func matches(_ row: RecordReader) throws -> Bool {
    var at = start
    while at >= 0 {
      let step = steps[at]
      let holds: Bool
      switch step.test {
      case .int64 where row.view.holds(step.field):
        let stored = row.view.bits(step.field, Int64.self)
        holds = Self.order(stored, Int64(bitPattern: step.bits)) & step.accepted != 0
      case .double where row.view.holds(step.field):
        let stored = Double(bitPattern: row.view.bits(step.field, UInt64.self))
        holds = Self.order(stored, Double(bitPattern: step.bits)) & step.accepted != 0
      case .isNull: holds = row.view.isNull(step.field)
      default: holds = try rare(step, row)
      }
      at = holds ? step.whenTrue : step.whenFalse
    }
    return at == Self.isTrue
  }

  /// What needs more than a load.
  @inline(never) @usableFromInline
  func rare(_ step: Step, _ row: RecordReader) throws -> Bool {
    if step.test == .other { return try BoundCondition.matches(others[Int(step.bits)], row) }
    let number = Int64(bitPattern: step.bits)
    let outcome =
      switch (step.test, try row.view.value(step.field)) {
      case (_, .null): Outcome.null
      case (.int64, .int(let value)), (.narrow, .int(let value)): Self.order(value, number)
      case (.narrow, .bool(let value)): Self.order(value ? 1 : 0, number)
      case (.double, .double(let value)): Self.order(value, Double(bitPattern: step.bits))
      case (.double, .date(let value)):
        Self.order(value.timeIntervalSinceReferenceDate, Double(bitPattern: step.bits))
      default:
        throw StoreError(
          .decoding, "a column has a value of another kind than its own",
          entity: row.view.layout.entity.modelName)
      }
    return outcome & step.accepted != 0
  }

  @inlinable @inline(__always)
  static func order(_ stored: Int64, _ number: Int64) -> UInt8 {
    stored < number ? Outcome.less : stored == number ? Outcome.equal : Outcome.greater
  }

  @inlinable @inline(__always)
  static func order(_ stored: Double, _ number: Double) -> UInt8 {
    stored < number
      ? Outcome.less
      : stored == number ? Outcome.equal : stored > number ? Outcome.greater : Outcome.unordered
  }
}

extension RecordCondition {
  /// Makes steps, the last before the first: each is told where to go on.
  private struct Compiler {
    let fields: UnsafeBufferPointer<RecordField>
    var steps: [Step] = []
    var others: [BoundCondition.Node] = []

    /// Where to begin with a part of the condition.
    mutating func entry(
      of node: BoundCondition.Node, _ whenTrue: Int, _ whenFalse: Int
    ) -> Int {
      switch node {
      case .constant(let value): return value ? whenTrue : whenFalse
      case .not(let inner): return entry(of: inner, whenFalse, whenTrue)
      case .all(let parts):
        return parts.reversed().reduce(whenTrue) { entry(of: $1, $0, whenFalse) }
      case .any(let parts):
        return parts.reversed().reduce(whenFalse) { entry(of: $1, whenTrue, $0) }
      default:
        let (test, accepted, field, bits) = question(node) ?? other(node)
        steps.append(
          Step(
            test: test, accepted: accepted, field: field, bits: bits, whenTrue: whenTrue,
            whenFalse: whenFalse))
        return steps.count - 1
      }
    }

    private typealias Question = (Test, UInt8, RecordField, UInt64)

    /// A column that is null, or beside a number of its own kind; nil for anything else.
    private func question(_ node: BoundCondition.Node) -> Question? {
      switch node {
      case .isNull(let column):
        return field(column).map { (.isNull, 0, $0, 0) }
      case .intColumn(let column, let comparator, let number):
        guard let field = field(column), field.encoding.isInteger else { return nil }
        return (
          field.encoding == .int64 ? .int64 : .narrow, comparator.outcomes, field,
          UInt64(bitPattern: number)
        )
      case .doubleColumn(let column, let comparator, let number):
        return double(column, .double, comparator, number)
      case .compare(.column(let column), let comparator, .value(.date(let date))):
        return double(column, .date, comparator, date.timeIntervalSinceReferenceDate)
      case .compare(.column(let column), let comparator, .value(.bool(let value))):
        guard let field = field(column), field.encoding == .bool else { return nil }
        return (.narrow, comparator.outcomes, field, value ? 1 : 0)
      default: return nil
      }
    }

    private func double(
      _ column: Int, _ encoding: RecordField.Encoding, _ comparator: Comparator, _ number: Double
    ) -> Question? {
      guard let field = field(column), field.encoding == encoding else { return nil }
      return (.double, comparator.outcomes, field, number.bitPattern)
    }

    private mutating func other(_ node: BoundCondition.Node) -> Question {
      others.append(node)
      let none = RecordField(encoding: .bool, column: 0, place: 0, nullStart: 0)
      return (.other, 0, none, UInt64(others.count - 1))
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
