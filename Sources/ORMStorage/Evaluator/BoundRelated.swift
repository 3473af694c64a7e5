internal import ORMValues

/// Finds the related rows of one row after another and reads the wanted values of them.
///
/// It belongs to the cursor that evaluates the condition, and is used for one row at a time; nothing that
/// it calls while it changes something calls back.
final class BoundRelated {
  private let plan: RelatedPlan
  private let environment: RelatedEnvironment
  /// The bindings of each step's request; those that do not change from row to row are set.
  private var bindings: [[StoredValue]]
  /// The bindings of each step that change, with the slots of their captured values.
  private let changing: [[Changing]]
  /// The steps' requests, where the store keeps something between two askings.
  private let repeated: [any RepeatedRequest]
  private let local: BoundCondition.Node?
  private let operand: BoundOperand.Node?
  /// True if the result is known, so that no further row is needed.
  private var isFound = false
  /// True when `found` is a total, which may be null.
  private var hasTotal = false
  /// The value read from the row that was found, or the total.
  private var found = StoredValue.null
  /// The running aggregate over all rows; nil if the first row is enough.
  private var aggregator: Aggregator?
  /// The most rows that are counted; nil for all.
  private var mostCounted: Int64?
  private var counted: Int64 = 0
  /// The results found before, where the plan says that they are worth keeping and rows do not change.
  private let memo: RelatedMemo?
  /// The value of the last step's row, where it was asked for.
  private var lastValue = StoredValue.null
  /// True if overflow in arithmetic on the rows' values is an error, as in an assignment.
  private var throwsOverflow = false

  /// The totals, for each step, of the rows behind the rows already met; the totals are empty where one row
  /// is enough.
  private var met: [[GroupKey: Total]]
  /// The answers for this row of the outermost request, by the values they depend on.
  private var answers: [GroupKey: StoredValue] = [:]
  /// The row of the outermost request that the answers are about.
  private var answered = 0

  /// The total of the rows behind a step.
  private struct Total {
    var aggregator: Aggregator?
    var found = StoredValue.null
  }

  /// The most cached answers.
  private static let answerLimit = 1 << 16

  /// A binding whose value is that of a slot.
  private struct Changing {
    let binding: Int
    let slot: Int
  }

  init(_ plan: RelatedPlan, _ environment: RelatedEnvironment, by binder: EvaluationBinder) throws {
    self.plan = plan
    self.environment = environment
    met = plan.steps.map { _ in [:] }
    let bindings = try plan.steps.map { step in
      try step.values.map { value in
        guard case .parameter(let slot) = value else { return StoredValue.null }
        return try binder.value(of: slot)
      }
    }
    self.bindings = bindings
    changing = plan.steps.map { step in
      step.values.enumerated().compactMap { binding, value in
        if case .captured(let slot) = value { Changing(binding: binding, slot: slot) } else { nil }
      }
    }
    if let reader = environment.reader as? any RepeatingReader {
      repeated = try zip(plan.steps.indices, bindings).map { number, bindings in
        let step = plan.steps[number]
        return try reader.repeated(
          step.shape, bindings: bindings, changing: step.changingCount,
          isPresence: plan.isPresence && number + 1 == plan.steps.count)
      }
      memo =
        reader.isFixed && plan.memory != .nothing
        ? plan.memoKey.map { reader.memo(of: $0) } ?? RelatedMemo() : nil
    } else {
      repeated = []
      memo = nil
    }
    let inner = binder.of(plan.kinds)
    local = try plan.local.map { try inner.bind($0) }
    operand = try plan.operand.map { try inner.bind($0) }
  }

  /// Counts only as many rows as decide how the count compares with a number.
  func count(upTo number: Int64) {
    guard plan.aggregator?.function == .count, number < .max else { return }
    let most = max(number, 0) + 1
    mostCounted = most
    repeated.last?.mostCounted = Int(clamping: most)
  }

  /// Returns whether a row has one.
  func exists<R: RowReader & ~Copyable>(for row: borrowing R) throws -> Bool {
    try answer(for: row) { related in
      try related.begin()
      return .bool(related.isFound)
    } == .bool(true)
  }

  /// The value in a row's only related row, or the aggregate over all of them.
  func value<R: RowReader & ~Copyable>(
    for row: borrowing R, throwsOverflow: Bool
  ) throws -> StoredValue {
    self.throwsOverflow = throwsOverflow
    return try answer(for: row) { try $0.worth() }
  }

  private func worth() throws -> StoredValue {
    aggregator = plan.aggregator
    counted = 0
    try begin()
    // A total may be null, as that of both infinities is, and is not that of no rows then.
    return try found.isNull && !hasTotal ? aggregator?.result() ?? .null : found
  }

  /// An answer for a row, or the one for another row with the same link.
  @inline(__always)
  private func answer<R: RowReader & ~Copyable>(
    for row: borrowing R, _ work: (BoundRelated) throws -> StoredValue
  ) throws -> StoredValue {
    guard plan.memory == .result, memo != nil,
      case let key = try row.value(at: plan.captures[0].column), !key.isNull,
      let (index, isNew) = memo?.index(of: key)
    else {
      try keep(row)
      if let inputs = plan.inputs { return try answer(for: inputs, work) }
      return try work(self)
    }
    if !isNew { return memo?[index] ?? .null }
    do {
      try keep(row)
      let value = try work(self)
      memo?[index] = value
      return value
    } catch {
      memo?.removeAll()
      throw error
    }
  }

