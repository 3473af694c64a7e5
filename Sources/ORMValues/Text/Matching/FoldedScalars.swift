/// The forms of single scalars under text options.
///
/// With them the classes of a pattern can be folded as texts are.
struct FoldedScalars: Sendable {
  /// The scalars that are not their own form, ascending, and their form where that is one scalar.
  private let changed: [(scalar: UInt32, form: UInt32?)]
  private let all: ScalarSet

  /// The table for these options, made when it is first asked for.
  static func table(for options: TextOptions) -> FoldedScalars {
    let foldsCase = options.contains(.caseInsensitive)
    if options.contains(.diacriticInsensitive) { return foldsCase ? unmarkedCase : unmarked }
    if options.contains(.normalized) { return foldsCase ? canonicalCase : canonical }
    return foldsCase ? plainCase : plain
  }

  private static let plain = FoldedScalars([])
  private static let plainCase = FoldedScalars(.caseInsensitive)
  private static let canonical = FoldedScalars(.normalized)
  private static let canonicalCase = FoldedScalars([.caseInsensitive, .normalized])
  private static let unmarked = FoldedScalars(.diacriticInsensitive)
  private static let unmarkedCase = FoldedScalars([.caseInsensitive, .diacriticInsensitive])

  private init(_ options: TextOptions) {
    var changed: [(scalar: UInt32, form: UInt32?)] = []
    if !options.isEmpty {
      let tables = UnicodeTables.shared
      var text = CanonicalText(tables)
      func note(_ scalar: UInt32) {
        var form: [UInt32] = []
        if options.isCanonical {
          text.load(scalar)
          text.fold(options)
          form = text.scalars
        } else {
          tables.folds.forEach(scalar) { form.append($0) }
        }
        if form != [scalar] { changed.append((scalar, form.count == 1 ? form[0] : nil)) }
      }
      tables.forEachNotPlain(note)
    }
    changed.sort { $0.scalar < $1.scalar }
    self.changed = changed
    all = ScalarSet(ranges: changed.map { $0.scalar...$0.scalar })
  }

  /// The scalars that those of a set become; one that becomes several, or none, is left out.
  func fold(_ set: ScalarSet) -> ScalarSet {
    if changed.isEmpty { return set }
    var forms: [ClosedRange<UInt32>] = []
    for range in set.ranges {
      var low = 0
      var high = changed.count
      while low < high {
        let middle = (low + high) / 2
        if changed[middle].scalar < range.lowerBound { low = middle + 1 } else { high = middle }
      }
      while low < changed.count, changed[low].scalar <= range.upperBound {
        if let form = changed[low].form { forms.append(form...form) }
        low += 1
      }
    }
    return set.subtracting(all).union(ScalarSet(ranges: forms))
  }
}
