internal import ORMStorage

/// The checks that a file passes before it is trusted.
///
/// The library trusts its files: with a damaged one it would end the process.
extension LMDBFile {
  /// Checks the structure of a file by plain reads: that every page that can be reached exists, is of the
  /// right kind, is reached once, and stays inside its bounds.
  ///
  /// Throws `notADatabase`, `corrupt`, `unsupportedVersion`, `cannotOpen`. The file is only read. While it
  /// is being written by others the check begins again with each commit; it takes some 0.3 ms a
  /// megabyte.
  package static func check(_ path: String) throws {
    let location = try LMDBPath(path, makesFolders: false)
    guard try location.stamp() != nil else {
      throw StoreError(.cannotOpen, "There is no file \(path).")
    }
    try checkPages(location)
  }

  /// Checks the two pages that a file begins with.
  ///
  /// Says whether all pages they count are there.
  @discardableResult
  static func checkHeader(_ location: LMDBPath) throws -> Bool {
    let file = try LMDBPlainFile(location)
    let newest = try LMDBMetas.read(file).newest
    return try file.size() / newest.pageSize > newest.lastPage
  }

  /// Checks the two pages that a file begins with, and the list of its keyspaces: that the file is of a
  /// store of this kind, which opening relies on.
  static func checkIdentity(_ location: LMDBPath) throws {
    _ = try check(location) { try LMDBPageWalk.runThroughList($0, $1) }
  }

  /// Checks every page, and returns the two that the file begins with.
  @discardableResult
  static func checkPages(_ location: LMDBPath) throws -> LMDBMetas {
    try check(location) { try LMDBPageWalk.run($0, $1) }
  }

  /// Counts the pages that are free to be written again, by plain reads.
  static func freePageCount(_ location: LMDBPath) throws -> Int {
    var count = 0
    _ = try check(location) { count = try LMDBPageWalk.freePageCount($0, $1) }
    return count
  }

  private static func check(
    _ location: LMDBPath, _ walk: (LMDBPlainFile, LMDBMeta) throws -> Void
  ) throws -> LMDBMetas {
    let file = try LMDBPlainFile(location)
    var attempts = 0
    while true {
      let metas = try LMDBMetas.read(file)
      do {
        try walk(file, metas.newest)
        return metas
      } catch let error as StoreError where [.corrupt, .notADatabase].contains(error.code) {
        // Pages may have been written anew since: a commit is readable for one more commit without a
        // snapshot.
        attempts += 1
        guard attempts < 100, try LMDBMetas.read(file) != metas else { throw error }
      }
    }
  }
}
