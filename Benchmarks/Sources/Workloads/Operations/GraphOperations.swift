/// One way to keep clubs with members (one-to-many, cascade) and tags (many-to-many).
///
/// Club `c` of `clubs`, counted from 1, has members `(c - 1) * size + 1 ... c * size`. Each operation
/// gives a checksum of what it saw, which must be the same for all contestants.
package protocol GraphOperations {
  /// Empties every table and fills clubs and members; tags are there once, from 1.
  func fill(clubs: Int, size: Int, tags: Int) throws
  /// Every club with its members, as values that hold one another.
  func prefetch() throws -> Int
  /// The members of clubs that are at hand already.
  func load(_ clubs: [Int64]) throws -> Int
  /// Counts the clubs with a member of at least this age.
  func countAny(age: Int64) throws -> Int
  /// Links every club to the first so many tags, in one transaction.
  func attach(clubs: Int, tags: Int) throws -> Int
  /// Deletes every club, and their members with them.
  func deleteClubs() throws -> Int
}
