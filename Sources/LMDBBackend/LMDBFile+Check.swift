internal import ORMCore

/// What is looked at before a file is trusted. The library trusts its files: with a damaged one it
/// would end the process.
extension LMDBFile {
  /// Checks the structure of a file by plain reads: that every page that can be reached is there, is
  /// what it should be, is reached once, and keeps inside its bounds.
  ///
  /// Throws `notADatabase`, `corrupt`, `schemaTooNew`, `cannotOpen`. The file is only read. While it
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
    let newest = try readMetas(file).newest
    return try file.size() / newest.pageSize > newest.lastPage
  }

  /// Checks the two pages that a file begins with, and the list of its spaces: that the file is of a
  /// store of this kind, which opening relies on.
  static func checkIdentity(_ location: LMDBPath) throws {
    try check(location) { try LMDBPageWalk.runThroughList($0, $1) }
  }

  static func checkPages(_ location: LMDBPath) throws {
    try check(location) { try LMDBPageWalk.run($0, $1) }
  }

  private static func check(
    _ location: LMDBPath, _ walk: (LMDBPlainFile, LMDBMeta) throws -> Void
  ) throws {
    let file = try LMDBPlainFile(location)
    var attempts = 0
    while true {
      let metas = try readMetas(file)
      do {
        return try walk(file, metas.newest)
      } catch let error as StoreError where [.corrupt, .notADatabase].contains(error.code) {
        // Pages may have been written anew since: a snapshot that nobody holds lasts one commit.
        attempts += 1
        guard attempts < 100, try readMetas(file) != metas else { throw error }
      }
    }
  }

  /// The two pages a file begins with, and whether they are those of a file that can be read.
  private struct Metas: Equatable {
    var first: LMDBMeta
    var second: LMDBMeta
    /// The one the library goes by.
    var newest: LMDBMeta { first.transaction < second.transaction ? second : first }
  }

  /// Reads the two pages.
  ///
  /// What seems damaged is read again: they may have been written meanwhile. While others commit
  /// all the time, the two may be of commits far apart again and again.
  private static func readMetas(_ file: LMDBPlainFile) throws -> Metas {
    var seen: [UInt8] = []
    for _ in 0..<1_000 {
      var pause = LMDBPause(seconds: 0.01)
      var fault: StoreError
      repeat {
        do {
          return try readMetasOnce(file)
        } catch let error as StoreError where error.code == .corrupt {
          fault = error
        }
      } while pause.next()
      let now = try beginning(of: file)
      if now == seen { throw fault }
      seen = now
    }
    throw StoreError(.busy, "\(file.path) is written all the time, and cannot be read.")
  }

  /// As much of the file as tells whether it was written.
  private static func beginning(of file: LMDBPlainFile) throws -> [UInt8] {
    let size = LMDBFormat.headerSize + LMDBFormat.metaSize
    var bytes = [UInt8](repeating: 0, count: 4_096 + size)
    _ = try bytes.withUnsafeMutableBytes { try file.read($0, at: 0) }
    return bytes
  }

  private static func readMetasOnce(_ file: LMDBPlainFile) throws -> Metas {
    guard let first = try readMeta(file, at: 0), first.isMeta else {
      let isOurs = try LMDBFormat.plausiblePageSizes.contains {
        try readMeta(file, at: $0)?.isMeta ?? false
      }
      if isOurs { throw corrupt(file, "its first page is damaged") }
      throw StoreError(.notADatabase, "\(file.path) is not an LMDB file.")
    }
    let hasPageSize = LMDBFormat.plausiblePageSizes.contains(first.pageSize)
    let second = hasPageSize ? try readMeta(file, at: first.pageSize) : nil
    if first.version > LMDBFormat.version, second?.version != LMDBFormat.version {
      throw StoreError(
        .schemaTooNew, "\(file.path) has LMDB's data format \(first.version), which is too new.")
    }
    if let fault = first.fault(at: 0) { throw corrupt(file, "its first page \(fault)") }
    guard let second else { throw corrupt(file, "it ends in its first pages") }
    if let fault = second.fault(at: 1) { throw corrupt(file, "its second page \(fault)") }
    if first.transaction == 0 && second.transaction == 0 {
      // Ours are made with a commit.
      throw StoreError(.notADatabase, "\(file.path) is an empty LMDB file of another program.")
    }
    // Commits take the two by turns.
    let isPair =
      max(first.transaction, second.transaction) - 1
      == min(first.transaction, second.transaction)
    guard first.pageSize == second.pageSize, isPair else {
      throw corrupt(file, "its first two pages contradict each other")
    }
    return Metas(first: first, second: second)
  }

  private static func readMeta(_ file: LMDBPlainFile, at offset: Int) throws -> LMDBMeta? {
    let size = LMDBFormat.headerSize + LMDBFormat.metaSize
    return try withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { buffer in
      try file.read(buffer, at: offset) == size ? LMDBMeta(UnsafeRawBufferPointer(buffer)) : nil
    }
  }

  private static func corrupt(_ file: LMDBPlainFile, _ fault: String) -> StoreError {
    StoreError(.corrupt, "\(file.path) is damaged: \(fault).")
  }
}
