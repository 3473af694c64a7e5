import GRDB

struct Author: Codable, FetchableRecord, MutablePersistableRecord {
  var id: Int64?
  var name: String
  var born: Int?
  var isActive: Bool = true

  enum Columns {
    static let id = Column(CodingKeys.id)
    static let name = Column(CodingKeys.name)
    static let born = Column(CodingKeys.born)
    static let isActive = Column(CodingKeys.isActive)
  }

  init(name: String, born: Int? = nil, isActive: Bool = true) {
    self.name = name
    self.born = born
    self.isActive = isActive
  }

  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }

  static func create(in db: Database) throws {
    try db.create(table: databaseTableName) { t in
      t.autoIncrementedPrimaryKey("id")
      t.column("name", .text).notNull()
      t.column("born", .integer)
      t.column("isActive", .boolean).notNull()
    }
  }
}
