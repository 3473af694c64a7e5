package import FoundationEssentials
package import ORMStorage

/// A lowering of queries to the requests that stores get: checked, totally ordered, paged.
package final class RequestLowering: Sendable {
  /// The entity in the store asked.
  package let entity: StoredEntity
  /// The schema of the store, for paths through relationships.
  package let schema: StoredSchema?
  /// The limits of conditions.
  package let limits: ConditionLimits
  /// The program's own clock, see `StoreOptions.now`.
  package let clock: (@Sendable () -> Date)?
  /// The largest page.
  package let maximumPageSize: Int
  /// The cache of lowered requests; nil if none are remembered.
  private let cache: RequestCache?
  /// The condition that visible rows satisfy; nil if all rows are visible.
  private let visible: Condition?

  /// A lowering for one entity of a store.
  ///
  /// - Parameter remembers: whether the lowering is reused, so that caching its requests pays.
  package init(
    entity: StoredEntity, schema: StoredSchema? = nil, options: StoreOptions,
    remembers: Bool = false
  ) {
    self.entity = entity
    self.schema = schema
    visible = entity.condition(seeing: .hidden)
    limits = options.conditionLimits
    clock = options.now
    maximumPageSize = options.maximumPageSize
    cache = remembers ? RequestCache() : nil
  }

  /// The request of a query by names.
  ///
  /// - Parameters:
  ///   - most: the greatest number of rows, also where the paging allows more.
  ///   - deleted: which rows are seen of entities with a soft delete: here, for every operation, others
  ///     are left out.
  /// - Throws: the errors of ``ConditionCheck``, `invalidPage`, `invalidCursor`.
  package func request(
    output: FetchShape.Output = .rows, condition: Condition, order: [SortTerm],
    paging: Paging, start: QueryCursor?, most: Int? = nil, deleted: DeletedRows = .hidden
  ) throws -> FetchRequest {
    guard let cache, start == nil, deleted == .hidden else {
      return try lowered(
        output: output, condition: condition, order: order, paging: paging, start: start,
        most: most, deleted: deleted)
    }
    let capacity = ShapeSignature.capacity
    return try withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 8) { buffer in
      var signature = ShapeSignature(into: buffer)
      signature.write(
        output: output, condition: condition, order: order,
        isLimited: most != nil || paging.isLimited)
      if signature.isPlain, signature.listItems <= limits.listItems {
        let entry =
          cache.entry(for: signature)
          ?? remember(signature, in: cache, output: output, condition: condition, order: order)
        if let template = entry?.template,
          let bindings = template.bindings(of: signature.values)
        {
          let (limit, offset) = try limit(of: paging, most: most)
          return FetchRequest(template.shape, bindings: bindings, limit: limit, offset: offset)
        }
      }
      return try lowered(
        output: output, condition: condition, order: order, paging: paging, start: nil, most: most)
    }
  }

  /// Lowers a request with its literals numbered and caches the template.
  ///
  /// The result is nil if the request has an error. It quotes values, so that the request is lowered
  /// with them for it.
  private func remember(
    _ signature: borrowing ShapeSignature, in cache: RequestCache, output: FetchShape.Output,
    condition: Condition, order: [SortTerm]
  ) -> RequestCache.Entry? {
    let values = signature.values
    var count = 0
    func number(_ operand: Operand) -> Operand? {
      NumberedLiteral.numbering(operand, of: values, &count)
    }
    let condition = condition.rewriting(number)
    let order = order.map { term in
      var term = term
      term.operand = term.operand.rewriting(number)
      return term
    }
    let output = output.rewriting(number)
    let request = try? lowered(
      output: output, condition: condition, order: order,
      paging: signature.isLimited ? .limit(1, offset: 0) : .all, start: nil)
    guard let request else { return nil }
    let entry = RequestCache.Entry(
      signature, RequestTemplate(request, literalCount: values.count))
    cache.keep(entry, for: signature)
    return entry
  }

  /// The request, worked out.
  private func lowered(
    output: FetchShape.Output, condition: Condition, order: [SortTerm], paging: Paging,
    start: QueryCursor?, most: Int? = nil, deleted: DeletedRows = .hidden
  ) throws -> FetchRequest {
    if case .groups(let keys, let aggregates, let having) = output {
      return try groups(
        keys: keys, aggregates: aggregates, having: having, condition: condition, order: order,
        paging: paging, start: start, most: most, deleted: deleted)
    }
    var check = check(seeing: deleted)
    var condition = seeing(deleted, where: try check.checked(condition))
    var sort = SortTerm.total(try order.map { try check.checked($0) }, entity: entity)
    if let start {
      let isAfter = try self.condition(
        after: start, in: SortTerm.total(order, entity: entity), &check)
      condition = .all([condition, isAfter])
    }
    let output = try checked(output, &check)
    if case .aggregates = output { sort = [] }
    let (limit, offset) = try self.limit(of: paging, most: most)
    return FetchRequest(
      entity: entity.name, output: output, condition: condition, sort: sort, limit: limit,
      offset: offset)
  }

  /// A check whose related rows are those that are seen.
  package func check(seeing deleted: DeletedRows) -> ConditionCheck {
    var check = ConditionCheck(entity: entity, schema: schema, limits: limits)
    check.clock = clock
    check.seesDeleted = deleted.includesRelated
    return check
  }

  /// A condition on those of the entity's rows that are seen.
  package func seeing(_ deleted: DeletedRows, where condition: Condition) -> Condition {
    if visible == nil, !deleted.isOnly { return condition }
    return entity.seeing(deleted, where: condition)
  }

  private func checked(
    _ output: FetchShape.Output, _ check: inout ConditionCheck
  ) throws -> FetchShape.Output {
    switch output {
    case .rows, .joined: output
    case .values(let operands): .values(try operands.map { try check.checkedOutput($0) })
    case .aggregates(let aggregates): .aggregates(try aggregates.map { try check.checked($0) })
    // Checked with the condition on groups.
    case .groups: output
    }
  }

  package func limit(of paging: Paging, most: Int? = nil) throws -> (Int?, Int) {
    let (limit, offset) = try self.limit(of: paging)
    guard let most else { return (limit, offset) }
    return (min(limit ?? most, most), offset)
  }

  private func limit(of paging: Paging) throws -> (Int?, Int) {
    switch paging {
    case .all: return (nil, 0)
    case .limit(let limit, let offset):
      if offset < 0 || (limit ?? 0) < 0 { throw pageError("a limit or an offset is negative") }
      return (limit, offset)
    case .page(let number, let size):
      if number < 0 || size < 0 { throw pageError("a page number or page size is negative") }
      if size > maximumPageSize {
        throw pageError(
          "a page of \(size) rows is larger than `maximumPageSize`, \(maximumPageSize)")
      }
      let (offset, isTooFar) = number.multipliedReportingOverflow(by: size)
      return (size, isTooFar ? .max : offset)
    }
  }

  private func pageError(_ message: String) -> StoreError {
    StoreError(.invalidPage, message, entity: entity.modelName)
  }

  /// The rows after a position in an order.
  ///
  /// - Throws: `invalidCursor` when the cursor is of another order, or its values, which may come
  ///   from a client, are not of the kinds that the order sorts by.
  package func condition(
    after start: QueryCursor, in sort: [SortTerm], _ check: inout ConditionCheck
  ) throws -> Condition {
    guard let start = start.fitting(sort) else {
      throw StoreError(
        .invalidCursor,
        "the cursor belongs to a query with another order; ask for the first page "
          + "again", entity: entity.modelName)
    }
    do {
      let terms = try start.sort.map { try check.check($0.operand, depth: 1) }
      let isRelated = terms.first?.operand.relatedRows != nil
      return try check.checked(
        Self.condition(
          after: start, isMixed: terms.map { $0.kind == nil }, boundsFirst: !isRelated))
    } catch let error as StoreError {
      throw StoreError(.invalidCursor, error.message, entity: entity.modelName)
    }
  }

  /// The rows after a position: greater in the first term, or equal in it and greater in the
  /// second, and so on.
  ///
  /// The first term's bound stands alone as well, for planners to see.
  ///
  /// - Parameter boundsFirst: False if the first term is worked out of related rows, which no index
  ///   of the entity has: they would be read again for a bound.
  private static func condition(
    after cursor: QueryCursor, isMixed: [Bool], boundsFirst: Bool
  ) throws -> Condition {
    var alternatives: [Condition] = []
    var equals: [Condition] = []
    for (index, (term, value)) in zip(cursor.sort, cursor.values).enumerated() {
      if let beyond = try self.condition(beyond: value, term, isMixed: isMixed[index]) {
        alternatives.append(.all(equals + [beyond]))
      }
      equals.append(.compare(term.operand, .equal, .value(value), term.options))
    }
    guard boundsFirst, let first = cursor.sort.first, let value = cursor.values.first,
      let beyond = try self.condition(beyond: value, first, isMixed: isMixed[0])
    else { return .any(alternatives) }
    let bound = Condition.any([
      beyond, .compare(first.operand, .equal, .value(value), first.options),
    ])
    return .all([value.isNull ? .constant(true) : bound, .any(alternatives)])
  }

  /// Returns the condition for the rows strictly after a value in one term; nil if nothing follows
  /// it.
  private static func condition(
    beyond value: StoredValue, _ term: SortTerm, isMixed: Bool
  ) throws -> Condition? {
    let isNil = Condition.compare(term.operand, .equal, .value(.null), [])
    if value.isNull { return term.nilsComeFirst ? .not(isNil) : nil }
    var beyond = [
      Condition.compare(
        term.operand, term.isDescending ? .less : .greater, .value(value), term.options)
    ]
    if isMixed { beyond += try JSONKind.beyond(value, term) }
    if !term.nilsComeFirst { beyond.append(isNil) }
    return beyond.count == 1 ? beyond[0] : .any(beyond)
  }
}

