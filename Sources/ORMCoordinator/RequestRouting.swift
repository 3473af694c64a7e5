internal import ORMStorage

/// The members that answer requests, worked out once for a shape.
final class RequestRouting: Sendable {
  let schema: StoredSchema
  let memberIndexes: [String: Int]
  let names: [String]
  private let known = Lock<[FetchShape: Route]>([:])
  /// The most routes that are cached; beyond them the cache is emptied.
  private static let capacity = 1_000

  /// The route of a request.
  enum Route: Sendable {
    /// A member answers it as it is.
    case member(Int)
    /// A member gives rows, and core does the rest.
    case split(SplitRequest)
  }

  init(_ schema: StoredSchema, _ memberIndexes: [String: Int], _ names: [String]) {
    self.schema = schema
    self.memberIndexes = memberIndexes
    self.names = names
  }

  convenience init(_ layout: MemberLayout) {
    self.init(layout.schema, layout.memberIndexes, layout.names)
  }

  /// The entity with a stored name.
  func entity(_ name: String) throws -> StoredEntity {
    guard let entity = schema[name] else { throw Self.unknown(name) }
    return entity
  }

  /// The member of an entity, by its stored name.
  func memberIndex(of entity: String) throws -> Int {
    guard let memberIndex = memberIndexes[entity] else { throw Self.unknown(entity) }
    return memberIndex
  }

  private static func unknown(_ entity: String) -> StoreError {
    StoreError(.unknownEntity, "the store holds no entity of this name", entity: entity)
  }

  /// The route of a shape.
  func route(of shape: FetchShape) throws -> Route {
    if let route = known.withLock({ $0[shape] }) { return route }
    let member = try memberIndex(of: shape.entity)
    let route: Route =
      isWithin(shape.relatedSteps, member)
      ? .member(member) : .split(try SplitRequest(shape, of: member, self))
    known.withLock { known in
      if known.count >= Self.capacity { known.removeAll() }
      known[shape] = route
    }
    return route
  }

  /// Returns whether all steps lead to entities of a member.
  func isWithin(_ steps: [RelatedRows.Step], _ member: Int) -> Bool {
    steps.allSatisfy { memberIndexes[$0.entity] == member }
  }

  /// The one member that a statement of SQL is meant for.
  ///
  /// That is the member of the entities that it names; without any, the only one that has entities.
  ///
  /// - Throws: `unsupported`, `unknownEntity`.
  func member(of statement: SQLRequest) throws -> Int {
    var members: Set<Int> = []
    for part in statement.parts {
      switch part {
      case .entity(let name), .attribute(_, let name):
        guard let entity = schema.entity(named: name),
          let memberIndex = memberIndexes[schema.root(of: entity).name]
        else { throw Self.unknown(name) }
        members.insert(memberIndex)
      case .words, .value, .list: break
      }
    }
    if members.isEmpty {
      members = Set(schema.entities.filter { !$0.isInternal }.compactMap { memberIndexes[$0.name] })
    }
    guard members.count == 1, let member = members.first else {
      throw StoreError(
        .unsupported,
        "the statement is for one store, and the coordinator has several: name entities of one "
          + "configuration in it")
    }
    return member
  }
}

/// A request whose rows one member gives, and whose other parts core works out.
///
/// The member tests those conditions under the outermost AND that name its entities alone, and gives
/// the rows in the order of the request if that is its own too.
final class SplitRequest: Sendable {
  let member: Int
  /// The shape for the member.
  let rows: FetchShape
  /// The shape for core.
  let rest: FetchShape
  let plan: ResidualPlan
  /// True if the member cuts the page.
  let isPaged: Bool

  init(_ shape: FetchShape, of member: Int, _ routing: RequestRouting) throws {
    self.member = member
    let entity = try routing.entity(shape.entity)
    func isOwn(_ steps: [RelatedRows.Step]) -> Bool { routing.isWithin(steps, member) }
    let parts = shape.condition.parts
    let own = parts.filter { isOwn($0.relatedSteps) }
    let others = parts.filter { !isOwn($0.relatedSteps) }
    let givesRows =
      switch shape.output {
      case .rows, .values, .joined: true
      case .aggregates, .groups: false
      }
    let isOrdered = givesRows && shape.sort.allSatisfy { isOwn($0.operand.relatedSteps) }
    isPaged = shape.isLimited && isOrdered && others.isEmpty
    rows = FetchShape(
      entity: shape.entity, condition: Condition.all(own).normalized(),
      sort: isOrdered && !shape.sort.isEmpty ? shape.sort : SortTerm.total([], entity: entity),
      isLimited: isPaged)
    rest = FetchShape(
      entity: shape.entity, output: shape.output, condition: Condition.all(others).normalized(),
      sort: isOrdered ? [] : shape.sort, isLimited: shape.isLimited && !isPaged)
    plan = try ResidualPlan(
      rest, entity: entity, schema: routing.schema, isInKeyOrder: !isOrdered)
  }

  /// The request for the member.
  func request(_ request: FetchRequest) -> FetchRequest {
    FetchRequest(
      rows, bindings: request.bindings, limit: isPaged ? request.limit : nil,
      offset: isPaged ? request.offset : 0)
  }

  /// A cursor over the result that core computes from the member's rows.
  ///
  /// - Parameter related: reads the related rows.
  func cursor(
    over rows: any StoreCursor, _ request: FetchRequest, related: BatchReader
  ) throws -> any StoreCursor {
    try ResidualCursor(
      over: rows, plan,
      FetchRequest(
        rest, bindings: request.bindings, limit: isPaged ? nil : request.limit,
        offset: isPaged ? 0 : request.offset), related: related)
  }
}
