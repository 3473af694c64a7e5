internal import Foundation
internal import ORM

/// A file that is written under a temporary name and gets its own when it is whole.
final class ExportFile {
  private let path: String
  private let temporary: String
  private let file: FileHandle
  private var buffer: [UInt8] = []
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

  func write(_ text: String) throws {
    buffer.append(contentsOf: text.utf8)
    if buffer.count >= 1 << 18 { try flush() }
  }

  private func flush() throws {
    do {
      try file.write(contentsOf: Data(buffer))
    } catch {
      throw StoreError(.full, "the file \(path) cannot be written")
    }
    count += buffer.count
    buffer.removeAll(keepingCapacity: true)
  }

  /// Writes what is left and puts the file in its place.
  func finish() throws {
    try flush()
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
