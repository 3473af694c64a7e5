internal import Foundation
public import ORM
internal import ORMCore

/// The content of a store as text, equal for equal content on every store (clause 13.9).
///
/// ```swift
/// print(try Snapshot(of: store, entities: ["Team", "Player"]).text)
/// ```
///
/// ```
/// Team (2)
/// id | name    | captain
/// 1  | "Bears" | 3
/// 2  | "Lions" | nil
/// ```
///
/// Entities come by name, rows by key, and columns are aligned. UUIDs, and timestamps that the operations
/// set, are other ones in each run: they are replaced by labels, `uuid-1` and `time-1`, in the order in
/// which they appear. Rows whose keys are such values come in the order of their other values. Ordering keys
/// of links are shown as 1, 2 and so on. Hidden keys and soft-deleted rows are not shown, unless asked for.
///
/// Values of rows are in the text. Do not take snapshots of data of real people.
public struct Snapshot: Hashable, Sendable, CustomStringConvertible {
  /// The text, whose lines end with a line feed.
  public let text: String
  /// The text.
  public var description: String { text }

  /// The options of a snapshot.
  public struct Options: Hashable, Sendable {
    /// True if UUIDs are replaced by labels.
    public var labelsUUIDs = true
    /// The timestamps that are replaced by labels.
    public var timestamps = LabelledTimestamps.managed
    /// The rows that are shown of entities with a soft delete.
    public var deleted = DeletedRows.hidden
    /// The greatest number of rows shown of an entity; the number in the heading is that of all.
    public var maximumRows = 1_000

    /// The defaults.
    public init() {}
  }

  /// The timestamps that labels replace.
  public enum LabelledTimestamps: String, Hashable, Sendable {
    /// Those that the operations set: `.createdAt`, `.updatedAt`, `.deletedAt`, and the default `.now`.
    case managed
    /// Every date.
    case all
    /// No date.
    case none
  }

  /// Reads the content of a store.
  ///
  /// - Parameters:
  ///   - store: the store.
  ///   - entities: the names of the entities to be shown; all unless given.
  ///   - options: the form of the text.
  /// - Throws: `unknownEntity`; the errors of the store.
  public init(
    of store: any Store, entities: [String]? = nil, options: Options = Options()
  ) throws {
    text = try store.read { transaction in
      try Self.text(of: transaction, store.schema, entities, options)
    }
  }

  private static func text(
    of transaction: ReadTransaction, _ schema: StoredSchema, _ names: [String]?, _ options: Options
  ) throws -> String {
    if let unknown = names?.first(where: { schema.entity(named: $0) == nil }) {
      throw StoreError(
        .unknownEntity, "the snapshot asks for an entity that the store does not have",
        entity: unknown)
    }
    let entities = schema.entities.filter { entity in
      !entity.isBookkeeping
        && (names.map { $0.contains(entity.modelName) || $0.contains(where: entity.has) } ?? true)
    }
    var tables = try entities.sorted { $0.modelName < $1.modelName }.map { entity in
      try SnapshotTable(
        entity,
        transaction.fetch(DynamicQuery(entity.modelName, deleted: options.deleted)), options)
    }
    SnapshotOrder.sort(&tables)
    var labels = SnapshotLabels()
    return tables.map { $0.text(&labels, options) }.joined(separator: "\n")
  }
}

extension StoredEntity {
  /// Returns whether an entity is one of the subentities.
  fileprivate func has(_ name: String) -> Bool { subentities.contains { $0.modelName == name } }
}

/// The labels of values that are other ones in each run.
struct SnapshotLabels {
  private var uuids: [UUID: Int] = [:]
  private var times: [UInt64: Int] = [:]

  /// The label of a UUID, a new one where it appears for the first time.
  mutating func label(_ uuid: UUID) -> String {
    let number = uuids[uuid] ?? uuids.count + 1
    uuids[uuid] = number
    return "uuid-\(number)"
  }

  /// The label of a timestamp.
  mutating func label(_ date: Date) -> String {
    let bits = date.timeIntervalSinceReferenceDate.bitPattern
    let number = times[bits] ?? times.count + 1
    times[bits] = number
    return "time-\(number)"
  }
}
