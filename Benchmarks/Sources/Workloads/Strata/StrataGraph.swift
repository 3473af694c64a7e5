import ORM

/// A Strata store, through the public API and `any Store`.
package struct StrataGraph: GraphOperations {
  package let store: any Store

  package init(store: any Store) { self.store = store }

  package func fill(clubs: Int, size: Int, tags: Int) throws {
    try store.write { tx in
      try tx.deleteAll(Club.self)
      try tx.deleteAll(Member.self)
      try tx.deleteAll(Tag.self)
      try tx.insert((1...Int64(clubs)).map { Club(id: $0, name: GraphData.clubName($0)) })
      try tx.insert(
        (0..<Int64(clubs * size)).map { index in
          Member(
            id: index + 1, name: GraphData.memberName(index + 1), age: GraphData.age(index + 1),
            club: .key(index / Int64(size) + 1))
        })
      try tx.insert((1...Int64(tags)).map { Tag(id: $0, name: "Tag \($0)") })
    }
  }

  package func prefetch() throws -> Int {
    var sum = 0
    for club in try store.fetch(Club.all.prefetch(\.members)) {
      for member in club.members.loaded ?? [] {
        sum &+= GraphData.sum(
          member.id, member.name, member.age, club: member.club.loaded?.name ?? "")
      }
    }
    return sum
  }

  package func load(_ clubs: [Int64]) throws -> Int {
    let clubs = clubs.map { Club(id: $0, name: GraphData.clubName($0)) }
    var sum = 0
    for club in try store.load(clubs, \.members) {
      for member in club.members.loaded ?? [] {
        sum &+= GraphData.sum(member.id, member.name, member.age, club: club.name)
      }
    }
    return sum
  }

  package func countAny(age: Int64) throws -> Int {
    try store.count(Club.all.where { $0.members.any { $0.age >= age } })
  }

  package func attach(clubs: Int, tags: Int) throws -> Int {
    try store.write { tx in
      let ids = Array(1...Int64(tags))
      for club in 1...Int64(clubs) {
        try tx.attach(ids, to: club, \Club.tags)
      }
      return clubs * tags
    }
  }

  package func deleteClubs() throws -> Int { try store.deleteAll(Club.self) }
}
