internal import ORMCore

extension Changes {
  /// Returns the changes that a closure adds.
  static func collected(_ body: (inout Changes) -> Void) -> Changes {
    var changes = Changes()
    body(&changes)
    return changes
  }
}
