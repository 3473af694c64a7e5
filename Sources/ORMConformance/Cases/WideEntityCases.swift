internal import Foundation
internal import ORM
internal import ORMCore

extension ConformanceCase {
  /// Clause 7.1: an entity as wide as it may be, in every operation.
  static let wideEntities: [ConformanceCase] = [
    ConformanceCase("an entity of 1,600 columns works in every operation", "7.1", "7.6") {
      context in
      let schema = try wide(1599)
      var store = try context.open(schema)
      let names = schema.entities[0].attributes.map(\.name).filter { $0 != "id" }
      func row(_ id: Int64, _ seed: Int) -> DynamicRow {
        var values: [String: StoredValue] = ["id": .int(id)]
        for (position, name) in names.enumerated() {
          values[name] = value(position, seed + position)
        }
        return DynamicRow("Wide", values)
      }
      func expect(_ id: Int64, _ seed: Int, _ subject: String) throws {
        let query = DynamicQuery("Wide", where: attribute("id").compare(.equal, int(id)))
        let found = try store.read { try $0.fetch(query) }
        try context.expectSame(
          found.flatMap { row in names.map { row[$0] } },
          names.indices.map { value($0, seed + $0) }, subject)
      }
      try store.write { try $0.insert([row(1, 0), row(2, 1), row(3, 2)]) }
      try expect(2, 1, "inserted")
      try store.write { tx in
        try context.expectEqual(
          try tx.save([row(2, 5), row(3, 2), row(4, 3)]),
          SaveCounts(inserted: 1, updated: 1, unchanged: 1))
        try tx.update([row(1, 9)])
        try tx.save([DynamicRow("Wide", ["id": .int(4), names[1598]: value(1598, 7)])])
      }
      try expect(1, 9, "updated")
      try expect(2, 5, "saved")
      // Every column in a condition, an order, an assignment and an index.
      let same = names.enumerated().map { attribute($1).compare(.equal, .value(value($0, 5 + $0))) }
      try context.expectEqual(try store.ids("Wide", .all(same)), [2])
      let texts = names.enumerated().filter {
        $0.offset % 4 == 2 && !value($0.offset, $0.offset + 5).isNull
      }.map { position, name in
        attribute(name).text(.like, text("T\(position + 5)"), .caseInsensitive)
      }
      try context.expectEqual(try store.ids("Wide", .all(texts)), [2], "by the evaluator")
      try context.expectEqual(
        try store.ids("Wide", .constant(true), order: names.map { SortTerm(attribute($0)) }).count,
        4)
      _ = try store.write { tx in
        try tx.update(
          DynamicQuery("Wide", where: attribute("id").compare(.equal, int(3))),
          Dictionary(
            uniqueKeysWithValues: names.enumerated().map { ($1, .value(value($0, 20 + $0))) }))
      }
      try expect(3, 20, "set")
      let sums = names.enumerated().filter { $0.offset % 4 == 0 }.map { _, name in
        DynamicSelection.Column.aggregate(name, Aggregate(.sum, attribute(name)))
      }
      let total = try store.read { try $0.fetch(DynamicSelection("Wide", sums)) }
      try context.expectEqual(total.count, 1, "sums")
      let groups = try store.read {
        try $0.fetch(
          DynamicSelection(
            "Wide", names.map { .value($0) } + [.aggregate("n", Aggregate(.count))],
            keys: names.map { attribute($0) }))
      }
      try context.expectEqual(groups.map { $0["n"] }, [.int(1), .int(1), .int(1), .int(1)])
      store = try context.reopen(store, try wide(1599, isIndexed: true))
      try context.expectEqual(try store.ids("Wide", .all(same)), [2], "by an index of every column")
      try store.write { try $0.save([row(5, 30)]) }
      try expect(5, 30, "indexed")
      try context.expectEqual(try store.check().faults.map(\.message), [])
      try context.expectEqual(
        try store.write { try $0.delete(DynamicQuery("Wide", where: .all(same))) }, 1)
      try context.expectEqual(try store.ids("Wide", .constant(true)), [1, 3, 4, 5])
    },
    ConformanceCase(
      "a row of 1,600 values is stored whole, or refused and named", "7.6", "8.1"
    ) { context in
      let store = try context.open(try wide(1599))
      func row(_ id: Int64) -> DynamicRow {
        var values: [String: StoredValue] = ["id": .int(id)]
        for position in 0..<1599 { values["a\(position)"] = value(position, 7 * (position + 1)) }
        return DynamicRow("Wide", values)
      }
      let small = DynamicRow("Wide", ["id": .int(1), "a0": .int(3)])
      do {
        try store.write { try $0.insert([small, row(2)]) }
      } catch let error as StoreError where error.code == .tooLarge {
        try context.expectEqual(error.entity, "Wide")
        try context.expectSame(error.key, [.int(2)])
        try context.expectEqual(try store.ids("Wide", .constant(true)), [])
        try store.write { try $0.insert([small]) }
        try context.expectError(.tooLarge, entity: "Wide") {
          try store.write { try $0.save([row(1)]) }
        }
        let a0 = attribute("a0").compare(.equal, int(3))
        return try context.expectEqual(try store.ids("Wide", a0), [1])
      }
      let found = try store.read {
        try $0.fetch(DynamicQuery("Wide", where: attribute("id").compare(.equal, int(2))))
      }
      try context.expectSame(
        found.flatMap { row in (0..<1599).map { row["a\($0)"] } },
        (0..<1599).map { value($0, 7 * ($0 + 1)) })
    },
    ConformanceCase("an entity of 1,601 columns is refused when its schema is built", "7.1", "7.6")
    {
      context in
      let error = try context.expectError(.invalidSchema) { try wide(1600) }
      try context.expectEqual(error.failures.map(\.entity), ["Wide"])
      try context.expectError(.invalidSchema, "a folded text is a column") {
        try wide(1599, folding: 1)
      }
      _ = try wide(1598, folding: 1)
    },
    ConformanceCase(
      "stored attributes that are no longer declared count with the declared ones", "7.1", "7.5",
      "7.6"
    ) {
      context in
      let store = try context.open(try wide(1000))
      let error = try context.expectError(.schemaMismatch) {
        try context.reopen(store, try wide(1000, prefix: "b"))
      }
      try context.expectEqual(error.failures.map(\.entity), ["Wide"])
      let again = try context.reopen(store, try wide(599, prefix: "b"))
      try again.write { try $0.insert([DynamicRow("Wide", ["id": .int(1), "b0": .int(3)])]) }
      try context.expectEqual(try again.ids("Wide", attribute("b0").compare(.equal, int(3))), [1])
    },
  ]
}

