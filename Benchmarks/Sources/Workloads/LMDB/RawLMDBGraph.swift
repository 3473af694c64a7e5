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
    unowned let club: Club
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
  func fillMembers(
    of club: Club, _ index: OpaquePointer, _ transaction: OpaquePointer
  ) {
    withKey(club.id) { key in
      var id = MDB_val()
      var code = mdb_cursor_get(index, &key, &id, MDB_SET)
      while code == MDB_SUCCESS {
        var row = MDB_val()
        if mdb_get(transaction, members, &id, &row) == MDB_SUCCESS {
          let bytes = UnsafeRawBufferPointer(start: row.mv_data, count: row.mv_size)
          club.members.append(
            Member(
              id: id.mv_data.loadUnaligned(as: Int64.self),
              name: String(decoding: bytes.dropFirst(16), as: UTF8.self),
              age: bytes.loadUnaligned(as: Int64.self), club: club))
        }
        code = mdb_cursor_get(index, &key, &id, MDB_NEXT_DUP)
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
