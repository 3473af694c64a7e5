import ORM

extension StrataPlayers: ScanOperations {
  package func filterByScan(below rating: Double) throws -> Int {
    try store.fetch(Player.all.where { $0.rating < rating }).reduce(0) { $0 &+ $1.data.checksum }
  }

  package func countByScan(below rating: Double) throws -> Int {
    try store.count(Player.all.where { $0.rating < rating })
  }

  package func sumOfRatings() throws -> Int {
    try store.sum(Player.all, \.rating).inThousandths
  }
}
