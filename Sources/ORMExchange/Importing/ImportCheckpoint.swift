internal import Foundation
public import ORM

/// The progress of an import in many transactions, stored with each of them.
///
/// Name it in the schema of a store whose imports are to go on after an interruption:
///
/// ```swift
/// let schema = try Schema(Snack.self, ImportCheckpoint.self)
/// ```
///
/// The row of an import is deleted when the import is done, as the last thing that it does. An import
/// that ends before it, such as by a kill, is known to be done and writes nothing when it goes on.
///
/// If the store makes keys of the entity, a write that is pending when the import returns deletes the row.
/// Reads wait for it, and so do `close()` and the end of the process, by `exit` or behind `main`. A process
/// that is killed before it leaves the row, and the same source then writes nothing once more, unless
/// `resumes` is false.
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
  /// The options that decide which rows the records become; nil in checkpoints of older versions.
  var form: String?
  /// The mapping; nil for one with closures, and in checkpoints of older versions.
  var mapping: String?
  var report: ImportReport
  /// True if nothing is left to do; nil before that.
  var isDone: Bool?
  /// The relationships with links to later records.
  var links: Set<String> = []
  /// The first record with one of them.
  var firstDeferred = Int.max

  /// Notes links of a record that are set when all records were read.
  mutating func deferLinks(_ names: some Sequence<String>, of record: Int) {
    links.formUnion(names)
    firstDeferred = min(firstDeferred, record)
  }

  /// A digest of a text, to be compared with that of another run.
  static func digest(_ text: String) -> String {
    "\(Array(text.utf8).withUnsafeBytes { XXHash64.hash($0) })"
  }
}

extension ImportState {
  /// Deletes the state of an import, if it is done.
  static func removeDone(
    _ name: String, records: Int, _ transaction: WriteTransaction
  ) throws {
    guard let stored = try transaction.find(ImportCheckpoint.self, name),
      try JSONCoding.decode(ImportState.self, from: stored.state).isDone == true
    else { return }
    try remove(name, records: records, transaction)
  }

  /// Deletes the state of an import, and the pages of its first records.
  static func remove(_ name: String, records: Int, _ transaction: WriteTransaction) throws {
    try transaction.delete(ImportCheckpoint.self, id: name)
    try ImportNumbers.remove(name, records: records, transaction)
  }
}

/// The records of an import that are treated apart, by their numbers.
///
/// A checkpoint keeps each page of their numbers in a row of its own, so that a transaction writes
/// only pages that it has changed.
struct ImportNumbers {
  /// Bad records.
  let bad = RecordNumbers()
  /// Records that wait whole for their targets.
  var postponed = RecordNumbers()
  /// Records whose links may be set at the end, where rows that were stored stay as they are.
  let inserted = RecordNumbers()

  private static let names = ["bad", "postponed", "inserted"]

  private var sets: [(name: String, numbers: RecordNumbers)] {
    Array(zip(Self.names, [bad, postponed, inserted]))
  }

  /// The key of a page; no entity has a name that begins like it.
  private static func id(_ set: String, _ page: Int, _ name: String) -> String {
    "#\(set) \(page) \(name)"
  }

  /// Begins a transaction whose numbers may be taken back.
  func mark() { for set in sets { set.numbers.mark() } }

  /// Takes back the numbers of a transaction that is run again.
  func takeBack() throws { for set in sets { try set.numbers.takeBack() } }

  /// Saves the pages that changed since the last checkpoint.
  func save(_ name: String, _ transaction: WriteTransaction) throws {
    for set in sets {
      try set.numbers.takeChanges { page, bytes in
        let id = Self.id(set.name, page, name)
        try transaction.save(ImportCheckpoint(id: id, state: bytes.base64EncodedString()))
      }
    }
  }

  /// Reads the pages of the first records.
  ///
  /// - Throws: `corrupt`.
  func read(_ name: String, records: Int, _ store: any Store) throws {
    for set in sets {
      for page in 0...records / RecordNumbers.pageSize {
        guard let stored = try store.find(ImportCheckpoint.self, Self.id(set.name, page, name))
        else {
          continue
        }
        try set.numbers.add(page, Data(base64Encoded: stored.state) ?? Data())
      }
    }
  }

  /// Deletes the pages of the first records.
  fileprivate static func remove(
    _ name: String, records: Int, _ transaction: WriteTransaction
  ) throws {
    for set in names {
      for page in 0...records / RecordNumbers.pageSize {
        try transaction.delete(ImportCheckpoint.self, id: id(set, page, name))
      }
    }
  }
}
