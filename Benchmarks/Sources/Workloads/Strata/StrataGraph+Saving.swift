import ORM

extension StrataGraph: GraphSavingOperations {
  package func clear() throws {
    try store.write { tx in
      try tx.deleteAll(Club.self)
      try tx.deleteAll(Member.self)
      try tx.deleteAll(Tag.self)
    }
  }

  package func save(members count: Int) -> Action {
    var club = Club(id: 1, name: "one")
    club.members = ToMany(
      (1...Int64(count)).map {
        Member(id: $0, name: GraphData.memberName($0), age: GraphData.age($0))
      })
    return { [club] in
      try store.write { _ = try $0.save(club) }
      return count
    }
  }
}
