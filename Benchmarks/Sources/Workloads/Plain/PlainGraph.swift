/// Clubs and members as objects that hold one another, built of arrays.
package final class PlainGraph: GraphOperations {
  private struct ClubRow {
    var id: Int64
    var name: String
  }

  private struct MemberRow {
    var id: Int64
    var name: String
    var age: Int64
    var club: Int64
  }

  private final class Club {
    let id: Int64
    let name: String
    var members: [Member] = []
    init(_ row: ClubRow) {
      id = row.id
      name = row.name
    }
  }

  private struct Member {
    let row: MemberRow
    unowned let club: Club
  }

  private var clubs: [ClubRow] = []
  /// By club, in the order of keys.
  private var members: [MemberRow] = []
  private var links: Set<[Int64]> = []

  package init() {}

  package func fill(clubs count: Int, size: Int, tags: Int) {
    clubs = (1...Int64(count)).map { ClubRow(id: $0, name: GraphData.clubName($0)) }
    members = (0..<Int64(count * size)).map { index in
      MemberRow(
        id: index + 1, name: GraphData.memberName(index + 1), age: GraphData.age(index + 1),
        club: index / Int64(size) + 1)
    }
    links = []
  }

  package func prefetch() -> Int { sum(of: objects(clubs)) }

  package func load(_ ids: [Int64]) -> Int {
    sum(of: objects(ids.map { ClubRow(id: $0, name: GraphData.clubName($0)) }))
  }

  /// Objects of clubs that are in the order of their keys.
  private func objects(_ rows: [ClubRow]) -> [Club] {
    var place = 0
    return rows.map { row in
      let club = Club(row)
      while place < members.count, members[place].club <= row.id {
        if members[place].club == row.id {
          club.members.append(Member(row: members[place], club: club))
        }
        place += 1
      }
      return club
    }
  }

  private func sum(of clubs: [Club]) -> Int {
    var sum = 0
    for club in clubs {
      for member in club.members {
        let row = member.row
        sum &+= GraphData.sum(row.id, row.name, row.age, club: member.club.name)
      }
    }
    return sum
  }

  package func countAny(age: Int64) -> Int {
    Set(members.lazy.filter { $0.age >= age }.map(\.club)).count
  }

  package func attach(clubs: Int, tags: Int) -> Int {
    for club in 1...Int64(clubs) {
      for tag in 1...Int64(tags) { links.insert([club, tag]) }
    }
    return clubs * tags
  }

  package func deleteClubs() -> Int {
    let count = clubs.count
    clubs = []
    members = []
    links = []
    return count
  }
}
