public import ORM

/// The result of an import.
///
/// ```swift
/// let report = try store.import(Snack.self, from: .jsonLines(.text(#"{"name": "Chips"}"#)))
/// print(report)   // Snack: 1 read, 1 inserted, 0 updated, 0 unchanged
/// ```
public struct ImportReport: Hashable, Codable, Sendable, CustomStringConvertible {
  /// The entity.
  public var entity: String
  /// The records of the source, bad and skipped ones included.
  public var read = 0
  /// Records that became new rows.
  public var inserted = 0
  /// Records that changed a row.
  public var updated = 0
  /// Records that were stored already, equal to the last bit.
  public var unchanged = 0
  /// Records that a hook left out, or that had no row with `onMissing: .ignore`.
  public var skipped = 0
  /// Rows that the prune deleted, and members that lists with `missing: .delete` lack; of the latter,
  /// `related` has the entities.
  public var deleted = 0
  /// Records with links to later records, which were set at the end.
  public var deferred = 0
  /// The rows that were saved or deleted with the records, by entity: nested objects, and targets
  /// whose row holds a link.
  public var related: [String: ImportCounts] { relatedCounts ?? [:] }
  /// The counts of related objects by entity; nil in checkpoints of older versions.
  private var relatedCounts: [String: ImportCounts]?
  /// The number of bad records.
  public var badCount = 0
  /// The first bad records, at most ``listed``.
  public var bad: [BadRecord] = []
  /// The number of records that an earlier run had committed.
  public var resumedAt = 0
  /// The seconds that the import took.
  public var duration = 0.0

  /// The most bad records that a report lists, 1,000; a file of bad records has all of them.
  public static let listed = 1_000

  init(entity: String) { self.entity = entity }

  mutating func add(_ counts: SaveCounts) {
    inserted += counts.inserted
    updated += counts.updated
    unchanged += counts.unchanged
    skipped += counts.ignored
  }

  /// Adds the rows of nested objects that a save has written.
  mutating func add(related: [String: SaveCounts], unchanged: Bool = true) {
    for (entity, counts) in related {
      change(entity) {
        $0.inserted += counts.inserted
        $0.updated += counts.updated
        if unchanged { $0.unchanged += counts.unchanged }
      }
    }
  }

  /// Adds the members that lists lacked, by entity.
  mutating func add(deleted counts: [String: Int]) {
    for (entity, count) in counts {
      deleted += count
      change(entity) { $0.deleted += count }
    }
  }

  private mutating func change(_ entity: String, _ body: (inout ImportCounts) -> Void) {
    var counts = related[entity] ?? ImportCounts()
    body(&counts)
    if counts == ImportCounts() { return }
    relatedCounts = related.merging([entity: counts]) { $1 }
  }

  /// The report in a line, and a line for each entity of nested objects and each of the first bad
  /// records.
  public var description: String {
    var text =
      "\(entity): \(read) read, \(inserted) inserted, \(updated) updated, \(unchanged) unchanged"
    if skipped > 0 { text += ", \(skipped) skipped" }
    if deleted > 0 { text += ", \(deleted) deleted" }
    if badCount > 0 { text += ", \(badCount) bad" }
    for (entity, counts) in related.sorted(by: { $0.key < $1.key }) {
      text += "\n  \(entity): \(counts)"
    }
    for record in bad.prefix(10) { text += "\n  \(record.error.message)" }
    return text
  }
}

/// The numbers of rows of one entity that an import wrote beside its records.
public struct ImportCounts: Hashable, Codable, Sendable, CustomStringConvertible {
  /// New rows.
  public var inserted = 0
  /// Rows that were changed.
  public var updated = 0
  /// Rows that were stored already, equal to the last bit.
  public var unchanged = 0
  /// Rows that were deleted, since lists with `missing: .delete` lack them.
  public var deleted = 0

  /// The numbers in words.
  public var description: String {
    let text = "\(inserted) inserted, \(updated) updated, \(unchanged) unchanged"
    return deleted > 0 ? text + ", \(deleted) deleted" : text
  }
}

/// A record that could not be read or saved.
public struct BadRecord: Hashable, Codable, Sendable {
  /// The number of the record in the source, from 1.
  public var number: Int
  /// The location at which it begins.
  public var location: ImportLocation
  /// The path of the record, such as `data.items[17]`; empty for lines.
  public var path: String
  /// The reason; its message names the location of the fault.
  public var error: StoreError
}
