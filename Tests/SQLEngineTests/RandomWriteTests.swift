import Foundation
import ORMCore
import TestSupport
import Testing

@testable import SQLiteBackend

/// Random writes against a table in memory that follows clause 5.1 by hand.
@Suite struct RandomWriteTests {
  /// The rows by key, written one by one.
  struct Model {
    var rows: [Int64: [StoredValue]] = [:]
    static var columns: [StoredColumn] { RandomRequests.entity.columns }

    static func key(_ row: [StoredValue]) -> Int64 {
      if case .int(let key) = row[0] { key } else { 0 }
    }

    var sorted: [[StoredValue]] { rows.sorted { $0.key < $1.key }.map(\.value) }

    /// The outcomes of a put; nil when it throws.
    mutating func put(
      _ mode: PutRequest.Mode, _ rows: [[StoredValue]], _ columns: [Int], nilKeeps: Bool
    ) -> (outcomes: [PutOutcome], old: [[StoredValue]])? {
      var outcomes: [PutOutcome] = []
      var replaced: [[StoredValue]] = []
      for given in rows {
        let key = Self.key(given)
        if let old = self.rows[key] {
          if mode == .insert { return nil }
          if mode == .insertMissing {
            outcomes.append(.unchanged)
            continue
          }
          var new = old
          for (column, value) in zip(columns, given) where !(nilKeeps && value.isNull) {
            new[column] = value
          }
          if zip(new, old).allSatisfy({ $0.isIdentical(to: $1) }) {
            outcomes.append(.unchanged)
          } else {
            outcomes.append(.updated)
            replaced.append(old)
            self.rows[key] = new
          }
        } else {
          if mode == .update { return nil }
          var new = Self.columns.map { $0.defaultValue ?? .null }
          for (column, value) in zip(columns, given) where !(nilKeeps && value.isNull) {
            new[column] = value
          }
          guard zip(Self.columns, new).allSatisfy({ $0.isOptional || !$1.isNull }) else {
            return nil
          }
          outcomes.append(.inserted)
          self.rows[key] = new
        }
      }
      return (outcomes, replaced)
    }
  }

  static func selected(_ request: FetchRequest, _ model: Model) throws -> [[StoredValue]] {
    let (rows, code) = RandomRequestTests.expected(request, model.sorted)
    if let code { throw StoreError(code, "") }
    return rows
  }

