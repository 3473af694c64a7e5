/// The row of every workload: eight fields of the usual kinds.
///
/// Its initializers delegate to the memberwise one. Swift builds a struct of more than six fields that an
/// initializer assigns one by one in memory, and copies it at the end, which takes some 200 instructions a
/// row.
package struct PlayerData: Sendable {
  package var id: Int64
  package var name: String
  package var team: Int64?
  package var score: Int64
  package var rating: Double
  package var country: String
  package var isActive: Bool
  package var note: String?

  private static let countries = ["Iceland", "Côte d'Ivoire", "Nepal", "Peru", "São Tomé", "Fiji"]

  /// A number that depends on every field, to compare contestants' results by.
  package var checksum: Int {
    Int(id) &+ name.utf8.count &* 3 &+ Int(team ?? -1) &* 5 &+ Int(score) &* 7
      &+ Int(rating * 1000) &* 11 &+ country.utf8.count &* 13 &+ (isActive ? 17 : 0)
      &+ (note?.utf8.count ?? 19)
  }
}

extension PlayerData {
  /// Row `id` of the data, the same in every run.
  package init(id: Int64, round: Int64 = 0) {
    // A multiplicative hash (Knuth, TAOCP 3, 6.4) spreads scores and texts without a generator.
    let mixed = UInt64(bitPattern: id) &* 0x9E37_79B9_7F4A_7C15
    self.init(
      id: id, name: "Player \(mixed % 1_000_003)",
      team: mixed % 7 == 0 ? nil : Int64(mixed % 50),
      score: Int64((mixed >> 20) % 1000) + round,
      rating: Double(mixed >> 11) / 9_007_199_254_740_992,
      country: Self.countries[Int(mixed >> 33) % Self.countries.count], isActive: mixed & 4 == 0,
      note: mixed % 3 == 0 ? nil : "a note of some thirty bytes, \(mixed % 97)")
  }

  /// A row of values from outside of this module.
  package init(
    key id: Int64, name: String, team: Int64?, score: Int64, rating: Double, country: String,
    isActive: Bool, note: String?
  ) {
    self.init(
      id: id, name: name, team: team, score: score, rating: rating, country: country,
      isActive: isActive, note: note)
  }
}
