internal import FoundationEssentials
internal import ORM

/// Dates as texts that read back to the bit: ISO 8601 where that is exact, else seconds since 2001.
///
/// Dates outside of the years 1 to 9999, infinite ones, and those within a ten-thousandth of a second
/// of 2001 are texts such as `-63114076801.0`, `inf` and `1e-05`.
enum ExactDateText {
  /// The date of a text; nil for one that is no date.
  static func date(_ text: String) -> Date? {
    if let date = DateText.date(text) { return date }
    guard let seconds = seconds(text) else { return nil }
    let date = Date(timeIntervalSinceReferenceDate: seconds)
    // A number from elsewhere that only looks like one is no date.
    return self.text(of: date) == text ? date : nil
  }

  private static func seconds(_ text: String) -> Double? {
    switch text {
    case "inf": return .infinity
    case "-inf": return -.infinity
    default:
      guard text.utf8.first.map({ $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) }) == true
      else { return nil }
      return Double(text).flatMap { $0.isFinite ? $0 : nil }
    }
  }

  /// The text of a date.
  static func text(of date: Date) -> String {
    let seconds = date.timeIntervalSinceReferenceDate
    let isExact = abs(seconds) >= 1e-4 || (seconds == 0 && seconds.sign == .plus)
    return isExact ? DateText.text(of: date) : "\(seconds)"
  }

  /// Returns whether a text is a date in seconds, which a field of CSV does not distinguish from a
  /// number.
  static func isSeconds(_ text: String) -> Bool { DateText.date(text) == nil && date(text) != nil }
}
