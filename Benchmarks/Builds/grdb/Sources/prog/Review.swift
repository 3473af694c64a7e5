import Foundation
import GRDB

struct Review: Codable, FetchableRecord, MutablePersistableRecord {
  var id: Int64?
  var text: String
  var stars: Int = 0
  var bookID: Int64 = 0
  var written: Date

  enum Columns {
    static let id = Column(CodingKeys.id)
    static let text = Column(CodingKeys.text)
    static let stars = Column(CodingKeys.stars)
    static let bookID = Column(CodingKeys.bookID)
    static let written = Column(CodingKeys.written)
  }

  init(text: String, stars: Int = 0, bookID: Int64 = 0, written: Date) {
    self.text = text
    self.stars = stars
    self.bookID = bookID
    self.written = written
  }

  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }

  static func create(in db: Database) throws {
    try db.create(table: databaseTableName) { t in
      t.autoIncrementedPrimaryKey("id")
      t.column("text", .text).notNull()
      t.column("stars", .integer).notNull()
      t.column("bookID", .integer).notNull()
      t.column("written", .datetime).notNull()
    }
  }
}
