import ORM

extension StrataPlayers: ChangeOperations {
  package func raise(_ scores: Range<Int64>) throws -> Int {
    try store.update(
      Player.all.where { $0.score >= scores.lowerBound && $0.score < scores.upperBound }
    ) { $0[\.score] += 1000 }
  }

  package func delete(_ scores: Range<Int64>) throws -> Int {
    try store.delete(
      Player.all.where { $0.score >= scores.lowerBound && $0.score < scores.upperBound })
  }
}
