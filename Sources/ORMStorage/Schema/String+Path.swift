extension String {
  /// The names of the structs that an attribute of this name lies in, from the outermost on.
  package var structNames: [String] {
    guard utf8.contains(UInt8(ascii: ".")) else { return [] }
    let parts = split(separator: ".", omittingEmptySubsequences: false)
    return parts.indices.dropFirst().map { parts[..<$0].joined(separator: ".") }
  }

  /// The names on the way to an attribute of this name, its own last.
  ///
  /// A text that is no such path, as `a..b`, is one name.
  package var pathParts: [String] {
    guard utf8.contains(UInt8(ascii: ".")) else { return [self] }
    let parts = split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    return parts.contains("") ? [self] : parts
  }

  /// True if an attribute of this name lies in a struct.
  package func lies(in container: String) -> Bool {
    utf8.count > container.utf8.count + 1 && hasPrefix(container)
      && utf8.dropFirst(container.utf8.count).first == UInt8(ascii: ".")
  }
}
