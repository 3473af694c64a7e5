internal import ORMRows
@_spi(Records) internal import ORMStorage

/// A view of several stores as one.
///
/// A request goes whole to the member that has all entities it names. Of others one member gives the
/// rows, and core does the rest: related rows of other members are read by batches of keys.
protocol CombinedReader: ProgramStatementReader {
  var routing: RequestRouting { get }
  /// The view of a member.
  func view(of member: Int) throws -> any StoreReader
}

extension CombinedReader {
  /// A reader of related rows for one cursor.
  func batches() -> BatchReader {
    BatchReader(self, schema: routing.schema, mostKeys: KeyLists.size)
  }

  func cursor(_ request: FetchRequest) throws -> any StoreCursor {
    switch try routing.route(of: request.shape) {
    case .member(let member): return try view(of: member).cursor(request)
    case .split(let split):
      let rows = try view(of: split.member).cursor(split.request(request))
      return try split.cursor(over: rows, request, related: batches())
    }
  }

  func visit<V: RowVisitor>(_ request: FetchRequest, _ visitor: inout V) throws {
    if case .member(let member) = try routing.route(of: request.shape) {
      return try view(of: member).visit(request, &visitor)
    }
    _ = try cursor(request).visit(&visitor)
  }

  func visit<V: RowVisitor>(
    _ shape: FetchShape, binding: Int64, _ visitor: inout V
  ) throws {
    guard case .member(let member) = try routing.route(of: shape) else {
      return try visit(FetchRequest(shape, bindings: [.int(binding)]), &visitor)
    }
    try view(of: member).visit(shape, binding: binding, &visitor)
  }

  func find(_ shape: FetchShape, binding: Int64, into found: inout RecordReader??) throws {
    guard case .member(let member) = try routing.route(of: shape) else { return }
    try view(of: member).find(shape, binding: binding, into: &found)
  }

  func greatestKey(of entity: String) throws -> Int64? {
    try view(of: routing.memberIndex(of: entity)).greatestKey(of: entity)
  }

  func verify(_ found: (StoreError) throws -> Void) throws {
    for member in routing.names.indices { try view(of: member).verify(found) }
  }

  func visit<V: RowVisitor>(
    sql query: SQLRequest, columns: ([String]) throws -> [StoredColumn?], _ visitor: inout V
  ) throws {
    try view(of: routing.member(of: query)).runningQueries.visit(
      sql: query, columns: columns, &visitor)
  }
}

// MARK: - Explaining

extension CombinedReader {
  func explain(_ request: FetchRequest, analyze: Bool) throws -> Explanation {
    switch try routing.route(of: request.shape) {
    case .member(let member):
      return named(try view(of: member).explain(request, analyze: analyze), member)
    case .split(let split):
      var explanation = try explain(split, request)
      if analyze {
        explanation.rowsRead = try CountedReader.rowsRead(for: request, by: self)
      }
      return explanation
    }
  }

  private func explain(_ split: SplitRequest, _ request: FetchRequest) throws -> Explanation {
    var explanation = named(
      try view(of: split.member).explain(split.request(request)), split.member)
    explanation.coreConditions += split.rest.condition.parts.map { "\($0)" }
    explanation.isOrderFromAccess = explanation.isOrderFromAccess && split.rest.sort.isEmpty
    if case .groups = split.rest.output {
      explanation.groups = Explanation.Groups(.core, areInOrder: false)
    }
    explanation.related += try split.rest.relatedSteps.map { step in
      Explanation.Related(entity: step.entity, try explain(related(step)))
    }
    return explanation
  }

  /// The request for the related rows of a step, for an explanation: nil stands for each key of the rows
  /// before.
  private func related(_ step: RelatedRows.Step) throws -> FetchRequest {
    let entity = try routing.entity(step.entity)
    let parts = step.links.enumerated().map { slot, link in
      let kind = entity.column(ofAttribute: link.attribute).map { entity.columns[$0].type.kind }
      return Condition.compare(
        .attribute(link.attribute), .equal, .parameter(slot, kind ?? .int), [])
    }
    return FetchRequest(
      FetchShape(
        entity: step.entity, condition: parts.count == 1 ? parts[0] : .all(parts),
        sort: SortTerm.total([], entity: entity)),
      bindings: parts.map { _ in .null })
  }

  private func named(_ explanation: Explanation, _ member: Int) -> Explanation {
    var explanation = explanation
    explanation.detail += "\nin the configuration \(routing.names[member])"
    return explanation
  }
}

/// A view of every member of a coordinator at one point in time.
final class CoordinatorReader: CombinedReader, ConcurrentReader, CountingReader {
  let routing: RequestRouting
  private let views: [Result<any StoreReader, StoreError>]

  /// Takes the view of each member, or the error by which the member cannot be read.
  init(_ routing: RequestRouting, _ views: [Result<any StoreReader, StoreError>]) {
    self.routing = routing
    self.views = views
  }

  deinit { end() }

  func view(of member: Int) throws -> any StoreReader { try views[member].get() }

  /// True if a member conflicted with others.
  var isContended: Bool {
    views.contains {
      switch $0 {
      case .success(let view): view.metContention
      case .failure(let error): error.code == .contended
      }
    }
  }

  func end() { for case .success(let view) in views { view.end() } }

  /// The members' readers, as those that count.
  private lazy var counted: [any CountingReader] = views.compactMap { try? $0.get().counting }

  var rowsRead: Int { counted.reduce(0) { $0 + $1.rowsRead } }

  var trips: Int? {
    let trips = counted.compactMap(\.trips)
    return trips.isEmpty ? nil : trips.reduce(0, +)
  }
}
