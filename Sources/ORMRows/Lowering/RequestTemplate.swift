internal import ORMStorage

/// A lowered request without values: a shape, and for each of its slots the value that fills it.
///
/// It is made of a query whose values are numbered (``NumberedLiteral``), so that it holds for any
/// values of the same kinds. A signature (``ShapeSignature``) leaves out queries of which lowering
/// reads more than the kinds of values.
struct RequestTemplate: Sendable {
  /// The shape of the requests.
  let shape: FetchShape
  /// The source of each slot; nil if the slots are the values in their order.
  private let sources: [Source]?

  private enum Source: Sendable {
    /// A value of the query.
    case literal(NumberedLiteral)
    /// Values of the query as one sorted list, of as many elements as the shape's capacity is for.
    case list([NumberedLiteral], capacity: Int)
    /// A value that lowering added, or that the signature determines.
    case constant(StoredValue)
  }

  /// Makes a template of a request whose literals are numbered; nil if each request must be lowered
  /// with its values.
  init?(_ request: FetchRequest, literalCount: Int) {
    var slots = Slots(constants: request.bindings)
    let lowered = request.shape
    let condition = lowered.condition.rewriting { slots.parameter(for: $0) }
    let sort = lowered.sort.map { term in
      var term = term
      term.operand = term.operand.rewriting { slots.parameter(for: $0) }
      return term
    }
    let output = lowered.output.rewriting { slots.parameter(for: $0) }
    guard slots.isComplete else { return nil }
    shape = FetchShape(
      entity: lowered.entity, output: output, condition: condition, sort: sort,
      isLimited: lowered.isLimited)
    let isInOrder =
      slots.sources.count == literalCount
      && slots.sources.enumerated().allSatisfy { slot, source in
        if case .literal(NumberedLiteral(slot)) = source { true } else { false }
      }
    sources = isInOrder ? nil : slots.sources
  }

  /// Returns the bindings for the values of a query with the same signature.
  ///
  /// The result is nil if values that are joined in a list are equal, so that the list has another
  /// capacity.
  func bindings(of values: [StoredValue]) -> [StoredValue]? {
    guard let sources else { return values }
    var bindings: [StoredValue] = []
    bindings.reserveCapacity(sources.count)
    for source in sources {
      switch source {
      case .literal(let literal): bindings.append(literal.value(in: values))
      case .constant(let value): bindings.append(value)
      case .list(let literals, let capacity):
        var elements: [StoredValue] = []
        for literal in literals {
          switch literal.value(in: values) {
          case .array(let list): elements += list
          case let value: elements.append(value)
          }
        }
        elements = elements.asSet()
        guard elements.count > 1, Operand.capacity(forListOf: elements.count) == capacity
        else { return nil }
        bindings.append(.array(elements))
      }
    }
    return bindings
  }

  /// The slots of a template while it is made.
  private struct Slots {
    let constants: [StoredValue]
    private(set) var sources: [Source] = []
    private(set) var isComplete = true

    /// Returns the parameter for a constant, a literal or a list of literals; nil for any other
    /// operand.
    mutating func parameter(for operand: Operand) -> Operand? {
      switch operand {
      case .parameter(let slot, let kind): return .parameter(append(source(of: slot)), kind)
      case .parameterList(let slot, let kind, let capacity):
        let literal = NumberedLiteral(slot: slot)
        // In NFC several of its texts may be equal.
        let list = literal.flatMap {
          $0.isNormalized ? Source.list([$0], capacity: capacity) : nil
        }
        return .parameterList(append(list ?? source(of: slot)), kind, capacity: capacity)
      case .list(let parts): return joined(parts)
      default: return nil
      }
    }

    /// Returns the parameter for the values that an operand equals on the sides of an OR.
    private mutating func joined(_ parts: [Operand]) -> Operand? {
      var literals: [NumberedLiteral] = []
      var common: AttributeType.Kind?
      for part in parts {
        guard case .parameter(_, let kind) = part, common == nil || common == kind,
          let literal = part.numberedLiteral
        else {
          isComplete = false
          return nil
        }
        common = kind
        literals.append(literal)
      }
      let capacity = Operand.capacity(forListOf: literals.count)
      return .parameterList(
        append(.list(literals, capacity: capacity)), common, capacity: capacity)
    }

    private func source(of slot: Int) -> Source {
      NumberedLiteral(slot: slot).map { .literal($0) } ?? .constant(constants[slot])
    }

    private mutating func append(_ source: Source) -> Int {
      sources.append(source)
      return sources.count - 1
    }
  }
}

extension NumberedLiteral {
  /// The value of this number among those of a query, in the form in which it is bound.
  fileprivate func value(in values: [StoredValue]) -> StoredValue {
    let value = values[number]
    return isNormalized ? value.normalizedNFC : value
  }

  /// Replaces a value that a signature leaves out by its number, which it counts; nil for any other
  /// operand.
  static func numbering(
    _ operand: Operand, of values: [StoredValue], _ count: inout Int
  ) -> Operand? {
    guard case .value(let value) = operand, let kind = value.kind, kind != .bool,
      values.indices.contains(count)
    else { return nil }
    let slot = NumberedLiteral(count).slot
    defer { count += 1 }
    guard case .array(let set) = values[count] else { return .parameter(slot, kind) }
    return .parameterList(
      slot, set.first?.kind, capacity: Operand.capacity(forListOf: set.count))
  }
}

extension FetchShape.Output {
  /// The output with operands exchanged, as in a condition.
  package func rewriting(_ change: (Operand) -> Operand?) -> FetchShape.Output {
    switch self {
    case .rows, .joined, .groups: self
    case .values(let operands): .values(operands.map { $0.rewriting(change) })
    case .aggregates(let aggregates):
      .aggregates(
        aggregates.map { Aggregate($0.kind, $0.operand.map { $0.rewriting(change) }) })
    }
  }
}
