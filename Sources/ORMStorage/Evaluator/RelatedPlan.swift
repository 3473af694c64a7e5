internal import ORMValues

/// How the related rows of a row are found and what is read of them: one request a step, made when
/// the condition is compiled, so that stores plan it once.
final class RelatedPlan: Sendable {
  /// The requests, from the row around on.
  let steps: [Step]
  /// What is kept of the row around before they are asked.
  let kept: [Kept]
  /// What is tested of the last step's rows beside their request: what names other rows.
  let local: CompiledCondition.Node?
  /// The kinds of the columns of the last step's entity.
  let kinds: [AttributeType.Kind]
  /// What is read of the last step's rows.
  let reading: Reading
  /// What is worked out of each of them, where they are read so.
  let operand: CompiledOperand.Node?
  /// What adds up; nil when the first row is enough.
  let aggregator: Aggregator?
  /// The results worth remembering from row to row.
  let memory: Memory
  /// The slots that the answer depends on, where it is worth keeping: for a plan inside another,
  /// which is asked for the same row again and again; nil for the outermost.
  let inputs: [Int]?

  init(
    steps: [Step], kept: [Kept], local: CompiledCondition.Node?, kinds: [AttributeType.Kind],
    reading: Reading, operand: CompiledOperand.Node?, aggregator: Aggregator?, memory: Memory,
    inputs: [Int]?
  ) {
    self.memory = memory
    self.inputs = inputs
    self.steps = steps
    self.kept = kept
    self.local = local
    self.kinds = kinds
    self.reading = reading
    self.operand = operand
    self.aggregator = aggregator
  }

  /// The request for the rows of one step.
  struct Step: Sendable {
    let shape: FetchShape
    /// The sources of the values of its parameters; those of rows before come first.
    let values: [Value]
    /// What is kept of each of its rows.
    let kept: [Kept]
    /// The slots whose values decide what the steps behind give, where several rows may have the
    /// same; nil where each row has its own.
    let deciding: [Int]?

    /// The number of values that change from row to row, which come before all others.
    var changingCount: Int {
      values.prefix { if case .kept = $0 { true } else { false } }.count
    }
  }

  /// Where the value of a parameter comes from.
  enum Value: Sendable {
    /// From the outermost request's bindings: the slot there.
    case parameter(Int)
    /// From a row before: the slot in which it is kept. A null means no rows.
    case kept(Int)
  }

  /// The result that is found again and again where many rows lead to one.
  enum Memory: Sendable {
    case nothing
    /// The result, which depends on the only value kept of the row around, an attribute that many
    /// rows may share.
    case result
    /// The value in the last step's only row, which depends on its only link.
    case lastValue
  }

  /// A column whose value is kept while inner rows are asked about.
  struct Kept: Sendable {
    let column: Int
    let slot: Int
  }

  /// What is read of the last step's rows.
  enum Reading: Sendable {
    /// That they are there.
    case presence
    /// Their only column.
    case column
    /// What core works out of them.
    case operand
    /// An aggregate that the store worked out, in the only column of the only row.
    case total
  }
}
