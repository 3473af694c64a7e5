/// One way to keep clubs with members (one-to-many, cascade) and tags (many-to-many).
///
/// Club `c` of `clubs`, counted from 1, has members `(c - 1) * size + 1 ... c * size`. Each verb
/// gives a checksum of what it saw, which must be the same for all contestants.
protocol GraphContestant {
  var name: String { get }
  /// Empties every table and fills clubs and members; tags are there once, from 1.
  func fill(clubs: Int, size: Int, tags: Int) throws
  /// Every club with its members, as values that hold one another.
  func prefetch() throws -> Int
  /// The members of clubs that are at hand already.
  func load(_ clubs: [Int64]) throws -> Int
  /// How many clubs have a member of at least this age.
  func countAny(age: Int64) throws -> Int
  /// Links every club to the first so many tags, in one transaction.
  func attach(clubs: Int, tags: Int) throws -> Int
  /// Deletes every club, and their members with them.
  func deleteClubs() throws -> Int
}

/// The data every contestant keeps.
enum GraphData {
  static func age(_ member: Int64) -> Int64 { 18 + (member &* 7919) % 1000 % 60 }
  static func clubName(_ club: Int64) -> String { "Club \(club)" }
  static func memberName(_ member: Int64) -> String { "Member number \(member)" }
  /// What a member adds to a checksum; `club` is read through the link back.
  static func sum(_ id: Int64, _ name: String, _ age: Int64, club: String) -> Int {
    Int(id) &+ name.utf8.count &+ Int(age) &+ club.utf8.count
  }
}
