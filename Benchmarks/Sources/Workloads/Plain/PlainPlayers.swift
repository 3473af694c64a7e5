/// The players in arrays and dictionaries, as a program without any store would have them.
package final class PlainPlayers: PlayerOperations, ScanOperations {
  private var plain: [Int64: PlayerData] = [:]
  private var rows: [PlayerData] = []
  private var places: [Int64: Int] = [:]
  private var byScore = PlainIndex([]) { $0.score }

  package init() {}

  package func clearPlain() { plain = [:] }

  package func plainInsert(_ players: [PlayerData]) -> Action { plainUpsert(players) }

  package func plainUpsert(_ players: [PlayerData]) -> Action {
    {
      for player in players { self.plain[player.id] = player }
      return players.count
    }
  }

  package func clearIndexed() {
    rows = []
    places = [:]
    byScore = PlainIndex([]) { $0.score }
  }

  package func indexedInsert(_ players: [PlayerData]) -> Action {
    {
      for player in players {
        self.places[player.id] = self.rows.count
        self.rows.append(player)
      }
      self.byScore = PlainIndex(self.rows) { $0.score }
      return players.count
    }
  }

  package func scan() -> Int {
    // The array that is handed out is one of its own, as that of a store is.
    var players: [PlayerData] = []
    for row in rows { players.append(row) }
    return players.checksum
  }

  package func find(_ keys: [Int64]) -> Int {
    keys.reduce(0) { sum, key in sum &+ (places[key].map { rows[$0].checksum } ?? 0) }
  }

  package func filter(_ scores: [Int64]) -> Int {
    scores.reduce(0) { sum, score in
      sum &+ byScore.places(of: score).map { rows[$0.place] }.checksum
    }
  }

  package func top(_ times: Int) -> Int {
    (0..<times).reduce(0) { sum, _ in
      sum &+ byScore.entries.suffix(20).reversed().map { rows[$0.place] }.checksum
    }
  }

  package func filterByScan(below rating: Double) -> Int {
    rows.filter { $0.rating < rating }.checksum
  }

  package func countByScan(below rating: Double) -> Int { rows.count { $0.rating < rating } }

  package func sumOfRatings() -> Int { rows.reduce(0) { $0 + $1.rating }.inThousandths }
}