/// A value of the kind of an attribute's position, another for each multiple of 7; nil for other
/// numbers.
///
/// A row then has some 230 values, which every store keeps together.
private func value(_ position: Int, _ number: Int) -> StoredValue {
  guard number.isMultiple(of: 7) else { return .null }
  return switch position % 4 {
  case 0: .int(Int64(number))
  case 1: .double(Double(number) / 2)
  case 2: .string("t\(number)")
  default: .date(Date(timeIntervalSinceReferenceDate: Double(number)))
  }
}

/// A schema of one entity with a key and `count` optional attributes of four kinds.
private func wide(
  _ count: Int, prefix: String = "a", isIndexed: Bool = false, folding: Int = 0
) throws -> Schema {
  let types: [AttributeType] = [.int64, .double, .string, .date]
  let names = (0..<count).map { "\(prefix)\($0)" }
  var indexes = (0..<folding).map { IndexDescription([.caseInsensitive(names[$0 * 4 + 2])]) }
  if isIndexed { indexes.append(IndexDescription(names.map { .init($0) })) }
  return try Schema(entities: [
    EntityDescription(
      name: "Wide",
      attributes: [AttributeDescription("id", .int64)]
        + names.enumerated().map { AttributeDescription($1, types[$0 % 4], isOptional: true) },
      key: ["id"], indexes: indexes)
  ])
}
