public import ORM

/// The progress of an import in many transactions, stored with each of them.
///
/// Name it in the schema of a store whose imports are to go on after an interruption:
///
/// ```swift
/// let schema = try Schema(Snack.self, ImportCheckpoint.self)
/// ```
///
/// The row of an import is deleted in its last transaction.
public struct ImportCheckpoint: PrimaryKeyed, Codable, Hashable {
  /// The entity and the source of the import.
  public var id: String
  /// The progress, as JSON.
  public var state: String

  /// The entity.
  public static let entity = Entity<ImportCheckpoint>("ImportCheckpoint") {
    .key("id", \.id).attribute("state", \.state)
  }
}

/// The state of an import between two transactions.
struct ImportState: Codable {
  /// The state of the source.
  var fingerprint = ""
  var report: ImportReport
  /// The numbers of bad records.
  var bad: Set<Int> = []
  /// The relationships with links to later records.
  var links: Set<String> = []
  /// The first record with one of them.
  var firstDeferred = Int.max
  /// The records that wait whole for their targets.
  var postponed: Set<Int> = []
  /// The records whose links may be set at the end, where rows that were stored stay as they are.
  var inserted: Set<Int>?
}
