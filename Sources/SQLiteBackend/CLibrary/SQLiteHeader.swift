internal import ORMStorage

/// The first hundred bytes of a database file.
///
/// After https://sqlite.org/fileformat2.html, section 1.3. Numbers are big-endian.
struct SQLiteHeader {
  static let length = 100
  /// "SQLite format 3" and a NUL.
  static let magic = Array("SQLite format 3\0".utf8)
  /// Marks a file as one of ours: "STRA".
  static let applicationID: UInt32 = 0x5354_5241
  /// The layout of tables in a new file; stored as the file's user version.
  static let formatVersion: UInt32 = 1
  /// The layout of tables whose rows have checksums, which is the newest that this code reads.
  static let checksumFormatVersion: UInt32 = 2

  private let bytes: [UInt8]

  /// Takes as much of the beginning as there is.
  ///
  /// Throws `notADatabase` for a file that never was an SQLite file, `corrupt` for the truncated beginning of
  /// one.
  init(_ bytes: [UInt8]) throws {
    guard bytes.prefix(16).elementsEqual(Self.magic.prefix(bytes.count)) else {
      throw StoreError(.notADatabase, "the file is not an SQLite file")
    }
    guard bytes.count >= Self.length else {
      throw StoreError(.corrupt, "the file ends within its header")
    }
    self.bytes = bytes
  }

  /// Throws unless the file is one of ours, of a known format and whole.
  ///
  /// - Parameter isSettled: whether all there is lies in the file itself. Beside a log it may be
  ///   shorter than it says.
  func check(fileSize: Int, isSettled: Bool) throws {
    guard number(at: 68) == Self.applicationID else {
      throw StoreError(
        .notADatabase, "the file is an SQLite file, but not one that a store of Strata made")
    }
    // 2 is the write-ahead log, 4 the newest encoding of the schema's tables.
    guard bytes[18] <= 2, bytes[19] <= 2, number(at: 44) <= 4 else {
      throw StoreError(
        .schemaTooNew,
        "the file has a newer SQLite format than the linked library reads")
    }
    try Self.check(formatVersion: Int64(Int32(bitPattern: number(at: 60))))
    try require(bytes[18] >= 1 && bytes[19] >= 1, "its format is 0")
    try require(
      pageSize.nonzeroBitCount == 1 && (512...65536).contains(pageSize),
      "its page size is \(pageSize)")
    try require(pageSize - Int(bytes[20]) >= 480, "too much of each page is reserved")
    try require(bytes[21...23].elementsEqual([64, 32, 32]), "its payload fractions are wrong")
    try require(number(at: 56) <= 1, "its texts are not UTF-8")
    try require(fileSize >= pageSize, "it ends within its first page")
    // The page count is to be believed when it was written with the last change.
    let isCounted = number(at: 24) == number(at: 92)
    let needed = isCounted ? Int(number(at: 28)) * pageSize : pageSize
    try require(
      !isSettled || fileSize >= needed, "it should have \(needed) bytes and has \(fileSize)")
  }

  /// Throws unless tables of this layout can be read.
  static func check(formatVersion: Int64) throws {
    let newest = Int64(Self.checksumFormatVersion)
    if formatVersion > newest {
      throw StoreError(
        .schemaTooNew,
        "the file has format \(formatVersion), and this program reads formats up to \(newest)")
    }
    if formatVersion < 1 {
      throw StoreError(.corrupt, "the file is damaged: its format is \(formatVersion)")
    }
  }

  /// The size of a page in bytes; 1 stands for 65536, which does not fit the field.
  var pageSize: Int {
    let size = Int(bytes[16]) << 8 | Int(bytes[17])
    return size == 1 ? 65536 : size
  }

  private func number(at offset: Int) -> UInt32 {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  private func require(_ holds: Bool, _ fault: String) throws {
    if !holds { throw StoreError(.corrupt, "the file is damaged: \(fault)") }
  }
}
