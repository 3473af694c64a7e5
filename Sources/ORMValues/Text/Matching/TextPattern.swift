internal import Synchronization

/// The regular expression of a `MATCHES`, which the whole text must match (clause 2.5).
///
/// Matching takes time linear in the text for every pattern: there is no backtracking. The unit is the
/// Unicode scalar. The syntax is the part of ICU's that has no back-references and no look-around; everything
/// else is refused with its position, counted in scalars from 0:
///
/// - Scalars as themselves, but for `* ? + [ ( ) { } ^ $ | \ .`, which `\` takes literally;
///   `\Q…\E`; `\n \t \r \f \a \e \cX \0ooo \xHH \x{H…} \uHHHH \UHHHHHHHH`.
/// - `.`, any scalar but a line's end (U+000A to U+000D, U+0085, U+2028, U+2029); under `s`, any.
/// - `\d` (Nd), `\w` (Alphabetic, M, Nd, Pc, U+200C, U+200D), `\s` (White_Space), `\h` (Zs and the
///   tabulator), `\v` (a line's end); capitals for all others. `\R`, a line's end, CR LF being one.
///   `\p{…}`, `\P{…}` and `[:…:]` with general categories, scripts and the properties that
///   ``ScalarProperties/set(named:)`` names, by the tables of ``TextFolding/unicodeVersion``.
/// - Classes `[…]`: ranges, negation, classes inside classes, `&&` and `--`.
/// - `^` and `\A`, the text's beginning; `\z`, its end; `$` and `\Z`, its end or before a line's end
///   that is its last. Under `m`, `^` and `$` are a line's. `\b`, between a scalar of `\w` and
///   another or the text's edge; `\B`, anywhere else.
/// - Groups `(…)`, `(?:…)` and `(?<name>…)`, which all only group; `|`; `* + ? {n} {n,} {n,m}`, which a
///   `?` may follow without changing the matches; comments `(?#…)`; flags `(?smx-smx)` and
///   `(?smx-smx:…)`, and at the very beginning `(?i)`, which is the option `[c]`.
///
/// With options, the text is folded as a whole (``TextFolding/fold(_:_:)``) and the pattern in
/// parts: each run of literals as a text; each scalar of a class by itself, and where that makes
/// several or none, unfolded; each range and property scalar by scalar, those that become several or none
/// left out. A negated class has all scalars that the folded class does not hold. So `.` and classes stand
/// for scalars of the folded text: under `[c]`, `ß` matches `..`, `[ß]`, `ss` and `SS`.
package struct TextPattern: Sendable {
  /// The pattern as it was written.
  package let pattern: String
  /// The options that were given.
  package let options: TextOptions
  private let compiled: CompiledPattern

  /// Reads a pattern, or finds it among those that were read last.
  ///
  /// - Throws: `invalidCondition` if the text is not a pattern, or uses syntax that is not supported;
  ///   `tooComplex` past 64 KiB, or 4,096 scalars with repetitions written out.
  package init(_ pattern: String, options: TextOptions = []) throws {
    self.pattern = pattern
    self.options = options
    compiled = try PatternCache.shared.pattern(pattern, options)
  }

  /// Returns whether the whole text matches.
  package func matches(_ text: String) -> Bool {
    ByteOrder.withBytes(of: text) { answer($0) } ?? false
  }

  /// Returns whether the whole of a text given as UTF-8 matches; nil if the running operation is to end
  /// before that is known.
  package func answer(_ text: UnsafeRawBufferPointer) -> Bool? {
    TextFolding.withFold(of: text, compiled.options) { compiled.answer($0) }
  }

  /// The prefix of every text that matches; nil if texts are folded.
  ///
  /// A text that matches only when it is folded may begin with another spelling of the prefix.
  package var literalPrefix: String? { compiled.options.isEmpty ? compiled.literals.prefix : nil }

  /// The prefix of the folded form of every text that matches.
  package var foldedPrefix: String { compiled.literals.prefix }

  /// True if the prefix is all that matches.
  package var isLiteral: Bool { compiled.literals.isWhole }
}

