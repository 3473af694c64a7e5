/// Runs a pattern's automaton over texts, in time linear in the text.
///
/// All paths through the pattern are followed at once, as a set of positions. Which set follows
/// which at which class of scalars is cached, as a deterministic automaton that grows as texts ask
/// for it, within bounds. Where sets keep being new, as hostile patterns make them, they are worked
/// out anew at each scalar. That costs at most as many words as the set and the joints have.
struct PatternMachine: Sendable {
  private let program: PatternProgram
  private let classCount: Int
  private let wordCount: Int
  /// The class of each ASCII scalar, cached.
  private let ascii: [UInt16]
  /// True if there is just one row of transitions to a state, since nothing is asserted.
  private let isPlain: Bool

  /// The links for each combination of assertions that was met, restricted to those that the pattern
  /// has, and their number by the combination.
  private var links: [PatternLinks] = []
  private var linkNumbers = [Int16](repeating: -1, count: 256)

  /// The sets of the states, one after the other; state 0 is the empty set, state 1 the beginning.
  private var sets: [UInt64] = []
  private var states: [[UInt64]: Int32] = [:]
  /// The start of the row of each state and number of links; -1 for none yet.
  private var rows: [Int32] = []
  /// The state that follows, by class; -1 while it is unknown.
  ///
  /// Without assertions it is the index of that state's row, and after the classes comes whether a
  /// match may end in this one.
  private var transitions: [Int32] = []
  /// The number of scalars that were followed with assertions or new sets since the running operation
  /// was asked.
  private var steps = 0
  /// The number of links' rows that each state has capacity for.
  private let rowsPerState: Int

  /// The most memory for cached states, in bytes.
  private static let memory = 512 << 10
  /// A cached state must serve this many scalars on average, or caching ends.
  private static let worth = 8

  init(_ program: PatternProgram) {
    self.program = program
    classCount = program.classes.count
    wordCount = program.wordCount
    ascii = program.classes.ascii
    isPlain = program.assertions.isEmpty
    // The combinations are few: the kinds of scalar before and after, and whether a text's last line ends.
    rowsPerState = isPlain ? 1 : 72
    if isPlain { _ = number(ofLinksFor: []) }
    forget()
  }

  /// The most scalars that are followed until the running operation is asked whether it is to end early.
  ///
  /// Sets that are worked out anew take up to some microseconds each.
  private static let unwatched = (known: 1 << 16, new: 1 << 10)

  /// Returns whether the whole text, folded already, matches; nil if the running operation is to end
  /// before that is known.
  mutating func answer(_ text: UnsafeRawBufferPointer) -> Bool? {
    if isPlain { return matchesPlainly(text) }
    var walk = Walk(text, lastEnd: BoundaryKind.lastEnd(of: text), state: 1)
    return matchesCarefully(&walk)
  }

  /// A position in a text, and the state there.
  private struct Walk {
    let text: UnsafeRawBufferPointer
    let lastEnd: Int
    var position = 0
    var state: Int32 = 1
    var previous = BoundaryKind.none
    /// The position at which states were last discarded.
    var cleared = 0
    /// True if states are no longer cached; the set is then here.
    var set: [UInt64]?

    init(_ text: UnsafeRawBufferPointer, lastEnd: Int, state: Int32) {
      self.text = text
      self.lastEnd = lastEnd
      self.state = state
    }
  }

  /// Returns whether the running operation is to end early.
  private func isStopped() -> Bool { RunningOperation.current?.isStopped ?? false }

  /// Returns whether the running operation is to end early.
  ///
  /// It asks at intervals of `unwatched.new` scalars, and at each scalar once the operation is to end.
  @inline(__always)
  private mutating func isStoppedInSteps() -> Bool {
    steps &+= 1
    if steps < Self.unwatched.new { return false }
    if isStopped() { return true }
    steps = 0
    return false
  }

  // MARK: - Without assertions

