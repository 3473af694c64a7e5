/// How a text operator compares: the modifiers `[c]`, `[d]` and `[n]` of predicate formats.
public struct TextOptions: OptionSet, Hashable, Codable, Sendable, CustomStringConvertible {
  /// The options as bits.
  public let rawValue: UInt8
  /// Makes options from bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `[c]`: after full Unicode case folding.
  public static let caseInsensitive = TextOptions(rawValue: 1)
  /// `[d]`: without diacritics.
  public static let diacriticInsensitive = TextOptions(rawValue: 2)
  /// `[n]`: canonically equivalent texts are equal.
  public static let normalized = TextOptions(rawValue: 4)

  /// The modifier as formats write it, such as `[cd]`; empty without options.
  public var description: String {
    guard !isEmpty else { return "" }
    var letters = ""
    if contains(.caseInsensitive) { letters += "c" }
    if contains(.diacriticInsensitive) { letters += "d" }
    if contains(.normalized) { letters += "n" }
    return "[\(letters)]"
  }
}
