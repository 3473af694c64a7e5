import Foundation

/// Returns whether a case of the conformance suite is to be run: every case, or those whose sentences
/// have one of the texts in `STRATA_CASE`, which are separated by bars.
package func isChosen(_ name: String) -> Bool {
  guard let texts = ProcessInfo.processInfo.environment["STRATA_CASE"], !texts.isEmpty else {
    return true
  }
  return texts.split(separator: "|").contains { name.contains($0) }
}
