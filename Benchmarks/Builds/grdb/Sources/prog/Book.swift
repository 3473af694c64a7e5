import GRDB

struct Book: Codable, FetchableRecord, MutablePersistableRecord {
  var id: Int64?
  var title: String
  var price: Double = 0
  var pages: Int = 0
  var authorID: Int64 = 0
  var publisherID: Int64?

  enum Columns {
    static let id = Column(CodingKeys.id)
    static let title = Column(CodingKeys.title)
    static let price = Column(CodingKeys.price)
    static let pages = Column(CodingKeys.pages)
    static let authorID = Column(CodingKeys.authorID)
    static let publisherID = Column(CodingKeys.publisherID)
  }

  init(
    title: String, price: Double = 0, pages: Int = 0, authorID: Int64 = 0, publisherID: Int64? = nil
  ) {
    self.title = title
    self.price = price
    self.pages = pages
    self.authorID = authorID
    self.publisherID = publisherID
  }

  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }

  static func create(in db: Database) throws {
    try db.create(table: databaseTableName) { t in
      t.autoIncrementedPrimaryKey("id")
      t.column("title", .text).notNull()
      t.column("price", .double).notNull()
      t.column("pages", .integer).notNull()
      t.column("authorID", .integer).notNull()
      t.column("publisherID", .integer)
    }
  }
}
