internal import ORMValues

extension SchemaComparison {
  /// Refuses a program that is older than the last one that opened the store.
  ///
  /// It may declare what a newer program has renamed or dropped, and would add it again, empty. A
  /// program that counts no versions is older than any that does.
  mutating func compareVersions() throws {
    guard let held = stored.version else {
      if let version = declared.version {
        refuseIfStrict("the store has no version, the program has version \(version)")
      }
      return
    }
    let version = declared.version ?? 0
    if version < held {
      let program = declared.version.map { "version \($0)" } ?? "none"
      throw StoreError(
        .schemaTooNew,
        "a program whose schema has version \(held) has opened the store; this program's schema has "
          + program)
    }
    if version > held {
      refuseIfStrict("the store has version \(held), the program has version \(version)")
    }
  }
}
