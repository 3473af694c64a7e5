@Persistable
struct Album {
  @PrimaryKey(.generated) var id: Int64 = 0
  var songs: ToMany<Song> = ToMany()
}

// SNIPPET
