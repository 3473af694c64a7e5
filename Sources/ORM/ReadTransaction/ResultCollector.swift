internal import ORMCore

/// The request of a question for rows that are no models, and the decoder of its rows.
struct ResultPlan<Row> {
  let entity: StoredEntity
  let lowering: RequestLowering
  let source: ResultSource<Row>
  let request: FetchRequest

  init<Question: ResultQuery>(
    _ question: Question, in store: any Store
  ) throws where Question.Row == Row {
    try self.init(question.source, of: Question.Model.self, in: store)
  }

  init<Model: Persistable>(
    _ source: ResultSource<Row>, of model: Model.Type, in store: any Store
  ) throws {
    let plan = try store.plan(of: model)
    entity = plan.entity
    lowering = plan.lowering
    self.source = source
    request = try source.request(by: plan.lowering)
  }

  /// Returns the operands to evaluate on each row before it is decoded.
  func computed() throws -> [BoundOperand] {
    source.computed.isEmpty ? [] : try lowering.computed(source.computed, of: request)
  }

  /// A collector of the rows.
  func collector<Decoder: ResultDecoder>(
    _ decoder: Decoder
  ) throws -> ResultCollector<Decoder> where Decoder.Row == Row {
    ResultCollector(
      decoder: decoder, positions: source.positions, computed: try computed(),
      entity: entity.modelName)
  }
}

/// Collects rows that are no models.
struct ResultCollector<Decoder: ResultDecoder>: BatchCollector {
  let decoder: Decoder
  let positions: [Int]
  let computed: [BoundOperand]
  let entity: String
  var rows: [Decoder.Row] = []
  var batch = Int.max

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    do {
      if computed.isEmpty {
        rows.append(try decoder.decode(row, positions))
      } else {
        var values: [StoredValue] = []
        values.reserveCapacity(computed.count)
        for operand in computed { values.append(try operand.evaluate(row)) }
        rows.append(try decoder.decode(BufferedRow(values), positions))
      }
    } catch let error as StoreError {
      throw error.filling(entity: entity)
    }
    return rows.count < batch ? .next : .pause
  }
}

/// Collects rows that are no models, and remembers the last as the store gave it.
struct LastRowCollector<Decoder: ResultDecoder>: RowVisitor {
  var collector: ResultCollector<Decoder>
  /// The most rows; one that comes after them is not collected.
  let limit: Int?
  var last: [StoredValue]?
  private(set) var hasMore = false

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    if let limit, collector.rows.count >= limit {
      hasMore = true
      return .stop
    }
    let step = try collector.visit(row)
    last = try BufferedRow(copying: row).values
    return step
  }
}