  @Test(arguments: [true, false])
  func `5: random puts, updates and deletes do what the semantics say`(callsCore: Bool) throws {
    let seed = runSeed()
    var random = RandomRequests(seed: seed)
    let fixture = SQLiteFixture()
    let store = try fixture.store(RandomRequests.schema, callsCore: callsCore)
    var model = Model()
    let all = Array(RandomRequests.entity.columns.indices)
    for number in 0..<400 {
      let before = model
      var note = ""
      do {
        try store.written { writer in
          switch random.pick(0..<10) {
          case 0..<6:
            let mode = random.pick(
              [.insert, .update, .upsert, .upsert, .insertMissing] as [PutRequest.Mode])
            let isPartial = random.chance(3)
            let columns = isPartial ? [0] + all.dropFirst().filter { _ in random.chance(2) } : all
            let nilKeeps = random.chance(3)
            let rows = (0..<random.pick(1..<4)).map { _ -> [StoredValue] in
              let id = random.chance(3) ? Int64(random.pick(1..<1000)) : Int64(random.pick(1..<30))
              var row = random.row(id: id)
              if random.chance(4), let old = model.rows[id] { row = old }
              return columns.map { row[$0] }
            }
            let reports: PutRequest.Reports =
              random.chance(3) ? [.outcomes, .oldRows] : .outcomes
            note = "\(mode) \(columns) nilKeeps \(nilKeeps) \(rows)"
            let expected = model.put(mode, rows, columns, nilKeeps: nilKeeps)
            do {
              let found = try writer.put(
                RandomRequests.entity, mode, rows, columns: isPartial ? columns : nil,
                nilKeeps: nilKeeps, reports: reports)
              #expect(
                found.outcomes == expected?.outcomes, "seed \(seed), write \(number): \(note)")
              if reports.contains(.oldRows) {
                #expect(
                  RandomRequestTests.areIdentical(found.old, expected?.old ?? []),
                  "seed \(seed), write \(number): \(note)")
              }
            } catch let error as StoreError {
              #expect(expected == nil, "seed \(seed), write \(number): \(error) \(note)")
              throw error
            }
          case 6, 7:
            let request = FetchRequest(
              entity: "Every", condition: random.condition(2), sort: random.sort(),
              limit: random.chance(2) ? random.pick(0..<4) : nil)
            note = "delete \(request.shape.condition) \(request.bindings)"
            let rows = try Self.selected(request, model)
            for row in rows { model.rows[Model.key(row)] = nil }
            let count = try writer.apply(.delete(request))
            #expect(count == rows.count, "seed \(seed), write \(number): \(note)")
          case 8:
            let assigned = random.column { $0.name != "id" }
            var operand = Operand.value(
              assigned.isOptional && random.chance(3) ? .null : random.value(assigned.type))
            if [.int, .double].contains(assigned.type.kind), random.chance(2) {
              operand = random.number(1)
            }
            var bindings: [StoredValue] = []
            let shape = FetchShape(
              entity: "Every",
              condition: random.condition(1).normalized().parameterized(into: &bindings),
              sort: random.sort().map { $0.parameterized(into: &bindings) },
              isLimited: random.chance(2))
            operand = operand.parameterized(into: &bindings)
            let request = FetchRequest(
              shape, bindings: bindings, limit: shape.isLimited ? random.pick(0..<4) : nil)
            note = "update \(assigned.name) = \(operand) \(shape.condition) \(bindings)"
            let position = RandomRequests.entity.column(named: assigned.name) ?? 0
            var failure: StoreError.Code?
            let rows = try Self.selected(request, model)
            let compiled = try CompiledOperand(
              operand, entity: RandomRequests.entity, schema: RandomRequests.schema
            ).bound(to: bindings)
            for var row in rows {
              do {
                let value = try compiled.evaluateForUpdate(BufferedRow(row))
                if assigned.type.fault(of: value, isOptional: assigned.isOptional) != nil {
                  failure = value.isNull ? .missingValue : .invalidValue
                  break
                }
                row[position] = value
                model.rows[Model.key(row)] = row
              } catch let error as StoreError {
                failure = error.code
                break
              }
            }
            do {
              let count = try writer.apply(
                .update(request, [.init(column: position, value: operand)]))
              #expect(
                failure == nil && count == rows.count, "seed \(seed), write \(number): \(note)")
            } catch let error as StoreError {
              #expect(error.code == failure, "seed \(seed), write \(number): \(error) \(note)")
              throw error
            }
          default:
            note = "clear"
            if random.chance(4) {
              #expect(try writer.apply(.clear("Every")) == model.rows.count)
              model.rows = [:]
            }
          }
        }
      } catch is StoreError {
        model = before
      }
      let found = try store.all("Every")
      guard RandomRequestTests.areIdentical(found, model.sorted) else {
        Issue.record("seed \(seed), write \(number): rows differ after \(note)")
        return
      }
    }
    // Indexes and tables of elements tell what the rows do.
    let reader = try store.reader(ReadTurn())
    defer { reader.end() }
    for _ in 0..<300 {
      let request = FetchRequest(
        entity: "Every", condition: random.condition(1), sort: [SortTerm(.attribute("id"))])
      let found = try reader.rows(request)
      let expected = try Self.selected(request, model)
      #expect(
        RandomRequestTests.areIdentical(found, expected),
        "seed \(seed): \(request.shape.condition) \(request.bindings)")
    }
    let elements = try fixture.command(
      "SELECT count(*) FROM \"Every$array\" WHERE owner NOT IN (SELECT id FROM Every)")
    #expect(elements == "0")
    #expect(try fixture.command("PRAGMA integrity_check") == "ok")
  }
}
