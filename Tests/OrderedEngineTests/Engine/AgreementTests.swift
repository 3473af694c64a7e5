import Foundation
import ORMCore
import Testing

@testable import OrderedEngine

/// Plans of every kind give what core's evaluator gives over all rows, and rows, indexes and a model
/// in memory stay in step.
@Suite struct AgreementTests {
  @Test(arguments: TestedMap.allCases)
  func requestsGiveWhatCoreGives(map: TestedMap) throws {
    try withSeed { rows in
      for _ in 0..<(map == .lmdb ? 2 : 4) {
        var requests = RandomRequests(rows)
        try map.withStore(StoredSchema(entities: [requests.entity])) { store in
          var model = Model(requests.entity)
          for _ in 0..<6 { try model.change(store, &requests) }
          let reader = try store.reader(ReadTurn())
          defer { reader.end() }
          for _ in 0..<80 {
            let request = requests.request()
            try compare(request, reader, model)
          }
        }
        rows = requests.rows
      }
    }
  }

  private func compare(
    _ request: FetchRequest, _ reader: any StoreReader, _ model: Model
  ) throws {
    var expected = RowLog()
    _ = try ResidualCursor(
      over: ModelCursor(rows: model.sorted), request: request, entity: model.entity,
      schema: StoredSchema(entities: [model.entity])
    ).visit(&expected)
    let rows = try reader.rows(request)
    let plan = try reader.explain(request).detail
    try reader.forEachPlan(of: request) { other, plan in
      try #require(
        areSame(other, expected.rows),
        "\(request.shape.condition) \(request.shape.sort) \(request.bindings): \(plan)")
    }
    try #require(
      areSame(rows, expected.rows),
      "\(request.shape.condition) \(request.shape.sort) \(request.bindings): \(plan)")
    // The same by a cursor that pauses after each row, and by one that stops.
    let cursor = try reader.cursor(request)
    var paused = RowLog(pauses: true)
    while try cursor.visit(&paused) {}
    #expect(try !cursor.visit(&paused))
    #expect(areSame(paused.rows, expected.rows))
    var stopped = RowLog(stopsAfter: 2)
    let again = try reader.cursor(request)
    #expect(try !again.visit(&stopped))
    #expect(areSame(stopped.rows, Array(expected.rows.prefix(2))))
    #expect(try !again.visit(&stopped))
  }

  private func areSame(_ a: [[StoredValue]], _ b: [[StoredValue]]) -> Bool {
    a.count == b.count && zip(a, b).allSatisfy { areIdentical($0, $1) }
  }
}

/// The content that a store should hold.
private struct Model {
  let entity: StoredEntity
  private var rows: [GroupKey: [StoredValue]] = [:]

  init(_ entity: StoredEntity) { self.entity = entity }

  /// The rows in the order of their keys.
  var sorted: [[StoredValue]] {
    rows.values.sorted { a, b in
      for column in entity.key {
        let order = StoredValue.order(a[column], b[column])
        if order != 0 { return order < 0 }
      }
      return false
    }
  }

  private func key(_ row: [StoredValue]) -> GroupKey { GroupKey(entity.key.map { row[$0] }) }

  /// Puts, updates or deletes some rows on both sides.
  mutating func change(_ store: any Store, _ requests: inout RandomRequests) throws {
    var model = rows
    try store.inWriter { writer in
      let batch = (0..<40).map { _ in requests.row() }
      try writer.put(batch, into: entity)
      for row in batch { model[key(row)] = row }
      let condition = requests.condition(depth: 1)
      let request = FetchRequest(entity: "row", condition: condition)
      let compiled = try CompiledCondition(
        request.shape.condition, entity: entity, schema: store.schema
      ).bound(to: request.bindings)
      let matching = try model.filter { try compiled.matches(BufferedRow($0.value)) }
      if requests.rows.pick([true, false]) {
        #expect(try writer.apply(.delete(request)) == matching.count)
        for key in matching.keys { model[key] = nil }
      } else {
        let text = requests.rows.pick([StoredValue.string("b"), .null])
        let assignment = StoreChange.Assignment(column: 7, value: .value(text))
        #expect(try writer.apply(.update(request, [assignment])) == matching.count)
        for key in matching.keys { model[key]?[7] = text }
      }
    }
    rows = model
  }
}

/// Rows of a model as an engine's row cursor.
private final class ModelCursor: StoreCursor {
  private let rows: [[StoredValue]]
  private var position = 0

  init(rows: [[StoredValue]]) { self.rows = rows }

  func visit<V: RowVisitor>(_ visitor: inout V) throws -> Bool {
    while position < rows.count {
      position += 1
      switch try visitor.visit(BufferedRow(rows[position - 1])) {
      case .next: continue
      case .pause: return true
      case .stop: position = rows.count
      }
    }
    return false
  }
}
