import Foundation
import ORMExchange
import TestSupport
import Testing

/// Nested objects that are saved only where no row is, lists that delete what they lack, and orders.
@Suite struct NestedOptionTests {
  let folder = TestFolder(inMemory: true)

  private func open(_ kind: ImportStore) throws -> any Store {
    try kind.open(
      folder,
      Schema(Label.self, Album.self, Track.self, Artist.self, Folder.self, ImportCheckpoint.self))
  }

  private func lines(_ lines: String...) -> ImportFrom {
    .jsonLines(.text(lines.joined(separator: "\n")))
  }

  // MARK: - saveMissing

  @Test(
    "12.2 A nested object that is saved where no row is leaves every row as it is",
    arguments: ImportStore.allCases)
  func saveMissing(kind: ImportStore) throws {
    let mapping = JSONMapping(Track.self).nested(\.artist, as: .saveMissing)
    let source = lines(
      #"{"id":1,"title":"a","artist":{"id":1,"name":"Other","note":null}}"#,
      #"{"id":2,"title":"b","artist":{"id":2,"name":"Bo"}}"#,
      #"{"id":3,"title":"c","artist":{"id":2,"name":"Ben","note":"later"}}"#,
      #"{"id":4,"title":"d","artist":{"id":1}}"#,
      #"{"id":5,"title":"e","artist":{"id":3}}"#,
      #"{"id":6,"title":"f","artist":2}"#,
      #"{"id":7,"title":"g","artist":{"id":3,"name":"Cy"}}"#)
    let store = try open(kind)
    for commit in [ImportCommit.atEnd, .every(1), .every(2)] {
      for match in [ImportMatch<Track>.key, .on(\.title)] {
        for merge in [ImportMerge.present, .replace, .skippingNil] {
          try store.deleteAll(Track.self)
          try store.deleteAll(Artist.self)
          try store.save(Artist(id: 1, name: "Ann", note: "kept"))
          let report = try store.import(Track.self, from: source) {
            $0.mapping = mapping
            $0.commit = commit
            $0.match = match
            $0.merge = merge
            $0.onBad = .collect()
          }
          #expect((report.read, report.inserted, report.badCount) == (7, 6, 1))
          #expect(report.bad.map(\.number) == [5])
          // Bo and Cy; Ann and the second Bo are links.
          #expect(report.related.mapValues(\.inserted) == ["Artist": 2])
          #expect(
            try store.fetch(Artist.all) == [
              Artist(id: 1, name: "Ann", note: "kept"), Artist(id: 2, name: "Bo"),
              Artist(id: 3, name: "Cy"),
            ])
          let tracks = try store.fetch(Track.all)
          #expect(tracks.map(\.id) == [1, 2, 3, 4, 6, 7])
          #expect(tracks.map { $0.artist.id } == [1, 2, 2, 1, 2, 3])
        }
      }
    }
  }

