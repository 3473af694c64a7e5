import GRDB
import Hummingbird

/// A thing on sale.
struct Item: Codable, FetchableRecord, MutablePersistableRecord {
  var id: Int64?
  var name: String
  var price: Double
  var stock: Int
  var version = 1

  enum Columns {
    static let id = Column(CodingKeys.id)
    static let price = Column(CodingKeys.price)
  }

  static let itemTags = hasMany(ItemTag.self)
  static let tags = hasMany(Tag.self, through: itemTags, using: ItemTag.tag)

  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

/// A word that items are found by.
struct Tag: Codable, FetchableRecord, PersistableRecord, ResponseCodable { var id: String }

/// A tag of an item.
struct ItemTag: Codable, FetchableRecord, PersistableRecord {
  var itemId: Int64
  var tagId: String

  static let tag = belongsTo(Tag.self)
}

/// An item with its tags, as it is fetched.
struct ItemInfo: Decodable, FetchableRecord {
  var item: Item
  var tags: [Tag]
}

/// Opens the database, and makes its tables if they are not there.
///
/// A commit is durable when it returns, as one of a store is by default.
func openDatabase(at path: String) throws -> DatabasePool {
  let pool = try DatabasePool(path: path)
  try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
  var migrator = DatabaseMigrator()
  migrator.registerMigration("1") { db in
    try db.create(table: "item") { table in
      table.autoIncrementedPrimaryKey("id")
      table.column("name", .text).notNull().unique()
      table.column("price", .double).notNull().indexed()
      table.column("stock", .integer).notNull()
      table.column("version", .integer).notNull()
    }
    try db.create(table: "tag") { $0.primaryKey("id", .text) }
    try db.create(table: "itemTag") { table in
      table.primaryKey {
        table.belongsTo("item", onDelete: .cascade)
        table.belongsTo("tag", onDelete: .cascade)
      }
    }
  }
  try migrator.migrate(pool)
  return pool
}
