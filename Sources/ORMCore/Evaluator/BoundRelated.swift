/// Finds the related rows of one row after another and reads what is wanted of them.
///
/// It belongs to the cursor that works out the condition, and is used for one row at a time; nothing
/// that it calls while it changes something calls back. So access is not checked while the program
/// runs.
final class BoundRelated {
  private let plan: RelatedPlan
  private let environment: RelatedEnvironment
  /// The bindings of each step's request, with what does not change from row to row.
  @exclusivity(unchecked) private var bindings: [[StoredValue]]
  /// Of each step, which of its bindings change, and where their values are kept.
  private let changing: [[Changing]]
  /// The steps' requests, where the store keeps something between two askings.
  private let repeated: [any RepeatedRequest]
  private let local: BoundCondition.Node?
  private let operand: BoundOperand.Node?
  /// Whether a row was found, and no other is needed.
  @exclusivity(unchecked) private var isFound = false
  /// What was read of it.
  @exclusivity(unchecked) private var found = StoredValue.null
  /// What adds up all rows.
  @exclusivity(unchecked) private var aggregator: Aggregator?
  /// Whether arithmetic on their values that overflows is an error, as in an assignment.
  @exclusivity(unchecked) private var throwsOverflow = false

  /// A binding whose value is that of a slot.
  private struct Changing {
    let binding: Int
    let slot: Int
  }

  init(_ plan: RelatedPlan, _ environment: RelatedEnvironment, by binder: EvaluationBinder) throws {
    self.plan = plan
    self.environment = environment
    let bindings = try plan.steps.map { step in
      try step.values.map { value in
        guard case .parameter(let slot) = value else { return StoredValue.null }
        return try binder.value(of: slot)
      }
    }
    self.bindings = bindings
    changing = plan.steps.map { step in
      step.values.enumerated().compactMap { binding, value in
        if case .kept(let slot) = value { Changing(binding: binding, slot: slot) } else { nil }
      }
    }
    repeated =
      if let reader = environment.reader as? any RepeatingReader {
        try zip(plan.steps, bindings).map { step, bindings in
          try reader.repeated(step.shape, bindings: bindings, changing: step.linkCount)
        }
      } else {
        []
      }
    let inner = binder.of(plan.kinds)
    local = try plan.local.map { try inner.bind($0) }
    operand = try plan.operand.map { try inner.bind($0) }
  }

  /// Whether a row has one.
  func exists<R: RowReader & ~Copyable>(for row: borrowing R) throws -> Bool {
    try begin(with: row)
    return isFound
  }

  /// The value in a row's only related row, or the aggregate over all of them.
  func value<R: RowReader & ~Copyable>(
    for row: borrowing R, throwsOverflow: Bool
  ) throws -> StoredValue {
    self.throwsOverflow = throwsOverflow
    aggregator = plan.aggregator
    try begin(with: row)
    return try found.isNull ? aggregator?.result() ?? .null : found
  }

  private func begin<R: RowReader & ~Copyable>(with row: borrowing R) throws {
    isFound = false
    found = .null
    for kept in plan.kept { environment.values[kept.slot] = try row.value(at: kept.column) }
    try visit(0)
  }

  /// Asks for the rows of one step.
  private func visit(_ number: Int) throws {
    for change in changing[number] {
      let value = environment.values[change.slot]
      if value.isNull { return }
      bindings[number][change.binding] = value
    }
    var visitor = StepVisitor(related: self, step: number)
    if repeated.isEmpty {
      let request = FetchRequest(plan.steps[number].shape, bindings: bindings[number])
      try environment.reader.visit(request, &visitor)
    } else {
      try repeated[number].visit(bindings[number], &visitor)
    }
  }

  private struct StepVisitor: RowVisitor {
    let related: BoundRelated
    let step: Int

    mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
      try related.take(row, of: step)
    }
  }

  private func take<R: RowReader & ~Copyable>(
    _ row: borrowing R, of number: Int
  ) throws -> VisitStep {
    if number + 1 < plan.steps.count {
      for kept in plan.steps[number].kept {
        environment.values[kept.slot] = try row.value(at: kept.column)
      }
      try visit(number + 1)
      return isFound ? .stop : .next
    }
    if let local, try !BoundCondition.matches(local, row) { return .next }
    let value: StoredValue
    switch plan.reading {
    // Any value that is not nil counts.
    case .presence: value = .bool(true)
    case .column: value = try row.value(at: 0)
    case .operand:
      value =
        try operand.map { try BoundOperand.evaluate($0, row, throwsOverflow: throwsOverflow) }
        ?? .null
    case .total: return try takeTotal(row.value(at: 0))
    }
    if aggregator != nil {
      aggregator?.add(value)
      return .next
    }
    found = value
    isFound = true
    return .stop
  }

  /// Takes an aggregate over the last step's rows: all there is, or a count of some.
  private func takeTotal(_ total: StoredValue) throws -> VisitStep {
    if plan.steps.count == 1 {
      found = total
      isFound = true
      return .stop
    }
    guard case .int(let some) = found.isNull ? .int(0) : found, case .int(let more) = total else {
      throw StoreError(.engine, "a count is no integer")
    }
    found = .int(some + more)
    return .next
  }
}

/// What inner rows are asked about with: the store's own view, and the values of the rows around.
final class RelatedEnvironment {
  /// Answers the requests for related rows, on the snapshot of the request at hand.
  let reader: any StoreReader
  /// The values kept, by slot; read and set one at a time.
  @exclusivity(unchecked) var values: [StoredValue]

  init(_ reader: any StoreReader, slotCount: Int) {
    self.reader = reader
    values = Array(repeating: .null, count: slotCount)
  }
}
