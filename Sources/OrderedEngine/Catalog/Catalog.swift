internal import FoundationEssentials
internal import ORMStorage

/// The schema of a store and the keyspaces of its rows and indexes, as the store keeps them.
///
/// It lies in keyspace 0 under the key `catalog`, as a checksum of 8 bytes and a JSON text.
struct Catalog: Codable, Hashable, Sendable {
  /// The version of the format that this code gives a new store.
  ///
  /// A file with a smaller one, which no published version wrote, is refused, and so is one with a
  /// greater one than ``newestFormat``.
  static let currentFormat = 3

  /// The version of the format.
  var format = currentFormat
  /// The schema: the columns of each entity in the order of the file.
  var schema: StoredSchema
  /// True if records have checksums.
  var hasChecksums: Bool
  /// The version of Unicode that folded indexes were made with.
  var unicodeVersion: String
  /// The keyspaces and fillings of each entity, in the order of `schema.entities`.
  var keyspaces: [EntityKeyspaces]
  /// The next keyspace that was never used.
  var nextKeyspace: Keyspace
  /// The generation of the catalog, which grows by one with each change.
  var generation: UInt64 = 1
  /// The format that the store has again when no index is being built; nil if none is.
  var formatBefore: Int?
  /// The length that the map's keys had at most when the store was made, by which overflow keys are
  /// shaped; nil for no limit.
  var longestKey: Int?

  // The names in the file.
  private enum CodingKeys: String, CodingKey {
    case format, schema, hasChecksums, unicodeVersion
    case keyspaces = "places"
    case nextKeyspace, generation, formatBefore, longestKey
  }

  /// The keyspaces of an entity's rows and indexes, and the fillings of its columns.
  struct EntityKeyspaces: Codable, Hashable, Sendable {
    /// The keyspace of the rows.
    var rows: Keyspace
    /// The keyspaces of the indexes, in the order of `StoredEntity.indexes`.
    var indexes: [Keyspace]
    /// The values that stand for columns a record lacks, one for each column of a record: an array as
    /// records keep it.
    var fillings: Data
    /// The columns of records that were dropped, in their order; nil for none.
    var dropped: [DroppedColumn]?
    /// The indexes that are being built beside writers; nil for none.
    var building: [IndexInBuilding]?

    /// Every keyspace of the entity.
    var keyspaces: [Keyspace] {
      [rows] + indexes + (building ?? []).flatMap { [$0.entries, $0.work] }
    }
  }

  /// A column that only records have: it was dropped, and they were not rewritten since.
  struct DroppedColumn: Codable, Hashable, Sendable {
    /// Its position in a record.
    var position: Int
    /// The type of the values.
    var type: AttributeType
  }

  /// The catalog of a new store, in a map that takes keys of at most `longestKey` bytes.
  init(of schema: StoredSchema, hasChecksums: Bool, longestKey: Int = .max) {
    self.longestKey = longestKey == .max ? nil : longestKey
    self.schema = StoredSchema(entities: [], version: schema.version)
    self.hasChecksums = hasChecksums
    unicodeVersion = TextFolding.unicodeVersion
    keyspaces = []
    nextKeyspace = 1
    for entity in schema.entities {
      add(entity, in: (0...entity.indexes.count).map { _ in takeKeyspace() })
    }
  }

  /// Adds an entity that has no rows yet, with a keyspace for them and one for each of its indexes.
  mutating func add(_ entity: StoredEntity, in keyspaces: [Keyspace]) {
    schema.entities.append(entity)
    self.keyspaces.append(
      EntityKeyspaces(
        rows: keyspaces[0], indexes: Array(keyspaces.dropFirst()),
        fillings: Self.encode(entity.columns.map { _ in .null })))
  }

  /// The keyspaces that entities and indexes had and have no longer; they are empty.
  var unusedKeyspaces: [Keyspace] {
    let used = Set(keyspaces.flatMap(\.keyspaces))
    return (1..<max(nextKeyspace, 1)).filter { !used.contains($0) }
  }

  /// Returns a keyspace that was never used before.
  mutating func takeKeyspace() -> Keyspace {
    defer { nextKeyspace += 1 }
    return nextKeyspace
  }

  /// Returns an entity with the columns of its records, dropped ones among them, and with the positions
  /// of these in its key and indexes.
  ///
  /// Dropped columns have names that no program gives, and new records have nil there. Indexes that are
  /// being built follow the others.
  func recordEntity(at position: Int) -> StoredEntity {
    var entity = schema.entities[position]
    entity.indexes += (keyspaces[position].building ?? []).map(\.index)
    for column in keyspaces[position].dropped ?? [] {
      entity.insert(
        StoredColumn("\0\(column.position)", column.type, isOptional: true), at: column.position)
    }
    return entity
  }

