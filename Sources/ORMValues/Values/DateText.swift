package import Foundation

/// Dates as texts in ISO 8601, exact both ways for years 1 to 9999 of the Gregorian calendar.
///
/// Foundation's styles are not used: they ignore text after a date, take days that no month has, and keep
/// milliseconds alone.
package enum DateText {
  /// The date of `2024-05-01`, `2024-05-01T10:30:00Z`, with an offset or a fraction; nil for
  /// anything else.
  ///
  /// A day alone is its first second in UTC.
  package static func date(_ text: String) -> Date? {
    var scanner = Scanner(bytes: Array(text.utf8))
    guard let year = scanner.number(4), year > 0, scanner.skip("-"),
      let month = scanner.number(2), (1...12).contains(month), scanner.skip("-"),
      let day = scanner.number(2), day >= 1, day <= length(ofMonth: month, year)
    else { return nil }
    var seconds = CivilDay(year, month, day).number * 86_400
    if scanner.isAtEnd { return Date(timeIntervalSinceReferenceDate: Double(seconds)) }
    guard scanner.skip("T"), let hour = scanner.number(2), hour < 24, scanner.skip(":"),
      let minute = scanner.number(2), minute < 60, scanner.skip(":"),
      let second = scanner.number(2), second < 60
    else { return nil }
    seconds += hour * 3600 + minute * 60 + second
    var fraction: [UInt8] = []
    if scanner.skip(".") {
      fraction = scanner.digits()
      if fraction.isEmpty { return nil }
    }
    guard let offset = scanner.offset(), scanner.isAtEnd else { return nil }
    return interval(seconds - offset, fraction).map(Date.init(timeIntervalSinceReferenceDate:))
  }

  /// The text of a date, in UTC; of a date outside the years, its seconds since 2001.
  package static func text(of date: Date) -> String {
    var interval = date.timeIntervalSinceReferenceDate
    // This near to zero a double says more than any clock; twelve digits after the point are enough.
    if abs(interval) < 1e-4 { interval = (interval * 1e12).rounded() / 1e12 }
    let first = Double(CivilDay(1, 1, 1).number) * 86_400
    let end = Double(CivilDay(10_000, 1, 1).number) * 86_400
    guard interval >= first, interval < end else { return "\(interval)" }
    let whole = Int(interval.rounded(.down))
    let second = whole.modulo(86_400)
    let day = CivilDay((whole - second) / 86_400)
    let time = [second / 3600, second / 60 % 60, second % 60].map { padded($0, 2) }
    return "\(padded(day.year, 4))-\(padded(day.month, 2))-\(padded(day.day, 2))T"
      + time.joined(separator: ":") + fraction(of: interval) + "Z"
  }

  /// The double nearest to seconds and a fraction of one, rounded once.
  private static func interval(_ seconds: Int, _ fraction: [UInt8]) -> Double? {
    guard seconds < 0, fraction.contains(where: { $0 != UInt8(ascii: "0") }) else {
      return Double("\(seconds)." + (fraction.isEmpty ? "0" : text(fraction)))
    }
    return Double("-\(-(seconds + 1))." + text(complement(fraction)))
  }

  /// Returns the fraction in the interval's shortest digits, with its point; empty if it is zero.
  ///
  /// It counts upwards from the whole second before, for negative intervals too.
  private static func fraction(of interval: Double) -> String {
    let shortest = "\(abs(interval))"
    let written =
      shortest.contains("e") ? String(format: "%.12f", abs(interval)) : shortest
    guard let point = written.firstIndex(of: ".") else { return "" }
    var digits = Array(written[written.index(after: point)...].utf8)
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    if digits.isEmpty { return "" }
    return "." + text(interval < 0 ? complement(digits) : digits)
  }

  /// The digits of one minus a fraction, which is not zero.
  private static func complement(_ digits: [UInt8]) -> [UInt8] {
    var digits = digits
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    guard let last = digits.indices.last else { return [] }
    for index in digits.indices {
      digits[index] = UInt8(ascii: "0") + (index == last ? 10 : 9) - (digits[index] - 48)
    }
    return digits
  }

  private static func text(_ digits: [UInt8]) -> String { String(decoding: digits, as: UTF8.self) }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let text = "\(number)"
    return String(repeating: "0", count: max(0, width - text.count)) + text
  }

  private static func length(ofMonth month: Int, _ year: Int) -> Int {
    if month == 2 { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28 }
    return [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  private struct Scanner {
    let bytes: [UInt8]
    var position = 0

    var isAtEnd: Bool { position == bytes.count }

    mutating func skip(_ character: Character) -> Bool {
      guard position < bytes.count, bytes[position] == character.asciiValue else { return false }
      position += 1
      return true
    }

    mutating func digits() -> [UInt8] {
      let rest = bytes[position...].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      position += rest.count
      return Array(rest)
    }

    /// A number of exactly `width` digits.
    mutating func number(_ width: Int) -> Int? {
      guard position + width <= bytes.count else { return nil }
      var number = 0
      for byte in bytes[position..<position + width] {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        number = number * 10 + Int(byte - UInt8(ascii: "0"))
      }
      position += width
      return number
    }

    /// Seconds east of UTC: `Z`, `+02:00` or `+0200`.
    mutating func offset() -> Int? {
      if skip("Z") { return 0 }
      let isWest = skip("-")
      guard isWest || skip("+"), let hours = number(2), hours < 24 else { return nil }
      _ = skip(":")
      guard let minutes = number(2), minutes < 60 else { return nil }
      return (hours * 3600 + minutes * 60) * (isWest ? -1 : 1)
    }
  }
}