/// The kinds of values that JSON brings to an order, one after another as they stand in it.
///
/// Comparisons are false between two of them; an order has them all.
private enum JSONKind: CaseIterable {
  case bool, number, date, text, data, container

  /// Returns the conditions that a value is of a kind beyond that of another.
  static func beyond(_ value: StoredValue, _ term: SortTerm) throws -> [Condition] {
    guard let kind = JSONKind(value), let index = allCases.firstIndex(of: kind) else {
      throw StoreError(
        .invalidCursor,
        "a page cannot follow a row whose sort value is an array or object in JSON")
    }
    let others = term.isDescending ? allCases[..<index] : allCases[(index + 1)...]
    return others.map { $0.holds(for: term.operand) }
  }

  private init?(_ value: StoredValue) {
    switch value {
    case .bool: self = .bool
    case .int, .uint, .double, .decimal: self = .number
    case .date: self = .date
    case .string: self = .text
    case .data: self = .data
    default: return nil
    }
  }

  /// Returns the condition that an operand gives a value of this kind.
  private func holds(for operand: Operand) -> Condition {
    switch self {
    case .bool: return .isIn(operand, list: .value(.array([.bool(false), .bool(true)])), [])
    case .number: return .compare(operand, .lessOrEqual, .value(.double(.infinity)), [])
    case .date:
      let last = Date(timeIntervalSinceReferenceDate: .infinity)
      return .compare(operand, .lessOrEqual, .value(.date(last)), [])
    case .text: return .text(operand, .beginsWith, .value(.string("")), [])
    case .data: return .compare(operand, .greaterOrEqual, .value(.data(Data())), [])
    case .container:
      let others = JSONKind.allCases.dropLast().map { $0.holds(for: operand) }
      return .not(.any(others + [.compare(operand, .equal, .value(.null), [])]))
    }
  }
}

extension SortTerm {
  /// The term for a look whether it is another's: a NaN in it, which equals nothing, is a text.
  package var comparable: SortTerm {
    var copy = self
    copy.operand = operand.rewriting { operand in
      guard case .value(.double(let number)) = operand, number.isNaN else { return nil }
      return .value(.string("NaN"))
    }
    return copy
  }
}
