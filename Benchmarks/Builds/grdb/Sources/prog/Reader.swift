import Foundation
import GRDB

struct Reader: Codable, FetchableRecord, MutablePersistableRecord {
  var id: Int64?
  var name: String
  var email: String
  var joined: Date?

  enum Columns {
    static let id = Column(CodingKeys.id)
    static let name = Column(CodingKeys.name)
    static let email = Column(CodingKeys.email)
    static let joined = Column(CodingKeys.joined)
  }

  init(name: String, email: String, joined: Date? = nil) {
    self.name = name
    self.email = email
    self.joined = joined
  }

  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }

  static func create(in db: Database) throws {
    try db.create(table: databaseTableName) { t in
      t.autoIncrementedPrimaryKey("id")
      t.column("name", .text).notNull()
      t.column("email", .text).notNull()
      t.column("joined", .datetime)
    }
  }
}
