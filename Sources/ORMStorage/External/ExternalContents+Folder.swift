internal import ORMValues

/// The folder of contents beside a store's file, for copies of the store.
///
/// The module ORM describes its files. Each is named after its content, and never changes.
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
    if leavesMark {
      try FileSystem.makeFolder(target + "/new")
      try FileSystem.touch(target + "/new/restore")
      try FileSystem.sync(target + "/new")
    }
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
}
