/// The detail in which changes are reported.
///
/// ```swift
/// for try await set in store.changes(of: Snack.self, level: .keys) { print(set.commit.number) }
/// ```
///
/// Each level includes those before it. A write transaction records the greatest level that any observer asks
/// for, and nothing if that is no more than `entities`.
public enum ChangeLevel: Int, Hashable, Codable, Sendable, CaseIterable, Comparable {
  /// The entities with rows that were written.
  case entities
  /// The keys of the changed rows, and the kind of each change.
  case keys
  /// The attributes that an update changed.
  case attributes
  /// The rows before and after the change.
  case values

  /// Orders levels by their detail.
  public static func < (a: ChangeLevel, b: ChangeLevel) -> Bool { a.rawValue < b.rawValue }
}