  /// The distance between the rows of two states, if nothing is asserted.
  private var stride: Int { classCount &+ 1 }

  private mutating func matchesPlainly(_ text: UnsafeRawBufferPointer) -> Bool? {
    // States are the indexes of their rows here.
    var walk = Walk(text, lastEnd: 0, state: Int32(truncatingIfNeeded: stride))
    while walk.position < text.count {
      if let missing = runKnown(&walk) {
        step(&walk, links: 0, class: missing)
        if walk.set != nil { return finishPlainly(&walk) }
      }
      if walk.state == 0 { return false }
      if walk.position < text.count && isStopped() { return nil }
    }
    return transitions[Int(walk.state) &+ classCount] != 0
  }

  /// Goes on as far as transitions are known; the class of the scalar at which one is missing, nil
  /// at the end, after a number of scalars, or where nothing can match any more.
  @inline(__always)
  private func runKnown(_ walk: inout Walk) -> Int? {
    let text = walk.text
    var position = walk.position
    let end = min(text.count, position + Self.unwatched.known)
    var row = Int(walk.state)
    var missing: Int?
    transitions.withUnsafeBufferPointer { transitions in
      ascii.withUnsafeBufferPointer { ascii in
        while position < end {
          let byte = text[position]
          let number: Int
          if byte < 0x80 {
            number = Int(ascii[Int(byte)])
            position &+= 1
          } else {
            number = program.classes.number(of: UTF8Scalars.next(text, &position))
          }
          let next = Int(transitions[row &+ number])
          if next <= 0 {
            if next < 0 { missing = number } else { row = 0 }
            break
          }
          row = next
        }
      }
    }
    walk.position = position
    walk.state = Int32(truncatingIfNeeded: row)
    return missing
  }

  private mutating func finishPlainly(_ walk: inout Walk) -> Bool? {
    guard var set = walk.set else { return false }
    var next = set
    let links = links[0]
    while walk.position < walk.text.count {
      let scalar = UTF8Scalars.next(walk.text, &walk.position)
      guard
        links.follow(set, into: &next, program.masks, at: program.classes.number(of: scalar))
      else { return false }
      if isStoppedInSteps() { return nil }
      swap(&set, &next)
    }
    return links.accepts(set)
  }

  // MARK: - With assertions

  private mutating func matchesCarefully(_ walk: inout Walk) -> Bool? {
    while walk.position < walk.text.count {
      if isStoppedInSteps() { return nil }
      let start = walk.position
      let number = program.classes.number(of: UTF8Scalars.next(walk.text, &walk.position))
      let links = numberOfLinks(
        between: walk.previous, and: program.kinds[number], isLastEnd: start == walk.lastEnd)
      walk.previous = program.kinds[number]
      if let set = walk.set {
        var next = set
        guard self.links[links].follow(set, into: &next, program.masks, at: number) else {
          return false
        }
        walk.set = next
        continue
      }
      let row = rows[Int(walk.state) * rowsPerState + links]
      let known = row < 0 ? -1 : transitions[Int(row) + number]
      if known < 0 { step(&walk, links: links, class: number) } else { walk.state = known }
      if walk.state == 0 { return false }
    }
    let links = numberOfLinks(between: walk.previous, and: .none, isLastEnd: true)
    return walk.set.map(self.links[links].accepts) ?? accepts(walk.state, links)
  }

  private mutating func numberOfLinks(
    between previous: BoundaryKind, and next: BoundaryKind, isLastEnd: Bool
  ) -> Int {
    number(
      ofLinksFor: BoundaryKind.holding(between: previous, and: next, isLastEnd: isLastEnd)
        .intersection(program.assertions))
  }

  private mutating func number(ofLinksFor holding: PatternAssertions) -> Int {
    let known = linkNumbers[Int(holding.rawValue)]
    if known >= 0 { return Int(known) }
    links.append(PatternLinks(program.root, where: holding, wordCount: wordCount))
    linkNumbers[Int(holding.rawValue)] = Int16(links.count - 1)
    return links.count - 1
  }

