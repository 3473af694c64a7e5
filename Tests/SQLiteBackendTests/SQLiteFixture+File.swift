import ORMCore
import TestSupport

@testable import SQLiteBackend

extension SQLiteFixture {
  /// Opens the store's file, and makes it if there is none.
  func file(_ change: (inout StoreOptions) -> Void = { _ in }) throws -> SQLiteFile {
    var options = StoreOptions()
    options.writerWait = .seconds(5)
    change(&options)
    return try SQLiteFile(path: path, options: options, settings: SQLiteSettings(options))
  }
}
