/// The file of a store, as an opening copies it before a migration loses data.
///
/// An engine that is given one backs a store up (clause 10.14). The store of a file passes it to
/// `SQLStoreEngine` or `OrderedStoreEngine`, or to ``SchemaOpening``:
///
/// ```swift
/// struct SnackFile: StoreFile {
///   let path: String
///   func size() throws -> Int { 4096 }
///   func copy(to path: String) throws {
///     // writes the newest commit to a new file
///   }
/// }
/// func opening(_ options: StoreOptions) -> SchemaOpening {
///   SchemaOpening(options, file: SnackFile(path: "/data/snacks.db"))
/// }
/// ```
public protocol StoreFile: Sendable {
  /// The path of the file.
  var path: String { get }
  /// Returns the number of bytes that a copy takes.
  ///
  /// - Throws: the errors of the file.
  func size() throws -> Int
  /// Writes the newest commit to a file that does not exist yet.
  ///
  /// It is called in the write transaction of the opening, on its thread: no other program commits
  /// meanwhile, and changes of the transaction itself are no part of the copy. The caller syncs the
  /// copy, gives it its name, and removes it if this throws.
  ///
  /// - Throws: `full`, `inputOutput`, `cannotOpen`, `corrupt`.
  func copy(to path: String) throws
}
