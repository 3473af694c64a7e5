internal import Foundation
public import ORM
internal import ORMCore

/// A provider of stores that are opened by a path, in a folder of its own.
///
/// ```swift
/// let provider = PathProvider("MyStore") { path, schema, options in
///   try MyStore(path: path, schema: schema, options: options)
/// }
/// ```
public final class PathProvider: StoreProvider {
  /// The store's name in reports.
  public let name: String
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "conformance-\(UUID().uuidString)", directoryHint: .isDirectory)
  private let opened = Lock<[ObjectIdentifier: (path: String, isClosed: Bool)]>([:])
  private let opening: @Sendable (String, Schema, StoreOptions) throws -> any Store
  private let leaving: @Sendable (any Store, String) throws -> Void

  /// Makes a provider.
  ///
  /// - Parameters:
  ///   - name: the store's name in reports.
  ///   - leaving: writes an image to the path before a store is closed, for one that is in memory alone.
  ///   - opening: opens the store at a path, a new one where nothing is.
  public init(
    _ name: String,
    leaving: @escaping @Sendable (any Store, String) throws -> Void = { _, _ in },
    opening: @escaping @Sendable (String, Schema, StoreOptions) throws -> any Store
  ) {
    self.name = name
    self.leaving = leaving
    self.opening = opening
  }

  /// Opens a new, empty store.
  public func make(schema: Schema, options: StoreOptions) throws -> any Store {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return try open(folder.appending(path: UUID().uuidString).path, schema, options)
  }

  /// Closes a store of this provider the first time, and opens its path.
  public func reopen(_ store: any Store, schema: Schema, options: StoreOptions) throws -> any Store
  {
    let id = ObjectIdentifier(store.runtime)
    guard let (path, isClosed) = opened.withLock({ $0[id] }) else {
      throw StoreError(.cannotOpen, "this provider made no such store")
    }
    if !isClosed {
      opened.withLock { $0[id]?.isClosed = true }
      try leaving(store, path)
      try store.close()
    }
    return try open(path, schema, options)
  }

  private func open(
    _ path: String, _ schema: Schema, _ options: StoreOptions
  ) throws -> any Store {
    let store = try opening(path, schema, options)
    // An identifier is used again when the store it belonged to is gone.
    opened.withLock { $0[ObjectIdentifier(store.runtime)] = (path, false) }
    return store
  }

  /// Removes the folder with the files of the stores.
  public func cleanUp() throws {
    if FileManager.default.fileExists(atPath: folder.path) {
      try FileManager.default.removeItem(at: folder)
    }
  }
}
