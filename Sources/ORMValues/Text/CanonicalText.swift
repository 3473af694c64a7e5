/// A stretch of text as scalars, brought from one canonical form to another.
///
/// A scratch buffer, to be loaded with one stretch after another. Everything takes time linear in
/// the stretch's length, however many marks follow one letter.
struct CanonicalText {
  private let tables: UnicodeTables
  private(set) var scalars: [UInt32] = []
  private var scratch: [UInt32] = []

  init(_ tables: UnicodeTables) { self.tables = tables }

  /// Replaces the scalars by those of the text.
  mutating func load(_ bytes: UnsafeRawBufferPointer) {
    scalars.removeAll(keepingCapacity: true)
    var position = 0
    while position < bytes.count { scalars.append(UTF8Scalars.next(bytes, &position)) }
  }

  /// Replaces the scalars by one.
  mutating func load(_ scalar: UInt32) {
    scalars.removeAll(keepingCapacity: true)
    scalars.append(scalar)
  }

  /// The form under options with `n` or `d`: the steps that `TextFolding.fold` states.
  mutating func fold(_ options: TextOptions) {
    decompose()
    if options.contains(.caseInsensitive) {
      foldCase()
      decompose()
    }
    if options.contains(.diacriticInsensitive) { dropMarks() }
    compose()
  }

  /// Converts the scalars to NFD.
  private mutating func decompose() {
    replaceEach { tables, scalar, append in
      if Hangul.isSyllable(scalar) {
        Hangul.decompose(scalar, append)
      } else {
        tables.decompositions.forEach(scalar, append)
      }
    }
    orderMarks()
  }

  /// Full case folding, scalar by scalar.
  private mutating func foldCase() {
    replaceEach { tables, scalar, append in tables.folds.forEach(scalar, append) }
  }

  /// Removes the nonspacing marks (general category Mn).
  private mutating func dropMarks() {
    scalars.removeAll { tables.properties(of: $0).isMark }
  }

  /// Converts the scalars from NFD to NFC: the Canonical Composition Algorithm (Unicode Standard, D117).
  private mutating func compose() {
    var count = 0
    var starter: Int?
    var lastClass: UInt8 = 0
    for scalar in scalars {
      let scalarClass = tables.properties(of: scalar).combiningClass
      if let starter, count == starter + 1 || lastClass != 0 && lastClass < scalarClass {
        let first = scalars[starter]
        if let composite = Hangul.composite(first, scalar) ?? tables.composite(first, scalar) {
          scalars[starter] = composite
          continue
        }
      }
      if scalarClass == 0 { starter = count }
      lastClass = scalarClass
      scalars[count] = scalar
      count += 1
    }
    scalars.removeSubrange(count...)
  }

  @inline(__always)
  private mutating func replaceEach(
    _ body: (UnicodeTables, UInt32, (UInt32) -> Void) -> Void
  ) {
    scratch.removeAll(keepingCapacity: true)
    for scalar in scalars { body(tables, scalar) { scratch.append($0) } }
    swap(&scalars, &scratch)
  }

  /// The Canonical Ordering Algorithm (D109): each run of marks by class, else as it was.
  private mutating func orderMarks() {
    var position = 0
    while position < scalars.count {
      guard tables.properties(of: scalars[position]).combiningClass != 0 else {
        position += 1
        continue
      }
      let start = position
      var isOrdered = true
      var lastClass: UInt8 = 0
      while position < scalars.count {
        let next = tables.properties(of: scalars[position]).combiningClass
        if next == 0 { break }
        isOrdered = isOrdered && lastClass <= next
        lastClass = next
        position += 1
      }
      if !isOrdered { order(start..<position) }
    }
  }

  /// Sorts a run of marks by class, stably and in linear time: a hostile text has runs of millions.
  private mutating func order(_ run: Range<Int>) {
    var starts = [Int](repeating: 0, count: 257)
    for scalar in scalars[run] {
      starts[Int(tables.properties(of: scalar).combiningClass) + 1] += 1
    }
    for i in 1...256 { starts[i] += starts[i - 1] }
    let marks = Array(scalars[run])
    for scalar in marks {
      let number = Int(tables.properties(of: scalar).combiningClass)
      scalars[run.lowerBound + starts[number]] = scalar
      starts[number] += 1
    }
  }
}
