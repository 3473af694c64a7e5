internal import FoundationEssentials
internal import ORM

/// A form of dates in JSON.
public enum JSONDateFormat: Hashable, Codable, Sendable {
  /// `2024-05-01T10:30:00Z`, with an offset or a fraction, or a day alone.
  case iso8601
  /// Seconds since 1970, as a number with or without a fraction.
  case seconds
  /// Milliseconds since 1970, as a number.
  case milliseconds
  /// Microseconds since 1970, as a number.
  case microseconds
  /// Seconds since 2001, as Foundation's coder writes them.
  case secondsSince2001
  /// A text by a pattern: `dd.MM.yyyy HH:mm`.
  ///
  /// `yyyy`, `MM`, `dd`, `HH`, `mm`, `ss` and `SSS` are digits, and `Z` is an offset such as
  /// `+0200` or `Z`; without one the time is in UTC. Any other character stands for itself.
  case pattern(String)

  /// The words that errors use.
  var name: String {
    switch self {
    case .iso8601: "a date in ISO 8601"
    case .seconds: "seconds since 1970"
    case .milliseconds: "milliseconds since 1970"
    case .microseconds: "microseconds since 1970"
    case .secondsSince2001: "seconds since 2001"
    case .pattern(let pattern): "a date as \(pattern)"
    }
  }

  private var unitsPerSecond: Double {
    switch self {
    case .milliseconds: 1_000
    case .microseconds: 1_000_000
    default: 1
    }
  }

  /// The date of a number; nil where the format has none.
  func date(number: Double) -> Date? {
    // Foundation's form alone has infinite dates.
    guard number.isFinite || self == .secondsSince2001 else { return nil }
    switch self {
    case .iso8601, .pattern: return nil
    case .secondsSince2001: return Date(timeIntervalSinceReferenceDate: number)
    case .seconds, .milliseconds, .microseconds:
      return Date(timeIntervalSince1970: number / unitsPerSecond)
    }
  }

  /// The date of a text; nil where it is none of the format.
  func date(text: String) -> Date? {
    switch self {
    case .iso8601: ExactDateText.date(text)
    case .pattern(let pattern): DatePattern(pattern).date(of: text)
    default: nil
    }
  }

  /// Writes a date.
  ///
  /// - Throws: `invalidValue` for one that the format cannot say.
  func write(_ date: Date, to writer: inout JSONWriter) throws {
    switch self {
    case .iso8601: writer.string(ExactDateText.text(of: date))
    case .pattern(let pattern):
      guard let text = DatePattern(pattern).text(of: date) else { throw unfit }
      writer.string(text)
    case .secondsSince2001: writer.literal(plain(date.timeIntervalSinceReferenceDate))
    case .seconds: writer.literal(plain(date.timeIntervalSince1970))
    case .milliseconds, .microseconds:
      let units = (date.timeIntervalSince1970 * unitsPerSecond).rounded()
      guard let whole = Int64(exactly: units) else { throw unfit }
      writer.literal(String(whole))
    }
  }

  /// A number of seconds, whole ones without a fraction.
  private func plain(_ seconds: Double) -> String {
    let isNegativeZero = seconds == 0 && seconds.sign == .minus
    return isNegativeZero
      ? "-0.0" : Int64(exactly: seconds).map { String($0) } ?? JSONWriter.text(of: seconds)
  }

  private var unfit: StoreError {
    StoreError(.invalidValue, "the date cannot be written as \(name)")
  }
}
