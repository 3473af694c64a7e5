internal import CLMDB
internal import ORMStorage

/// The version of the library that the program is linked with, and the files that it can open.
enum LMDBLibrary {
  /// The version of the library: major and minor number, and its text.
  static var version: (major: Int, minor: Int, text: String) {
    var (major, minor, patch): (Int32, Int32, Int32) = (0, 0, 0)
    let text = mdb_version(&major, &minor, &patch).map { String(cString: $0) }
    return (Int(major), Int(minor), text ?? "LMDB \(major).\(minor).\(patch)")
  }

  /// Throws `unsupportedVersion` unless the library is of the versions whose files and pages this
  /// backend reads: 0.9.
  static func check(_ version: (major: Int, minor: Int, text: String) = LMDBLibrary.version) throws
  {
    if version.major == 0 && version.minor == 9 { return }
    throw StoreError(
      .unsupportedVersion,
      "This program is linked with \(version.text), whose files have another format; an LMDB store "
        + "needs the library in version 0.9. Link the program with LMDB 0.9.")
  }

  /// The error for a file of another data format.
  static func unsupported(_ path: String, format: UInt32) -> StoreError {
    StoreError(
      .unsupportedVersion,
      "\(path) has LMDB's data format \(format); an LMDB store needs format 1, that of LMDB 0.9. "
        + "Convert the file with mdb_dump of the version that wrote it and mdb_load of LMDB 0.9.")
  }
}
