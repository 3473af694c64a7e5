extension MemoryMap {
  /// Opens the image at a path as a new map.
  ///
  /// The file is read once and left as it is.
  ///
  /// Throws `cannotOpen` when there is no such file, `notADatabase`, `corrupt` or `schemaTooNew` for its
  /// contents, and `full` when these are more than `limit`.
  package convenience init(contentsOf path: String, limit: Int? = nil) throws {
    let reader = try ImageReader(ImageFile(reading: path))
    let edit = Edit(stamp: 1, allowance: limit ?? .max)
    var published = Published(generation: 1)
    published.trees = try reader.readTrees(edit)
    published.bytes = (limit ?? .max) - edit.allowance
    self.init(limit: limit, published: published, live: edit.live)
  }

  /// Writes the newest commit to a file, replacing the one that may be there; missing folders
  /// are made.
  ///
  /// A reader of the path sees all of the old file or all of the new one at any moment; on return the new one
  /// is durable. It keeps the old one's permissions. Throws `cannotOpen`, `full` or `inputOutput`, with the
  /// old file as it was (unless the folder alone cannot be synced: then the new one stands there already),
  /// and `closed`.
  package func write(to path: String) throws {
    let snapshot = try snapshot()
    defer { snapshot.end() }
    let target = ImageFile.target(of: path)
    let folder = ImageFile.folder(of: target)
    try ImageFile.makeFolders(folder)
    let draft = "\(folder)/.strata-\(ImageFile.process)-\(UInt64.random(in: 0 ... .max)).draft"
    let file = try ImageFile(making: draft)
    do {
      file.adoptMode(of: target)
      var writer = ImageWriter(file)
      try writer.write(snapshot.published.trees.pairs)
      try ImageFile.rename(draft, to: target, in: folder)
    } catch {
      ImageFile.remove(draft)
      throw error
    }
  }
}
