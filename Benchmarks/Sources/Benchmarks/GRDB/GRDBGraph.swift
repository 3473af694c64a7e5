import GRDB
import Workloads

/// GRDB's associations, Codable records as its documentation shows them.
struct GRDBGraph: GraphOperations {
  let queue: DatabaseQueue

  struct Club: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "club"
    static let members = hasMany(Member.self, using: ForeignKey(["club"])).forKey("members")
    var id: Int64
    var name: String
  }

  struct Member: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "member"
    var id: Int64
    var name: String
    var age: Int64
    var club: Int64?
  }

  struct Tag: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "tag"
    var id: Int64
    var name: String
  }

  struct ClubTag: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "club_tag"
    static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .ignore)
    var club: Int64
    var tag: Int64
  }

  struct ClubWithMembers: Decodable, FetchableRecord {
    var club: Club
    var members: [Member]
  }

  init(path: String) throws {
    queue = try DatabaseQueue(path: path)
    try queue.write { database in
      try database.create(table: "club") {
        $0.primaryKey("id", .integer)
        $0.column("name", .text).notNull()
      }
      try database.create(table: "member") {
        $0.primaryKey("id", .integer)
        $0.column("name", .text).notNull()
        $0.column("age", .integer).notNull()
        $0.column("club", .integer).indexed().references("club", onDelete: .cascade)
      }
      try database.create(table: "tag") {
        $0.primaryKey("id", .integer)
        $0.column("name", .text).notNull()
      }
      try database.create(table: "club_tag", options: .withoutRowID) {
        $0.column("club", .integer).notNull().references("club", onDelete: .cascade)
        $0.column("tag", .integer).notNull().indexed().references("tag", onDelete: .cascade)
        $0.primaryKey(["club", "tag"])
      }
    }
  }

  func fill(clubs: Int, size: Int, tags: Int) throws {
    try queue.write { database in
      for table in ["club_tag", "member", "club", "tag"] {
        try database.execute(sql: "DELETE FROM \(table)")
      }
      for id in 1...Int64(clubs) {
        try Club(id: id, name: GraphData.clubName(id)).insert(database)
      }
      for index in 0..<Int64(clubs * size) {
        try Member(
          id: index + 1, name: GraphData.memberName(index + 1), age: GraphData.age(index + 1),
          club: index / Int64(size) + 1
        ).insert(database)
      }
      for id in 1...Int64(tags) { try Tag(id: id, name: "Tag \(id)").insert(database) }
    }
  }

  func prefetch() throws -> Int {
    let clubs = try queue.read { database in
      try Club.including(all: Club.members.order(Column("id"))).order(Column("id"))
        .asRequest(of: ClubWithMembers.self).fetchAll(database)
    }
    var sum = 0
    for club in clubs {
      for member in club.members {
        sum &+= GraphData.sum(member.id, member.name, member.age, club: club.club.name)
      }
    }
    return sum
  }

  func load(_ clubs: [Int64]) throws -> Int {
    let members = try queue.read { database in
      try Member.filter(clubs.contains(Column("club"))).order(Column("club"), Column("id"))
        .fetchAll(database)
    }
    var sum = 0
    for member in members {
      sum &+= GraphData.sum(
        member.id, member.name, member.age, club: GraphData.clubName(member.club ?? 0))
    }
    return sum
  }

  func countAny(age: Int64) throws -> Int {
    try queue.read { database in
      let old = Member.filter(Column("age") >= age)
      let alias = TableAlias()
      let clubs = Club.aliased(alias)
      return try clubs.filter(old.filter(Column("club") == alias[Column("id")]).exists())
        .fetchCount(database)
    }
  }

  func attach(clubs: Int, tags: Int) throws -> Int {
    try queue.write { database in
      for club in 1...Int64(clubs) {
        for tag in 1...Int64(tags) { try ClubTag(club: club, tag: tag).insert(database) }
      }
    }
    return clubs * tags
  }

  func deleteClubs() throws -> Int { try queue.write { try Club.deleteAll($0) } }
}
