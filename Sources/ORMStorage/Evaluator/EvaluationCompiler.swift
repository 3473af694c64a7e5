internal import ORMValues

/// Looks up the names of conditions and operands: in the row that is asked about, and in the rows
/// around it.
struct EvaluationCompiler {
  private let schema: StoredSchema
  /// The rows in scope; the last is the row that the condition is about.
  private var scopes: [Scope]
  /// The elements of arrays that may be named now: their slots and kinds, by scope.
  private var items: [Int: (slot: Int, kind: AttributeType.Kind?)] = [:]
  /// The number of elements of arrays that are held at once.
  private(set) var itemCount = 0
  /// The number of captured values of outer rows.
  private(set) var slotCount = 0
  /// The requests for related rows, in the order of their appearance.
  private(set) var shapes: [FetchShape] = []

  /// The slots read since the current plan began, with the indexes of the scopes they are captured from.
  private var uses: Set<SlotUse> = []

  private struct SlotUse: Hashable {
    let scope: Int
    let slot: Int
  }

  /// A row that names lead to.
  private struct Scope {
    let number: Int
    let entity: StoredEntity
    /// The columns that are read.
    var columns: Set<Int> = []
    /// The columns captured for inner rows, and their slots.
    var captured: [Int: Int] = [:]

    /// The captured columns, in the order of their slots.
    var captures: [RelatedPlan.Capture] {
      captured.map { RelatedPlan.Capture(column: $0, slot: $1) }.sorted { $0.slot < $1.slot }
    }
  }

  /// A compiler for the rows of one entity, which are scope 0.
  init(entity: StoredEntity, schema: StoredSchema) {
    self.schema = schema
    scopes = [Scope(number: 0, entity: entity)]
  }

  /// The columns read of the outermost row, ascending.
  var columns: [Int] { scopes[0].columns.sorted() }

  private var inner: Int { scopes.count - 1 }

  mutating func compile(_ condition: Condition) throws -> CompiledCondition.Node {
    switch condition {
    case .constant(let value): return .constant(value)
    case .not(let inner): return .not(try compile(inner))
    case .all(let parts): return .all(try compile(parts))
    case .any(let parts): return .any(try compile(parts))
    case .compare(let left, let comparator, let right, let options):
      return .compare(try compile(left), comparator, try compile(right), options)
    case .isIn(let element, let list, let options):
      return .isIn(try compile(element), try compile(list), options)
    case .text(let text, let symbol, let other, let options):
      return .text(try compile(text), symbol, try compile(other), options)
    case .exists(let rows, let condition):
      return .exists(try plan(rows, where: condition, for: .existence))
    case .someItem(let array, let scope, let condition):
      let list = try compile(array)
      return try withItem(of: array, scope: scope) { compiler, slot in
        .someItem(list, slot: slot, try compiler.compile(condition))
      }
    case .some:
      throw StoreError(.invalidCondition, "a condition on elements was not lowered: \(condition)")
    case .invalid(let error): throw error
    }
  }

  private mutating func compile(_ parts: [Condition]) throws -> [CompiledCondition.Node] {
    var nodes: [CompiledCondition.Node] = []
    var check = StopCheck()
    for part in parts {
      try check.step()
      nodes.append(try compile(part))
    }
    return nodes
  }

  mutating func compile(_ operand: Operand) throws -> CompiledOperand.Node {
    switch operand {
    case .value(let value): return .value(value)
    case .invalid(let error): throw error
    case .parameter(let slot, _), .parameterList(let slot, _, capacity: _):
      return .parameter(slot)
    case .path(let path):
      let (scope, column) = try find(path)
      if scope != inner { return .captured(capture(column, of: scope)) }
      scopes[scope].columns.insert(column)
      return .column(column)
    case .json(let inner, let steps): return .json(try compile(inner), steps)
    case .element(let inner, let index): return .element(try compile(inner), index)
    case .arithmetic(let symbol, let left, let right):
      return .arithmetic(
        symbol, try compile(left), try compile(right),
        isUnsigned: kinds.isUnsigned(left) || kinds.isUnsigned(right))
    case .negated(let inner):
      return .negated(try compile(inner), isUnsigned: kinds.isUnsigned(inner))
    case .choice(let condition, let first, let second):
      return .choice(try compile(condition), try compile(first), try compile(second))
    case .function(let function, let inner):
      return .function(function, try compile(inner), isUnsigned: kinds.isUnsigned(inner))
    case .relatedAggregate(let kind, let operand, let rows, let condition):
      return .related(try plan(rows, where: condition, for: .aggregate(kind, operand)))
    case .relatedValue(let operand, let rows):
      return .related(try plan(rows, where: .constant(true), for: .value(operand)))
    case .item(let scope):
      guard let item = items[scope] else {
        throw StoreError(
          .invalidCondition, "an element of an array is named outside of its condition")
      }
      return .item(item.slot)
    case .ofItems(let aggregate, let array, let scope, let condition):
      let list = try compile(array)
      return try withItem(of: array, scope: scope) { compiler, slot in
        .ofItems(
          list, slot: slot, try compiler.compile(condition),
          Aggregator(aggregate, of: compiler.items[scope]?.kind ?? .json))
      }
    case .list(let parts): return .list(try parts.map { try compile($0) })
    case .output(let column):
      // A row of a result has no key; of other rows there are no such columns.
      guard inner == 0, scopes[0].entity.key.isEmpty,
        scopes[0].entity.columns.indices.contains(column)
      else {
        throw StoreError(
          .invalidCondition,
          "only groups have columns that can be named: \(operand)")
      }
      scopes[0].columns.insert(column)
      return .column(column)
    case .ofElements, .variable, .now:
      throw StoreError(.invalidCondition, "a value was not lowered: \(operand)")
    }
  }

