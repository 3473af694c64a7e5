import CRocksDB
import Foundation
import ORMCore

/// The folder of a database, which a file of our own marks as ours.
///
/// RocksDB opens any folder and writes to it. The mark is read first, so that a folder of others is
/// left as it was.
struct RocksFolder {
  /// The name of the file that marks a folder; RocksDB leaves names that it does not know alone.
  static let mark = "STRATA"
  static let content = "strata in rocksdb, format 1\n"

  let path: String

  /// Opens the database, and creates it where the folder is missing or empty.
  func open(isReadOnly: Bool, mayCreate: Bool) throws -> OpaquePointer {
    let isNew = try check()
    if isNew {
      guard mayCreate, !isReadOnly else {
        throw StoreError(.cannotOpen, "\(path): there is no store", store: path)
      }
      try create()
    }
    let options = rocksdb_options_create()
    defer { rocksdb_options_destroy(options) }
    rocksdb_options_set_create_if_missing(options, isNew ? 1 : 0)
    // A commit that a crash cut short is dropped; any other damage is an error.
    rocksdb_options_set_wal_recovery_mode(
      options, Int32(rocksdb_tolerate_corrupted_tail_records_recovery))
    rocksdb_options_set_write_buffer_size(options, 16 << 20)
    rocksdb_options_set_keep_log_file_num(options, 1)
    do {
      let db = try rocks(path) {
        isReadOnly
          ? rocksdb_open_for_read_only(options, path, 0, &$0) : rocksdb_open(options, path, &$0)
      }
      guard let db else { throw StoreError(.cannotOpen, "\(path) cannot be opened", store: path) }
      return db
    } catch let error as StoreError where error.code == .inputOutput || error.code == .engine {
      // The folder is ours and is no new one, so a file that is missing was lost.
      let isDamaged =
        error.message.contains("No such file") || error.message.contains("Invalid argument")
      throw StoreError(isDamaged ? .corrupt : .cannotOpen, error.message, store: path)
    }
  }

  /// Returns whether there is no database yet.
  ///
  /// - Throws: `notADatabase` where the folder is not ours.
  private func check() throws -> Bool {
    let files = FileManager.default
    var isFolder: ObjCBool = false
    guard files.fileExists(atPath: path, isDirectory: &isFolder) else { return true }
    guard isFolder.boolValue else {
      throw StoreError(.notADatabase, "\(path) is not a folder", store: path)
    }
    let names: [String]
    do {
      names = try files.contentsOfDirectory(atPath: path)
    } catch {
      throw StoreError(.cannotOpen, "\(path): \(error.localizedDescription)", store: path)
    }
    if names.isEmpty { return true }
    let found = files.contents(atPath: "\(path)/\(Self.mark)").map {
      String(decoding: $0, as: UTF8.self)
    }
    guard let found, found.hasPrefix("strata in rocksdb") else {
      throw StoreError(.notADatabase, "\(path) holds no store of this kind", store: path)
    }
    guard found == Self.content else {
      throw StoreError(.unsupportedVersion, "\(path) has another format: \(found)", store: path)
    }
    if names == [Self.mark] { return true }
    guard names.contains("CURRENT") else {
      throw StoreError(.corrupt, "\(path) is damaged: the file CURRENT is missing", store: path)
    }
    return false
  }

  /// Creates the folder and its mark, on the disk before RocksDB writes the first file.
  private func create() throws {
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      let file = URL(fileURLWithPath: path).appendingPathComponent(Self.mark)
      try Data(Self.content.utf8).write(to: file)
      let handle = try FileHandle(forWritingTo: file)
      try handle.synchronize()
      try handle.close()
    } catch {
      throw StoreError(.cannotOpen, "\(path): \(error.localizedDescription)", store: path)
    }
  }
}