extension TextPattern: Hashable {
  /// Returns whether both are the same pattern under the same options.
  package static func == (left: TextPattern, right: TextPattern) -> Bool {
    left.options == right.options
      && left.pattern.unicodeScalars.elementsEqual(right.pattern.unicodeScalars)
  }

  /// Hashes the pattern as it was written.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(options)
    for scalar in pattern.unicodeScalars { hasher.combine(scalar) }
  }
}

/// A pattern ready to be asked, and the machines that ask it, one for each thread at a time.
private final class CompiledPattern: Sendable {
  let options: TextOptions
  let literals: PatternLiterals
  private let program: PatternProgram
  /// The machine of the first caller, with the transitions it has cached.
  ///
  /// Only the caller that has set `isTaken` may use it.
  @exclusivity(unchecked) private nonisolated(unsafe) var machine: PatternMachine
  private let isTaken = Atomic(false)
  /// Machines for further callers, none of them in use.
  private let idle = Lock<[PatternMachine]>([])

  /// The number of cached machines for others.
  private static let idleLimit = 2

  init(_ pattern: String, _ options: TextOptions) throws {
    guard pattern.utf8.count <= 64 << 10 else {
      throw StoreError(.tooComplex, "the pattern of MATCHES is longer than 64 KiB")
    }
    // It nests no deeper than it has brackets that open.
    let depth = pattern.utf8.count { $0 == UInt8(ascii: "(") || $0 == UInt8(ascii: "[") }
    let stack = StackReserve.needed(min(depth, PatternParser.depthLimit) + 1)
    let read = StackReserve.run(needing: stack) { Result { try Self.read(pattern, options) } }
    (program, literals, self.options) = try read.get()
    machine = PatternMachine(program)
  }

  /// Reads a pattern, which takes stack for each level of its groups and classes.
  private static func read(
    _ pattern: String, _ options: TextOptions
  ) throws -> (PatternProgram, PatternLiterals, TextOptions) {
    var parser = PatternParser(pattern, options: options)
    let root = try parser.parse().withoutEdges()
    return (
      try PatternProgram(root, parser.sets), PatternLiterals(root, parser.sets), parser.options
    )
  }

  func answer(_ text: UnsafeRawBufferPointer) -> Bool? {
    guard literals.areFound(in: text) else { return false }
    if literals.isWhole { return literals.arePrefix(of: text) }
    if isTaken.exchange(true, ordering: .acquiring) { return answerBeside(text) }
    defer { isTaken.store(false, ordering: .releasing) }
    return machine.answer(text)
  }

  /// Asks another machine, while a thread has the first.
  @inline(never)
  private func answerBeside(_ text: UnsafeRawBufferPointer) -> Bool? {
    var machine = idle.withLock { $0.popLast() } ?? PatternMachine(program)
    let answer = machine.answer(text)
    idle.withLock { [machine] idle in
      if idle.count < Self.idleLimit { idle.append(machine) }
    }
    return answer
  }
}

/// The patterns that were read last: a condition is checked, bound and asked again with the same.
private final class PatternCache: Sendable {
  static let shared = PatternCache()

  /// The number of cached patterns; a full cache is emptied.
  private static let limit = 32

  private struct Key: Hashable {
    let pattern: [UInt8]
    let options: TextOptions
  }

  private let patterns = Lock<[Key: CompiledPattern]>([:])

  func pattern(_ pattern: String, _ options: TextOptions) throws -> CompiledPattern {
    let key = Key(pattern: Array(pattern.utf8), options: options)
    if let known = patterns.withLock({ $0[key] }) { return known }
    let new = try CompiledPattern(pattern, options)
    patterns.withLock { patterns in
      if patterns.count >= Self.limit { patterns.removeAll() }
      patterns[key] = new
    }
    return new
  }
}
