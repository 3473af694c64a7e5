internal import ORMStorage

/// Gives generated keys: one more than the greatest that an entity ever had (clause 5.5).
///
/// That is the greatest among its rows, or the one stored as a counter: it is stored when the row
/// of the greatest key is deleted. One generator serves one write transaction.
struct KeyGenerator {
  private let batch: any OrderedBatch
  /// The greatest key so far, by the keyspace of the rows.
  private var greatest: [Keyspace: Int64] = [:]

  init(_ batch: any OrderedBatch) { self.batch = batch }

  /// The key that the next row gets; it counts as given only when ``note(_:of:)`` is called.
  mutating func next(of entity: EntityStorage, in keyspace: Keyspace) throws -> Int64 {
    let last = try greatest(of: entity, in: keyspace)
    guard last < .max else {
      throw StoreError(
        .keysExhausted, "all integer keys are used up",
        entity: entity.declared.modelName)
    }
    return last + 1
  }

  /// A row was written with this key.
  mutating func note(_ key: Int64, in keyspace: Keyspace) {
    if let known = greatest[keyspace], key > known { greatest[keyspace] = key }
  }

  /// A row with this key was deleted, the greatest of those that were at once.
  mutating func noteDeletion(upTo key: Int64, of entity: EntityStorage, in keyspace: Keyspace)
    throws
  {
    let stored = try StoreCounters.greatestKey(of: keyspace, in: batch)
    guard key > stored, key > (try Self.lastKey(of: entity, in: keyspace, from: batch) ?? 0)
    else { return }
    try StoreCounters.setGreatestKey(key, of: keyspace, in: batch)
  }

  /// All rows are about to be deleted.
  mutating func noteClearing(of entity: EntityStorage, in keyspace: Keyspace) throws {
    let greatest = try greatest(of: entity, in: keyspace)
    if greatest > (try StoreCounters.greatestKey(of: keyspace, in: batch)) {
      try StoreCounters.setGreatestKey(greatest, of: keyspace, in: batch)
    }
  }

  /// Forgets the greatest keys: writes were undone.
  mutating func forget() { greatest = [:] }

  private mutating func greatest(of entity: EntityStorage, in keyspace: Keyspace) throws -> Int64 {
    if let known = greatest[keyspace] { return known }
    let value = try Self.greatest(of: entity, in: keyspace, from: batch)
    greatest[keyspace] = value
    return value
  }

  /// The greatest key that an entity ever had, as a snapshot or batch shows it; 0 when there was
  /// none.
  static func greatest(
    of entity: EntityStorage, in keyspace: Keyspace, from snapshot: any OrderedSnapshot
  ) throws -> Int64 {
    let stored = try StoreCounters.greatestKey(of: keyspace, in: snapshot)
    return max(stored, try lastKey(of: entity, in: keyspace, from: snapshot) ?? 0, 0)
  }

  private static func lastKey(
    of entity: EntityStorage, in keyspace: Keyspace, from snapshot: any OrderedSnapshot
  ) throws -> Int64? {
    let cursor = try snapshot.cursor(in: keyspace)
    guard try cursor.seekLast() else { return nil }
    guard case .int(let key)? = entity.values(ofKey: cursor.key).first else {
      throw entity.damaged(cursor.key)
    }
    return key
  }
}
