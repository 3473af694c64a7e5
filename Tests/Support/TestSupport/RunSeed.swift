import Foundation
@_exported public import StoreDoubles

/// Returns the seed of a random test: that of the run, if `STRATA_SEED` is set, or a new one.
///
/// The seed is printed, so that a failure can be repeated.
package func runSeed(_ test: String = #function) -> UInt64 {
  let given = ProcessInfo.processInfo.environment["STRATA_SEED"].flatMap { UInt64($0) }
  let seed = given ?? .random(in: 0 ... .max)
  print("\(test): STRATA_SEED=\(seed)")
  return seed
}

extension SeededGenerator {
  /// Makes a generator with the seed of the run, which is printed.
  package static func printed(_ test: String) -> SeededGenerator {
    SeededGenerator(seed: runSeed(test))
  }
}
