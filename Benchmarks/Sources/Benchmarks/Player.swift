import ORM

/// The row of every workload: eight fields of the usual kinds.
struct PlayerData: Sendable {
  var id: Int64
  var name: String
  var team: Int64?
  var score: Int64
  var rating: Double
  var country: String
  var isActive: Bool
  var note: String?

  /// Row `id` of the data, the same in every run.
  init(id: Int64, round: Int64 = 0) {
    // A multiplicative hash (Knuth, TAOCP 3, 6.4) spreads scores and texts without a generator.
    let mixed = UInt64(bitPattern: id) &* 0x9E37_79B9_7F4A_7C15
    self.id = id
    name = "Player \(mixed % 1_000_003)"
    team = mixed % 7 == 0 ? nil : Int64(mixed % 50)
    score = Int64((mixed >> 20) % 1000) + round
    rating = Double(mixed >> 11) / 9_007_199_254_740_992
    country = Self.countries[Int(mixed >> 33) % Self.countries.count]
    isActive = mixed & 4 == 0
    note = mixed % 3 == 0 ? nil : "a note of some thirty bytes, \(mixed % 97)"
  }

  private static let countries = ["Iceland", "Côte d'Ivoire", "Nepal", "Peru", "São Tomé", "Fiji"]

  init(
    id: Int64, name: String, team: Int64?, score: Int64, rating: Double, country: String,
    isActive: Bool, note: String?
  ) {
    self.id = id
    self.name = name
    self.team = team
    self.score = score
    self.rating = rating
    self.country = country
    self.isActive = isActive
    self.note = note
  }

  /// A number that depends on every field, to compare contestants' results by.
  var checksum: Int {
    Int(id) &+ name.utf8.count &* 3 &+ Int(team ?? -1) &* 5 &+ Int(score) &* 7
      &+ Int(rating * 1000) &* 11 &+ country.utf8.count &* 13 &+ (isActive ? 17 : 0)
      &+ (note?.utf8.count ?? 19)
  }
}

/// The row as a Strata model, with an index on its score.
struct Player: Persistable, PrimaryKeyed {
  var data: PlayerData
  var id: Int64 {
    get { data.id }
    set { data.id = newValue }
  }
  var score: Int64 { data.score }

  static let entity = Entity<Player>("Player") {
    .key("id", \.id)
      .attribute("name", \.data.name)
      .attribute("team", \.data.team)
      .attribute("score", \.score, .indexed)
      .attribute("rating", \.data.rating)
      .attribute("country", \.data.country)
      .attribute("isActive", \.data.isActive)
      .attribute("note", \.data.note)
  }

  init(_ data: PlayerData) { self.data = data }
  init<R: RowReader & ~Copyable>(row: borrowing R) throws { data = try PlayerData(row: row) }
  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws { try data.encode(into: &row) }
}

/// The row as a Strata model without an index.
struct PlainPlayer: Persistable, PrimaryKeyed {
  var data: PlayerData
  var id: Int64 {
    get { data.id }
    set { data.id = newValue }
  }

  static let entity = Entity<PlainPlayer>("PlainPlayer") {
    .key("id", \.id)
      .attribute("name", \.data.name)
      .attribute("team", \.data.team)
      .attribute("score", \.data.score)
      .attribute("rating", \.data.rating)
      .attribute("country", \.data.country)
      .attribute("isActive", \.data.isActive)
      .attribute("note", \.data.note)
  }

  init(_ data: PlayerData) { self.data = data }
  init<R: RowReader & ~Copyable>(row: borrowing R) throws { data = try PlayerData(row: row) }
  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws { try data.encode(into: &row) }
}

extension PlayerData {
  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    name = try row[1]
    team = try row[2]
    score = try row[3]
    rating = try row[4]
    country = try row[5]
    isActive = try row[6]
    note = try row[7]
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(name, at: 1)
    try row.write(team, at: 2)
    try row.write(score, at: 3)
    try row.write(rating, at: 4)
    try row.write(country, at: 5)
    try row.write(isActive, at: 6)
    try row.write(note, at: 7)
  }
}
