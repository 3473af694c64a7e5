/// A text operator with its right side made ready, to be asked of many texts.
///
/// The rules are those of clause 2.3 to 2.5. Texts are compared scalar by scalar, which in
/// UTF-8 is byte by byte; Swift's own `contains` and `hasPrefix` go by characters and would not
/// find the `e` in `e` and a combining accent. With options, the operator is asked of the folded
/// texts (``TextFolding/fold(_:_:)``): under `[n]`, é contains no e; under `[d]`, it does.
///
/// `contains`, `beginsWith` and `endsWith` of the empty text are true, and so they are of one that
/// folding leaves empty. A text that is nil has no matcher to ask: every operator is false then.
package struct TextMatcher: Hashable, Sendable {
  /// The operator.
  package enum Kind: String, Hashable, Codable, Sendable {
    case beginsWith, endsWith, contains, equals, like, matches
  }

  /// The right side, in one object, so that a condition that is asked of every row carries one reference.
  private let right: Right

  /// Makes the right side of any operator but `matches` ready.
  package init(_ kind: Kind, needle: String, options: TextOptions = []) {
    let form = kind == .like ? "" : TextFolding.fold(needle, options)
    right = Right(
      kind: kind, options: options, needle: ByteNeedle(form.utf8),
      pattern: kind == .like ? LikePattern(needle, options: options) : nil, expression: nil)
  }

  /// A regular expression as the right side.
  package init(matching expression: TextPattern) {
    right = Right(
      kind: .matches, options: expression.options, needle: ByteNeedle("".utf8), pattern: nil,
      expression: expression)
  }

  /// Returns whether the operator holds for the text.
  package func matches(_ text: String) -> Bool {
    answer(text) ?? false
  }

  /// Returns whether the operator holds for the text; nil if the running operation is to end before that
  /// is known.
  package func answer(_ text: String) -> Bool? {
    ByteOrder.withBytes(of: text) { right.answer($0) }
  }

  /// Returns whether the operator holds for a text given as UTF-8; nil if the running operation is to
  /// end before that is known.
  package func answer(utf8: UnsafeRawBufferPointer) -> Bool? { right.answer(utf8) }
}

/// The right side of a text operator, made ready.
private final class Right: Sendable {
  let kind: TextMatcher.Kind
  let options: TextOptions
  /// The right side, folded; unused for patterns.
  private let needle: ByteNeedle
  private let needleIsASCII: Bool
  private let pattern: LikePattern?
  private let expression: TextPattern?

  init(
    kind: TextMatcher.Kind, options: TextOptions, needle: ByteNeedle, pattern: LikePattern?,
    expression: TextPattern?
  ) {
    self.kind = kind
    self.options = options
    self.needle = needle
    needleIsASCII = needle.bytes.allSatisfy { $0 < 0x80 }
    self.pattern = pattern
    self.expression = expression
  }

  func answer(_ text: UnsafeRawBufferPointer) -> Bool? {
    if let expression { return expression.answer(text) }
    if let pattern { return pattern.answer(utf8: text) }
    if options.isEmpty { return matchesForm(text) }
    if needleIsASCII, let answer = matchesASCII(text) { return answer }
    return TextFolding.withFold(of: text, options) { matchesForm($0) }
  }

  private func matchesForm(_ form: UnsafeRawBufferPointer) -> Bool {
    switch kind {
    case .beginsWith: needle.isFound(in: form, at: 0)
    case .endsWith: needle.isFound(in: form, at: form.count - needle.count)
    case .equals: form.count == needle.count && needle.isFound(in: form, at: 0)
    case .contains, .like, .matches:
      needle.firstIndex(in: form, from: 0, to: form.count) != nil
    }
  }

  /// The answer where the needle is ASCII and looking at as many bytes of the text is enough; nil
  /// where scalars that are not ASCII have a say.
  ///
  /// An ASCII scalar folds to one ASCII scalar unless a mark follows it. Then under `[n]` and `[d]` its
  /// folding begins with itself or with a scalar that is not ASCII. So a difference between two ASCII scalars
  /// decides.
  private func matchesASCII(_ text: UnsafeRawBufferPointer) -> Bool? {
    let foldsCase = options.contains(.caseInsensitive)
    func differs(_ byte: UInt8, _ wanted: UInt8) -> Bool {
      (foldsCase ? byte.asciiLowercased : byte) != wanted
    }
    switch kind {
    case .beginsWith, .equals:
      for (i, wanted) in needle.bytes.enumerated() {
        guard i < text.count else { return false }
        if text[i] >= 0x80 { return nil }
        if differs(text[i], wanted) { return false }
      }
      if text.count == needle.count { return true }
      if text[needle.count] < 0x80 { return kind == .beginsWith }
      // Marks may follow; they belong to the scalar before, which may be the needle's last.
      return kind == .beginsWith && !options.isCanonical ? true : nil
    case .endsWith:
      for (i, wanted) in needle.bytes.reversed().enumerated() {
        let position = text.count - 1 - i
        guard position >= 0 else { return false }
        if text[position] >= 0x80 { return nil }
        if differs(text[position], wanted) { return false }
      }
      return true
    case .contains, .like, .matches:
      return nil
    }
  }
}

extension Right: Hashable {
  static func == (a: Right, b: Right) -> Bool {
    a === b
      || a.kind == b.kind && a.options == b.options && a.needle == b.needle
        && a.pattern == b.pattern && a.expression == b.expression
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(options)
    hasher.combine(needle)
    hasher.combine(pattern)
    hasher.combine(expression)
  }
}
