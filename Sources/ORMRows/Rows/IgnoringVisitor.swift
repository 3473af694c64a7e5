internal import ORMStorage

/// A visitor that ignores the outcome of every row.
@usableFromInline
package struct IgnoringVisitor: PutVisitor {
  #if STRATA_THREAD_SANITIZER
    /// A variable without storage has no address of its own, and the sanitizer takes one for another's.
    private var storage: UInt8 = 0
  #endif
  @usableFromInline
  package init() {}
  @usableFromInline
  package mutating func didPut(_ outcome: PutOutcome, key: Int64) {}
  @usableFromInline
  package mutating func didRewind() {}
}
