import ORM

/// A music library: albums of artists, their tracks, genres, and playlists that share tracks.
struct Artist: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var name: String
  var albums: ToMany<Album> = .notLoaded

  static let entity = Entity<Artist>("Artist") {
    .key("id", \.id)
      .attribute("name", \.name, .indexed)
      .relationship("albums", \.albums, inverse: \Album.artist)
  }
}

struct Album: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var title: String
  var artist: ToOne<Artist>
  var tracks: ToMany<Track> = .notLoaded

  static let entity = Entity<Album>("Album") {
    .key("id", \.id)
      .attribute("title", \.title, .indexed)
      .relationship("artist", \.artist)
      .relationship("tracks", \.tracks, inverse: \Track.album)
  }
}

struct Genre: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var name: String
  var tracks: ToMany<Track> = .notLoaded

  static let entity = Entity<Genre>("Genre") {
    .key("id", \.id)
      .attribute("name", \.name, .indexed)
      .relationship("tracks", \.tracks, inverse: \Track.genre)
  }
}

struct Track: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var name: String
  var length: Int
  var album: ToOne<Album>
  var genre: ToOne<Genre>
  var playlists: ToMany<Playlist> = .notLoaded

  static let entity = Entity<Track>("Track") {
    .key("id", \.id)
      .attribute("name", \.name)
      .attribute("length", \.length)
      .relationship("album", \.album)
      .relationship("genre", \.genre)
      .relationship("playlists", \.playlists, inverse: \Playlist.tracks)
  }
}

struct Playlist: Persistable, PrimaryKeyed, Codable, Hashable {
  var id: Int64
  var name: String
  var tracks: ToMany<Track> = .notLoaded

  static let entity = Entity<Playlist>("Playlist") {
    .key("id", \.id)
      .attribute("name", \.name, .indexed)
      .relationship("tracks", \.tracks)
  }
}

/// The rows of a music library: 275 artists, 347 albums, 3,503 tracks of 25 genres, 18 playlists
/// with 8,715 links.
///
/// What leads where follows from the numbers, so that a test can work it out: album `a` is of artist
/// `a % 275 + 1`, track `t` of album `(t - 1) % 347 + 1` and of genre 1, every third, or `t % 25 + 1`; the tracks of
/// a playlist are a run of them. Lengths are all different and in no order.
struct MusicLibrary {
  static func schema() throws -> Schema {
    try Schema(Artist.self, Album.self, Genre.self, Track.self, Playlist.self)
  }
  static let (artists, albums, genres, tracks) = (275, 347, 25, 3503)

  /// Of each playlist, its first track and how many follow one another; 8,715 together.
  static let playlists: [(first: Int, count: Int)] =
    [(1, 3290), (1, 3290), (100, 1477)] + (0..<13).map { ($0 * 200 + 1, 39) } + [
      (7, 26), (3300, 125),
    ]

  static func length(_ track: Int) -> Int { track * 7919 % 3511 * 100 }
  static func album(_ track: Int) -> Int { (track - 1) % albums + 1 }
  static func genre(_ track: Int) -> Int { track % 3 == 0 ? 1 : track % genres + 1 }
  static func artist(_ album: Int) -> Int { album % artists + 1 }

  static func fill(_ store: any Store) throws {
    try store.save((1...artists).map { Artist(id: Int64($0), name: "artist \($0)") })
    try store.save(
      (1...albums).map {
        Album(id: Int64($0), title: "album \($0)", artist: .key(Int64(artist($0))))
      })
    try store.save((1...genres).map { Genre(id: Int64($0), name: "genre \($0)") })
    try store.save(
      (1...tracks).map {
        Track(
          id: Int64($0), name: "track \($0)", length: length($0), album: .key(Int64(album($0))),
          genre: .key(Int64(genre($0))))
      })
    try store.save(
      playlists.enumerated().map { number, list in
        Playlist(
          id: Int64(number + 1), name: "list \(number + 1)",
          tracks: .keys((list.first..<list.first + list.count).map { Int64($0) }))
      })
  }
}
