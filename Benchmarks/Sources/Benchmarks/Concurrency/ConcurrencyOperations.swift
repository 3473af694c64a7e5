import GRDB
import ORM
import Workloads

/// The operations that several threads or tasks ask of one contestant.
protocol ConcurrencyOperations: Sendable {
  /// Fills the table that is read.
  func fill(_ players: [PlayerData]) throws
  /// Single rows by key, all in one read transaction.
  func find(_ keys: [Int64]) throws -> Int
  /// Inserts or updates in the table without an index, a durable commit.
  func write(_ players: [PlayerData]) throws
  /// The same of one row, from a task.
  func save(_ player: PlayerData) async throws
  /// The number of rows that were written.
  func count() throws -> Int
}

struct StrataConcurrency: ConcurrencyOperations {
  let store: any Store

  func fill(_ players: [PlayerData]) throws { _ = try store.insert(players.map(Player.init)) }

  func find(_ keys: [Int64]) throws -> Int { try StrataPlayers(store: store).find(keys) }

  func write(_ players: [PlayerData]) throws { _ = try store.save(players.map(PlainPlayer.init)) }

  func save(_ player: PlayerData) async throws { try await store.save(PlainPlayer(player)) }

  func count() throws -> Int { try store.count(PlainPlayer.self) }
}

struct GRDBConcurrency: ConcurrencyOperations {
  let pool: GRDBStatic

  init(path: String) throws { pool = try GRDBStatic(pool: path) }

  func fill(_ players: [PlayerData]) throws { _ = try pool.indexedInsert(players)() }

  func find(_ keys: [Int64]) throws -> Int { try pool.find(keys) }

  func write(_ players: [PlayerData]) throws { _ = try pool.plainUpsert(players)() }

  func save(_ player: PlayerData) async throws {
    try await pool.writer.write { try FastPlain(player).upsert($0) }
  }

  func count() throws -> Int { try pool.writer.read { try FastPlain.fetchCount($0) } }
}
