internal import Foundation
internal import ORM

/// A file that is written under a temporary name and gets its own when it is whole.
final class ExportFile {
  private let path: String
  private let temporary: String
  private let file: FileHandle
  /// The number of bytes that were written.
  private(set) var count = 0
  private var isDone = false

  /// Opens the file.
  ///
  /// - Throws: `cannotOpen`.
  init(_ path: String) throws {
    self.path = path
    temporary = path + "." + UUID().uuidString.prefix(8) + ".tmp"
    guard FileManager.default.createFile(atPath: temporary, contents: nil),
      let file = FileHandle(forWritingAtPath: temporary)
    else { throw StoreError(.cannotOpen, "the file \(path) cannot be written") }
    self.file = file
  }

  deinit {
    if !isDone { try? FileManager.default.removeItem(atPath: temporary) }
  }

  /// Writes bytes, best in blocks.
  func write(_ bytes: UnsafeRawBufferPointer) throws {
    do {
      try file.write(contentsOf: Data(bytes))
    } catch {
      throw StoreError(.full, "the file \(path) cannot be written")
    }
    count += bytes.count
  }

  /// Puts the file in its place.
  func finish() throws {
    do {
      try file.synchronize()
      try file.close()
    } catch {
      throw StoreError(.inputOutput, "the file \(path) cannot be written")
    }
    guard rename(temporary, path) == 0 else {
      throw StoreError(
        .inputOutput, "the file \(path) cannot be put in its place", engineCode: Int(errno))
    }
    isDone = true
  }
}
