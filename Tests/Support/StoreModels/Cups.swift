package import ORM

/// Rows over which an index is built while others write.
package enum Cups {
  /// The keys of rows that writers choose among.
  package static let keys: Range<Int64> = 0..<4_000

  /// The schema, with the indexes or without.
  package static func schema(isIndexed: Bool) throws -> Schema {
    try Schema(
      entities: [
        EntityDescription(
          name: "Cup",
          attributes: [
            AttributeDescription("id", .int64),
            AttributeDescription("size", .int64, isOptional: true),
            AttributeDescription("code", .string),
          ], key: ["id"],
          indexes: isIndexed
            ? [IndexDescription(["size"]), IndexDescription(["code"], isUnique: true)] : [])
      ])
  }

  /// Options by which indexes are built in many small transactions.
  package static var options: StoreOptions {
    var options = StoreOptions()
    options.durability = .off
    options.migration.onlineIndexRows = 100
    options.migration.indexRunSize = 10_000
    options.migration.indexMergeSize = 3_000
    return options
  }

  /// A row; codes of rows differ.
  package static func row(_ id: Int64, size: Int64?) -> DynamicRow {
    DynamicRow(
      "Cup",
      [
        "id": .int(id), "size": size.map { .int($0) } ?? .null,
        "code": .string("\(id * 7919 % 4_001)/\(size ?? -1)"),
      ])
  }

  /// The size that a row has at first.
  package static func firstSize(_ id: Int64) -> Int64? { id % 11 == 0 ? nil : id * 13 % 100 }

  /// Saves the rows of all keys.
  package static func fill(_ store: any Store) throws {
    try store.write { try $0.insert(keys.map { row($0, size: firstSize($0)) }) }
  }

  /// Builds the indexes as a program does that opens the store, and closes it.
  package static func build(_ open: (Schema, StoreOptions) throws -> any Store) throws {
    try open(schema(isIndexed: true), options).close()
  }
}
