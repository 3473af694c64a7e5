internal import FoundationEssentials
internal import ORM

extension ConformanceCase {
  /// Clause 5.8: links in JSON.
  static let linkCoding: [ConformanceCase] = [
    ConformanceCase("links are written to JSON as keys, and read as links by keys", "5.8") {
      context in
      let store = try context.open(Club.self, Ward.self, Member.self, Hobby.self)
      try store.save(Ward("IS", 1, "w"))
      try store.save([
        Club(1, "c", ward: .key(.init(land: "IS", number: 1))), Club(2, nil),
      ])
      try store.save([
        Member(3, age: 20, club: .key(1)), Member(4, age: 30, club: .key(1)),
        Member(5, age: 40, club: .key(2)),
      ])
      func text(_ club: Club) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return String(decoding: try encoder.encode(club), as: UTF8.self)
      }
      func club(_ text: String) throws -> Club {
        try JSONDecoder().decode(Club.self, from: Data(text.utf8))
      }
      let whole = try store.fetch(Club.all.prefetch(\.members))
      let first = #"{"id":1,"members":[3,4],"name":"c","ward":{"land":"IS","number":1}}"#
      try context.expectEqual(try text(whole[0]), first)
      try context.expectEqual(try club(first), whole[0])
      try context.expectEqual(try text(whole[1]), #"{"id":2,"members":[5],"ward":null}"#)
      // A link that is not loaded is left out, and stays as it is when the object is saved.
      let bare = try context.unwrap(try store.find(Club.self, 1), "club 1")
      let plain = #"{"id":1,"name":"c","ward":{"land":"IS","number":1}}"#
      try context.expectEqual(try text(bare), plain)
      try store.save(try club(plain.replacing("\"c\"", with: "\"d\"")))
      try store.save(try club(#"{"id":2,"name":"e"}"#))
      let saved = try store.fetch(Club.all.prefetch(\.members))
      try context.expectEqual(saved.map(\.name), ["d", "e"])
      try context.expectEqual(saved.map(\.members.ids), [[3, 4], [5]])
      try context.expectEqual(saved.map { $0.ward.id?.land }, ["IS", nil])
      // Null clears a to-one; an array of keys replaces the targets.
      try store.save(try club(#"{"id":1,"members":[4,5],"name":"d","ward":null}"#))
      let changed = try store.fetch(Club.all.prefetch(\.members))
      try context.expectEqual(changed.map(\.members.ids), [[4, 5], []])
      try context.expectEqual(changed.map(\.ward.id), [nil, nil])
      try context.expectError(.missingTarget) {
        try store.save(try club(#"{"id":1,"members":[99],"name":"d"}"#))
      }
    }
  ]
}
