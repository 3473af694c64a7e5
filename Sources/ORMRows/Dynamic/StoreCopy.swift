internal import FoundationEssentials
public import ORMStorage

/// Copies every row of a store into another of any kind, in one transaction, and proves it by a
/// digest of every row on both sides.
///
/// ```swift
/// let target = try LMDBStore(path: "snacks.lmdb", schema: schema)
/// let digests = try StoreCopy(from: store, to: target).run()
/// ```
public struct StoreCopy {
  private let source: any Store
  private let target: any Store
  /// The number of rows that are held in memory at once.
  private static let batch = 5_000
  /// The same where rows may have large values.
  private static let smallBatch = 16

  /// A copy; both stores were opened with the same schema.
  public init(from source: any Store, to target: any Store) {
    self.source = source
    self.target = target
  }

  /// Copies, then reads the target again and compares, all in one transaction.
  ///
  /// ```swift
  /// let digests = try StoreCopy(from: store, to: MemoryStore(schema: schema)).run { entity, rows in
  ///   print(entity, rows)
  /// }
  /// for digest in digests { print(digest.entity, digest.rows, digest.text) }
  /// ```
  ///
  /// - Parameter progress: called with an entity's name and the rows copied of it so far.
  /// - Returns: the digest of each entity.
  /// - Throws: `notEmpty` when an entity of the target has rows; `corrupt` when the source has two rows
  ///   with one key or unique value, or when the rows read back from the target differ from the source;
  ///   the errors of the stores. Then nothing was written.
  @discardableResult
  public func run(progress: (String, Int) -> Void = { _, _ in }) throws -> [EntityDigest] {
    try source.read { reading in
      // One operation, without savepoints in it: in LMDB the pages changed in savepoints must fit into a
      // list of 512 MiB.
      try target.operation { writing in
        let entities = source.schema.entities.filter { !$0.isBookkeeping }
        for entity in entities {
          guard try writing.count(DynamicQuery(entity.modelName, deleted: .included)) == 0 else {
            throw StoreError(
              .notEmpty,
              "the store to fill has rows already; copy into an empty "
                + "store", entity: entity.modelName)
          }
        }
        return try entities.map { entity in
          let expected = try digest(of: entity, in: reading) { rows, copied in
            do { try writing.copy(rows) } catch let error as StoreError
              where error.code == .duplicate
            {
              // The target was empty and has the same schema: the source has no such rows if whole.
              throw StoreError(
                .corrupt, "the store to copy has two rows with the same key or unique value",
                entity: error.entity, attributes: error.attributes)
            }
            progress(entity.modelName, copied)
          }
          let found = try digest(of: entity, in: writing)
          if entity.generatesKeys, let greatest = try reading.live().greatestKey(of: entity.name) {
            // Keys that were given out are not given out again by the copy.
            try writing.writing().raiseGreatestKey(of: entity.name, to: greatest)
          }
          guard expected == found else {
            throw StoreError(
              .corrupt,
              "the copy differs: \(expected.rows) rows with digest \(expected.text) became "
                + "\(found.rows) with \(found.text)", entity: entity.modelName)
          }
          return expected
        }
      }
    }
  }

  private func digest(
    of entity: StoredEntity, in transaction: ReadTransaction,
    _ body: ([DynamicRow], Int) throws -> Void = { _, _ in }
  ) throws -> EntityDigest {
    var digest = EntityDigest(entity: entity.modelName)
    let query = DynamicQuery(entity.modelName, deleted: .included)
    let size = entity.externalColumns.isEmpty ? Self.batch : Self.smallBatch
    try transaction.chunks(query, size: size) { rows in
      for row in rows { digest.add(row, of: entity) }
      try body(rows, digest.rows)
    }
    return digest
  }
}

/// A digest of every row of an entity, in the order of the key: equal for equal content on every
/// store.
public struct EntityDigest: Hashable, Sendable {
  /// The entity's name in the program.
  public let entity: String
  /// The number of rows included in the digest.
  public private(set) var rows = 0
  private var first: UInt64 = 0xCBF2_9CE4_8422_2325
  private var second: UInt64 = 0x6C62_272E_07BB_0142

  /// The digest of no row.
  public init(entity: String) { self.entity = entity }

  /// The digest as 32 hex digits.
  public var text: String { Self.hex(first) + Self.hex(second) }

  private static func hex(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Takes in the next row, every attribute by kind and bits.
  package mutating func add(_ row: DynamicRow, of entity: StoredEntity) {
    rows += 1
    for column in entity.columns { add(row[column.attribute]) }
  }

  /// FNV-1a of 64 bits (Fowler, Noll, Vo), twice with different offsets and multipliers.
  private mutating func add(byte: UInt8) {
    first = (first ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    second = (second ^ UInt64(byte)) &* 0x9E37_79B9_7F4A_7C15
    second ^= second >> 29
  }

  private mutating func add(bits: UInt64) {
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      add(byte: UInt8(truncatingIfNeeded: bits >> shift))
    }
  }

  private mutating func add(bytes: some Collection<UInt8>) {
    add(bits: UInt64(bytes.count))
    for byte in bytes { add(byte: byte) }
  }

  private mutating func add(_ value: StoredValue) {
    switch value {
    case .null: add(byte: 0)
    case .bool(let value): add(byte: value ? 2 : 1)
    case .int(let value):
      add(byte: 3)
      add(bits: UInt64(bitPattern: value))
    case .uint(let value):
      add(byte: 4)
      add(bits: value)
    case .double(let value):
      add(byte: 5)
      add(bits: value.bitPattern)
    case .string(let text):
      add(byte: 6)
      add(bytes: text.utf8)
    case .data(let bytes):
      add(byte: 7)
      add(bytes: bytes)
    case .date(let date):
      add(byte: 8)
      add(bits: date.timeIntervalSinceReferenceDate.bitPattern)
    case .uuid(let uuid):
      add(byte: 9)
      withUnsafeBytes(of: uuid.uuid) { add(bytes: $0) }
    case .decimal(let decimal):
      add(byte: 10)
      add(bytes: DecimalText.text(of: decimal).utf8)
    case .array(let elements):
      add(byte: 11)
      add(bits: UInt64(elements.count))
      for element in elements { add(element) }
    case .json(let text):
      add(byte: 12)
      add(bytes: text.utf8)
    }
  }
}
