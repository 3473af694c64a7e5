package import Foundation

/// A folder with the file of one test, and the `sqlite3` command as the independent program that
/// reports what the file holds.
package final class SQLiteFixture {
  private let files = TestFolder()
  package var folder: String { files.path }
  package var path: String { files.file("store.sqlite") }

  package init() {}

  /// Reads the file and those beside it, by name.
  package func bytes() throws -> [String: Data] {
    var all: [String: Data] = [:]
    for name in try files.names() {
      all[name] = try Data(contentsOf: URL(fileURLWithPath: files.file(name)))
    }
    return all
  }

  /// Writes the file.
  package func write(_ data: Data) throws { try files.write(data, "store.sqlite") }

  /// Runs the command on the file, and returns what it prints without line ends around it.
  @discardableResult
  package func command(_ sql: String, on path: String? = nil) throws -> String {
    try SQLiteCommand.run(sql, path ?? self.path).trimmingCharacters(in: .newlines)
  }
}
