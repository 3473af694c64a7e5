import Glibc

/// Questions by loops over arrays, with an index of each kind as a sorted array.
package final class PlainQueries: QueryOperations {
  private var rows: [PlayerData] = []
  private var places: [Int64: Int] = [:]
  private var byScore = PlainIndex([]) { $0.score }
  private var byTeam = PlainIndex([]) { $0.team }

  package init() {}

  package func fill(_ players: [PlayerData]) {
    rows = players
    places = Dictionary(uniqueKeysWithValues: players.enumerated().map { ($1.id, $0) })
    byScore = PlainIndex(rows) { $0.score }
    byTeam = PlainIndex(rows) { $0.team }
  }

  package func single(_ keys: [Int64]) -> Int {
    keys.reduce(0) { sum, key in sum &+ (places[key].map { rows[$0].checksum } ?? 0) }
  }

  package func either(_ pairs: [(score: Int64, team: Int64)]) -> Int {
    pairs.reduce(0) { sum, pair in
      var found = byScore.places(of: pair.score).map(\.place)
      for entry in byTeam.places(of: pair.team) where rows[entry.place].score != pair.score {
        found.append(entry.place)
      }
      found.sort()
      return sum &+ found.map { rows[$0] }.checksum
    }
  }

  package func among(_ lists: [[Int64]]) -> Int {
    lists.reduce(0) { sum, list in
      sum &+ list.sorted().compactMap { places[$0].map { rows[$0] } }.checksum
    }
  }

  package func pages(_ count: Int) -> Int {
    (0..<count).reduce(0) { sum, page in
      sum &+ byScore.entries.dropFirst(page * 20).prefix(20).map { rows[$0.place] }.checksum
    }
  }

  package func count(from scores: [Int64]) -> Int {
    scores.reduce(0) { $0 + byScore.first(from: $1 + 100) - byScore.first(from: $1) }
  }

  package func sums() -> Int {
    var sums: [Int64?: Int64] = [:]
    for row in rows { sums[row.team, default: 0] += row.score }
    let none = sums.removeValue(forKey: nil)
    let start = none.map { 0.adding(team: nil, sum: $0) } ?? 0
    return sums.sorted { $0.key ?? 0 < $1.key ?? 0 }
      .reduce(start) { $0.adding(team: $1.key, sum: $1.value) }
  }

  package func sumsByCountry() -> Int {
    var sums: [String: Int64] = [:]
    for row in rows { sums[row.country, default: 0] += row.score }
    return sums.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      .reduce(0) { $0.adding(country: $1.key, sum: $1.value) }
  }

  package func matching() -> Int {
    var pattern = regex_t()
    regcomp(&pattern, "^Player [0-9]*77$", REG_EXTENDED | REG_NOSUB)
    defer { regfree(&pattern) }
    return rows.count { regexec(&pattern, $0.name, 0, nil, 0) == 0 }
  }
}
