internal import ORMStorage

/// The image that a memory store was read from.
///
/// Reading it leaves it as it is, and a later `write(to:)` may replace it by the migrated rows.
struct ImageStoreFile: StoreFile {
  let path: String

  init(path: String) { self.path = ImageFile.target(of: path) }

  func size() throws -> Int { try FileSystem.size(of: path) ?? 0 }

  func copy(to path: String) throws { try FileSystem.copy(self.path, to: path) }

  /// Replaces the image at a path by another.
  ///
  /// - Throws: `notADatabase`, `corrupt`, `schemaTooNew` if the other is no whole image; `full`,
  ///   `inputOutput`, `cannotOpen`.
  static func restore(
    _ path: String, from backup: String, _ beforeReplacing: () throws -> Void
  ) throws {
    let file = ImageStoreFile(path: path)
    try checkReplaceable(file.path)
    let draft = file.path + ".restore"
    try FileSystem.remove(draft)
    do {
      try ImageStoreFile(path: backup).copy(to: draft)
      _ = try MemoryMap(contentsOf: draft, limit: nil)
      try beforeReplacing()
      try FileSystem.rename(draft, to: file.path)
    } catch {
      try? FileSystem.remove(draft)
      throw error
    }
    try FileSystem.sync(FileSystem.folder(of: file.path))
  }

  /// Throws `notADatabase` for a file of another kind, which is not replaced.
  private static func checkReplaceable(_ path: String) throws {
    guard let size = try FileSystem.size(of: path), size > 0 else { return }
    let file = try ImageFile(reading: path)
    var header = [UInt8](repeating: 0, count: min(size, Image.headerSize))
    do {
      try header.withUnsafeMutableBytes { bytes in
        _ = try file.read(into: bytes)
        try Image.check(UnsafeRawBufferPointer(bytes), size: size)
      }
    } catch let error as StoreError where error.code == .corrupt {
      // A damaged image is replaced.
    }
  }
}
