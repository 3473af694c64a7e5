internal import ORMCore

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

/// Counts outcomes and collects generated keys.
package struct OutcomeCounter: PutVisitor {
  var inserted = 0
  var updated = 0
  var unchanged = 0
  var keys: [Int64] = []
  let collectsKeys: Bool

  init(collectsKeys: Bool) { self.collectsKeys = collectsKeys }

  package mutating func didPut(_ outcome: PutOutcome, key: Int64) {
    switch outcome {
    case .inserted: inserted += 1
    case .updated: updated += 1
    case .unchanged: unchanged += 1
    }
    if collectsKeys { keys.append(key) }
  }

  package mutating func didRewind() { self = OutcomeCounter(collectsKeys: collectsKeys) }

  var changesNothing: Bool { inserted + updated == 0 }
}
