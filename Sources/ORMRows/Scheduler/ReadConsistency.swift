/// The commits that a read waits for before its snapshot is fixed.
///
/// ```swift
/// store.write(on: .main) { try $0.save(snack) }                 // pending
/// try store.find(Snack.self, 1)                                 // waits for the save
/// try store.find(Snack.self, 1, consistency: .latestCommit)     // may not see it
/// ```
///
/// Both see every write that returned before. They differ in writes begun with a completion handler,
/// which are pending from the call until they end.
public enum ReadConsistency: Sendable, Hashable {
  /// The read begins after every write that was begun before it with a completion handler.
  case afterPendingWrites
  /// The read begins at once, on the latest commit.
  case latestCommit
}
