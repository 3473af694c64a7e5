import Foundation
import ORM
import ORMCore

/// A folder of its own for the files of one test, and which store keeps which file.
final class TemporaryFolder: Sendable {
  private let folder: URL
  private let paths = Lock<[ObjectIdentifier: String]>([:])
  private let closed = Lock<Set<ObjectIdentifier>>([])

  init() {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "conformance-\(UUID().uuidString)", directoryHint: .isDirectory)
  }

  /// Opens a store on a path that is not in use.
  func open<S: Store>(_ make: (String) throws -> S) throws -> S {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return try open(folder.appending(path: UUID().uuidString).path, make)
  }

  /// Closes a store and opens its path again.
  ///
  /// `beforeClosing` is given the path while the store is still open, the first time.
  func reopen<S: Store>(
    _ store: any Store, beforeClosing: (String) throws -> Void = { _ in },
    _ make: (String) throws -> S
  ) throws -> S {
    let id = ObjectIdentifier(store.runtime)
    guard let path = paths.withLock({ $0[id] }) else {
      throw StoreError(.cannotOpen, "this folder holds no such store")
    }
    if closed.withLock({ $0.insert(id).inserted }) {
      try beforeClosing(path)
      try store.close()
    }
    return try open(path, make)
  }

  private func open<S: Store>(_ path: String, _ make: (String) throws -> S) throws -> S {
    let store = try make(path)
    let id = ObjectIdentifier(store.runtime)
    // An identifier is used again when the store it belonged to is gone.
    _ = closed.withLock { $0.remove(id) }
    paths.withLock { $0[id] = path }
    return store
  }

  /// Removes the folder with everything in it.
  func remove() throws {
    if FileManager.default.fileExists(atPath: folder.path) {
      try FileManager.default.removeItem(at: folder)
    }
  }
}
