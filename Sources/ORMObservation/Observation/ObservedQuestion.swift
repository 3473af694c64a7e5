internal import ORM
internal import ORMCore

/// The question of an observation, with the functions that maintain and compare its answers.
struct ObservedQuestion<Value: Sendable>: Sendable {
  /// Makes the result that commits update; nil if the answer is to be fetched again.
  typealias Keeping =
    @Sendable (_ store: any Store, _ value: Value, _ footprint: ReadFootprint) throws -> (
      any MaintainedResult<Value>
    )?

  let fetch: @Sendable (ReadTransaction) throws -> Value
  /// True if the sort keys of the rows are needed to keep them.
  var wantsKeys = false
  var keep: Keeping?
  /// True if the last value can be asked for again.
  var repeats = false
  /// Compares two values to the bit; nil if their digests are all that can be compared.
  var areEqual: (@Sendable (Value, Value) -> Bool)?
}

extension ObservedQuestion {
  /// A query's models.
  static func models<Model: Persistable>(of query: Query<Model>) -> Self
  where Value == [Model] {
    var question = Self(fetch: { try $0.fetch(query) })
    // Objects of a class are shared with the consumer, and related objects are no part of the row.
    guard query.prefetches.isEmpty, !Model.isClass else { return question }
    question.wantsKeys = true
    question.areEqual = { a, b in
      a.count == b.count
        && zip(a, b).allSatisfy { a, b in
          guard let a = try? Mapper.values(of: a), let b = try? Mapper.values(of: b) else {
            return false
          }
          return zip(a, b).allSatisfy { $0.isIdentical(to: $1) }
        }
    }
    question.keep = { store, value, footprint in
      try MaintainedRows(value, store, footprint)
    }
    return question
  }

  /// A number that one aggregate makes of a query's rows.
  ///
  /// - Parameters:
  ///   - number: the integer that a value is; nil if it is none.
  ///   - make: the value of an integer.
  static func number(
    _ fetch: @escaping @Sendable (ReadTransaction) throws -> Value,
    _ number: @escaping @Sendable (Value) -> Int64?,
    _ make: @escaping @Sendable (Int64) throws -> Value
  ) -> Self {
    var question = Self(fetch: fetch)
    question.areEqual = { a, b in
      guard let a = number(a), let b = number(b) else { return false }
      return a == b
    }
    question.keep = { store, value, footprint in
      guard let number = number(value), let request = footprint.requests.first,
        footprint.requests.count == 1, request.isOwn, request.limit == nil, request.offset == 0,
        let entity = request.shape.entity,
        case .aggregates(let aggregates) = request.shape.shape.output, aggregates.count == 1
      else { return nil }
      let operand: BoundOperand?
      switch (aggregates[0].kind, aggregates[0].operand) {
      case (.count, nil): operand = nil
      case (.sum, let summed?):
        let compiled = try CompiledOperand(summed, entity: entity.entity, schema: store.schema)
        if !compiled.relatedShapes.isEmpty { return nil }
        operand = try compiled.bound(to: request.bindings)
      default: return nil
      }
      return MaintainedNumber(
        number, entity, try request.shape.condition?.bound(to: request.bindings), operand, make)
    }
    return question
  }
}

extension ModelPlan {
  /// Returns the model of a row of the entity.
  func model(of row: BufferedRow) throws -> Model {
    var collector = ModelCollector<Model>(self)
    _ = try collector.visit(row)
    return collector.rows[0]
  }
}

extension MaintainedRows {
  /// Keeps the models of a query that reads nothing but their rows; nil if they are to be fetched
  /// again.
  convenience init?(
    _ value: [Element], _ store: any Store, _ footprint: ReadFootprint
  ) throws where Element: Persistable {
    // In one chunk, so that the models are an array already.
    let chunk = ListChunk(rows: value, digests: [], sections: [])
    let plan = try store.plan(of: Element.self)
    try self.init(
      [chunk], nil, capacity: .max, plan.entity, { try plan.model(of: $0) }, store, footprint)
  }

  /// Keeps the rows of a query that reads nothing but them; nil if they are to be fetched again.
  ///
  /// - Parameters:
  ///   - capacity: the most rows of a chunk.
  ///   - own: the model's entity.
  ///   - make: makes the element of a row of that entity.
  convenience init?(
    _ chunks: [ListChunk<Element>], _ details: ListDetails?, capacity: Int, _ own: StoredEntity,
    _ make: @escaping (BufferedRow) throws -> Element, _ store: any Store,
    _ footprint: ReadFootprint
  ) throws {
    guard let request = footprint.requests.first, footprint.requests.count == 1, request.isOwn,
      case .rows = request.shape.shape.output, request.offset == 0,
      let entity = request.shape.entity, let keys = footprint.keys,
      let order = request.shape.order,
      let rows = RowChunks(chunks, keys: keys, width: order.count, capacity: capacity)
    else { return nil }
    self.init(
      rows, details, own, make, entity, store.schema,
      try request.shape.condition?.bound(to: request.bindings),
      try order.map { try $0.bound(to: request.bindings) }, limit: request.limit)
  }
}
