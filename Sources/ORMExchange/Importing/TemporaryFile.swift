internal import Foundation
internal import ORM

/// A file for the part of an import's notes that exceeds its constant amount of memory.
///
/// It is made by the first write and removed with this object.
final class TemporaryFile {
  /// The number of bytes up to the last one that was written.
  private(set) var size = 0
  private var handle: FileHandle?
  private var path: String?

  deinit {
    try? handle?.close()
    if let path { try? FileManager.default.removeItem(atPath: path) }
  }

  private static func unmade(_ path: String) -> StoreError {
    StoreError(.cannotOpen, "the temporary file \(path) of an import cannot be made")
  }

  private var unreadable: StoreError {
    StoreError(.inputOutput, "the temporary file \(path ?? "") of an import cannot be read")
  }

  private func opened() throws -> FileHandle {
    if let handle { return handle }
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-import-" + UUID().uuidString).path
    // It holds keys of rows.
    guard
      FileManager.default.createFile(
        atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
    else { throw Self.unmade(path) }
    self.path = path
    guard let handle = FileHandle(forUpdatingAtPath: path) else { throw Self.unmade(path) }
    self.handle = handle
    return handle
  }

  /// Writes bytes at an offset; bytes before it that were never written are 0.
  ///
  /// - Throws: `full`, `inputOutput`, `cannotOpen`.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
    let handle = try opened()
    do {
      try handle.seek(toOffset: UInt64(offset))
      try handle.write(contentsOf: Data(bytes))
    } catch {
      throw StoreError.unwritable(path ?? "", error)
    }
    size = max(size, offset + bytes.count)
  }

  /// Reads at most a number of bytes from an offset; fewer at the end.
  ///
  /// - Throws: `inputOutput`.
  func read(_ count: Int, at offset: Int) throws -> Data {
    guard let handle, offset < size else { return Data() }
    do {
      try handle.seek(toOffset: UInt64(offset))
      return try handle.read(upToCount: min(count, size - offset)) ?? Data()
    } catch {
      throw unreadable
    }
  }

  /// Maps the bytes that were written so far.
  ///
  /// - Throws: `inputOutput`.
  func mapped() throws -> Data {
    guard let path, size > 0 else { return Data() }
    do {
      return try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
    } catch {
      throw unreadable
    }
  }
}
