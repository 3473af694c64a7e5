/// A copy of a store beside its file, made before a migration: `app.before-3.sqlite`.
///
/// The number is the version to which the store is migrated. A copy of the same name is replaced.
package struct StoreBackup {
  private let file: any StoreFile
  /// The path of the copy.
  package let path: String

  /// Describes the copy of a store that is about to become another version.
  package init(of file: any StoreFile, before version: Int) {
    self.file = file
    let (stem, ending) = Self.parts(of: FileSystem.name(of: file.path))
    path = "\(FileSystem.folder(of: file.path))/\(stem)\(version)\(ending)"
  }

  /// Returns the parts of a copy's name before and after its version.
  private static func parts(of name: String) -> (stem: String, ending: String) {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else {
      return (name + ".before-", "")
    }
    return (name[..<dot] + ".before-", String(name[dot...]))
  }

  /// Returns whether there is a copy of this name.
  package func exists() throws -> Bool { try FileSystem.size(of: path) != nil }

  /// Makes the copy; when this returns, no power cut undoes it.
  ///
  /// It gets its name when it is whole.
  package func make() throws {
    let draft = path + ".new"
    try Self.removeFiles(draft)
    do {
      try file.copy(to: draft)
      FileSystem.copyPermissions(of: file.path, to: draft)
      try FileSystem.sync(draft)
      try ExternalContents.copyFolder(of: file.path, to: path)
      try Self.removeCompanions(of: path)
      try FileSystem.rename(draft, to: path)
      try FileSystem.sync(FileSystem.folder(of: path))
    } catch {
      try? Self.removeFiles(draft)
      throw error
    }
  }

  /// Removes all copies of the store but this one and the newest others, `count` in all.
  package func removeOlder(keeping count: Int) throws {
    let folder = FileSystem.folder(of: path)
    let (stem, ending) = Self.parts(of: FileSystem.name(of: file.path))
    let others = try FileSystem.names(in: folder).compactMap { name -> (String, Int, Int)? in
      // By bytes: a name in another spelling is that of another store.
      let bytes = name.utf8
      guard bytes.starts(with: stem.utf8), bytes.reversed().starts(with: ending.utf8.reversed()),
        let version = Int(
          Substring(bytes.dropFirst(stem.utf8.count).dropLast(ending.utf8.count))), version >= 0
      else { return nil }
      let other = "\(folder)/\(name)"
      guard other != path, let time = FileSystem.changeTime(of: other) else { return nil }
      return (other, time, version)
    }
    let newest = others.sorted { ($0.1, $0.2) > ($1.1, $1.2) }
    for (other, _, _) in newest.dropFirst(max(0, count - 1)) {
      try Self.removeFiles(other)
      try ExternalContents.removeFolder(besidesCopy: other)
    }
  }

  /// Removes the copy.
  package func remove() throws {
    try Self.removeFiles(path)
    try ExternalContents.removeFolder(besidesCopy: path)
  }

  /// Removes a file with those that engines make beside it.
  private static func removeFiles(_ path: String) throws {
    try FileSystem.remove(path)
    try removeCompanions(of: path)
  }

  /// Removes the logs and locks that a program may have left that opened a copy as a store.
  private static func removeCompanions(of path: String) throws {
    for suffix in ["-wal", "-shm", "-journal", "-lock", "-guard"] {
      try FileSystem.remove(path + suffix)
    }
  }
}