  // MARK: - States

  private func accepts(_ state: Int32, _ number: Int) -> Bool {
    let start = Int(state) * wordCount
    return links[number].accepts(sets[start..<start + wordCount])
  }

  /// Works a transition out, and keeps it.
  private mutating func step(_ walk: inout Walk, links number: Int, class scalar: Int) {
    let source = isPlain ? Int(walk.state) / stride : Int(walk.state)
    var set = Array(sets[source * wordCount..<(source + 1) * wordCount])
    var next = set
    let isAlive = links[number].follow(set, into: &next, program.masks, at: scalar)
    swap(&set, &next)
    var target: Int32 = 0
    if isAlive {
      if let known = states[set] {
        target = known
      } else if bytes < Self.memory {
        target = add(set)
      } else {
        let served = walk.position - walk.cleared
        if served < states.count * Self.worth {
          walk.set = set
          return
        }
        forget()
        walk.cleared = walk.position
        walk.state = transition(of: add(set))
        return
      }
    }
    walk.state = transition(of: target)
    if isPlain {
      transitions[source * stride + scalar] = walk.state
      return
    }
    let index = source * rowsPerState + number
    if rows[index] < 0 {
      rows[index] = Int32(transitions.count)
      transitions += repeatElement(-1, count: classCount)
    }
    transitions[Int(rows[index]) + scalar] = target
  }

  /// Returns the number that represents a state in transitions.
  private func transition(of state: Int32) -> Int32 {
    isPlain ? state * Int32(truncatingIfNeeded: stride) : state
  }

  private mutating func add(_ set: [UInt64]) -> Int32 {
    let number = Int32(sets.count / wordCount)
    sets += set
    states[set] = number
    if isPlain {
      transitions += repeatElement(-1, count: classCount)
      transitions.append(accepts(number, 0) ? 1 : 0)
    } else {
      rows += repeatElement(-1, count: rowsPerState)
    }
    return number
  }

  private mutating func forget() {
    sets.removeAll(keepingCapacity: true)
    states.removeAll(keepingCapacity: true)
    rows.removeAll(keepingCapacity: true)
    transitions.removeAll(keepingCapacity: true)
    var set = [UInt64](repeating: 0, count: wordCount)
    _ = add(set)
    set[0] = 1
    _ = add(set)
  }

  /// The bytes that states take: their set twice, their rows and their transitions.
  private var bytes: Int { sets.count * 16 + rows.count * 4 + transitions.count * 4 }
}

extension PatternLinks {
  /// The positions that follow those of a set at a scalar of a class; whether there are any.
  func follow(
    _ set: [UInt64], into next: inout [UInt64], _ masks: [UInt64], at scalar: Int
  ) -> Bool {
    let count = set.count
    return set.withUnsafeBufferPointer { set in
      next.withUnsafeMutableBufferPointer { next in
        shifts.withUnsafeBufferPointer { shifts in
          words.withUnsafeBufferPointer { words in
            var carry: UInt64 = 0
            for i in 0..<count {
              let moved = set[i] & shifts[i]
              next[i] = moved << 1 | carry
              carry = moved >> 63
            }
            for joint in joints {
              var source = joint.source
              for word in joint.sourceWords {
                if set[source] & words[word] != 0 {
                  var target = joint.target
                  for word in joint.targetWords {
                    next[target] |= words[word]
                    target &+= 1
                  }
                  break
                }
                source &+= 1
              }
            }
            return masks.withUnsafeBufferPointer { masks in
              var any: UInt64 = 0
              let start = scalar &* count
              for i in 0..<count {
                next[i] &= masks[start &+ i]
                any |= next[i]
              }
              return any != 0
            }
          }
        }
      }
    }
  }

  /// Returns whether a match may end at one of these positions.
  func accepts(_ set: some Sequence<UInt64>) -> Bool {
    zip(set, accepting).contains { $0 & $1 != 0 }
  }
}
