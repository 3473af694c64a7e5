internal import ORMValues

/// The folder of contents beside a store's file, for copies of the store.
///
/// The article `ExternalData` of ORMCore describes its files. Each is named after its content, and
/// never changes.
extension ExternalContents {
  /// The suffix that is added to the path of a store's file.
  package static let folderSuffix = ".external"

  /// Adds the contents beside a file to those beside another, and makes them durable.
  ///
  /// - Parameter leavesMark: true to leave the mark of a transaction that was killed: the next write
  ///   transaction then removes contents that no row refers to.
  package static func copyFolder(
    of file: String, to newFile: String, leavesMark: Bool = false
  ) throws {
    let (source, target) = (file + folderSuffix, newFile + folderSuffix)
    let folders = try FileSystem.names(in: source).filter { $0.utf8.count == 2 }
    guard try !folders.isEmpty || (leavesMark && FileSystem.size(of: target) != nil) else { return }
    try FileSystem.makeFolder(target)
    if leavesMark { try leaveMark(besides: newFile) }
    for folder in folders {
      let names = try FileSystem.names(in: "\(source)/\(folder)")
        .filter { SHA256(text: folder + $0) != nil }
      if names.isEmpty { continue }
      try FileSystem.makeFolder("\(target)/\(folder)")
      for name in names {
        try FileSystem.link("\(source)/\(folder)/\(name)", to: "\(target)/\(folder)/\(name)")
      }
      try FileSystem.sync("\(target)/\(folder)")
    }
    try FileSystem.sync(target)
    try FileSystem.sync(FileSystem.folder(of: target))
  }

  /// Leaves the mark of a transaction that was killed in the folder beside a file, if there is one.
  ///
  /// The next write transaction then removes contents that no row refers to.
  package static func leaveMark(besides file: String) throws {
    let folder = file + folderSuffix
    guard try FileSystem.size(of: folder) != nil else { return }
    try FileSystem.makeFolder(folder + "/new")
    try FileSystem.touch(folder + "/new/restore")
    try FileSystem.sync(folder + "/new")
  }

  /// Removes the folder beside a file that refers to no content, unless a program has used the folder
  /// and still has the store open; files that are not the library's stay.
  package static func removeFolder(besides file: String) throws {
    let folder = file + folderSuffix
    if try FileSystem.size(of: folder) == nil { return }
    try FileSystem.withoutSharers(of: folder + "/lock", at: presence) {
      try removeFiles(in: folder)
    }
  }

  /// Removes the folder beside a copy of a store, which no program uses; files that are not the library's
  /// stay.
  package static func removeFolder(besidesCopy file: String) throws {
    try removeFiles(in: file + folderSuffix)
  }

  /// Removes the library's files in a folder, and the folders that are empty then.
  ///
  /// The file `lock` goes last: until then no other program can take the folder for its own.
  private static func removeFiles(in folder: String) throws {
    guard FileSystem.isFolder(folder) else { return }
    for part in try FileSystem.names(in: folder) where part.utf8.count == 2 {
      try removeFiles(in: "\(folder)/\(part)") { name in
        let rest = name.utf8.dropFirst(62)
        // A link that was being made has a suffix.
        return SHA256(text: part + name.prefix(62)) != nil
          && (rest.isEmpty || rest.elementsEqual(".link".utf8))
      }
    }
    try removeFiles(in: folder + "/new") { _ in true }
    try FileSystem.remove(folder + "/lock")
    try FileSystem.removeEmptyFolder(folder)
  }

  /// Removes files of a folder in which there are no others of the library, and the folder if it is
  /// empty then.
  private static func removeFiles(
    in folder: String, where isOwn: (_ name: String) -> Bool
  ) throws {
    guard FileSystem.isFolder(folder) else { return }
    for name in try FileSystem.names(in: folder) where isOwn(name) {
      let file = "\(folder)/\(name)"
      if !FileSystem.isFolder(file) { try FileSystem.remove(file) }
    }
    try FileSystem.removeEmptyFolder(folder)
  }

  /// The byte of the file `lock` of a folder that each program locks, shared, once it uses the
  /// folder.
  package static let presence = 1 << 60
}
