/// The folded forms of single scalars under options with `n` or `d`.
///
/// With them most text need not be decomposed.
///
/// A scalar is settled if its class is 0 and its NFC_Quick_Check is Yes, and if its folded form is made
/// of such scalars. A stretch of settled scalars may be folded one by one: nothing reorders or composes
/// across two of them, before or after.
struct SettledFolds: Sendable {
  /// The forms of settled scalars; those that do not change have no entry.
  let mapping: UnicodeTables.Mapping
  /// 1 for the scalars that are not settled.
  private let unsettled: ScalarTable

  /// The table for options with `n` or `d`, made when it is first asked for.
  static func table(for options: TextOptions) -> SettledFolds {
    switch (options.contains(.caseInsensitive), options.contains(.diacriticInsensitive)) {
    case (false, false): canonical
    case (true, false): canonicalCase
    case (false, true): unmarked
    case (true, true): unmarkedCase
    }
  }

  private static let canonical = SettledFolds(.normalized)
  private static let canonicalCase = SettledFolds([.caseInsensitive, .normalized])
  private static let unmarked = SettledFolds(.diacriticInsensitive)
  private static let unmarkedCase = SettledFolds([.caseInsensitive, .diacriticInsensitive])

  /// Returns whether the text is of settled scalars only.
  func areAllSettled(_ utf8: UnsafeRawBufferPointer) -> Bool {
    var position = 0
    while position < utf8.count {
      if unsettled[UTF8Scalars.next(utf8, &position)] != 0 { return false }
    }
    return true
  }

  private init(_ options: TextOptions) {
    let tables = UnicodeTables.shared
    var text = CanonicalText(tables)
    var mapping = UnicodeTables.Mapping()
    var unsettled = ScalarTable()
    tables.forEachNotPlain { scalar in
      text.load(scalar)
      text.fold(options)
      if !tables.properties(of: scalar).isSettled
        || !text.scalars.allSatisfy({ tables.properties(of: $0).isSettled })
      {
        unsettled.update(scalar) { $0 = 1 }
      } else if text.scalars != [scalar] {
        mapping.insert(scalar, text.scalars)
      }
    }
    // It may represent bytes that are not UTF-8, which are not to be copied as they are.
    unsettled.update(UTF8Scalars.replacement) { $0 = 1 }
    self.mapping = mapping
    self.unsettled = unsettled
  }
}
