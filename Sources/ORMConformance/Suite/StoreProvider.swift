public import ORM

/// A provider of stores to be tested: it makes a fresh store, and opens one again.
///
/// A ``PathProvider`` is one for stores that are opened by a path. One by hand:
///
/// ```swift
/// struct MyProvider: StoreProvider {
///   let name = "MyStore"
///   let folder = NSTemporaryDirectory() + UUID().uuidString
///   func make(schema: Schema, options: StoreOptions) throws -> any Store {
///     try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
///     return try MyStore(path: "\(folder)/\(UUID())", schema: schema, options: options)
///   }
///   func reopen(_ store: any Store, schema: Schema, options: StoreOptions) throws -> any Store {
///     try store.close()
///     return try MyStore(path: store.runtime.name, schema: schema, options: options)
///   }
///   func cleanUp() throws { try FileManager.default.removeItem(atPath: folder) }
/// }
/// ```
///
/// No case is left out because a store lacks something: a store that keeps nothing beyond the process
/// reopens through an image of its content.
public protocol StoreProvider: Sendable {
  /// The store's name in reports.
  var name: String { get }
  /// Opens a new, empty store; several may be open at once.
  func make(schema: Schema, options: StoreOptions) throws -> any Store
  /// Closes a store that `make` or `reopen` gave, and opens its contents with this schema.
  ///
  /// The errors of the opening are thrown unchanged; the contents may then be opened again.
  func reopen(_ store: any Store, schema: Schema, options: StoreOptions) throws -> any Store
  /// Removes the files of the stores; they are closed.
  func cleanUp() throws
}
