import Foundation
import ORMCore
import TestSupport
import Testing

@testable import SQLiteBackend

/// The engine against core's evaluator, which says what every request means.
@Suite struct RandomRequestTests {
  /// Rows held in memory, as an engine that can do nothing gives them.
  final class Rows: StoreCursor {
    let rows: [[StoredValue]]
    init(_ rows: [[StoredValue]]) { self.rows = rows }
    func visit<V: RowVisitor>(_ visitor: inout V) throws -> Bool {
      for row in rows {
        if case .stop = try visitor.visit(BufferedRow(row)) { break }
      }
      return false
    }
  }

  /// The result of core's evaluator, or the code of its error.
  static func expected(_ request: FetchRequest, _ rows: [[StoredValue]]) -> (
    [[StoredValue]], StoreError.Code?
  ) {
    var taker = RowTaker()
    do {
      _ = try ResidualCursor(
        over: Rows(rows), request: request, entity: RandomRequests.entity,
        schema: RandomRequests.schema
      ).visit(&taker)
    } catch {
      return ([], (error as? StoreError)?.code)
    }
    return (taker.rows, nil)
  }

  static func areIdentical(_ a: [[StoredValue]], _ b: [[StoredValue]]) -> Bool {
    a.count == b.count
      && zip(a, b).allSatisfy { a, b in
        a.count == b.count && zip(a, b).allSatisfy { $0.isIdentical(to: $1) }
      }
  }

  @Test(arguments: [true, false])
  func `2, 3, 4: random requests give what core's evaluator gives`(callsCore: Bool) throws {
    let seed = runSeed()
    var random = RandomRequests(seed: seed)
    let fixture = SQLiteFixture()
    let store = try fixture.store(RandomRequests.schema, callsCore: callsCore)
    let rows = (1...60).map { random.row(id: Int64($0)) }
    try store.put(RandomRequests.entity, .insert, rows, reports: [])
    #expect(
      Self.areIdentical(try store.all("Every"), rows), "seed \(seed): rows come back changed")
    let reader = try store.reader(ReadTurn())
    defer { reader.end() }
    for number in 0..<1500 {
      let request = random.request()
      let (expected, code) = Self.expected(request, rows)
      var taker = RowTaker()
      var found: StoreError.Code?
      do {
        try reader.visit(request, &taker)
      } catch {
        found = (error as? StoreError)?.code
        taker.rows = []
      }
      if found != code || !Self.areIdentical(taker.rows, expected) {
        let detail = try? reader.explain(request).detail
        Issue.record(
          """
          seed \(seed), request \(number): \(request.shape.condition) sort \(request.shape.sort) \(request.shape.output) \(request.bindings)
          \(detail ?? "")
          found \(found.map { "\($0)" } ?? "\(taker.rows.count) rows"): \(taker.rows.prefix(3))
          expected \(code.map { "\($0)" } ?? "\(expected.count) rows"): \(expected.prefix(3))
          """)
        return
      }
    }
  }
}
