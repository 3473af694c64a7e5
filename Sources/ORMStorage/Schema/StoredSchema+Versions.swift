// A store keeps, beside the version of its schema, the least versions of programs that may read it and
// write to it. Nil stands for the version itself: nothing is known of older programs.

/// The access that a program may have to a store whose schema is newer (clause 10.10).
public enum SchemaAccess: Int, Codable, Comparable, Sendable {
  /// Neither reading nor writing.
  case none
  /// Reading alone, with `StoreOptions.isReadOnly`.
  case reading
  /// Reading and writing.
  case writing

  /// Compares by the operations that are allowed; less access is less.
  public static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }
}

extension StoredSchema {
  /// Returns the access of programs whose schema has this version, by the versions that a store keeps.
  ///
  /// A program that counts no versions is older than every version, and is never admitted.
  public func access(ofVersion version: Int?) -> SchemaAccess {
    guard let held = self.version, (version ?? 0) < held else { return .writing }
    guard let version else { return .none }
    if version >= minimumWriter ?? held { return .writing }
    return version >= minimumReader ?? held ? .reading : .none
  }

  /// Returns whether the store admits a program that is older than it.
  package func admitsAsOlder(_ version: Int?, isReadOnly: Bool) -> Bool {
    guard let held = self.version, (version ?? 0) < held else { return false }
    return access(ofVersion: version) >= (isReadOnly ? .reading : .writing)
  }

  /// Raises the version after a change, and with it the least versions that the change no longer
  /// admits.
  ///
  /// Aliases of earlier versions end.
  ///
  /// - Parameters:
  ///   - newVersion: the version after the change.
  ///   - access: the access that programs of the version before may still have.
  package mutating func raise(to newVersion: Int, keeping access: SchemaAccess) {
    let former = version
    version = newVersion
    // A store without a version had programs of any shape.
    let writer = access == .writing ? former.map { minimumWriter ?? $0 } : nil
    let reader = access == .none ? nil : former.map { minimumReader ?? $0 }
    limit(writers: writer ?? newVersion, readers: reader ?? newVersion)
    endAliases()
  }

  /// Sets the least versions of programs that may write and read.
  package mutating func limit(writers: Int, readers: Int) {
    guard let version else { return }
    minimumWriter = writers < version ? writers : nil
    minimumReader = readers < version ? readers : nil
  }
}
