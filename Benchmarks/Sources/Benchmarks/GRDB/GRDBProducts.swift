import Foundation
import GRDB

/// A flat row as a program that uses GRDB and Foundation alone has it.
struct GRDBProduct: Codable, PersistableRecord {
  static let databaseTableName = "product"
  var id: Int64
  var name: String
  var category: String
  var price: Double
  var stock: Int
  var isActive: Bool
  var note: String?

  /// Reads JSON Lines and inserts the rows in one transaction; returns their number.
  static func load(_ lines: String, into path: String) throws -> Int {
    let queue = try DatabaseQueue(path: path)
    defer { try? queue.close() }
    return try queue.write { database in
      try database.create(table: databaseTableName) { table in
        table.primaryKey("id", .integer)
        table.column("name", .text).notNull()
        table.column("category", .text).notNull()
        table.column("price", .double).notNull()
        table.column("stock", .integer).notNull()
        table.column("isActive", .boolean).notNull()
        table.column("note", .text)
      }
      let decoder = JSONDecoder()
      let text = try Data(contentsOf: URL(fileURLWithPath: lines), options: .alwaysMapped)
      var count = 0
      for line in text.split(separator: UInt8(ascii: "\n")) {
        try decoder.decode(GRDBProduct.self, from: line).insert(database)
        count += 1
      }
      return count
    }
  }
}
