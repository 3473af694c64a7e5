internal import ORMStorage
internal import ORMValues

extension StoreLocation {
  /// Replaces the store by a copy, such as the one that a migration has made before it began.
  ///
  /// ```swift
  /// try StoreLocation.sqlite(path: "app.sqlite").restore(from: "app.before-3.sqlite")
  /// ```
  ///
  /// The copy is checked, and stays as it is. The store, with its external data, is replaced at once:
  /// if the process ends at any time, the store is the former one or the copy, whole. A store that is
  /// damaged or missing is replaced as well. No program may have it open.
  ///
  /// - Parameter backup: the path of the file of the copy; its folder of external data is beside it.
  /// - Throws: `busy` if a program has the store open; `notADatabase`, `corrupt`, `schemaTooNew` or
  ///   `unsupportedVersion` if the copy is no sound store of this kind; `cannotOpen` if there is none;
  ///   `invalidLocation` for a store without a file, or the copy itself; `full`, `inputOutput`. The
  ///   store is as it was.
  public func restore(from backup: String) throws {
    guard let path, let restore = kind.restore else {
      throw StoreError(.invalidLocation, "\(self) has no file that could be replaced")
    }
    try StoreError.naming(path) {
      if FileSystem.areSame(path, backup) {
        throw StoreError(.invalidLocation, "\(backup) cannot be restored from itself")
      }
      guard try FileSystem.size(of: backup) != nil else {
        throw StoreError(.cannotOpen, "\(backup): there is no such file")
      }
      try restore(path, backup) {
        try ExternalContents.copyFolder(
          of: FileSystem.resolved(backup), to: FileSystem.resolved(path), leavesMark: true)
      }
    }
  }
}
