import ORM
import Testing

/// Questions through the relationships of a music library: their answers, and the rows they read.
@Suite struct MusicPlanTests {
  private typealias Library = MusicLibrary

  private static let tracks = Array(1...MusicLibrary.tracks)

  private func withLibrary(
    _ kind: StoreKind, _ body: (any Store) throws -> Void
  ) throws {
    let store = try kind.makeStore(Library.schema())
    defer { try? store.close() }
    try Library.fill(store)
    try body(store)
  }

  private func expectQuery<M: PrimaryKeyed>(
    _ store: any Store, _ query: Query<M>, finds keys: [Int], reading most: Int,
    line: Int = #line
  ) throws where M.ID == Int64 {
    let location = SourceLocation(
      fileID: #fileID, filePath: #filePath, line: line, column: 1)
    #expect(
      try store.fetch(query).map(\.id) == keys.map { Int64($0) }, sourceLocation: location)
    let explanation = try store.explain(query, analyze: true)
    let read = explanation.rowsRead ?? .max
    #expect(read <= most, "\(explanation)", sourceLocation: location)
  }

  @Test("2.7: a question through several to-manys begins with the rows that an index finds")
  func semiJoins() throws {
    for kind in StoreKind.everywhere {
      try withLibrary(kind) { store in
        // The list, its 39 links and tracks, which are of as many albums and artists.
        try expectQuery(
          store, Album.all.where { $0.tracks.playlists.any { $0.name == "list 5" } },
          finds: Array(201...239), reading: 118)
        try expectQuery(
          store, Artist.all.where { $0.albums.tracks.playlists.any { $0.name == "list 5" } },
          finds: Array(202...240), reading: 157)
        // The artist, two albums, their 21 tracks, the links of these, and the lists.
        let albums = [4, 279]
        let played = Self.tracks.filter { albums.contains(Library.album($0)) }
        let lists = Library.playlists.map { list in
          played.count { $0 >= list.first && $0 < list.first + list.count }
        }
        try expectQuery(
          store, Playlist.all.where { $0.tracks.album.artist.any { $0.name == "artist 5" } },
          finds: lists.indices.filter { lists[$0] > 0 }.map { $0 + 1 },
          reading: 1 + 2 + played.count + lists.reduce(0, +) + lists.count { $0 > 0 })
        // The genre, its tracks, and their albums and artists.
        let inGenre = Self.tracks.filter { Library.genre($0) == 5 }
        let found = Set(inGenre.map(Library.album))
        let artists = Set(found.map(Library.artist))
        try expectQuery(
          store, Artist.all.where { $0.albums.tracks.any { $0.genre.name == "genre 5" } },
          finds: artists.sorted(), reading: 1 + inGenre.count + found.count + artists.count)
      }
    }
  }

  @Test("2.9: the keys of to-ones look each target up once")
  func keysOfToOnes() throws {
    for kind in StoreKind.everywhere {
      try withLibrary(kind) { store in
        let groups = try store.fetch(Track.all.grouped(by: { $0.album.id }) { $0.count() })
        let keys: [Int64?] = (1...Library.albums).map { Int64($0) }
        #expect(groups.map(\.0) == keys)
        let counts = (1...Library.albums).map { album in
          Self.tracks.count { Library.album($0) == album }
        }
        #expect(groups.map(\.1) == counts)
        let genres = try store.fetch(Track.all.select { $0.genre.name }.distinct())
        #expect(genres.count == Library.genres)
        try expectQuery(
          store, Track.all.sorted(by: .ascending { $0.album.id }),
          finds: Self.tracks.sorted {
            (Library.album($0), $0) < (Library.album($1), $1)
          }, reading: Library.tracks + Library.albums)
        try expectQuery(
          store, Track.all.where { $0.album.id == 3 },
          finds: Self.tracks.filter { Library.album($0) == 3 },
          reading: kind == .sqlite ? 22 : 12)
      }
    }
  }

  @Test("2.7, 4.1: links are counted as far as the number that they are compared with")
  func counts() throws {
    for kind in StoreKind.everywhere {
      try withLibrary(kind) { store in
        // 101 links of each of four lists, all of the others; and their tracks.
        let links = Library.playlists.reduce(0) { $0 + min($1.count, 101) }
        try expectQuery(
          store, Playlist.all.where { $0.tracks.count > 100 }, finds: [1, 2, 3, 18],
          reading: 18 + 2 * links)
        let lists = Self.tracks.filter { track in
          Library.playlists.count { track >= $0.first && track < $0.first + $0.count } > 3
        }
        try expectQuery(
          store, Track.all.where { $0.playlists.count > 3 }, finds: lists,
          reading: kind == .sqlite ? 20_933 : 12_236)
      }
    }
  }

  @Test("2.7: the first rows of each group are found by counting no more than are wanted")
  func firstOfEachGroup() throws {
    for kind in StoreKind.everywhere {
      try withLibrary(kind) { store in
        let longest = Track.all.where { track in
          track.genre.tracks.count { $0.length > track.length } < 3
        }
        let groups = Dictionary(grouping: Self.tracks, by: Library.genre)
        let expected = groups.values.flatMap {
          $0.sorted { Library.length($0) > Library.length($1) }.prefix(3)
        }
        // Of each track the genre, and its tracks up to the fourth that is longer.
        var read = 2 * Library.tracks
        for track in Self.tracks {
          var longer = 0
          for other in groups[Library.genre(track)] ?? [] where longer < 4 {
            read += 1
            if Library.length(other) > Library.length(track) { longer += 1 }
          }
        }
        try expectQuery(store, longest, finds: expected.sorted(), reading: read)
      }
    }
  }
}
