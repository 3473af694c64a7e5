#if Command
  import Foundation
  import ORM
  import PostgresBackend

  /// The location of the store that is measured; removed afterwards.
  struct BenchTarget {
    /// The location of the new store.
    let location: StoreLocation
    private let folder: URL?

    /// Makes a folder beside the path of a location; for one on a server, names a namespace of its database.
    init(_ given: StoreLocation) throws {
      let name = "strata-bench-" + UUID().uuidString.lowercased()
      if let file = given.file {
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent()
          .appendingPathComponent("." + name)
        do {
          try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
          throw StoreError(.cannotOpen, "the folder \(folder.path) cannot be created")
        }
        self.folder = folder
        location = StoreLocation(
          kind: given.kind, path: folder.appendingPathComponent("bench").path)
      } else {
        folder = nil
        let mark = given.path?.contains("?") == true ? "&" : "?"
        location = StoreLocation(
          kind: given.kind, path: given.path.map { "\($0)\(mark)namespace=\(name)" })
      }
    }

    /// Removes the store.
    func remove() {
      if let folder { try? FileManager.default.removeItem(at: folder) }
      if location.file == nil, let path = location.path {
        try? PostgresStore.removeNamespace(of: path)
      }
    }
  }
#endif
