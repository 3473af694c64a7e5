internal import ORMStorage

/// The changes that a transaction, or a part of one, makes to the references to contents.
struct ExternalLedger {
  /// One content and how its references change.
  struct Entry {
    var length: Int
    var change: Int
  }

  private(set) var entries: [SHA256: Entry] = [:]
  /// The contents that are in the store itself because of this transaction.
  var embedded: Set<SHA256> = []

  /// Notes references that come, or go where `count` is negative.
  mutating func add(_ reference: ExternalReference, _ count: Int = 1) {
    entries[reference.digest, default: Entry(length: reference.length, change: 0)].change += count
  }

  /// Adds the changes of another ledger.
  mutating func add(_ other: ExternalLedger) {
    for (digest, entry) in other.entries {
      entries[digest, default: Entry(length: entry.length, change: 0)].change += entry.change
    }
  }

  /// Notes a content whose references do not change by this.
  mutating func touch(_ digest: SHA256, length: Int) {
    entries[digest, default: Entry(length: length, change: 0)].change += 0
  }
}
