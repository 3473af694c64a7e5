import Foundation
import ORMCore

@testable import OrderedEngine

/// Random entities with indexes, and random requests of them.
struct RandomRequests {
  var rows: RandomRows
  let entity: StoredEntity

  /// An entity with a key of one or two parts and several indexes.
  init(_ rows: RandomRows) {
    var rows = rows
    var columns: [StoredColumn] = []
    for (number, type) in RandomRows.scalars.shuffled(using: &rows.random).prefix(7).enumerated() {
      columns.append(
        StoredColumn("c\(number)", type, isOptional: number > 1 && rows.pick([true, false])))
    }
    columns.append(StoredColumn("text", .string, isOptional: true))
    columns.append(StoredColumn("tags", .array(rows.pick([.string, .int32]))))
    columns.append(StoredColumn("note", .json, isOptional: true))
    let key = rows.pick([[0], [0, 1], [1, 0]])
    var indexes: [StoredIndex] = []
    for number in 0..<rows.pick([1, 3, 5]) {
      let terms = (0...rows.pick([0, 0, 1])).map { _ -> StoredIndex.Term in
        let column = Int.random(in: 0..<8, using: &rows.random)
        let isText = columns[column].type == .string
        return StoredIndex.Term(
          column, isDescending: rows.pick([true, false]),
          form: isText && rows.pick([true, false]) ? .caseFolded : .value)
      }
      indexes.append(StoredIndex("i\(number)", terms))
    }
    indexes.append(StoredIndex("folded", [.init(7, form: .caseFolded)]))
    indexes.append(StoredIndex("elements", [.init(8, form: .elements)]))
    entity = StoredEntity(
      name: "row", modelName: "Row", columns: columns, key: key, indexes: indexes)
    self.rows = rows
  }

  /// A row of values that often agree with those of others.
  mutating func row() -> [StoredValue] {
    entity.columns.map { column in
      let value = rows.value(of: column)
      if case .string = value, column.name == "text" {
        return .string(rows.pick(["a", "A", "ab", "Ab", "aB", "b", "ß", "ss", "SS", ""]))
      }
      return value
    }
  }

  mutating func request() -> FetchRequest {
    let limit = rows.pick([nil, nil, 0, 1, 3, 100])
    var sort: [SortTerm] = []
    for _ in 0..<rows.pick([0, 1, 1, 2]) {
      let column = rows.pick(Array(0..<8))
      let isText = entity.columns[column].type == .string
      sort.append(
        SortTerm(
          .attribute(entity.columns[column].attribute), isDescending: rows.pick([true, false]),
          nils: rows.pick([nil, nil, .first, .last]),
          options: isText && rows.pick([true, false]) ? .caseInsensitive : []))
    }
    if rows.pick([true, false, false, false, false, false, false, false]) {
      sort.insert(SortTerm(.json(.attribute("note"), [.index(0)])), at: 0)
    }
    var output = FetchShape.Output.rows
    let term = rows.pick(entity.indexes.flatMap(\.terms).map(\.column).filter { $0 < 8 })
    let indexed = Operand.attribute(entity.columns[term].attribute)
    switch rows.pick(Array(0..<11)) {
    case 10: return groups(by: indexed)
    case 6:
      output = .aggregates(
        rows.pick([
          [Aggregate(.minimum, indexed)], [Aggregate(.maximum, indexed)],
          [Aggregate(.minimum, indexed), Aggregate(.maximum, indexed)],
          [
            Aggregate(.maximum, indexed), Aggregate(.count),
            Aggregate(.minimum, .attribute("c0")),
          ],
        ]))
    case 7:
      output = .aggregates([
        Aggregate(.count, indexed), Aggregate(.countDistinct, indexed), Aggregate(.count),
      ])
      if entity.columns[term].type.kind.isNumber {
        output = .aggregates([Aggregate(.average, indexed), Aggregate(.maximum, indexed)])
      }
    case 8: output = .values([indexed])
    case 9: output = .values([indexed, .attribute("c0")])
    case 0: output = .values([.attribute("c2"), .attribute("text")])
    case 1: output = .values([.function(.count, .attribute("tags")), .attribute("c0")])
    case 2:
      output = .aggregates([
        Aggregate(.count), Aggregate(.minimum, .attribute("c3")),
        Aggregate(.countDistinct, .attribute("text")),
      ])
    case 3: output = .aggregates([Aggregate(.count)])
    default: break
    }
    if case .aggregates = output {
      sort = []
    } else {
      sort = SortTerm.total(sort, entity: entity)
    }
    return FetchRequest(
      entity: "row", output: output, condition: condition(depth: 2), sort: sort, limit: limit,
      offset: limit == nil ? 0 : rows.pick([0, 0, 1, 4, 30, 100]))
  }

