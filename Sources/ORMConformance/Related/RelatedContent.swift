internal import Foundation
internal import ORM
internal import ORMCore

/// The rows of all entities of a schema, as they are stored, by stored name.
struct RelatedContent {
  let schema: StoredSchema
  var rows: [String: [[StoredValue]]] = [:]

  /// Makes random rows, of so few values that links often lead somewhere, and sometimes do not.
  ///
  /// With a `size`, one entity has that number of rows, each with a key and unique values of its own.
  init(_ schema: StoredSchema, _ random: inout SeededGenerator, size: Int?) {
    self.schema = schema
    let large = size.map { _ in random.pick(schema.entities).name }
    for entity in schema.entities {
      var found: [[StoredValue]] = []
      if let size, entity.name == large {
        found = (1...size).map { number in
          entity.columns.indices.map { column in
            entity.key.contains(column) || entity.uniqueColumns.contains(column)
              ? Self.value(of: entity.columns[column].type, number)
              : Self.value(of: entity.columns[column], &random)
          }
        }
        rows[entity.name] = Self.sorted(found, entity)
        continue
      }
      for _ in 0..<random.number(0...7) {
        let row = entity.columns.map { Self.value(of: $0, &random) }
        if !found.contains(where: { entity.excludes($0, beside: row) }) { found.append(row) }
      }
      rows[entity.name] = Self.sorted(found, entity)
    }
  }

  private static func sorted(
    _ rows: [[StoredValue]], _ entity: StoredEntity
  ) -> [[StoredValue]] {
    rows.sorted { a, b in
      for (a, b) in zip(entity.key(of: a), entity.key(of: b)) {
        let order = NaiveOrder.total(a, b)
        if order != 0 { return order < 0 }
      }
      return false
    }
  }

  /// The value of a number, another for each.
  private static func value(of type: AttributeType, _ number: Int) -> StoredValue {
    switch type.kind {
    case .string: .string("v\(number)")
    case .uuid:
      .uuid(
        UUID(
          uuid: (
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number >> 8), UInt8(number & 0xFF)
          )))
    default: .int(Int64(number))
    }
  }

  private static func value(
    of column: StoredColumn, _ random: inout SeededGenerator
  ) -> StoredValue {
    if column.isOptional && random.chance(4) { return .null }
    return value(of: column.type, &random)
  }

  static func value(of type: AttributeType, _ random: inout SeededGenerator) -> StoredValue {
    switch type.kind {
    case .array:
      let element = if case .array(let element) = type { element } else { type }
      return .array((0..<random.number(0...3)).map { _ in value(of: element, &random) })
    case .json:
      return .json(
        random.pick([
          #"{"l":[1,"a",null,3]}"#, #"{"l":["b",[1],2.5]}"#, #"{"l":[]}"#, #"{"l":3}"#, "null",
          #"{"l":[5,5],"n":1}"#,
        ]))
    case .string: return .string(random.pick(["", "a", "b", "ab", "é"]))
    case .uuid:
      let last = UInt8(random.number(1...4))
      return .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last)))
    default: return .int(Int64(random.number(1...5)))
    }
  }

  /// Puts every row into an empty store.
  func fill(_ store: any Store) throws {
    let writer = try store.writer(WriteTurn())
    defer { writer.end() }
    for entity in schema.entities {
      var source = StoredRows(entity: entity, rows: rows[entity.name] ?? [])
      var quiet = QuietPuts()
      try writer.put(
        PutRequest(entity: entity.name, mode: .insert, columns: Array(entity.columns.indices)),
        from: &source, to: &quiet)
    }
    try writer.commit()
  }
}

extension StoredEntity {
  /// The key's values of a row.
  func key(of row: [StoredValue]) -> [StoredValue] { key.map { row[$0] } }

  /// The columns of unique rules.
  var uniqueColumns: Set<Int> {
    Set(indexes.filter(\.isUnique).flatMap { $0.terms.map(\.column) })
  }

  /// Returns whether two rows cannot be stored together: of one key, or alike in a column of a
  /// unique rule.
  fileprivate func excludes(_ a: [StoredValue], beside b: [StoredValue]) -> Bool {
    key(of: a) == key(of: b) || uniqueColumns.contains { !a[$0].isNull && a[$0] == b[$0] }
  }
}

/// Rows of values as a source.
private struct StoredRows: RowSource {
  let entity: StoredEntity
  let rows: [[StoredValue]]
  var position = 0

  mutating func next<W: RowWriter & ~Copyable>(into row: inout W) throws -> Bool {
    guard position < rows.count else { return false }
    for (column, value) in rows[position].enumerated() {
      try row.set(value: value, at: column, type: entity.columns[column].type)
    }
    position += 1
    return true
  }

  mutating func rewind() { position = 0 }
}

private struct QuietPuts: PutVisitor {
  mutating func didPut(_ outcome: PutOutcome, key: Int64) {}
  mutating func didRewind() {}
}
