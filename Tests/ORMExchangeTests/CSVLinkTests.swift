import Foundation
import ORMExchange
import TestSupport
import Testing

/// Relationships in fields of CSV.
@Suite struct CSVLinkTests {
  let folder = TestFolder(inMemory: true)

  private func text(_ path: String) throws -> String {
    String(decoding: try bytes(path), as: UTF8.self)
  }

  @Test(
    "12.12 Keys and objects in CSV come back as they were exported", arguments: ImportStore.allCases
  )
  func roundTrip(kind: ImportStore) throws {
    let store = try kind.open(folder)
    let words = ["plain", "two words", "a,b", "q\"t", "[1]", "{}", "new\nline", "7"]
    try store.save(words.map { Tag(id: $0) })
    try store.save([
      Article(id: 1, title: "all", tags: .keys(words)),
      Article(id: 2, title: "none", tags: .keys([])),
      Article(id: 3, title: "one", tags: .keys(["two words"])),
    ])
    let path = folder.file("\(kind).csv")
    let mapping = JSONMapping(Article.self).keys(\.tags)
    let query = Article.all.prefetch(\.tags)
    let before = try store.fetch(query)
    try store.export(query, to: .csv(path), mapping: mapping)
    func read() throws -> [Set<String>] {
      try store.import(Article.self, from: .csv(.file(path))) { $0.mapping = mapping }
      let found = try store.fetch(query)
      #expect(found.map(\.title) == before.map(\.title))
      return found.map { Set($0.tags.ids ?? []) }
    }
    let expected = [Set(words), [], ["two words"]]
    try store.deleteAll(Article.self)
    #expect(try read() == expected)
    // A list that was exported replaces what is stored; one that was not known leaves it.
    try store.save(before.map { Article(id: $0.id, title: $0.title, tags: .keys(["7"])) })
    #expect(try read() == expected)
    try store.export(Article.all, to: .csv(path), mapping: mapping)
    #expect(try read() == expected)
  }

  @Test("12.12 Nested objects in CSV come back, those of to-ones and of lists")
  func nested() throws {
    for kind in [ImportStore.memory, .sqlite, .lmdb] {
      let schema = try Schema(Label.self, Album.self, Track.self, Artist.self)
      let store = try kind.open(folder, schema)
      let ann = Artist(id: 1, name: "Ann, \"A\"", note: "{\n}")
      try store.save(
        Album(
          id: 1, title: "A",
          tracks: ToMany([
            Track(id: 2, title: "b", length: 7, artist: .to(ann)), Track(id: 1, title: "a"),
          ])))
      try store.save([Album(id: 2, title: "B"), Album(id: 3, title: "C")])
      let track = JSONMapping(Track.self).nested(\.artist).leaveOut(\.album)
      let album = JSONMapping(Album.self).nested(\.tracks, with: track)
      let albums = Album.all.prefetch(\.tracks) { $0.prefetch(\.artist) }
      let tracks = Track.all.prefetch(\.artist)
      let paths = [folder.file("albums.csv"), folder.file("tracks.csv")]
      try store.export(albums, to: .csv(paths[0]), mapping: album)
      try store.export(tracks, to: .csv(paths[1]), mapping: track)
      #expect(
        try text(paths[0]).split(separator: "\n").dropFirst().last == "3,C,[]")
      let wanted = try (album.encode(store.fetch(albums)), track.encode(store.fetch(tracks)))
      for (position, path) in paths.enumerated() {
        try store.deleteAll(Track.self)
        try store.deleteAll(Artist.self)
        if position == 0 {
          try store.deleteAll(Album.self)
          try store.import(Album.self, from: .csv(.file(path))) { $0.mapping = album }
          #expect(try album.encode(store.fetch(albums)) == wanted.0)
        } else {
          try store.import(Track.self, from: .csv(.file(path))) { $0.mapping = track }
        }
        #expect(try track.encode(store.fetch(tracks)) == wanted.1)
        #expect(try store.fetch(Artist.all) == [ann])
      }
    }
  }

  @Test("Keys between spaces are members, as the elements of an array are")
  func words() throws {
    let store = try ImportStore.memory.open(folder)
    try store.save((1...3).map { Player(id: $0, fullName: "p\($0)") })
    func players(_ field: String) throws -> [Int64]? {
      try store.import(Team.self, from: .csv(.text("id,name,player_ids\n1,Reds,\(field)\n"))) {
        $0.mapping = JSONMapping(Team.self).keys(\.players, from: "player_ids")
      }
      return try store.fetch(Team.all.prefetch(\.players)).first?.players.ids
    }
    #expect(try players("1  3") == [1, 3])
    #expect(try players("") == [1, 3])
    #expect(try players("\"\"") == [1, 3])
    #expect(try players(" 2 ") == [2])
    #expect(try players("\"[3,1]\"") == [1, 3])
    #expect(try players("[]") == [])
    try store.save(Team(id: 2, name: "Blues"))
    try store.import(
      Maker.self, from: .csv(.text("id,code\n1,m 1\n2,m2\n"))
    ) { $0.match = .on(\.code) }
    let linked = JSONMapping(Product.self).nested(\.related, as: .linkBy(\.code))
    try store.save([Product(id: 1, code: "a b"), Product(id: 2, code: "c")])
    try store.import(
      Product.self, from: .csv(.text("id,related\n7,c\n8,\"[\"\"a b\"\",\"\"c\"\"]\"\n"))
    ) { $0.mapping = linked }
    let found = try store.fetch(Product.where { $0.id > 2 }.prefetch(\.related))
    #expect(found.map { $0.related.ids } == [[2], [1, 2]])
  }

  @Test("12.6 A field that is no list of keys is a fault with its position")
  func faults() throws {
    let store = try ImportStore.memory.open(folder)
    func messages(_ rows: String) throws -> [String] {
      let report = try store.import(
        Team.self, from: .csv(.text("id,name,players\n" + rows))
      ) {
        $0.mapping = JSONMapping(Team.self).keys(\.players)
        $0.onBad = .collect()
      }
      #expect(report.read == report.badCount)
      return report.bad.map(\.error.message)
    }
    #expect(
      try messages("1,Reds,\"[1,\"\n2,Blues,x 2\n3,Greens,[true]\n4,Pinks,[1] 2\n") == [
        "players (line 2, column 8, byte 23): expected an array, found a string",
        "players[0] (line 3, column 9, byte 37): expected a key of Player, found a string",
        "players[0] (line 4, column 10, byte 50): expected a key of Player, found a boolean",
        "players (line 5, column 9, byte 65): expected an array, found a string",
      ])
    #expect(try store.count(Team.self) == 0)
  }
}
