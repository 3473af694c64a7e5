/// The options of a text operator: the letters in brackets after it, as in `CONTAINS[cd]`.
///
/// Without options, texts are equal when their Unicode scalars are equal.
/// ``TextFolding/fold(_:_:)`` documents each option and the order in which they combine.
///
/// ```swift
/// let options: TextOptions = [.caseInsensitive, .diacriticInsensitive]
/// print(options)  // [cd]
/// ```
public struct TextOptions: OptionSet, Hashable, Codable, Sendable {
  /// The options as bits: 1 is c, 2 is d, 4 is n; stored indexes record them so.
  public let rawValue: UInt8

  /// Makes options of bits; bits without a meaning change nothing.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `c`: upper and lower case are the same, by full Unicode case folding.
  public static let caseInsensitive = TextOptions(rawValue: 1)
  /// `d`: letters with and without marks are the same, and so are texts that `n` makes the same.
  public static let diacriticInsensitive = TextOptions(rawValue: 2)
  /// `n`: canonically equivalent texts are the same.
  public static let normalized = TextOptions(rawValue: 4)
}

extension TextOptions {
  /// True if texts are brought to a canonical form, as `d` and `n` ask.
  @inlinable
  package var isCanonical: Bool { rawValue & 6 != 0 }
}

extension TextOptions: CustomStringConvertible {
  /// The letters in brackets, `[cdn]` at the most; empty without options.
  public var description: String {
    var letters = ""
    if contains(.caseInsensitive) { letters += "c" }
    if contains(.diacriticInsensitive) { letters += "d" }
    if contains(.normalized) { letters += "n" }
    return letters.isEmpty ? "" : "[\(letters)]"
  }
}
