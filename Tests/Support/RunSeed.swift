import Foundation

/// The seed of a random test: the one of the run, where it has one (`STRATA_SEED`), or a new one.
///
/// It is printed, so that a failure can be repeated. This file is linked into each test target.
func runSeed(_ test: String = #function) -> UInt64 {
  let given = ProcessInfo.processInfo.environment["STRATA_SEED"].flatMap { UInt64($0) }
  let seed = given ?? .random(in: 0 ... .max)
  print("\(test): STRATA_SEED=\(seed)")
  return seed
}
