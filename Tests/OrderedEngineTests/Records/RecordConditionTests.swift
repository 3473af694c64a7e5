import ORMCore
import Testing

@testable import OrderedEngine

/// Clause 2.1 and 2.2 on records: the steps of a condition come to what the evaluator says of the
/// row's values.
@Suite struct RecordConditionTests {
  private static let types: [AttributeType] = [
    .bool, .int8, .int32, .uint32, .int64, .uint64, .double, .date, .string, .decimal,
  ]

  private func columns(_ rows: inout RandomRows) -> [StoredColumn] {
    let count = Int.random(in: 1...14, using: &rows.random)
    return [StoredColumn("id", .int64)]
      + (0..<count).map { number in
        let isOptional = rows.pick([true, true, false])
        var column = StoredColumn("c\(number)", rows.pick(Self.types), isOptional: isOptional)
        if !isOptional { column.defaultValue = rows.value(of: column.type) }
        return column
      }
  }

  private func condition(
    _ rows: inout RandomRows, _ columns: [StoredColumn], depth: Int
  ) -> Condition {
    switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &rows.random) {
    case 6: return .not(condition(&rows, columns, depth: depth - 1))
    case 7: return .all(parts(&rows, columns, depth))
    case 8: return .any(parts(&rows, columns, depth))
    case 5:
      let column = rows.pick(columns)
      var list = (0..<Int.random(in: 0...6, using: &rows.random)).map { _ in
        rows.value(of: column.type)
      }
      if rows.pick([true, false, false]) { list.append(.null) }
      return .isIn(.attribute(column.name), list: .value(.array(list)), [])
    default:
      let column = rows.pick(columns)
      let comparator = rows.pick([
        ORMCore.Comparator.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
      ])
      let value: StoredValue =
        switch rows.pick([0, 0, 0, 0, 1, 2]) {
        case 0: rows.value(of: column.type)
        case 1: .null
        default: .double(rows.double())
        }
      let operand = Operand.attribute(column.name)
      return rows.pick([true, false])
        ? .compare(operand, comparator, .value(value), [])
        : .compare(.value(value), comparator, operand, [])
    }
  }

  private func parts(
    _ rows: inout RandomRows, _ columns: [StoredColumn], _ depth: Int
  ) -> [Condition] {
    (0..<Int.random(in: 0...3, using: &rows.random)).map { _ in
      condition(&rows, columns, depth: depth - 1)
    }
  }

  @Test func stepsComeToWhatTheEvaluatorSays() throws {
    try withSeed { rows in
      for _ in 0..<60 {
        let columns = columns(&rows)
        let entity = StoredEntity(name: "row", modelName: "Row", columns: columns, key: [0])
        let layout = RecordLayout(entity)
        let fields = RowColumns(layout, Array(columns.indices))
        defer { withExtendedLifetime(fields) {} }
        // Some records were written before the last columns were added.
        let known = rows.pick([
          columns.count, Int.random(in: 1...columns.count, using: &rows.random),
        ])
        let older = RecordLayout(
          StoredEntity(
            name: "row", modelName: "Row", columns: Array(columns[..<known]), key: [0]))
        var reader = RecordReader(fields)
        for _ in 0..<30 {
          let isOld = rows.pick([true, false])
          var values = rows.row(of: entity)
          if isOld {
            values[known...] = ArraySlice(columns[known...].map { $0.defaultValue ?? .null })
          }
          let record = try isOld ? older.record(Array(values[..<known])) : layout.record(values)
          let condition = condition(&rows, columns, depth: 3)
          let bound = try CompiledCondition(
            condition, entity: entity, schema: StoredSchema(entities: [entity])
          ).bound(to: [])
          let steps = RecordCondition(bound, fields, asSteps: rows.pick([true, true, false]))
          let expected = try bound.matches(BufferedRow(values))
          try record.withUnsafeBytes {
            let stands = reader.view.move(to: $0)
            try #require(stands)
            #expect(try steps.matches(reader) == expected, "\(condition) of \(values)")
            var views = [reader.view, reader.view]
            #expect(try steps.test.count(of: views, 2) == (expected ? 2 : 0), "\(condition)")
            var failure: (any Error)?
            #expect(steps.test.sift(&views, 2, &failure) == (expected ? 2 : 0), "\(condition)")
            #expect(failure == nil)
          }
        }
      }
    }
  }
}