  @Test(
    "12.4 A nested object that is saved where no row is comes before the records behind it",
    arguments: ImportStore.allCases)
  func saveMissingOfItsOwnModel(kind: ImportStore) throws {
    let store = try open(kind)
    let report = try store.import(
      Folder.self,
      from: lines(
        #"{"id":1,"name":"A"}"#, #"{"id":2,"name":"B","parent":{"id":1,"name":"Z"}}"#,
        #"{"id":3,"name":"C","parent":{"id":4,"name":"D"}}"#, #"{"id":4,"name":"E"}"#,
        #"{"id":5,"name":"F","parent":{"id":4,"name":"Y","parent":{"id":9,"name":"no"}}}"#)
    ) { $0.mapping = JSONMapping(Folder.self).nested(\.parent, as: .saveMissing) }
    #expect(report.read == 5)
    let found = try store.fetch(Folder.all)
    #expect(found.map(\.name) == ["A", "B", "C", "E", "F"])
    #expect(found.map { $0.parent.id } == [nil, 1, 4, nil, 4])
  }

  @Test("Objects that a hook looks at, and those of a list, are saved where no row is")
  func saveMissingInLists() throws {
    for kind in [ImportStore.memory, .sqlite, .lmdb] {
      let store = try open(kind)
      try store.save([Track(id: 1, title: "one", length: 7), Track(id: 2, title: "two")])
      let track = JSONMapping(Track.self)
        .before { json in
          json["title"] = .string("hooked " + (json["title"].string ?? ""))
          return json["hidden"] == true ? .skip : .keep
        }
      let report = try store.import(
        Album.self,
        from: lines(
          #"{"id":1,"title":"A","tracks":[{"id":3,"title":"c"},{"id":1,"title":"x"},"#
            + #"{"id":4,"title":"no","hidden":true},{"id":3,"title":"again"}]}"#)
      ) { $0.mapping = JSONMapping(Album.self).nested(\.tracks, as: .saveMissing, with: track) }
      #expect(report.inserted == 1)
      let album = try #require(try store.fetch(Album.all.prefetch(\.tracks)).first)
      #expect(album.tracks.ids == [3, 1])
      #expect(try store.find(Track.self, 1)?.title == "one")
      #expect(try store.find(Track.self, 1)?.length == 7)
      #expect(try store.find(Track.self, 3)?.title == "hooked c")
      #expect(try store.count(Track.self) == 3)
    }
    // Without a store, they are objects.
    let mapping = JSONMapping(Track.self).nested(\.artist, as: .saveMissing)
    let text =
      #"{"id":1,"title":"a","length":null,"album_id":null,"#
      + #""artist":{"id":2,"name":"Bo","note":null}}"#
    let read = try mapping.decodeOne(text)
    #expect(read.artist.loaded == Artist(id: 2, name: "Bo"))
    #expect(try mapping.encode(read) == text)
  }

  // MARK: - Lists that delete

  private func albums(_ store: any Store) throws {
    try store.deleteAll(Album.self)
    try store.deleteAll(Track.self)
    let tracks = (1...4).map { Track(id: $0, title: "t\($0)", length: Int($0) * 10) }
    try store.save(Album(id: 1, title: "A", tracks: ToMany(Array(tracks[..<3]))))
    try store.save(Album(id: 2, title: "B", tracks: ToMany([tracks[3]])))
  }

  private func tracks(_ store: any Store, of album: Int64) throws -> [Int64]? {
    try store.fetch(Album.where { $0.id == album }.prefetch(\.tracks)).first?.tracks.ids
  }

  @Test(
    "12.5 A list deletes the members of its own object that it lacks, where its rule says so",
    arguments: ImportStore.allCases)
  func deleting(kind: ImportStore) throws {
    let store = try open(kind)
    let nested = JSONMapping(Album.self).nested(\.tracks, missing: .delete)
    let keys = JSONMapping(Album.self).keys(\.tracks, missing: .delete)
    func run(_ mapping: JSONMapping<Album>, _ text: String...) throws -> ImportReport {
      try albums(store)
      return try store.import(
        Album.self, from: .jsonLines(.text(text.joined(separator: "\n")))
      ) {
        $0.mapping = mapping
        $0.onBad = .collect()
      }
    }
    var report = try run(
      nested, #"{"id":1,"title":"A","tracks":[{"id":3,"title":"c"},{"id":9,"title":"new"}]}"#)
    // The row of the album is as it was.
    #expect((report.unchanged, report.deleted) == (1, 2))
    #expect(try store.fetch(Track.all).map(\.id) == [3, 4, 9])
    #expect(try store.find(Track.self, 3)?.length == 30)
    #expect(try tracks(store, of: 1) == [3, 9])
    #expect(try tracks(store, of: 2) == [4])
    report = try run(keys, #"{"id":1,"tracks":[2]}"#, #"{"id":2,"tracks":[4]}"#)
    #expect(report.deleted == 2)
    #expect(try store.fetch(Track.all).map(\.id) == [2, 4])
    // What is absent deletes nothing; an empty list and null delete all.
    #expect(try run(nested, #"{"id":1,"title":"A"}"#).deleted == 0)
    #expect(try store.count(Track.self) == 4)
    for list in ["[]", "null"] {
      #expect(try run(nested, #"{"id":1,"title":"A","tracks":\#(list)}"#).deleted == 3)
      #expect(try store.fetch(Track.all).map(\.id) == [4])
    }
    // A bad record deletes nothing, and a new one has nothing to delete.
    report = try run(
      nested, #"{"id":1,"title":"","tracks":[]}"#, #"{"id":2,"title":null,"tracks":[]}"#,
      #"{"id":3,"title":"C","tracks":[{"id":5,"title":"e"}]}"#)
    #expect((report.badCount, report.deleted, report.inserted) == (2, 0, 1))
    #expect(try store.count(Track.self) == 5)
    // A link to no row leaves the list as it is until the end, when its record is bad.
    report = try run(keys, #"{"id":1,"tracks":[77]}"#)
    #expect((report.badCount, report.deleted) == (1, 0))
    #expect(try tracks(store, of: 1) == [1, 2, 3])
  }

  @Test(
    "12.4 Lists that delete what they lack count in the order of the records",
    arguments: ImportStore.allCases)
  func deletingInOrder(kind: ImportStore) throws {
    let store = try open(kind)
    let first = #"{"id":1,"title":"A","tracks":[{"id":1,"title":"one"}]}"#
    let second = #"{"id":2,"title":"B","tracks":[{"id":2,"title":"two"}]}"#
    for commit in [ImportCommit.atEnd, .every(1)] {
      for isReversed in [false, true] {
        try albums(store)
        let report = try store.import(
          Album.self, from: isReversed ? lines(second, first) : lines(first, second)
        ) {
          $0.mapping = JSONMapping(Album.self).nested(\.tracks, missing: .delete)
          $0.commit = commit
        }
        // Track 2 moves before the first album is read without it, or was deleted with 3 and is new.
        #expect(report.deleted == (isReversed ? 2 : 3))
        #expect(try store.fetch(Track.all).map(\.id) == [1, 2])
        #expect(try store.find(Track.self, 2)?.length == (isReversed ? 20 : nil))
        #expect(try tracks(store, of: 2) == [2])
      }
    }
  }

  @Test("Lists of nested objects delete too, and records that are left out do not")
  func deletingBelow() throws {
    for kind in [ImportStore.memory, .sqlite, .lmdb] {
      let store = try open(kind)
      func run(
        _ text: String, _ set: (inout ImportOptions<Label>) -> Void = { _ in }
      ) throws -> ImportReport {
        try albums(store)
        try store.deleteAll(Label.self)
        try store.save(Label(id: 1, name: "L", albums: .keys([1, 2])))
        return try store.import(Label.self, from: .jsonLines(.text(text))) {
          let album = JSONMapping(Album.self).nested(\.tracks, missing: .delete)
          $0.mapping = JSONMapping(Label.self).nested(\.albums, missing: .keep, with: album)
          set(&$0)
        }
      }
      let text =
        #"{"id":1,"name":"L","albums":[{"id":1,"title":"A","#
        + #""tracks":[{"id":2,"title":"b"}]}]}"#
      let report = try run(text)
      #expect(report.deleted == 2)
      // The list is the first album's: its row is as it was, that of track 2 has another title.
      #expect(report.related["Track"]?.deleted == 2)
      #expect(report.related["Track"]?.updated == 1)
      #expect(
        report.description
          == "Label: 1 read, 0 inserted, 0 updated, 1 unchanged, 2 deleted\n"
          + "  Album: 0 inserted, 0 updated, 1 unchanged\n"
          + "  Track: 0 inserted, 1 updated, 0 unchanged, 2 deleted")
      #expect(try store.fetch(Track.all).map(\.id) == [2, 4])
      let other = text.replacing(#"{"id":1,"name""#, with: #"{"id":8,"name""#)
      #expect(try run(other) { $0.onMissing = .ignore }.deleted == 0)
      #expect(try run(text) { $0.merge = .insertOnly }.deleted == 0)
      let skipped = try run(text) { $0.mapping = $0.mapping.after { _, _ in .skip } }
      #expect((skipped.deleted, skipped.skipped) == (0, 1))
      #expect(try store.count(Track.self) == 4)
    }
  }

  // MARK: - Orders

  @Test(
    "Listed members come first in their order, or keep their positions",
    arguments: ImportStore.allCases)
  func orders(kind: ImportStore) throws {
    let store = try open(kind)
    func order(_ list: String, _ mapping: JSONMapping<Album>) throws -> [Int64]? {
      try albums(store)
      try store.save(Track(id: 5, title: "t5"))
      try store.import(
        Album.self, from: .jsonLines(.text(#"{"id":1,"title":"A","tracks":\#(list)}"#))
      ) { $0.mapping = mapping }
      return try tracks(store, of: 1)
    }
    let mapping = JSONMapping(Album.self)
    #expect(try order("[3,5,1]", mapping.keys(\.tracks, missing: .keep)) == [1, 2, 3, 5])
    let listed = mapping.keys(\.tracks, order: .asListed, missing: .keep)
    #expect(try order("[3,5,1]", listed) == [3, 5, 1, 2])
    #expect(try order("[3,3,1]", listed) == [3, 1, 2])
    #expect(try order("[]", listed) == [1, 2, 3])
    let objects = mapping.nested(\.tracks, order: .asListed, missing: .keep)
    #expect(
      try order(#"[{"id":2,"title":"x"},{"id":6,"title":"y"},1]"#, objects) == [2, 6, 1, 3])
    #expect(try store.find(Track.self, 2)?.title == "x")
    for missing in [JSONUnlisted.unlink, .delete] {
      #expect(
        try order("[3,5,1]", mapping.keys(\.tracks, order: .asListed, missing: missing))
          == [3, 5, 1])
    }
  }

  // MARK: - Faults and data

  @Test("Rules that cannot hold are faults of the mapping")
  func faults() throws {
    func message(_ check: () throws -> Void) -> String? {
      let error = storeError(check)
      #expect(error?.code == .invalidMapping)
      return error?.message
    }
    let shared = "members that are not listed cannot be deleted, since others may have them too"
    #expect(
      message { try JSONMapping(Article.self).keys(\.tags, missing: .delete).check() } == shared)
    #expect(
      message { try JSONMapping(Tag.self).keys(\.articles, missing: .delete).check() } == shared)
    #expect(
      message { try JSONMapping(Product.self).keys(\.related, missing: .delete).check() } == shared)
    #expect(
      message { try JSONMapping(Team.self).keys(\.players, order: .asListed).check() }
        == "an order as listed is for a to-many that is ordered")
    let data = DynamicMapping(links: ["artist": .init(missing: .delete)])
    #expect(
      message { try JSONMapping<Track>(data).check() }
        == "members that are not listed are those of a to-many")
    try JSONMapping(Team.self).keys(\.players, missing: .delete).check()
    try JSONMapping(Folder.self).nested(\.children, missing: .delete).check()
  }

  @Test("The rules are data, and an import by names refuses to save nested objects")
  func data() throws {
    let mapping = JSONMapping(Album.self).nested(
      \.tracks, order: .asListed, missing: .delete,
      with: JSONMapping(Track.self).nested(\.artist, as: .saveMissing))
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let text = String(decoding: try encoder.encode(mapping), as: UTF8.self)
    #expect(
      text == #"{"links":{"tracks":{"mapping":{"links":{"artist":{"as":"saveMissing"}}},"#
        + #""missing":"delete","order":"asListed"}}}"#)
    let again = try JSONDecoder().decode(JSONMapping<Album>.self, from: Data(text.utf8))
    #expect(String(decoding: try encoder.encode(again), as: UTF8.self) == text)
    #expect(try again.losses == mapping.losses)
    let store = try open(.memory)
    try albums(store)
    let report = try store.import(
      Album.self, from: lines(#"{"id":1,"title":"A","tracks":[3,1]}"#)
    ) { $0.mapping = again }
    #expect(report.deleted == 1)
    #expect(try tracks(store, of: 1) == [3, 1])
    let error = storeError {
      try store.import(entity: "Track", from: lines(#"{"id":1,"title":"a"}"#)) {
        $0.mapping.links["artist"] = .init(as: .saveMissing)
      }
    }
    #expect(error?.code == .invalidMapping)
  }
}

/// A holder of holders.
struct Label: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var name: String
  var albums: ToMany<Album> = ToMany()

  static let entity = Entity<Label>("Label") {
    .key("id", \.id)
      .attribute("name", \.name)
      .relationship("albums", \.albums)
  }
}

/// A holder of an ordered list.
struct Album: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var title: String
  var tracks: ToMany<Track> = ToMany()

  static let entity = Entity<Album>("Album") {
    .key("id", \.id)
      .attribute("title", \.title, .length(1...100))
      .relationship("tracks", \.tracks, inverse: \Track.album, ordered: true)
  }
}

/// A member of a list.
struct Track: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var title: String
  var length: Int?
  var album: ToOne<Album> = ToOne()
  var artist: ToOne<Artist> = ToOne()

  static let entity = Entity<Track>("Track") {
    .key("id", \.id)
      .attribute("title", \.title, .unique)
      .attribute("length", \.length)
      .relationship("album", \.album)
      .relationship("artist", \.artist)
  }
}

/// A target of many.
struct Artist: PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var name: String
  var note: String?

  static let entity = Entity<Artist>("Artist") {
    .key("id", \.id)
      .attribute("name", \.name)
      .attribute("note", \.note)
  }
}
