internal import ORMValues

/// The plan by which the related rows of a row are found and read.
///
/// It has one request for each step. The requests are made when the condition is compiled, so that
/// stores plan them once.
final class RelatedPlan: Sendable {
  /// The requests, from the row around on.
  let steps: [Step]
  /// The columns of the outer row whose values are captured before the related rows are requested.
  let captures: [Capture]
  /// The condition on the last step's rows that is tested beside their request, since it names
  /// other rows.
  let local: CompiledCondition.Node?
  /// The kinds of the columns of the last step's entity.
  let kinds: [AttributeType.Kind]
  /// The part of the last step's rows that is read.
  let reading: Reading
  /// The operand that core computes for each of these rows; nil unless `reading` is `operand`.
  let operand: CompiledOperand.Node?
  /// The aggregator of the rows; nil if the first row is enough.
  let aggregator: Aggregator?
  /// The results worth remembering from row to row.
  let memory: Memory
  /// The slots that the answer depends on, where it is worth keeping: for a plan inside another,
  /// which is asked for the same row again and again; nil for the outermost.
  let inputs: [Int]?
  /// The path by which the value is found, if others that follow it can use the value too.
  let memoKey: RelatedMemoKey?

  init(
    steps: [Step], captures: [Capture], local: CompiledCondition.Node?, kinds: [AttributeType.Kind],
    reading: Reading, operand: CompiledOperand.Node?, aggregator: Aggregator?, memory: Memory,
    inputs: [Int]?
  ) {
    self.memory = memory
    self.inputs = inputs
    self.steps = steps
    self.captures = captures
    self.local = local
    self.kinds = kinds
    self.reading = reading
    self.operand = operand
    self.aggregator = aggregator
    memoKey =
      memory == .result && reading == .column && local == nil && aggregator == nil
      ? RelatedMemoKey(steps, captures: captures) : nil
  }

  /// True if it is asked of the last step whether there is a row, and nothing else.
  var isPresence: Bool { reading == .presence && local == nil && aggregator == nil }

  /// The request for the rows of one step.
  struct Step: Sendable {
    let shape: FetchShape
    /// The sources of the values of its parameters; those of rows before come first.
    let values: [Value]
    /// The columns of each of its rows whose values are captured.
    let captures: [Capture]
    /// The slots whose values decide the results of the steps behind, where several rows may have the
    /// same; nil where each row has its own.
    let deciding: [Int]?

    /// The number of values that change from row to row, which come before all others.
    var changingCount: Int {
      values.prefix { if case .captured = $0 { true } else { false } }.count
    }
  }

  /// The source of a parameter's value.
  enum Value: Sendable {
    /// A slot of the outermost request's bindings.
    case parameter(Int)
    /// The slot that captures a value of a row before; null means no rows.
    case captured(Int)
  }

  /// The result that is found again and again where many rows lead to one.
  enum Memory: Sendable {
    case nothing
    /// The result, which depends on the only captured value of the outer row, an attribute that
    /// many rows may share.
    case result
    /// The value in the last step's only row, which depends on its only link.
    case lastValue
  }

  /// A column whose value is captured for inner rows.
  struct Capture: Sendable {
    let column: Int
    let slot: Int
  }

  /// The part of the last step's rows that is read.
  enum Reading: Sendable {
    /// Their existence.
    case presence
    /// Their only column.
    case column
    /// An operand that core computes from them.
    case operand
    /// An aggregate that the store worked out, in the only column of the only row.
    case total
  }
}
