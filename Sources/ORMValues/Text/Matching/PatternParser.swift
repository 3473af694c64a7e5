/// Reads a regular expression: the syntax that ``TextPattern`` states.
struct PatternParser {
  /// The options under which texts are folded before they are matched.
  ///
  /// `(?i)` at the beginning of the pattern adds to the given options.
  var options: TextOptions
  /// The sets that the tree names.
  private(set) var sets: [ScalarSet] = []

  let scalars: [Unicode.Scalar]
  var position = 0
  var flags = Flags()
  /// True if something was read that a flag for the whole pattern may not follow.
  var hasBegun = false
  /// Inside `\Q…\E`.
  private(set) var isQuoting = false
  private var numbers: [ScalarSet: Int] = [:]

  /// The settings that flags inside the pattern change.
  struct Flags {
    /// `s`: `.` matches line ends too.
    var dotMatchesAll = false
    /// `m`: `^` and `$` match at lines.
    var isMultiline = false
    /// `x`: white space and comments are skipped.
    var isExtended = false
  }

  /// The greatest depth to which groups and classes may nest.
  static let depthLimit = 200
  /// The number of repetitions a pattern can ask for at most; the automaton's size limits them
  /// further.
  static let repetitionLimit = 100_000

  /// - Throws: `invalidCondition` with the position; `tooComplex`.
  init(_ pattern: String, options: TextOptions) {
    scalars = Array(pattern.unicodeScalars)
    self.options = options
  }

  /// The whole pattern.
  mutating func parse() throws -> PatternNode {
    let node = try choice(depth: 1)
    guard position == scalars.count else { throw fault("a ) without a matching (") }
    return node
  }

  /// The error for the scalar at an index.
  func fault(_ message: String, at index: Int? = nil) -> StoreError {
    StoreError(
      .invalidCondition, "the pattern of MATCHES, at \(index ?? position): \(message)")
  }

  var peek: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

  func looking(at text: StaticString, offset: Int = 0) -> Bool {
    for i in 0..<text.utf8CodeUnitCount {
      let index = position + offset + i
      guard index < scalars.count, scalars[index] == Unicode.Scalar(text.utf8Start[i]) else {
        return false
      }
    }
    return true
  }

  /// Moves behind a text if it is there.
  mutating func take(_ text: StaticString) -> Bool {
    guard looking(at: text) else { return false }
    position += text.utf8CodeUnitCount
    return true
  }

  /// The number of a set.
  mutating func node(of set: ScalarSet) -> PatternNode {
    if let number = numbers[set] { return .set(number) }
    sets.append(set)
    numbers[set] = sets.count - 1
    return .set(sets.count - 1)
  }

  /// Literal scalars, folded as a whole.
  mutating func nodes(ofLiterals run: [Unicode.Scalar]) -> [PatternNode] {
    folded(run).map { node(of: ScalarSet($0)) }
  }

  /// Scalars as they are after folding.
  func folded(_ run: [Unicode.Scalar]) -> [UInt32] {
    if options.isEmpty || run.isEmpty { return run.map(\.value) }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: run)
    return TextFolding.fold(String(text), options).unicodeScalars.map(\.value)
  }

  /// Skips text without a meaning: the marks of quotation, comments, and under `x` white space.
  mutating func skipNothing(inClass: Bool = false) throws {
    while true {
      if isQuoting {
        guard take("\\E") else { return }
        isQuoting = false
      } else if take("\\Q") {
        isQuoting = true
      } else if !inClass, looking(at: "(?#") {
        let start = position
        while let scalar = peek, scalar != ")" { position += 1 }
        guard take(")") else { throw fault("a comment has no closing )", at: start) }
      } else if flags.isExtended, let scalar = peek, Self.isPatternSpace(scalar.value) {
        position += 1
      } else if flags.isExtended, peek == "#" {
        while let scalar = peek, !ScalarProperties.lineEnd.contains(scalar.value) { position += 1 }
      } else {
        return
      }
    }
  }

  /// Pattern_White_Space, which no version of Unicode changes.
  static func isPatternSpace(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x09...0x0D, 0x20, 0x85, 0x200E, 0x200F, 0x2028, 0x2029: true
    default: false
    }
  }
}

