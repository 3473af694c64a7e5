import Foundation

/// Returns whether a case of the conformance suite is to be run: every case, or those whose sentences
/// have one of the texts in `STRATA_CASE`, which are separated by bars.
package func isChosen(_ name: String) -> Bool {
  guard let texts = ProcessInfo.processInfo.environment["STRATA_CASE"], !texts.isEmpty else {
    return true
  }
  return texts.split(separator: "|").contains { name.contains($0) }
}

/// A share of the cases of a suite, for a store whose code is mostly that of another one.
///
/// An option of a store, such as checksums, changes little of it. Unless `STRATA_VARIANTS` is `all`, as
/// `Scripts/check-all` sets it, a suite on a store with such an option runs a quarter of the cases, which
/// the seed and the number of the option choose.
package enum VariantShare {
  /// The number of shares.
  package static let count =
    ProcessInfo.processInfo.environment["STRATA_VARIANTS"] == "all" ? 1 : 4

  /// Returns a share of the cases.
  package static func cases<Case>(of all: [Case], number: Int) -> [Case] {
    let seed = ProcessInfo.processInfo.environment["STRATA_SEED"].flatMap { UInt64($0) } ?? 0
    let first = (Int(seed % UInt64(count)) + number) % count
    return stride(from: first, to: all.count, by: count).map { all[$0] }
  }
}