  private mutating func withItem<R>(
    of array: Operand, scope: Int, _ body: (inout EvaluationCompiler, Int) throws -> R
  ) throws -> R {
    let outer = items[scope]
    defer { items[scope] = outer }
    items[scope] = (itemCount, try kinds.elementKind(of: array))
    itemCount += 1
    return try body(&self, itemCount - 1)
  }

  private var kinds: OperandKinds {
    OperandKinds(
      schema: schema,
      entities: Dictionary(scopes.map { ($0.number, $0.entity) }, uniquingKeysWith: { $1 }),
      items: items.mapValues(\.kind))
  }

  /// The row that a path starts at, by the index of its scope, and the column it names.
  private func find(_ path: Operand.Path) throws -> (scope: Int, column: Int) {
    guard path.names.count == 1, let scope = scopes.lastIndex(where: { $0.number == path.scope })
    else {
      throw StoreError(
        .invalidCondition, "\(path) is not an attribute of the entity",
        entity: scopes[inner].entity.modelName, attributes: path.names)
    }
    guard let column = scopes[scope].entity.column(ofAttribute: path.names[0]) else {
      throw scopes[scope].entity.unknown(path.names[0])
    }
    return (scope, column)
  }

  /// The slot that captures a column of an outer row.
  private mutating func capture(_ column: Int, of scope: Int) -> Int {
    scopes[scope].columns.insert(column)
    let slot: Int
    if let known = scopes[scope].captured[column] {
      slot = known
    } else {
      slot = slotCount
      slotCount += 1
      scopes[scope].captured[column] = slot
    }
    uses.insert(SlotUse(scope: scope, slot: slot))
    return slot
  }
}

extension EvaluationCompiler {
  /// The purpose for which related rows are read.
  fileprivate enum Purpose {
    case existence
    case value(Operand)
    case aggregate(Aggregate.Kind, Operand?)

    var operand: Operand? {
      switch self {
      case .existence: nil
      case .value(let operand): operand
      case .aggregate(_, let operand): operand
      }
    }

    /// True if there is one related row at most.
    var isSingle: Bool { if case .value = self { true } else { false } }

    /// The operand if a store may compute it; the result of arithmetic that overflows depends on
    /// the context, which the store does not know.
    var pushed: Operand? { operand.flatMap { Self.mayOverflow($0) ? nil : $0 } }

    private static func mayOverflow(_ operand: Operand) -> Bool {
      switch operand {
      case .path, .value, .parameter, .parameterList: false
      case .json(let inner, _), .element(let inner, _): mayOverflow(inner)
      case .function(.abs, _), .function(.onesComplement, _): true
      case .function(_, let inner): mayOverflow(inner)
      default: true
      }
    }
  }

