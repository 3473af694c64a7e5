internal import ORM
internal import ORMCore
internal import ORMObservation

/// The outcome of a request or a write: values in rows, or a fault.
enum RandomOutcome: Sendable {
  case values([[StoredValue]])
  case refused([Fault])

  /// A fault by its code and, where they are known, the attributes it names.
  struct Fault: Sendable, Hashable {
    var code: StoreError.Code
    var attributes: [String]?
  }

  init(_ body: () throws -> [[StoredValue]]) throws {
    do {
      self = .values(try body())
    } catch let faults as NaiveFaults {
      self = .refused(faults.faults)
    } catch let error as StoreError {
      self = .refused([Fault(code: error.code, attributes: error.attributes)])
    }
  }

  /// Returns whether a store's outcome is this one, to the last bit; of several faults any may be reported.
  func admits(_ other: RandomOutcome) -> Bool {
    switch (self, other) {
    case (.values(let expected), .values(let got)):
      return expected.count == got.count
        && zip(expected, got).allSatisfy { StoredValue.array($0).isIdentical(to: .array($1)) }
    case (.refused(let faults), .refused(let got)):
      return faults.contains { fault in
        fault.code == got.first?.code
          && (fault.attributes == nil || fault.attributes == got.first?.attributes)
      }
    default: return false
    }
  }
}

extension RandomRequest {
  /// Asks a store.
  func ask(_ transaction: ReadTransaction, _ entity: EntityDescription) throws -> [[StoredValue]] {
    switch output {
    case .rows: return try transaction.fetch(dynamic).map { $0.list(entity) }
    case .chunks(let size):
      var rows: [[StoredValue]] = []
      try transaction.chunks(dynamic, size: size) { rows += $0.map { $0.list(entity) } }
      return rows
    case .aggregate(let aggregate, _):
      if aggregate.operand == nil, aggregate.kind == .count, paging == .all {
        return [[.int(Int64(try transaction.count(dynamic)))]]
      }
      return [[try transaction.aggregate(dynamic, aggregate)]]
    case .groups(let groups):
      let selection = groups.selection(of: dynamic)
      return try transaction.fetch(selection).map { row in selection.names.map { row[$0] } }
    case .find(let keys):
      let keys = keys.map { RandomKey(keyValues: $0) }
      if keys.count == 1 {
        return try transaction.find(KeyedRow.self, keys[0]).map { [$0.values] } ?? []
      }
      return try transaction.find(KeyedRow.self, keys).map(\.values)
    case .models, .first, .count, .exists, .matching:
      return entity.key.isEmpty
        ? try ask(transaction, typed(HiddenRow.self)) : try askKeyed(transaction)
    }
  }

  private func askKeyed(_ transaction: ReadTransaction) throws -> [[StoredValue]] {
    var query = typed(KeyedRow.self)
    if let cursor { query.start = try query.cursor(after: KeyedRow(cursor)) }
    return try ask(transaction, query)
  }

  private func ask<Row: RandomRow>(
    _ transaction: ReadTransaction, _ query: Query<Row>
  ) throws -> [[StoredValue]] {
    switch output {
    case .first: try transaction.first(query).map { [$0.values] } ?? []
    case .count: [[.int(Int64(try transaction.count(query)))]]
    case .exists: [[.bool(try transaction.exists(query))]]
    case .matching:
      try transaction.fetch(Row.all).filter { try query.filter.matches($0) }.map(\.values)
    default: try transaction.fetch(query).map(\.values)
    }
  }

  private var dynamic: DynamicQuery {
    var query = DynamicQuery("Row", where: condition, order: order)
    if case .limit(let limit, let offset) = paging {
      query.limit = limit
      query.offset = offset
    }
    return query
  }

  private func typed<Row: RandomRow>(_ row: Row.Type) -> Query<Row> {
    var query = Query<Row>()
    query.filter = Filter(condition)
    query.order = order.map { .init($0) }
    query.paging = paging
    return query
  }

  /// Asks the naive model.
  func ask(_ model: NaiveModel) throws -> [[StoredValue]] {
    if let refusal { throw NaiveFaults(refusal) }
    let names =
      output.isDynamic ? model.entity.columnNames : model.entity.attributes.map(\.name)
    if case .aggregate(let aggregate, let kind) = output {
      let values = try model.rows(where: condition, order: [], paging: .all).map { row in
        try aggregate.operand.map { try model.value($0, of: row) } ?? .bool(true)
      }
      return [[try NaiveAggregate.value(of: aggregate.kind, over: values, kind: kind)]]
    }
    if case .groups(let groups) = output {
      let rows = try model.rows(where: condition, order: [], paging: .all)
      return try groups.rows(of: rows, in: model, paging)
    }
    if case .find(let keys) = output {
      return keys.compactMap { model.row(with: $0)?.list(names) }
    }
    let rows = try model.rows(where: condition, order: order, paging: paging, after: cursor)
    switch output {
    case .first: return rows.first.map { [$0.list(names)] } ?? []
    case .count: return [[.int(Int64(rows.count))]]
    case .exists: return [[.bool(!rows.isEmpty)]]
    default: return rows.map { $0.list(names) }
    }
  }
}

extension DynamicRow {
  /// The values in the order of the columns.
  func list(_ entity: EntityDescription) -> [StoredValue] { values.list(entity.columnNames) }
}

extension NaiveRow {
  func list(_ names: [String]) -> [StoredValue] { names.map { self[$0] ?? .null } }
}
