import GRDB

struct Publisher: Codable, FetchableRecord, MutablePersistableRecord {
  var id: Int64?
  var name: String
  var country: String?

  enum Columns {
    static let id = Column(CodingKeys.id)
    static let name = Column(CodingKeys.name)
    static let country = Column(CodingKeys.country)
  }

  init(name: String, country: String? = nil) {
    self.name = name
    self.country = country
  }

  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }

  static func create(in db: Database) throws {
    try db.create(table: databaseTableName) { t in
      t.autoIncrementedPrimaryKey("id")
      t.column("name", .text).notNull()
      t.column("country", .text)
    }
  }
}
