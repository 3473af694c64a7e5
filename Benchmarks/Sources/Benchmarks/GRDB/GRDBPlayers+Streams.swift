import GRDB
import Workloads

extension GRDBPlayers: StreamOperations, LoopOperations {
  func stream() throws -> Int {
    try queue.read { database in
      var sum = 0
      let players = try Indexed.order(Column("id")).fetchCursor(database)
      while let player = try players.next() { sum &+= player.data.checksum }
      return sum
    }
  }

  // A batch is a loop of inserts as it is.
  func insertOneByOne(_ players: [PlayerData]) -> Action { plainInsert(players) }
}
