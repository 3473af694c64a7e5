internal import FoundationEssentials
internal import ORMStorage

/// The contents stored outside of rows and their reference counts, read through an engine's own
/// view.
struct ExternalCounts {
  private typealias Column = ExternalContents.Column

  /// One content.
  struct Count {
    var length: Int
    var references: Int
    var epoch: UInt64
  }

  private let view: any StoreReader
  private static let entity = ExternalContents.entity
  /// The number of contents that are asked for at once: well inside every engine's limits.
  private static let batch = 500

  init(_ view: any StoreReader) { self.view = view }

  private static func attribute(_ column: Int) -> Operand {
    .attribute(entity.columns[column].attribute)
  }

  private static let sort = SortTerm.total([], entity: entity)
  private static let contentShape = FetchShape(
    entity: entity.name, output: .values([attribute(Column.content)]),
    condition: .compare(attribute(Column.digest), .equal, .parameter(0, .data), []), sort: sort)

  /// A content that is stored in the store itself.
  func content(of reference: ExternalReference) throws -> Data? {
    let rows = try view.rows(
      of: FetchRequest(Self.contentShape, bindings: [.data(Data(reference.digest.bytes))]))
    guard case .data(let content)? = rows.first?.first else { return nil }
    return content
  }

  /// Returns the counts of contents by their digests; contents without a count are left out.
  func counts(of digests: some Collection<SHA256>) throws -> [SHA256: Count] {
    var counts: [SHA256: Count] = [:]
    for part in Self.batches(of: digests) {
      try read(Self.condition(part)) { counts[$0] = $1 }
    }
    return counts
  }

  /// Reads the counts of all contents, or only of those that no row refers to any longer.
  func read(unused: Bool, _ body: (SHA256, Count) throws -> Void) throws {
    try read(
      unused
        ? .compare(Self.attribute(Column.references), .equal, .value(.int(0)), [])
        : .constant(true), body)
  }

  private func read(
    _ condition: Condition, _ body: (SHA256, Count) throws -> Void
  ) throws {
    for row in try rows(where: condition) {
      let (digest, count) = try Self.count(of: row)
      try body(digest, count)
    }
  }

  private func rows(where condition: Condition) throws -> [[StoredValue]] {
    let columns = [Column.digest, Column.length, Column.references, Column.epoch]
    return try view.rows(
      of: FetchRequest(
        of: Self.entity, output: .values(columns.map(Self.attribute)), condition: condition))
  }

  @inline(never)
  private static func count(of row: [StoredValue]) throws -> (SHA256, Count) {
    guard case .data(let bytes) = row[0], case .int(let length) = row[1],
      case .int(let references) = row[2], case .int(let epoch) = row[3],
      let digest = bytes.withUnsafeBytes({ SHA256(bytes: $0) })
    else {
      throw StoreError(
        .corrupt,
        "the reference counts of external contents are damaged", entity: Self.entity.name)
    }
    return (
      digest,
      Count(length: Int(length), references: Int(references), epoch: UInt64(bitPattern: epoch))
    )
  }

  private static func batches(of digests: some Collection<SHA256>) -> [[SHA256]] {
    let all = Array(digests)
    return stride(from: 0, to: all.count, by: batch).map {
      Array(all[$0..<min($0 + batch, all.count)])
    }
  }

  private static func condition(_ digests: [SHA256]) -> Condition {
    let list = digests.map { StoredValue.data(Data($0.bytes)) }
    return .isIn(attribute(Column.digest), list: .value(.array(list)), [])
  }

  // MARK: Writing

  /// Writes the counts of contents, those that are new too.
  static func write(_ counts: [(SHA256, Count)], by writer: any StoreWriter) throws {
    if counts.isEmpty { return }
    let columns = [Column.digest, Column.length, Column.references, Column.epoch]
    let rows = counts.map { digest, count -> [StoredValue] in
      [
        .data(Data(digest.bytes)), .int(Int64(count.length)), .int(Int64(count.references)),
        .int(Int64(bitPattern: count.epoch)),
      ]
    }
    try put(rows, columns, .upsert, by: writer)
  }

  /// Keeps contents in the store itself.
  static func write(
    _ contents: [SHA256: Data], by writer: any StoreWriter
  ) throws {
    let rows = contents.map { digest, content -> [StoredValue] in
      [
        .data(Data(digest.bytes)), .int(Int64(content.count)), .int(0), .int(0), .data(content),
      ]
    }
    try put(rows, Array(entity.columns.indices), .insertMissing, by: writer)
  }

  private static func put(
    _ rows: [[StoredValue]], _ columns: [Int], _ mode: PutRequest.Mode, by writer: any StoreWriter
  ) throws {
    try writer.put(rows, in: columns, of: entity, mode)
  }

  /// Forgets contents.
  static func remove(_ digests: [SHA256], by writer: any StoreWriter) throws {
    for part in batches(of: digests) {
      _ = try writer.apply(
        .delete(FetchRequest(entity: entity.name, condition: condition(part), sort: sort)))
    }
  }
}