  /// Plans how the related rows of the row asked about are found.
  private mutating func plan(
    _ rows: RelatedRows, where condition: Condition, for purpose: Purpose
  ) throws -> RelatedPlan {
    let around = inner
    // Each plan stores the values that it needs of the row around, when it begins.
    let capturedBefore = scopes[around].captured
    scopes[around].captured = [:]
    let usesBefore = uses
    uses = []
    guard !rows.steps.isEmpty else {
      throw StoreError(.invalidCondition, "related rows without a step")
    }
    var requests: [StepRequest] = []
    for step in rows.steps {
      guard let entity = schema[step.entity] else {
        throw StoreError(
          .unknownEntity, "the schema has no entity \(step.entity)", entity: step.entity)
      }
      var request = StepRequest(entity: entity, scope: step.scope)
      for link in step.links {
        let (scope, column) = try find(link.other)
        guard entity.column(ofAttribute: link.attribute) != nil else {
          throw entity.unknown(link.attribute)
        }
        request.link(
          link.attribute, to: capture(column, of: scope),
          of: scopes[scope].entity.columns[column].type.kind)
      }
      if let attribute = step.nullAttribute { request.requireNull(attribute) }
      requests.append(request)
      scopes.append(Scope(number: step.scope, entity: entity))
    }
    let linkUses = uses
    uses = []
    let last = requests.count - 1
    Self.narrow(&requests, by: condition, along: rows)
    let unbounded = try takeBounds(of: condition, rows, to: &requests[last])
    let rest = requests[last].take(unbounded)
    let pushed = rest.isEmpty ? purpose.pushed.flatMap { requests[last].taken($0) } : nil
    let reading = Self.reading(
      purpose, isWhole: rest.isEmpty, operand: pushed, isOneStep: last == 0, &requests[last])
    let first = shapes.count
    shapes += requests.map(\.shape)
    let local = try rest.isEmpty ? nil : compile(.all(rest))
    let operand = try reading == .operand ? purpose.operand.map { try compile($0) } : nil
    let aggregator = try purpose.aggregator(kinds)
    let memory = Self.memory(
      of: scopes[around], isOutermost: around == 0, requests[last], rows, reading,
      isWhole: rest.isEmpty)
    let stepScopes = scopes[(around + 1)...]
    let rowUses = uses
    let outerUses = linkUses.union(rowUses).filter { $0.scope <= around }
    uses = usesBefore.union(outerUses.filter { $0.scope < around })
    var deciding: [[Int]?] = requests.map { _ in nil }
    // Of a row's only related row there is nothing to repeat.
    if !purpose.isSingle {
      deciding = Self.deciding(
        requests, Array(stepScopes), rows, read: Set(rowUses.map(\.slot)))
    }
    let captures = scopes[around].captures
    scopes.removeLast(requests.count)
    scopes[around].captured = capturedBefore
    let steps = zip(first..., zip(requests, stepScopes)).map { number, step in
      RelatedPlan.Step(
        shape: shapes[number], values: step.0.values, captures: step.1.captures,
        deciding: deciding[number - first])
    }
    return RelatedPlan(
      steps: steps, captures: captures, local: local,
      kinds: stepScopes.last?.entity.columns.map(\.type.kind) ?? [], reading: reading,
      operand: operand, aggregator: aggregator, memory: memory,
      inputs: around == 0 ? nil : outerUses.map(\.slot).sorted())
  }

  /// The results worth remembering of related rows: those of rows to which many lead.
  private static func memory(
    of around: Scope, isOutermost: Bool, _ last: StepRequest, _ rows: RelatedRows,
    _ reading: RelatedPlan.Reading, isWhole: Bool
  ) -> RelatedPlan.Memory {
    if isOutermost, around.captured.count == 1, let column = around.captured.keys.first,
      around.entity.key != [column]
    {
      return .result
    }
    guard isWhole, reading != .operand, rows.steps.count > 1, let step = rows.steps.last,
      step.links.count == 1, last.entity.keyAttributes == [step.links[0].attribute],
      last.changingCount == 1
    else { return .nothing }
    return .lastValue
  }

  /// Adds to the requests before the last the equalities of the last step's rows that concern the links
  /// to them.
  ///
  /// A link to a given key is then found by that key, and no other link is read.
  private static func narrow(
    _ requests: inout [StepRequest], by condition: Condition, along rows: RelatedRows
  ) {
    guard requests.count > 1 else { return }
    for part in condition.parts {
      guard var equality = LinkEquality(part, on: rows.steps[requests.count - 1]) else { continue }
      for number in requests.indices.dropFirst().reversed() {
        let (step, before) = (rows.steps[number], rows.steps[number - 1])
        guard
          let link = step.links.first(where: {
            $0.attribute == equality.attribute && $0.other.scope == before.scope
          }), link.other.names.count == 1,
          requests[number].entity.type(of: link.attribute)
            == requests[number - 1].entity.type(of: link.other.names[0])
        else { break }
        equality.attribute = link.other.names[0]
        _ = requests[number - 1].take(equality.condition(of: before))
      }
    }
  }

  /// Takes comparisons of the last step's rows with rows before into its request, where an index
  /// has the rows of a link in that order; gives the rest of the condition.
  ///
  /// The store then reads a range of the index. Of other comparisons it would test each row, which
  /// is done here, and ended as soon as enough is known.
  private mutating func takeBounds(
    of condition: Condition, _ rows: RelatedRows, to request: inout StepRequest
  ) throws -> Condition {
    guard let step = rows.steps.last else { return condition }
    let parts = if case .all(let parts) = condition { parts } else { [condition] }
    var rest: [Condition] = []
    for part in parts {
      guard
        let (attribute, comparator, other) = Self.bound(part, on: step.scope),
        Self.isOrdered(request.entity, by: attribute, within: step),
        let (scope, column) = try? find(other), scope < inner
      else {
        rest.append(part)
        continue
      }
      request.bound(
        attribute, comparator, by: capture(column, of: scope),
        of: scopes[scope].entity.columns[column].type.kind)
    }
    return rest.count == parts.count ? condition : .all(rest)
  }