extension PatternParser {
  /// Alternatives, up to a `)` or the end; flags that they set end with them.
  mutating func choice(depth: Int) throws -> PatternNode {
    guard depth <= Self.depthLimit else {
      throw StoreError(.tooComplex, "the pattern of MATCHES nests deeper than \(Self.depthLimit)")
    }
    let before = flags
    defer { flags = before }
    var branches = [try sequence(depth: depth)]
    while take("|") {
      hasBegun = true
      branches.append(try sequence(depth: depth))
    }
    return branches.count == 1 ? branches[0] : .choice(branches)
  }

  private mutating func sequence(depth: Int) throws -> PatternNode {
    var parts: [PatternNode] = []
    var run: [Unicode.Scalar] = []
    while true {
      try skipNothing()
      guard let scalar = peek, isQuoting || (scalar != "|" && scalar != ")") else { break }
      let atom = isQuoting ? quoted() : try self.atom(depth: depth)
      if case .flags = atom { continue }
      hasBegun = true
      let repetition = atom.canRepeat ? try repetition() : nil
      if case .literal(let scalar) = atom, repetition == nil {
        run.append(scalar)
        continue
      }
      parts += nodes(ofLiterals: run)
      run = []
      let node: PatternNode
      switch atom {
      case .literal(let scalar): node = Self.joined(nodes(ofLiterals: [scalar]))
      case .node(let read): node = read
      case .assertion(let assertion): node = .assertion(assertion)
      case .flags: continue
      }
      parts.append(
        repetition.map { .repeated(node, least: $0.least, most: $0.most) } ?? node)
    }
    parts += nodes(ofLiterals: run)
    return Self.joined(parts)
  }

  static func joined(_ parts: [PatternNode]) -> PatternNode {
    switch parts.count {
    case 0: .empty
    case 1: parts[0]
    default: .sequence(parts)
    }
  }

  /// An item of the pattern, which says whether a repetition can follow it.
  enum Atom {
    case literal(Unicode.Scalar)
    case node(PatternNode)
    case assertion(PatternAssertions)
    case flags

    var canRepeat: Bool {
      switch self {
      case .literal, .node: true
      case .assertion, .flags: false
      }
    }
  }

  private mutating func quoted() -> Atom {
    position += 1
    return .literal(scalars[position - 1])
  }

  private mutating func atom(depth: Int) throws -> Atom {
    let scalar = scalars[position]
    switch scalar {
    case "[": return .node(try characterClass(depth: depth))
    case "(": return try group(depth: depth)
    case "\\": return try escape()
    case "*", "+", "?", "{": throw fault("there is nothing before it to repeat")
    case "}": throw fault("a } without a matching {; for the character itself write \\}")
    default: position += 1
    }
    switch scalar {
    case ".":
      return .node(
        node(of: flags.dotMatchesAll ? .all : ScalarProperties.lineEnd.complement))
    case "^": return .assertion(flags.isMultiline ? .lineStart : .textStart)
    case "$": return .assertion(flags.isMultiline ? .lineEnd : .lastEnd)
    default: return .literal(scalar)
    }
  }

  private mutating func escape() throws -> Atom {
    if let set = try escapedSet() { return .node(node(of: set)) }
    let assertion: PatternAssertions
    switch scalars.indices.contains(position + 1) ? scalars[position + 1] : nil {
    case "A": assertion = .textStart
    case "z": assertion = .textEnd
    case "Z": assertion = .lastEnd
    case "b": assertion = .wordBoundary
    case "B": assertion = .noWordBoundary
    case "R":
      position += 2
      return .node(newLine())
    default: return .literal(try escapedScalar())
    }
    position += 2
    return .assertion(assertion)
  }

  /// `\R`: a line's end, CR and LF as one and never taken apart.
  private mutating func newLine() -> PatternNode {
    let carriageReturn = node(of: ScalarSet(0x0D))
    let lineFeed = node(of: ScalarSet(0x0A))
    return .choice([
      .sequence([carriageReturn, lineFeed]),
      .sequence([carriageReturn, .assertion(.notBeforeLineFeed)]),
      node(of: ScalarProperties.lineEnd.subtracting(ScalarSet(0x0D))),
    ])
  }
}