  /// Groups by an indexed attribute, or others, of which an index may have all.
  private mutating func groups(by indexed: Operand) -> FetchRequest {
    let keys = rows.pick([
      [indexed], [indexed], [.attribute("text")], [.attribute("c0")],
      [indexed, .attribute("text")], [.attribute("tags")],
      [.function(.count, .attribute("tags")), indexed], [.json(.attribute("note"), [.index(0)])],
    ])
    let aggregates = rows.pick([
      [], [Aggregate(.count)], [Aggregate(.count), Aggregate(.minimum, indexed)],
      [Aggregate(.countDistinct, .attribute("text")), Aggregate(.maximum, .attribute("c0"))],
      [Aggregate(.count, indexed), Aggregate(.sum, .function(.count, .attribute("tags")))],
    ])
    let last = keys.count + aggregates.count - 1
    let having = rows.pick([
      Condition.constant(true), .constant(true),
      .compare(.output(last), .notEqual, .value(.null), []),
      .compare(.output(last), .greater, .value(.int(1)), []),
    ])
    let order = rows.pick([
      [], [SortTerm(.output(last), isDescending: true)], [SortTerm(.output(0), nils: .last)],
    ])
    return FetchRequest(
      entity: "row", output: .groups(keys: keys, aggregates: aggregates, having: having),
      condition: rows.pick([true, false]) ? .constant(true) : condition(depth: 1),
      sort: RequestLowering.total(order, keyCount: keys.count),
      limit: rows.pick([nil, nil, 2, 5]), offset: 0)
  }

  mutating func condition(depth: Int) -> Condition {
    switch rows.pick(Array(0..<9)) {
    case 0 where depth > 0, 1 where depth > 0:
      return .all((0..<rows.pick([1, 2, 3])).map { _ in condition(depth: depth - 1) })
    case 2 where depth > 0:
      return .any((0..<rows.pick([1, 2])).map { _ in condition(depth: depth - 1) })
    case 3 where depth > 0:
      let column = rows.pick(Array(0..<8))
      return .any([leaf(column), leaf(column)])
    case 4 where depth > 0: return .not(condition(depth: depth - 1))
    case 6 where depth > 0:
      // Alternatives that indexes answer, each with something beside.
      return .any(
        (0..<rows.pick([2, 3])).map { _ in
          let index = rows.pick(entity.indexes)
          let beside = rows.pick([true, false]) ? [leaf(rows.pick(Array(0..<9)))] : []
          return .all(index.terms.map { leaf($0.column) } + beside)
        })
    case 5: return .constant(true)
    default: return leaf(rows.pick(Array(0..<9)))
    }
  }

  /// A condition on one column, beside values of its kind or of another that compares with it.
  private mutating func leaf(_ number: Int) -> Condition {
    let column = entity.columns[number]
    let operand = Operand.attribute(column.attribute)
    if case .array(let element) = column.type {
      return .isIn(.value(value(beside: element)), list: operand, [])
    }
    let options: TextOptions =
      column.type == .string && rows.pick([true, false]) ? .caseInsensitive : []
    switch rows.pick(Array(0..<10)) {
    case 0:
      return .compare(operand, rows.pick([.equal, .notEqual]), .value(.null), options)
    case 1, 2:
      var values = (0..<rows.pick([0, 1, 3])).map { _ in value(beside: column.type) }
      if rows.pick([true, false, false]) { values.append(.null) }
      return .isIn(operand, list: .value(.array(values)), options)
    case 3 where column.type == .string && rows.pick([true, false]):
      return .text(
        operand, .like,
        .value(.string(rows.pick(["", "*", "a*", "A?", "?b", "a", "s*s", "\\*", "ß*"]))), options)
    case 3 where column.type == .string:
      return .text(
        operand, .beginsWith, .value(.string(rows.pick(["", "a", "A", "s", "ß"]))), options)
    default:
      let comparators: [ORMCore.Comparator] = [
        .equal, .equal, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
      ]
      let comparator = rows.pick(comparators)
      let other = Operand.value(value(beside: column.type))
      return rows.pick([true, false])
        ? .compare(operand, comparator, other, options)
        : .compare(other, comparator, operand, options)
    }
  }

  private mutating func value(beside type: AttributeType) -> StoredValue {
    guard type.kind.isNumber else { return rows.value(of: type) }
    let other = rows.value(
      of: rows.pick([type, type, .int64, .int8, .uint64, .double, .decimal]))
    switch other {
    case .int(let number) where rows.pick([true, false, false, false]):
      return .double(Double(number) + 0.5)
    case .double where rows.pick(Array(repeating: false, count: 9) + [true]):
      return .double(.nan)
    default: return other
    }
  }
}