  /// An attribute of a scope's rows that must be less or greater than one of other rows; nil for
  /// another condition.
  private static func bound(
    _ condition: Condition, on scope: Int
  ) -> (attribute: String, Comparator, Operand.Path)? {
    guard case .compare(.path(let left), let comparator, .path(let right), []) = condition,
      left.names.count == 1, right.names.count == 1, (left.scope == scope) != (right.scope == scope)
    else { return nil }
    switch comparator {
    // Null is equal to null, which no range holds.
    case .equal, .notEqual: return nil
    case .less, .lessOrEqual, .greater, .greaterOrEqual: break
    }
    return left.scope == scope
      ? (left.names[0], comparator, right) : (right.names[0], comparator.swapped, left)
  }

  /// Returns whether an index begins with the columns that tie a step's rows and goes on with an attribute.
  private static func isOrdered(
    _ entity: StoredEntity, by attribute: String, within step: RelatedRows.Step
  ) -> Bool {
    guard let column = entity.column(ofAttribute: attribute) else { return false }
    let links = Set(step.links.compactMap { entity.column(ofAttribute: $0.attribute) })
    return entity.indexes.contains { index in
      index.terms.count > links.count && index.terms.allSatisfy { $0.form == .value }
        && Set(index.terms.prefix(links.count).map(\.column)) == links
        && index.terms[links.count].column == column
    }
  }

  /// Returns for each step the slots whose values decide the result of the steps behind it; nil where no two
  /// rows of the step agree in them.
  ///
  /// These are the slots captured so far that a later step or the last row's values still read.
  ///
  /// - Parameter read: the slots that are looked at for each row of the last step.
  private static func deciding(
    _ requests: [StepRequest], _ scopes: [Scope], _ rows: RelatedRows, read: Set<Int>
  ) -> [[Int]?] {
    var result: [[Int]?] = requests.map { _ in nil }
    var wanted = read
    for number in requests.indices.dropLast().reversed() {
      for case .captured(let slot) in requests[number + 1].values { wanted.insert(slot) }
      let own = scopes[number].captured
      let before = scopes[..<number].flatMap { $0.captured.values }
      let slots = (before + own.values).filter { wanted.contains($0) }.sorted()
      let entity = scopes[number].entity
      var known = Set(own.filter { wanted.contains($0.value) }.keys)
      if number == 0 {
        known.formUnion(
          rows.steps[0].links.compactMap { entity.column(ofAttribute: $0.attribute) })
      }
      // A row that is determined by its key does not repeat the result of another.
      if !known.isSuperset(of: entity.key) { result[number] = slots }
    }
    return result
  }

  /// Returns how the last step's rows are read, and asks the store for as much of it as it can
  /// express.
  private static func reading(
    _ purpose: Purpose, isWhole: Bool, operand: Operand?, isOneStep: Bool,
    _ request: inout StepRequest
  ) -> RelatedPlan.Reading {
    switch purpose {
    case .existence: return .presence
    case .value:
      guard let operand else { return .operand }
      request.output = .values([operand])
      return .column
    case .aggregate(let kind, let wanted):
      guard isWhole, (wanted == nil) == (operand == nil) else {
        return wanted == nil ? .presence : .operand
      }
      if isOneStep || (wanted == nil && kind == .count) {
        request.output = .aggregates([Aggregate(kind, operand)])
        return .total
      }
      guard let operand else { return .presence }
      request.output = .values([operand])
      return .column
    }
  }
}

extension StoredEntity {
  /// The type of an attribute; nil if there is none of this name.
  fileprivate func type(of attribute: String) -> AttributeType? {
    column(ofAttribute: attribute).map { columns[$0].type }
  }
}

extension EvaluationCompiler.Purpose {
  /// Returns a new aggregator of the rows; nil if nothing is aggregated.
  fileprivate func aggregator(_ kinds: OperandKinds) throws -> Aggregator? {
    guard case .aggregate(let function, let operand) = self else { return nil }
    guard let operand else { return Aggregator(function, of: .bool) }
    return Aggregator(function, of: try kinds.kind(of: operand) ?? .json)
  }
}

extension StoredEntity {
  /// The error for a name that is no attribute.
  package func unknown(_ name: String) -> StoreError {
    StoreError(
      .unknownAttribute, "the entity has no attribute of this name", entity: modelName,
      attributes: [name])
  }
}
