/// Names in the store of the attributes of embedded structs: `address.street` becomes `address_street`.
///
/// A naming strategy is known late, when the schema is built, and names its parts one by one. Until
/// then a name that was overridden somewhere on the way is stored as a path: its parts with a
/// separator that no name holds between them, those that were overridden with a mark in front.
enum StoredNamePath {
  private static let separator: Character = "\u{1F}"
  private static let mark: Character = "="

  /// The stored name of an attribute of an embedded struct, in its container; nil where no name was
  /// overridden on the way.
  static func joined(
    _ prefix: (name: String, storedName: String?), _ inner: (name: String, storedName: String?)
  ) -> String? {
    guard prefix.storedName != nil || inner.storedName != nil else { return nil }
    return path(prefix) + String(separator) + path(inner)
  }

  private static func path(_ names: (name: String, storedName: String?)) -> String {
    guard let storedName = names.storedName else {
      return names.name.split(separator: ".").joined(separator: String(separator))
    }
    return storedName.contains(separator) ? storedName : String(mark) + storedName
  }

  /// The name in the store, by a strategy.
  static func name(
    _ names: (name: String, storedName: String?), by naming: NamingStrategy
  ) -> String {
    guard let storedName = names.storedName else {
      return names.name.split(separator: ".", omittingEmptySubsequences: false)
        .map { naming.attributeName(String($0)) }.joined(separator: "_")
    }
    guard storedName.contains(separator) else { return storedName }
    return storedName.split(separator: separator).map { part in
      part.first == mark ? String(part.dropFirst()) : naming.attributeName(String(part))
    }.joined(separator: "_")
  }
}
