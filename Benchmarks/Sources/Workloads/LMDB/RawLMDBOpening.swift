/// A file of ``RawLMDB`` with a hundred rows that is opened anew each time.
package struct RawLMDBOpening: OpeningOperations {
  private let path: String

  package init(path: String) throws {
    self.path = path
    _ = try RawLMDB(path: path).indexedInsert((1...100).map { PlayerData(id: $0) })()
  }

  package func openAndFind(_ key: Int64) throws -> Int { try RawLMDB(path: path).findEach([key]) }
}
