internal import ORMPlatform
internal import ORMStorage

/// The files that a connection has open, by device and inode: the database, its log and the index
/// of the log.
///
/// A commit is only as good as these names. In a file without its name it is lost for the next opening of the
/// name; beside another log or index it is lost or damages the file. The library does not look
/// (`SQLITE_FCNTL_HAS_MOVED` reports the database alone, and by its inode alone).
struct SQLiteFileIdentity: Equatable, Sendable {
  private struct Identifier: Equatable, Sendable {
    var device: dev_t
    var inode: ino_t
  }

  /// The name of the database.
  let path: String
  /// The names as the system takes them, each with its file; nil for one that was not there.
  private let names: [ContiguousArray<CChar>]
  private let files: [Identifier?]

  /// The files that lie under the names now; to be taken while a connection holds them open, so that
  /// the library itself neither removes nor replaces them.
  init(path: String) throws {
    self.path = path
    names = ["", "-wal", "-shm"].map { (path + $0).utf8CString }
    files = try names.map { try Self.identifier(of: $0, path) }
    if files[0] == nil { throw replaced() }
  }

  /// Throws `fileReplaced` unless every name still leads to the same file.
  ///
  /// It costs a `stat` for each of the three.
  func check() throws {
    for index in names.indices {
      if let file = files[index], try Self.identifier(of: names[index], path) != file {
        throw replaced()
      }
    }
  }

  /// Throws `fileReplaced` unless the name of the database still leads to the same file; one `stat`.
  func checkDatabase() throws {
    if try Self.identifier(of: names[0], path) != files[0] { throw replaced() }
  }

  /// The error for another file under one of the names, or none.
  func replaced() -> StoreError {
    StoreError(
      .fileReplaced,
      """
      \(path), or a file beside it whose name begins so, was removed or replaced while the store \
      was open: nothing is written to it any more. Close the store and open it again.
      """)
  }

  private static func identifier(
    of name: ContiguousArray<CChar>, _ path: String
  ) throws -> Identifier? {
    var status = stat()
    if name.withUnsafeBufferPointer({ $0.baseAddress.map { stat($0, &status) } }) == 0 {
      return Identifier(device: status.st_dev, inode: status.st_ino)
    }
    if errno == ENOENT || errno == ENOTDIR { return nil }
    throw SQLiteFile.systemError(path)
  }
}
