extension PatternParser {
  /// The contents of a class: scalars, and the forms of those that folding makes several, or none.
  private struct Contents {
    var set = ScalarSet()
    var strings: [[UInt32]] = []
  }

  /// A class at the position, `[…]`.
  ///
  /// Adjacent members are joined first, together with those that a single `-` or `&` before a `[`
  /// removes or keeps; then `&&` and `--`, from the left.
  mutating func characterClass(depth: Int) throws -> PatternNode {
    let contents = try classContents(depth: depth)
    let node = node(of: contents.set)
    if contents.strings.isEmpty { return node }
    return .choice(
      [node]
        + contents.strings.map { string in
          Self.joined(string.map { self.node(of: ScalarSet($0)) })
        })
  }

  private mutating func classContents(depth: Int) throws -> Contents {
    guard depth <= Self.depthLimit else {
      throw StoreError(.tooComplex, "the pattern of MATCHES nests deeper than \(Self.depthLimit)")
    }
    let start = position
    if isProperty, take("[:") {
      return Contents(set: try property(endingWith: ":]", from: start))
    }
    position += 1
    let isNegated = take("^")
    var contents = try classTerm(depth: depth, from: start, isFirst: true)
    var isPlain = true
    while !take("]") {
      let takesAway = looking(at: "--")
      position += 2
      isPlain = false
      let term = try classTerm(depth: depth, from: start, isFirst: false)
      contents.strings += term.strings
      contents.set =
        takesAway
        ? contents.set.subtracting(term.set) : contents.set.intersection(term.set)
    }
    if isNegated { contents.set = contents.set.complement }
    if isNegated || !isPlain { try checkPlain(contents, from: start) }
    return contents
  }

  /// True if `[:name:]` is at the position.
  private var isProperty: Bool {
    guard looking(at: "[:"), let end = scalars[position...].firstIndex(of: "]") else {
      return false
    }
    return end > position + 3 && scalars[end - 1] == ":"
  }

  private func checkPlain(_ contents: Contents, from start: Int) throws {
    guard contents.strings.isEmpty else {
      throw fault(
        "a scalar that \(options) turns into several, or none, is in a class that is negated or "
          + "combined", at: start)
    }
  }

  /// Reads the adjacent items of a class, up to `&&`, `--` or `]`.
  private mutating func classTerm(
    depth: Int, from start: Int, isFirst: Bool
  ) throws -> Contents {
    var contents = Contents()
    // Many scalars are put in order once.
    var ranges: [ClosedRange<UInt32>] = []
    var isEmpty = true
    while true {
      try skipNothing(inClass: true)
      guard let scalar = peek else { throw fault("a class has no closing ]", at: start) }
      if !isQuoting {
        if scalar == "]", !(isFirst && isEmpty) { break }
        if looking(at: "&&") || looking(at: "--") {
          if isEmpty { throw fault("a side of && or -- is missing") }
          break
        }
        if looking(at: "&[") || looking(at: "-[") {
          contents.set = contents.set.union(ScalarSet(ranges: ranges))
          ranges = []
          let takesAway = scalar == "-"
          position += 1
          let other = try classContents(depth: depth + 1)
          contents.strings += other.strings
          contents.set =
            takesAway
            ? contents.set.subtracting(other.set) : contents.set.intersection(other.set)
          try checkPlain(contents, from: start)
          isEmpty = false
          continue
        }
        if scalar == "[" {
          let other = try classContents(depth: depth + 1)
          contents.set = contents.set.union(other.set)
          contents.strings += other.strings
          isEmpty = false
          continue
        }
        if scalar == "\\", let set = try escapedSet() {
          contents.set = contents.set.union(set)
          isEmpty = false
          continue
        }
      }
      if scalar == "-", !isQuoting, !isEmpty, !looking(at: "]", offset: 1) {
        throw fault("a - without a range; for the character itself write \\-")
      }
      isEmpty = false
      try readScalar(&contents, &ranges)
    }
    if isEmpty { throw fault("an empty class, or side of && or --", at: start) }
    contents.set = contents.set.union(ScalarSet(ranges: ranges))
    return contents
  }

  /// A scalar, or a range of them.
  private mutating func readScalar(
    _ contents: inout Contents, _ ranges: inout [ClosedRange<UInt32>]
  ) throws {
    let start = position
    let lower = try classScalar()
    try skipNothing(inClass: true)
    if !isQuoting, peek == "-", !looking(at: "]", offset: 1), !looking(at: "[", offset: 1),
      !looking(at: "-", offset: 1)
    {
      position += 1
      try skipNothing(inClass: true)
      let upper = try classScalar()
      guard lower.value <= upper.value else {
        throw fault(
          "a range whose end is before its start", at: start)
      }
      let form = FoldedScalars.table(for: options).fold(ScalarSet(lower.value...upper.value))
      ranges += form.ranges
      return
    }
    let form = folded([lower])
    if form.count == 1 {
      ranges.append(form[0]...form[0])
    } else {
      contents.strings.append(form)
    }
  }

  private mutating func classScalar() throws -> Unicode.Scalar {
    guard let scalar = peek else { throw fault("a class has no closing ]") }
    if scalar == "\\", !isQuoting {
      if looking(at: "\\b") { throw fault("\\b is not supported in a class") }
      return try escapedScalar()
    }
    position += 1
    return scalar
  }
}
