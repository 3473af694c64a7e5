import GRDB
import Workloads

/// What the two ways of using GRDB share: a queue with its default configuration.
protocol GRDBPlayer: FetchableRecord, PersistableRecord {
  init(_ data: PlayerData)
  var data: PlayerData { get }
}

/// GRDB with Codable records, as most people use it.
struct CodablePlayer: GRDBPlayer, Codable {
  static let databaseTableName = "player"
  var id: Int64
  var name: String
  var team: Int64?
  var score: Int64
  var rating: Double
  var country: String
  var isActive: Bool
  var note: String?
}

struct CodablePlain: GRDBPlayer, Codable {
  static let databaseTableName = "plain"
  var id: Int64
  var name: String
  var team: Int64?
  var score: Int64
  var rating: Double
  var country: String
  var isActive: Bool
  var note: String?
}

extension CodablePlayer {
  init(_ d: PlayerData) {
    self.init(
      id: d.id, name: d.name, team: d.team, score: d.score, rating: d.rating, country: d.country,
      isActive: d.isActive, note: d.note)
  }
  var data: PlayerData {
    PlayerData(
      key: id, name: name, team: team, score: score, rating: rating, country: country,
      isActive: isActive, note: note)
  }
}

extension CodablePlain {
  init(_ d: PlayerData) {
    self.init(
      id: d.id, name: d.name, team: d.team, score: d.score, rating: d.rating, country: d.country,
      isActive: d.isActive, note: d.note)
  }
  var data: PlayerData {
    PlayerData(
      key: id, name: name, team: team, score: score, rating: rating, country: country,
      isActive: isActive, note: note)
  }
}

/// GRDB with hand-written records: columns read by position.
struct FastPlayer: GRDBPlayer {
  static let databaseTableName = "player"
  var data: PlayerData
  init(_ data: PlayerData) { self.data = data }
  init(row: Row) { data = PlayerData(grdb: row) }
  func encode(to container: inout PersistenceContainer) { data.encode(to: &container) }
}

struct FastPlain: GRDBPlayer {
  static let databaseTableName = "plain"
  var data: PlayerData
  init(_ data: PlayerData) { self.data = data }
  init(row: Row) { data = PlayerData(grdb: row) }
  func encode(to container: inout PersistenceContainer) { data.encode(to: &container) }
}

extension PlayerData {
  init(grdb row: Row) {
    self.init(
      key: row[0], name: row[1], team: row[2], score: row[3], rating: row[4], country: row[5],
      isActive: row[6], note: row[7])
  }

  func encode(to container: inout PersistenceContainer) {
    container["id"] = id
    container["name"] = name
    container["team"] = team
    container["score"] = score
    container["rating"] = rating
    container["country"] = country
    container["isActive"] = isActive
    container["note"] = note
  }
}