  /// Returns the position in a record of each column of an entity.
  func recordPositions(ofEntityAt position: Int) -> [Int] {
    let dropped = Set((keyspaces[position].dropped ?? []).map(\.position))
    let count = schema.entities[position].columns.count + dropped.count
    return (0..<count).filter { !dropped.contains($0) }
  }

  /// Returns the values that stand for columns a record lacks, one for each column of a record.
  func fillings(ofEntityAt position: Int) throws -> [StoredValue] {
    let columns =
      schema.entities[position].columns.count + (keyspaces[position].dropped?.count ?? 0)
    let values = keyspaces[position].fillings.withUnsafeBytes { ArrayCoding.elements(of: $0) }
    guard let values, values.count == columns else { throw Self.damaged }
    return values
  }

  /// Returns the bytes of the values that stand for columns a record lacks.
  static func encode(_ fillings: [StoredValue]) -> Data {
    var buffer = ByteBuffer()
    _ = ArrayCoding.append(fillings, to: &buffer)
    return Data(buffer.bytes)
  }

  static var damaged: StoreError { StoreError(.corrupt, "the store's catalog is damaged") }
}

extension Catalog {
  /// The shape of overflow keys in a map that takes keys of at most `limit` bytes.
  ///
  /// Throws `unsupportedVersion` when the store was made with longer ones.
  func overflowKeys(limit: Int) throws -> OverflowKeys {
    let length = longestKey ?? .max
    guard length <= limit else {
      throw StoreError(
        .unsupportedVersion,
        "the store has keys of up to \(length) bytes, but the linked library supports \(limit); "
          + "link one that supports at least \(length)")
    }
    return OverflowKeys(limit: length)
  }

  private static let key = Array("catalog".utf8)

  /// The catalog of a store; nil when it has none yet.
  static func read(from snapshot: any OrderedSnapshot) throws -> Catalog? {
    let json: Data? = try key.withUnsafeBytes { key in
      try snapshot.get(key, in: 0) { value in
        guard let sum = value.integer(UInt64.self, at: 0),
          let content = value.part(from: 8, to: value.count),
          Checksum.of(content, under: key, in: 0) == sum
        else { throw damaged }
        return Data(content)
      }
    }
    guard let json else {
      if try snapshot.count(of: 0) > 0 { throw damaged }
      return nil
    }
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    guard let version = try? decoder.decode(Version.self, from: json) else { throw damaged }
    guard version.format <= newestFormat else {
      throw StoreError(
        .schemaTooNew,
        "the store has format \(version.format), and this program reads formats up to "
          + "\(newestFormat)")
    }
    guard version.format >= currentFormat else {
      throw StoreError(
        .unsupportedVersion,
        "the store has format \(version.format), which no published version has written, and this "
          + "program reads formats from \(currentFormat); create the store anew")
    }
    guard let catalog = try? decoder.decode(Catalog.self, from: json), catalog.isConsistent else {
      throw damaged
    }
    return catalog
  }

  /// Keeps the catalog in the store.
  func write(to batch: any OrderedBatch) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    let json: Data
    do { json = try encoder.encode(self) } catch {
      throw StoreError(.invalidSchema, "the schema cannot be written to the store: \(error)")
    }
    try Self.key.withUnsafeBytes { key in
      try json.withUnsafeBytes { json in
        var buffer = ByteBuffer(capacity: json.count + 8)
        buffer.append(littleEndian: Checksum.of(json, under: key, in: 0))
        buffer.append(json)
        try batch.put(key, buffer.bytes, in: 0)
      }
    }
  }

  private struct Version: Decodable { var format: Int }

  /// True if every position in it points at something.
  private var isConsistent: Bool {
    keyspaces.count == schema.entities.count
      && longestKey.map { $0 > OverflowKeys.extraSize } ?? true
      && zip(schema.entities, keyspaces).allSatisfy { entity, keyspaces in
        let columns = entity.columns.indices
        let dropped = (keyspaces.dropped ?? []).map(\.position)
        return keyspaces.indexes.count == entity.indexes.count && !entity.key.isEmpty
          && zip(dropped, dropped.dropFirst()).allSatisfy(<)
          && dropped.allSatisfy { (0..<columns.count + dropped.count).contains($0) }
          && entity.key.allSatisfy { columns.contains($0) }
          && (entity.indexes + (keyspaces.building ?? []).map(\.index)).allSatisfy { index in
            index.terms.allSatisfy { columns.contains($0.column) }
          }
      }
  }
}

extension StoredEntity {
  /// Inserts a column; positions in the key and in indexes follow.
  fileprivate mutating func insert(_ column: StoredColumn, at position: Int) {
    columns.insert(column, at: min(position, columns.count))
    key = key.map { $0 >= position ? $0 + 1 : $0 }
    for index in indexes.indices {
      for term in indexes[index].terms.indices where indexes[index].terms[term].column >= position {
        indexes[index].terms[term].column += 1
      }
    }
  }
}
