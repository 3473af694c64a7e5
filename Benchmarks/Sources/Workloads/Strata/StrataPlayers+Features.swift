import ORM
import ORMObservation
import ORMSessions

extension StrataPlayers: FeatureOperations {
  package func raiseInSession(_ scores: Range<Int64>) throws -> Int {
    let session = Session(store)
    let handles = try session.fetch(
      Player.all.where { $0.score >= scores.lowerBound && $0.score < scores.upperBound })
    for handle in handles { handle.data.score += 1000 }
    try session.save()
    return handles.count
  }

  package func insertObserved(_ players: [PlayerData]) throws -> Int {
    let first = PlainPlayer.all.sorted(by: .ascending(\.id)).limit(20)
    let iterator = store.observe(first, .immediate).makeAsyncIterator()
    for player in players { try store.insert(PlainPlayer(player)) }
    return withExtendedLifetime(iterator) { players.count }
  }
}
