import CBenchLMDB

/// The best hand-written code over liblmdb for a graph: rows by native keys, links both ways as
/// duplicates of fixed size.
package final class RawLMDBGraph {
  let raw: RawLMDB
  /// The name by key.
  private(set) var clubs: MDB_dbi = 0
  /// Age, club and name by key.
  private(set) var members: MDB_dbi = 0
  /// The keys of members by club.
  private(set) var byClub: MDB_dbi = 0
  private(set) var tags: MDB_dbi = 0
  /// The keys of tags by club, and of clubs by tag.
  private(set) var links: MDB_dbi = 0
  private(set) var backLinks: MDB_dbi = 0

  /// Objects that hold one another, as a program without an ORM would have them.
  final class Club {
    let id: Int64
    let name: String
    var members: [Member] = []
    init(id: Int64, name: String) {
      self.id = id
      self.name = name
    }
  }

  struct Member {
    let id: Int64
    let name: String
    let age: Int64
    // The array of clubs outlives its members.
    unowned(unsafe) let club: Club
  }

  package init(path: String) throws {
    raw = try RawLMDB(path: path)
    let plain = UInt32(MDB_CREATE | MDB_INTEGERKEY)
    let many = plain | UInt32(MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP)
    try raw.write { transaction in
      try RawLMDB.check(mdb_dbi_open(transaction, "club", plain, &clubs))
      try RawLMDB.check(mdb_dbi_open(transaction, "member", plain, &members))
      try RawLMDB.check(mdb_dbi_open(transaction, "member_club", many, &byClub))
      try RawLMDB.check(mdb_dbi_open(transaction, "tag", plain, &tags))
      try RawLMDB.check(mdb_dbi_open(transaction, "club_tag", many, &links))
      try RawLMDB.check(mdb_dbi_open(transaction, "tag_club", many, &backLinks))
    }
  }

  /// Hands out a key that holds a number.
  func withKey<R>(_ number: Int64, _ body: (inout MDB_val) throws -> R) rethrows -> R {
    var number = number
    return try withUnsafeMutableBytes(of: &number) { bytes in
      var key = MDB_val(mv_size: 8, mv_data: bytes.baseAddress)
      return try body(&key)
    }
  }

  /// The members of a club, by its index, in the order of their keys.
  func fillMembers(of club: Club, _ index: OpaquePointer, _ members: OpaquePointer) {
    withKey(club.id) { key in
      var ids = MDB_val()
      guard mdb_cursor_get(index, &key, &ids, MDB_SET) == MDB_SUCCESS else { return }
      // A page of keys at once.
      var code = mdb_cursor_get(index, &key, &ids, MDB_GET_MULTIPLE)
      while code == MDB_SUCCESS {
        for place in stride(from: 0, to: ids.mv_size, by: 8) {
          var id = MDB_val(mv_size: 8, mv_data: ids.mv_data + place)
          var row = MDB_val()
          guard mdb_cursor_get(members, &id, &row, MDB_SET) == MDB_SUCCESS, let bytes = row.mv_data
          else { continue }
          club.members.append(
            Member(
              id: ids.mv_data.loadUnaligned(fromByteOffset: place, as: Int64.self),
              name: RawLMDB.text(bytes + 16, row.mv_size - 16),
              age: bytes.loadUnaligned(as: Int64.self), club: club))
        }
        code = mdb_cursor_get(index, &key, &ids, MDB_NEXT_MULTIPLE)
      }
    }
  }

  func sum(of clubs: [Club]) -> Int {
    var sum = 0
    for club in clubs {
      for member in club.members {
        sum &+= GraphData.sum(member.id, member.name, member.age, club: member.club.name)
      }
    }
    return sum
  }
}
