internal import ORMPlatform
internal import ORMStorage

/// The two meta pages of a file, at least one of which is whole.
///
/// Commits write them by turns. A write that failed or was torn leaves one damaged; the other still
/// ends the commit before, whose pages are all there. The library checks no more than their first
/// bytes and takes the one with the greater transaction number. So a damaged page is found here,
/// and written anew from the whole one before the library sees the file.
struct LMDBMetas: Equatable {
  /// The whole page of the newest commit.
  let newest: LMDBMeta
  /// The other page as it was read; nil when it cannot be read as a meta page.
  let other: LMDBMeta?

  /// True if the other page is not as a commit leaves it.
  var needsRepair: Bool {
    guard let other else { return true }
    return other.fault(at: 1 - newest.number) != nil || other.pageSize != newest.pageSize
      || other.transaction &+ 1 != newest.transaction
  }

  /// True if the library opens the file as it is, and takes the newest commit.
  var isUsable: Bool {
    guard let other else { return false }
    return other.isMeta && other.version == LMDBFormat.version
      && other.transaction < newest.transaction && (newest.number == 0 || other.hasSize(of: newest))
  }

  // MARK: Reading

  /// Reads the two pages.
  ///
  /// Pages that seem damaged are read again: they may have been written meanwhile. While others commit
  /// all the time, the two may be of commits far apart again and again.
  ///
  /// Throws `notADatabase`, `unsupportedVersion`, and `corrupt` when both are damaged.
  static func read(_ file: LMDBPlainFile) throws -> LMDBMetas {
    var seen: [UInt8] = []
    for _ in 0..<1_000 {
      var pause = LMDBPause(seconds: 0.01)
      var last = Result<LMDBMetas, any Error> { try readOnce(file) }
      while !isCertain(last), pause.next() { last = Result { try readOnce(file) } }
      if isCertain(last) { return try last.get() }
      let now = try beginning(of: file)
      if now == seen { return try last.get() }
      seen = now
    }
    throw StoreError(
      .busy,
      "\(file.path) changes too often to be read; try again when other processes write less.")
  }

  /// Returns whether an outcome cannot be that of a write which is under way.
  private static func isCertain(_ outcome: Result<LMDBMetas, any Error>) -> Bool {
    switch outcome {
    case .success(let metas): !metas.needsRepair
    case .failure(let error): (error as? StoreError)?.code != .corrupt
    }
  }

  /// Returns as much of the file as shows whether it was written.
  private static func beginning(of file: LMDBPlainFile) throws -> [UInt8] {
    let size = LMDBFormat.headerSize + LMDBFormat.metaSize
    var bytes = [UInt8](repeating: 0, count: 4_096 + size)
    _ = try bytes.withUnsafeMutableBytes { try file.read($0, at: 0) }
    return bytes
  }

  private static func readOnce(_ file: LMDBPlainFile) throws -> LMDBMetas {
    let first = try readMeta(file, at: 0)
    let second = try secondMeta(file, first)
    try checkVersion(file, first, second)
    let pages = [first, second]
    guard pages.contains(where: { $0?.magic == LMDBFormat.magic }) else {
      throw StoreError(.notADatabase, "\(file.path) is not an LMDB file.")
    }
    let faults = pages.enumerated().map { number, meta in
      guard let meta else { return "cannot be read" }
      return meta.fault(at: UInt64(number)) ?? ""
    }
    let whole = zip(pages, faults).compactMap { $1.isEmpty ? $0 : nil }
      .sorted { $0.transaction > $1.transaction }
    if whole.count == 2, whole[0].transaction == 0 {
      // Ours are made with a commit.
      throw StoreError(
        .notADatabase,
        "\(file.path) is an empty LMDB file that another program made.")
    }
    for meta in whole where meta.transaction > 0 {
      guard try meta.endsItsCommit(in: file) else { continue }
      return LMDBMetas(newest: meta, other: meta.number == 0 ? second : first)
    }
    let reasons = zip(["first", "second"], faults).map { name, fault in
      "its \(name) page \(fault.isEmpty ? "does not match its trees" : fault)"
    }
    throw StoreError(
      .corrupt,
      "\(file.path) is damaged: \(reasons.joined(separator: ", and ")). Restore it from a backup.")
  }

  /// The second page, whose offset follows from the size of pages, in the first page or in itself.
  private static func secondMeta(_ file: LMDBPlainFile, _ first: LMDBMeta?) throws -> LMDBMeta? {
    var fallback: LMDBMeta?
    if let first, LMDBFormat.plausiblePageSizes.contains(first.pageSize) {
      fallback = try readMeta(file, at: first.pageSize)
      if fallback?.isMeta == true { return fallback }
    }
    for size in LMDBFormat.plausiblePageSizes {
      if let meta = try readMeta(file, at: size), meta.isMeta, meta.number == 1,
        meta.pageSize == size
      {
        return meta
      }
    }
    return fallback
  }

  private static func readMeta(_ file: LMDBPlainFile, at offset: Int) throws -> LMDBMeta? {
    let size = LMDBFormat.headerSize + LMDBFormat.metaSize
    return try withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { buffer in
      try file.read(buffer, at: offset) == size ? LMDBMeta(UnsafeRawBufferPointer(buffer)) : nil
    }
  }

  private static func checkVersion(
    _ file: LMDBPlainFile, _ first: LMDBMeta?, _ second: LMDBMeta?
  ) throws {
    if first?.isMeta == true || second?.isMeta == true {
      let versions = [first, second].compactMap { $0?.isMeta == true ? $0?.version : nil }
      if !versions.contains(LMDBFormat.version), let version = versions.first {
        throw LMDBLibrary.unsupported(file.path, format: version)
      }
      return
    }
    // Since data format 2, that of LMDB 1.0, the header of a page is eight bytes longer.
    let offset = LMDBFormat.headerSize + 8
    var words: [UInt32] = [0, 0]
    let count = try words.withUnsafeMutableBytes { try file.read($0, at: offset) }
    if count == 8, words[0] == LMDBFormat.magic {
      throw LMDBLibrary.unsupported(file.path, format: words[1])
    }
  }

  // MARK: Repair

  /// Writes the other page anew from the newest one, as that of the commit before it, and syncs it.
  ///
  /// The file must not be open elsewhere.
  func repair(_ location: LMDBPath) throws {
    let file = try LMDBPlainFile(location, isWritable: true)
    let size = LMDBFormat.headerSize + LMDBFormat.metaSize
    var bytes = [UInt8](repeating: 0, count: size)
    let number = 1 - newest.number
    try bytes.withUnsafeMutableBytes { bytes in
      guard try file.read(bytes, at: Int(newest.number) * newest.pageSize) == size else {
        throw StoreError(.corrupt, "\(location.text) is damaged: it ends in its first pages.")
      }
      bytes.storeBytes(of: number, toByteOffset: 0, as: UInt64.self)
      bytes.storeBytes(
        of: newest.transaction - 1, toByteOffset: size - 8, as: UInt64.self)
      try file.write(UnsafeRawBufferPointer(bytes), at: Int(number) * newest.pageSize)
    }
  }
}

extension LMDBMeta {
  fileprivate func hasSize(of other: LMDBMeta) -> Bool { pageSize == other.pageSize }
}
