internal import ORMStorage

/// Counts outcomes and collects generated keys.
package struct OutcomeCounter: PutVisitor {
  package var inserted = 0
  package var updated = 0
  package var unchanged = 0
  package var keys: [Int64] = []
  package let collectsKeys: Bool

  package init(collectsKeys: Bool) { self.collectsKeys = collectsKeys }

  package mutating func didPut(_ outcome: PutOutcome, key: Int64) {
    switch outcome {
    case .inserted: inserted += 1
    case .updated: updated += 1
    case .unchanged: unchanged += 1
    }
    if collectsKeys { keys.append(key) }
  }

  package mutating func didRewind() { self = OutcomeCounter(collectsKeys: collectsKeys) }

  package var changesNothing: Bool { inserted + updated == 0 }
}
