/// The age of the state that a read may see, where a store has replicas.
///
/// A replica may be a bit behind its store, so a read that can do with an older state spares the store.
/// A store without replicas gives each read its newest state.
///
/// ```swift
/// let count = try store.read(freshness: .within(.seconds(5))) { tx in try tx.count(Snack.self) }
/// ```
///
/// A read of any freshness is one snapshot.
public enum ReadFreshness: Sendable, Hashable {
  /// The newest state, from the store itself.
  case newest
  /// A state that contains everything that this process has committed.
  case own
  /// A state that was the newest no longer ago than this.
  case within(Duration)
}
