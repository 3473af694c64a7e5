/// A file of ``RawSQLite`` with a hundred rows that is opened anew each time.
package struct RawSQLiteOpening: OpeningOperations {
  private let path: String
  private let pragmas: [String]

  package init(path: String, pragmas: [String]) throws {
    self.path = path
    self.pragmas = pragmas
    _ = try RawSQLite(path: path, pragmas: pragmas)
      .indexedInsert((1...100).map { PlayerData(id: $0) })()
  }

  package func openAndFind(_ key: Int64) throws -> Int {
    try RawSQLite(path: path, pragmas: pragmas).findEach([key])
  }
}
