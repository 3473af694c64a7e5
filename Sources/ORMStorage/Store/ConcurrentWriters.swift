/// The terms on which a store runs several writers together: it isolates them by refusing one that conflicts
/// with others, which is then run again.
package struct ConcurrentWriters: Sendable {
  /// The most writers that run at once.
  package var maximum: Int
  /// The most runs of a block.
  package var attempts: Int
  /// True if blocks and operations of schemas with hooks are run again, too.
  package var rerunsHooks: Bool

  /// Makes terms, with numbers of at least 1.
  package init(maximum: Int, attempts: Int, rerunsHooks: Bool) {
    self.maximum = max(1, maximum)
    self.attempts = max(1, attempts)
    self.rerunsHooks = rerunsHooks
  }
}
