/// The pattern of a `LIKE`: literal text, `?` for one Unicode scalar, `*` for any run of them.
///
/// `\` takes any next scalar literally; at the pattern's end it stands for itself. Every text is a pattern.
/// The whole text must match (clause 2.5).
///
/// With options, text and pattern are folded: each literal run of the pattern by itself, after the
/// escapes are resolved, and the text as a whole. `?` is then one scalar of the folded text, so
/// `ß` matches `??` under `[c]`, and é matches `?` under `[n]` however it is composed.
package struct LikePattern: Hashable, Sendable {
  /// A stretch of the pattern between two `*`: literals, with one `?` between each and the next.
  typealias Segment = [ByteNeedle]

  /// The options under which text and pattern are folded.
  package let options: TextOptions
  /// One more than there are runs of `*`, never empty.
  let segments: [Segment]

  /// The most bytes of a pattern that a condition writes down, as of a regular expression.
  package static let lengthLimit = 64 << 10

  /// Refuses a pattern longer than ``lengthLimit``.
  ///
  /// - Throws: `tooComplex`.
  package static func checkLength(of pattern: String) throws {
    guard pattern.utf8.count <= lengthLimit else {
      throw StoreError(.tooComplex, "the pattern of LIKE is longer than 64 KiB")
    }
  }

  /// Reads a pattern.
  package init(_ pattern: String, options: TextOptions = []) {
    var segments: [Segment] = []
    var segment: Segment = []
    var literal = String.UnicodeScalarView()
    func endLiteral() {
      segment.append(ByteNeedle(TextFolding.fold(String(literal), options).utf8))
      literal = String.UnicodeScalarView()
    }
    func endSegment() {
      endLiteral()
      segments.append(segment)
      segment = []
    }

    var lastWasRun = false
    var scalars = pattern.unicodeScalars.makeIterator()
    while let scalar = scalars.next() {
      switch scalar {
      case "*": if !lastWasRun { endSegment() }
      case "?": endLiteral()
      case "\\": literal.append(scalars.next() ?? scalar)
      default: literal.append(scalar)
      }
      lastWasRun = scalar == "*"
    }
    endSegment()
    self.options = options
    self.segments = segments
  }

  /// True if the pattern has no wildcard: it is then an `==` with the same options.
  package var isLiteral: Bool { segments.count == 1 && segments[0].count == 1 }

  /// The literal before the first wildcard, with which every text that matches begins; nil if there
  /// are options, since a text that matches may begin with another spelling of it.
  package var literalPrefix: String? { options.isEmpty ? foldedPrefix : nil }

  /// The literal before the first wildcard, folded: the folded form of every text that matches
  /// begins with it, as an index of folded texts can use.
  package var foldedPrefix: String { String(decoding: segments[0][0].bytes, as: UTF8.self) }
}
