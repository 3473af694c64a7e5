internal import Foundation
internal import ORM

/// A file of bad records with their reasons, as JSON Lines.
///
/// Once they are repaired, `ImportFrom.jsonLines(_:at:)` with the path `record` imports them.
final class RejectsFile {
  private let file: FileHandle
  private let path: String

  /// Opens the file.
  ///
  /// - Parameter appends: whether it goes on, and does not begin anew.
  /// - Throws: `cannotOpen`, also for a path that is there and no regular file: making a file would put
  ///   it instead of a device or a pipe.
  init(_ path: String, appends: Bool) throws {
    self.path = path
    try StoreError.checkRegular(path)
    let exists = FileManager.default.fileExists(atPath: path)
    if !(appends && exists) { _ = FileManager.default.createFile(atPath: path, contents: nil) }
    guard let file = FileHandle(forWritingAtPath: path) else {
      throw StoreError(.cannotOpen, "the file \(path) cannot be written")
    }
    self.file = file
    if appends { _ = try? file.seekToEnd() }
  }

  /// The number of bytes.
  func size() throws -> UInt64 {
    do { return try file.seekToEnd() } catch { throw StoreError.unwritable(path, error) }
  }

  /// Removes everything after a number of bytes.
  func truncate(to size: UInt64) throws {
    do { try file.truncate(atOffset: size) } catch { throw StoreError.unwritable(path, error) }
  }

  /// Writes a record.
  func write(_ bad: BadRecord, _ bytes: UnsafeRawBufferPointer) throws {
    var writer = JSONWriter()
    writer.beginObject()
    for (name, number) in [
      ("number", bad.number), ("line", bad.location.line), ("column", bad.location.column),
      ("byte", bad.location.byte),
    ] {
      writer.key(name)
      writer.literal(String(number))
    }
    if !bad.path.isEmpty {
      writer.key("path")
      writer.string(bad.path)
    }
    writer.key("error")
    writer.string(bad.error.message)
    // A record that is not JSON is stored as a text.
    let text = String(decoding: bytes, as: UTF8.self)
    if let json = try? JSONValue(parsing: text) {
      writer.key("record")
      json.write(to: &writer)
    } else if !text.isEmpty {
      writer.key("text")
      writer.string(text)
    }
    writer.end()
    do {
      try file.write(contentsOf: Data((writer.text + "\n").utf8))
    } catch {
      throw StoreError.unwritable(path, error)
    }
  }

  /// Closes the file.
  func close() throws {
    do {
      try file.synchronize()
      try file.close()
    } catch {
      throw StoreError.unwritable(path, error)
    }
  }
}