  /// Stores the needed values of the row around.
  private func keep<R: RowReader & ~Copyable>(_ row: borrowing R) throws {
    for capture in plan.captures {
      environment.values[capture.slot] = try row.value(at: capture.column)
    }
    if plan.inputs == nil { environment.row &+= 1 }
  }

  /// An answer, worked out once for each row of the outermost request and each set of inputs.
  ///
  /// Several paths may lead to one row, and nested operands would multiply the paths.
  private func answer(
    for inputs: [Int], _ work: (BoundRelated) throws -> StoredValue
  ) throws -> StoredValue {
    if answered != environment.row || answers.count >= Self.answerLimit {
      answered = environment.row
      answers.removeAll(keepingCapacity: true)
    }
    let key = GroupKey(inputs.map { environment.values[$0] })
    if let known = answers[key] { return known }
    let answer = try work(self)
    answers[key] = answer
    return answer
  }

  private func begin() throws {
    isFound = false
    hasTotal = false
    found = .null
    for step in plan.steps.indices where plan.steps[step].deciding != nil {
      met[step].removeAll(keepingCapacity: true)
    }
    try visit(0)
  }

  /// Asks for the rows of one step.
  private func visit(_ number: Int) throws {
    for change in changing[number] {
      let value = environment.values[change.slot]
      if value.isNull { return }
      bindings[number][change.binding] = value
    }
    if plan.memory == .lastValue, memo != nil, number + 1 == plan.steps.count {
      return try visitRemembered(number)
    }
    try ask(number)
  }

  /// Asks for the only row of the last step, where it was not asked for before.
  private func visitRemembered(_ number: Int) throws {
    let key = environment.values[changing[number][0].slot]
    guard let (index, isNew) = memo?.index(of: key) else { return }
    if !isNew {
      if let value = memo?[index], !value.isNull { _ = try take(value) }
      return
    }
    lastValue = .null
    do {
      try ask(number)
      memo?[index] = lastValue
    } catch {
      memo?.removeAll()
      throw error
    }
  }

  private func ask(_ number: Int) throws {
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
      for capture in plan.steps[number].captures {
        environment.values[capture.slot] = try row.value(at: capture.column)
      }
      if let deciding = plan.steps[number].deciding {
        let key = GroupKey(deciding.map { environment.values[$0] })
        if plan.aggregator != nil {
          try add(behind: number, key)
          return isFound ? .stop : .next
        }
        if met[number].updateValue(Total(), forKey: key) != nil { return .next }
      }
      try visit(number + 1)
      return isFound ? .stop : .next
    }
    if let local, try !BoundCondition.matches(local, row) { return .next }
    switch plan.reading {
    // Any value that is not nil counts.
    case .presence: lastValue = .bool(true)
    case .column, .total: lastValue = try row.value(at: 0)
    case .operand:
      lastValue =
        try operand.map { try BoundOperand.evaluate($0, row, throwsOverflow: throwsOverflow) }
        ?? .null
    }
    return try take(lastValue)
  }

  /// Takes the value that was read of a row of the last step.
  private func take(_ value: StoredValue) throws -> VisitStep {
    if plan.reading == .total { return try takeTotal(value) }
    if aggregator != nil {
      aggregator?.add(value)
      if let mostCounted, !value.isNull {
        counted += 1
        isFound = counted >= mostCounted
      }
      return isFound ? .stop : .next
    }
    found = value
    isFound = true
    return .stop
  }

  /// Adds the total of the rows behind a step, once for every path that leads to them.
  private func add(behind number: Int, _ key: GroupKey) throws {
    let total: Total
    if let known = met[number][key] {
      total = known
    } else {
      let before = Total(aggregator: aggregator, found: found)
      aggregator = plan.aggregator
      found = .null
      try visit(number + 1)
      total = Total(aggregator: aggregator, found: found)
      met[number][key] = total
      aggregator = before.aggregator
      found = before.found
    }
    if let other = total.aggregator { try aggregator?.merge(checked: other) }
    if !total.found.isNull { _ = try addCount(total.found) }
  }

  /// Takes an aggregate over the last step's rows: all there is, or a count of some.
  private func takeTotal(_ total: StoredValue) throws -> VisitStep {
    if plan.steps.count == 1 {
      found = total
      hasTotal = true
      isFound = true
      return .stop
    }
    return try addCount(total)
  }

  private func addCount(_ count: StoredValue) throws -> VisitStep {
    guard case .int(let some) = found.isNull ? .int(0) : found, case .int(let more) = count else {
      throw StoreError(.engine, "a count is not an integer")
    }
    let (sum, isTooLarge) = some.addingReportingOverflow(more)
    if isTooLarge { throw Aggregator.tooMany }
    found = .int(sum)
    if let mostCounted { isFound = sum >= mostCounted }
    return isFound ? .stop : .next
  }
}

/// The environment of requests for inner rows: the store's own view and the values of the outer
/// rows.
final class RelatedEnvironment {
  /// Answers the requests for related rows, on the snapshot of the running request.
  let reader: any StoreReader
  /// The captured values, by slot; read and set one at a time.
  var values: [StoredValue]
  /// The number of the current row of the outermost request.
  var row = 0

  init(_ reader: any StoreReader, slotCount: Int) {
    self.reader = reader
    values = Array(repeating: .null, count: slotCount)
  }
}
