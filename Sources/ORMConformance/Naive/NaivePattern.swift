import ORMCore

/// A regular expression worked out the plainest way: the set of positions where a part may end.
///
/// It knows only the patterns that `RandomPattern` writes: literals, `\` before what is none, `.`,
/// classes of scalars and ranges, groups, `|`, and repetitions.
struct NaivePattern {
  private indirect enum Node {
    case scalars(Bool, [ClosedRange<UInt32>])
    case sequence([Node])
    case choice([Node])
    case repeated(Node, Int, Int?)
  }

  private let options: TextOptions
  private var rest: ArraySlice<Unicode.Scalar>
  private var root = Node.sequence([])

  init(_ pattern: String, _ options: TextOptions) {
    self.options = options
    rest = Array(pattern.unicodeScalars)[...]
    root = choice()
  }

  /// Returns whether the whole of a folded text matches.
  func matches(_ text: [Unicode.Scalar]) -> Bool {
    ends(of: root, from: [0], in: text).contains(text.count)
  }

  /// Returns the positions where a part may end that begins at one of these positions.
  ///
  /// All positions are followed together, and a repetition goes on only from those that are new:
  /// nested repetitions would otherwise take for ever on a long text.
  private func ends(of node: Node, from positions: Set<Int>, in text: [Unicode.Scalar]) -> Set<Int>
  {
    switch node {
    case .scalars(let isNegated, let ranges):
      return Set(
        positions.lazy.filter { position in
          position < text.count
            && ranges.contains { $0.contains(text[position].value) } != isNegated
        }.map { $0 + 1 })
    case .sequence(let parts):
      return parts.reduce(positions) { ends(of: $1, from: $0, in: text) }
    case .choice(let parts):
      return parts.reduce(into: []) { $0.formUnion(ends(of: $1, from: positions, in: text)) }
    case .repeated(let part, let least, let most):
      var new = positions
      for _ in 0..<least { new = ends(of: part, from: new, in: text) }
      var all = new
      var round = least
      while round < most ?? .max, !new.isEmpty {
        new = ends(of: part, from: new, in: text).subtracting(all)
        all.formUnion(new)
        round += 1
      }
      return all
    }
  }

  // MARK: - Reading

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard rest.first == scalar else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func choice() -> Node {
    var parts = [sequence()]
    while take("|") { parts.append(sequence()) }
    return .choice(parts)
  }

  private mutating func sequence() -> Node {
    var parts: [Node] = []
    var run = ""
    while let scalar = rest.first, scalar != "|", scalar != ")" {
      rest.removeFirst()
      var literal: String?
      var node = Node.sequence([])
      switch scalar {
      case "(":
        node = choice()
        rest.removeFirst()
      case "[": node = characterClass()
      case ".": node = .scalars(true, [0x0A...0x0D, 0x85...0x85, 0x2028...0x2029])
      case "\\": literal = String(rest.removeFirst())
      default: literal = String(scalar)
      }
      let repetition = repetition()
      if let literal, repetition == nil {
        run += literal
        continue
      }
      parts += literals(run)
      run = ""
      if let literal { node = .sequence(literals(literal)) }
      parts.append(repetition.map { .repeated(node, $0.0, $0.1) } ?? node)
    }
    return .sequence(parts + literals(run))
  }

  private func literals(_ run: String) -> [Node] {
    NaiveText.fold(run, options).unicodeScalars.map { .scalars(false, [$0.value...$0.value]) }
  }

  private mutating func repetition() -> (Int, Int?)? {
    if take("*") { return (0, nil) }
    if take("+") { return (1, nil) }
    if take("?") { return (0, 1) }
    guard take("{") else { return nil }
    let least = number() ?? 0
    let most = take(",") ? number() : least
    rest.removeFirst()
    return (least, most)
  }

  private mutating func number() -> Int? {
    var digits = ""
    while let scalar = rest.first, "0"..."9" ~= scalar {
      digits.unicodeScalars.append(scalar)
      rest.removeFirst()
    }
    return Int(digits)
  }

  private mutating func characterClass() -> Node {
    let isNegated = take("^")
    var ranges: [ClosedRange<UInt32>] = []
    var several: [Node] = []
    while !take("]") {
      _ = take("\\")
      let lower = rest.removeFirst()
      var upper = lower
      if take("-") { upper = rest.removeFirst() }
      for value in lower.value...upper.value {
        guard let scalar = Unicode.Scalar(value) else { continue }
        let form = Array(NaiveText.fold(String(scalar), options).unicodeScalars)
        if form.count == 1 {
          ranges.append(form[0].value...form[0].value)
        } else if lower == upper {
          several.append(.sequence(form.map { .scalars(false, [$0.value...$0.value]) }))
        }
      }
    }
    return several.isEmpty
      ? .scalars(isNegated, ranges) : .choice([.scalars(false, ranges)] + several)
  }
}
